/**
 * Corrects the time of several people at once: the stamp to set, each change before it is made, one reason, one undo.
 */
import { NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { monthIn } from '../parts/address-dates.js';
import { plusDays, plusMonths, useCalendar } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { compareTexts } from '../parts/sorting.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { type BulkKind, type BulkRow, bulkKinds } from './bulk-draft.js';
import { BulkTable } from './bulk-table.js';
import { timeOfOthers } from './entries.js';
import { MadeCorrections, useMadeCorrections } from './made-corrections.js';

export function BulkPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(session.company));
  const queries = useQueryClient();
  const search = new URLSearchParams(useSearch());
  const presentMonth = calendar.today.slice(0, 7);
  const [kind, setKind] = useState<BulkKind>('end');
  const [month, setMonth] = useState(monthIn(search) ?? presentMonth);
  const [day, setDay] = useState(calendar.today);
  const [department, setDepartment] = useState('');
  const [correctionIds, setCorrectionIds] = useMadeCorrections();
  const departments = useQuery({
    queryKey: ['my-people', 'departments', session.company.id],
    queryFn: async () =>
      (await ask(client.GET('/app/team/people', { params: { query: { company_id: session.company.id, limit: 1 } } })))
        .departments,
  });
  const span = kind === 'end' ? monthSpan(month) : { from: day, to: day };
  const rows = useQuery({
    queryKey: ['bulk-rows', kind, span, department],
    queryFn: () =>
      fetchRows(kind, span, {
        company_id: session.company.id,
        ...(department === '' ? {} : { department_id: Number(department) }),
      }),
    placeholderData: keepPreviousData,
    enabled: span.from !== '',
  });
  return (
    <Page title={words.several_title} lead={words.several_lead}>
      <div className="toolbar">
        <NativeSelect
          label={words.several_kind}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as BulkKind)}
          data={bulkKinds.map((value) => ({ value, label: words.several_kinds[value] }))}
        />
        {kind === 'end' ? (
          <NativeSelect
            label={words.several_month}
            value={month}
            onChange={(event) => setMonth(event.currentTarget.value)}
            data={monthsUntil(presentMonth, month).map((value) => ({ value, label: calendar.month(value) }))}
          />
        ) : (
          <DayField label={words.several_day} value={day} onChange={setDay} max={calendar.today} required />
        )}
        <NativeSelect
          label={words.presence_filter}
          value={department}
          onChange={(event) => setDepartment(event.currentTarget.value)}
          data={[
            { value: '', label: words.calendar_department_all },
            ...(departments.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      </div>
      <MadeCorrections
        ids={correctionIds}
        text={words.several_done(correctionIds.length)}
        onUndone={() => setCorrectionIds([])}
      />
      <QueryState of={rows}>
        {({ rows: list, more }) =>
          list.length === 0 ? (
            <p className="empty">{words.several_none[kind]}</p>
          ) : (
            <>
              {more && <p className="notice warn">{words.several_more(list.length)}</p>}
              <BulkTable
                key={`${kind} ${span.from} ${department}`}
                kind={kind}
                rows={list}
                calendar={calendar}
                onMade={(ids) => {
                  setCorrectionIds(ids);
                  for (const key of timeOfOthers) void queries.invalidateQueries({ queryKey: [key] });
                }}
              />
            </>
          )
        }
      </QueryState>
    </Page>
  );
}

/** The months whose entries are likely to lack something, the present one first. @param selectedMonth is among them */
function monthsUntil(presentMonth: string, selectedMonth: string): string[] {
  const months = Array.from({ length: 13 }, (_, back) => plusMonths(presentMonth, -back));
  return months.includes(selectedMonth) ? months : [...months, selectedMonth];
}

function monthSpan(month: string): { readonly from: string; readonly to: string } {
  return { from: `${month}-01`, to: plusDays(`${plusMonths(month, 1)}-01`, -1) };
}

/** The most corrections that one request takes. */
const mostRows = 500;

async function fetchRows(
  kind: BulkKind,
  span: { readonly from: string; readonly to: string },
  filter: { readonly company_id: number; readonly department_id?: number },
): Promise<{ readonly rows: readonly BulkRow[]; readonly more: boolean }> {
  const { data, has_more: more } = await ask(
    client.GET('/app/team/entries', {
      params: { query: { ...span, ...filter, without_end: kind === 'end', limit: mostRows } },
    }),
  );
  const entries = data.map(
    ({ person, department, entry }): BulkRow => ({
      key: `entry ${entry.id}`,
      person,
      department: department?.name,
      date: entry.date,
      entry,
    }),
  );
  if (kind === 'end') return { rows: entries, more };
  const sortedEntries = [...entries].sort((a, b) => a.entry!.start.localeCompare(b.entry!.start));
  if (kind !== 'add') return { rows: eachPerson(kind === 'in' ? sortedEntries : sortedEntries.toReversed()), more };
  const people = await ask(client.GET('/app/team/people', { params: { query: { ...filter, limit: mostRows } } }));
  const rows = people.data.map(({ user_id: id, first_name: first, last_name: last, department }) => ({
    key: `person ${id}`,
    person: { id, name: `${first} ${last}` },
    department: department?.name,
    date: span.from,
    entry: undefined,
  }));
  return { rows, more: people.has_more };
}

/** The first row of each person, by name. */
function eachPerson(rows: readonly BulkRow[]): readonly BulkRow[] {
  const first = new Map<number, BulkRow>();
  for (const row of rows) if (!first.has(row.person.id)) first.set(row.person.id, row);
  return [...first.values()].sort((a, b) => compareTexts(a.person.name, b.person.name));
}
