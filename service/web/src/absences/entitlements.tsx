/** The vacation days of many people in a year: calculated, looked at, and set for the chosen people. */
import { Button, Checkbox, NativeSelect, NumberInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar, useDays } from '../parts/calendar.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

type Row = Schemas['CalculatedEntitlement'];

export function EntitlementsOfMany({
  id,
  zone,
  usualDays,
}: {
  readonly id: number;
  readonly zone: Zone;
  readonly usualDays: number | undefined;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const queries = useQueryClient();
  const thisYear = Number(calendar.today.slice(0, 4));
  const [year, setYear] = useState(thisYear + 1);
  const [days, setDays] = useState<number | string>(usualDays ?? 30);
  const [department, setDepartment] = useState('');
  const [excludedIds, setExcludedIds] = useState<ReadonlySet<number>>(new Set());
  const departments = useQuery({
    queryKey: ['departments', id],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/departments', { params: { path: { id } } })),
  });
  const request = {
    year,
    days: Number(days),
    ...(department === '' ? {} : { department_id: Number(department) }),
  };
  const preview = useMutation({
    meta: { preview: true },
    mutationFn: () =>
      ask(client.POST('/app/admin/companies/{id}/entitlements/preview', { params: { path: { id } }, body: request })),
    onSuccess: () => setExcludedIds(new Set()),
  });
  const rows = preview.data?.data ?? [];
  const changes = rows.filter((row) => row.changes);
  const selectedRows = changes.filter((row) => !excludedIds.has(row.user_id));
  const setting = useMutation({
    mutationFn: () =>
      ask(
        client.POST('/app/admin/companies/{id}/entitlements', {
          params: { path: { id } },
          body: { year, days: Number(days), user_ids: selectedRows.map((row) => row.user_id) },
        }),
      ),
    onSuccess: () => {
      preview.reset();
      void queries.invalidateQueries({ queryKey: ['vacation-of'] });
    },
  });
  const reset = () => {
    preview.reset();
    setting.reset();
  };
  const changeCount = setting.data?.data.filter((row) => row.changes).length;
  return (
    <form
      className="panel form-card"
      aria-label={words.entitlements_title}
      onSubmit={(event) => {
        event.preventDefault();
        setting.reset();
        preview.mutate();
      }}
    >
      <h2>{words.entitlements_title}</h2>
      <p className="hint">{words.entitlements_text}</p>
      <ProblemNotice problem={preview.error ?? setting.error} />
      <div className="fields">
        <NativeSelect
          label={words.entitlement_year}
          value={String(year)}
          onChange={(event) => {
            setYear(Number(event.currentTarget.value));
            reset();
          }}
          data={[thisYear, thisYear + 1].map(String)}
        />
        <NumberInput
          label={words.entitlement_days}
          value={days}
          onChange={(value) => {
            setDays(value);
            reset();
          }}
          min={0}
          max={366}
          step={0.5}
          hideControls
          required
        />
        <NativeSelect
          label={words.entitlements_department}
          value={department}
          onChange={(event) => {
            setDepartment(event.currentTarget.value);
            reset();
          }}
          data={[
            { value: '', label: words.entitlements_everyone },
            ...(departments.data?.data ?? []).map((dept) => ({ value: String(dept.id), label: dept.name })),
          ]}
        />
      </div>
      {changes.length > 0 && (
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">{words.people_name}</th>
              <th scope="col">{words.entitlements_before}</th>
              <th scope="col">{words.entitlements_after}</th>
              <th scope="col">{words.entitlements_why}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((row) => (
              <tr key={row.user_id}>
                <th scope="row">
                  <Checkbox
                    label={<bdi>{row.name}</bdi>}
                    aria-label={words.entitlements_choose(row.name ?? '')}
                    checked={!excludedIds.has(row.user_id)}
                    onChange={(event) => {
                      const next = new Set(excludedIds);
                      if (event.currentTarget.checked) next.delete(row.user_id);
                      else next.add(row.user_id);
                      setExcludedIds(next);
                    }}
                  />
                </th>
                <td data-label={words.entitlements_before}>
                  {row.before_days === undefined ? '–' : calendar.days(row.before_days)}
                </td>
                <td data-label={words.entitlements_after}>{calendar.days(row.days ?? 0)}</td>
                <td className="quiet" data-label={words.entitlements_why}>
                  <Why row={row} yearDays={Number(days)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {preview.isSuccess && (
        <p className="hint">
          {rows.length === 0
            ? words.entitlements_nobody
            : rows.length > changes.length && words.entitlements_unchanged(rows.length - changes.length)}
        </p>
      )}
      <Done>{changeCount === undefined ? undefined : words.entitlements_done(changeCount)}</Done>
      <ul className="rows">
        {(setting.data?.data ?? [])
          .filter((row) => row.error !== undefined)
          .map((row) => (
            <li key={row.user_id}>
              <bdi>{row.name ?? row.user_id}</bdi>{' '}
              {words.entitlements_errors[row.error as keyof typeof words.entitlements_errors]}
            </li>
          ))}
      </ul>
      <div className="end">
        <Button type="submit" variant="default" loading={preview.isPending}>
          {words.entitlements_preview}
        </Button>
        <Button disabled={selectedRows.length === 0} loading={setting.isPending} onClick={() => setting.mutate()}>
          {words.entitlements_set(selectedRows.length)}
        </Button>
      </div>
    </form>
  );
}

/** The months and the sum where days are reduced, and the rule. */
function Why({ row, yearDays }: { readonly row: Row; readonly yearDays: number }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const rule = words.entitlements_rules[row.rule as keyof typeof words.entitlements_rules] ?? row.rule;
  const isReduced = row.rule !== 'whole_year' && row.rule !== 'full_claim';
  if (!isReduced || row.months === undefined || row.days === undefined) return rule;
  const exact = (yearDays * row.months) / 12;
  const textOf = (count: number) =>
    Number.isInteger(count * 2) ? calendar.days(count) : calendar.count(Math.round(count * 100) / 100);
  return `${words.entitlements_sum(row.months, textOf(yearDays), textOf(exact), textOf(row.days))} (${rule})`;
}
