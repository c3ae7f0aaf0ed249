/** The audit log: filters, entries page by page, export. */
import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import { holds, type Schemas } from '../api/session.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { GrowingList } from '../parts/growing-list.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { saveFile } from '../parts/save-file.js';
import { useFormats, useWords, type Words } from '../words/words.js';
import { useCompanies } from './companies.js';

interface Filters {
  readonly from: string;
  readonly to: string;
  readonly company: string;
  readonly person: string;
  readonly actor: string;
  readonly action: string;
}

/** @param days back from today, in the browser's time zone */
function dayBefore(days: number): string {
  const day = new Date();
  day.setDate(day.getDate() - days);
  return `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, '0')}-${String(day.getDate()).padStart(2, '0')}`;
}

function filtersOf(search: string): Filters {
  const given = new URLSearchParams(search);
  const day = (name: string, fallback: string) => {
    const text = given.get(name) ?? '';
    return /^\d{4}-\d\d-\d\d$/.test(text) ? text : fallback;
  };
  return {
    from: day('from', dayBefore(7)),
    to: day('to', dayBefore(0)),
    company: /^\d{1,15}$/.test(given.get('company') ?? '') ? given.get('company')! : '',
    person: /^\d{1,15}$/.test(given.get('person') ?? '') ? given.get('person')! : '',
    actor: given.get('actor')?.slice(0, 64) ?? '',
    action: given.get('action') ?? '',
  };
}

function queryOf({ from, to, company, person, actor, action }: Filters) {
  return {
    from,
    to,
    ...(company === '' ? {} : { company_id: Number(company) }),
    ...(person.trim() === '' ? {} : { user_id: Number(person) }),
    ...(actor.trim() === '' ? {} : { actor_id: actor.trim() }),
    ...(action === '' ? {} : { action }),
  };
}

export function AuditPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const withFactor = useWithFactor();
  const companies = useCompanies(session);
  const search = useSearch();
  const [, go] = useLocation();
  // The address holds the filters: a filtered log can be sent, and Back returns to the filters before.
  const shown = filtersOf(search);
  const [filters, setFilters] = useState(shown);
  useEffect(() => setFilters(filtersOf(search)), [search]);
  const query = queryOf(shown);
  const entries = usePagesOf(['audit', query], (cursor) =>
    ask(
      client.GET('/app/admin/audit', {
        params: { query: { ...query, limit: 50, ...(cursor === undefined ? {} : { cursor }) } },
      }),
    ),
  );
  const exporting = useMutation({
    mutationFn: () =>
      withFactor(() =>
        ask<Blob>(client.GET('/app/admin/audit/export', { params: { query: queryOf(filters) }, parseAs: 'blob' })),
      ),
    onSuccess: (content) => saveFile(words.audit_file(filters.from, filters.to), content),
  });
  const change = (part: Partial<Filters>) => setFilters({ ...filters, ...part });
  const personFault = /^\s*\d{0,15}\s*$/.test(filters.person) ? undefined : words.audit_number;
  const periodFault = filters.to < filters.from ? words.audit_period : undefined;
  const faulty = personFault !== undefined || periodFault !== undefined;
  return (
    <Page title={words.audit_title} lead={words.audit_text}>
      <form
        className="sheet"
        onSubmit={(event) => {
          event.preventDefault();
          if (!faulty) {
            if (JSON.stringify(filters) === JSON.stringify(shown)) void entries.query.refetch();
            else go(`/admin/audit?${new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))}`);
          }
        }}
      >
        <Stack>
          <div className="filters">
            <TextInput
              label={words.audit_from}
              type="date"
              value={filters.from}
              onChange={(event) => change({ from: event.currentTarget.value })}
              required
            />
            <TextInput
              label={words.audit_to}
              type="date"
              value={filters.to}
              onChange={(event) => change({ to: event.currentTarget.value })}
              required
              error={periodFault}
            />
            <NativeSelect
              label={words.audit_action}
              value={filters.action}
              onChange={(event) => change({ action: event.currentTarget.value })}
              data={[
                { value: '', label: words.audit_action_all },
                ...Object.entries(words.audit_families).map(([value, label]) => ({ value, label })),
              ]}
            />
            {holds(session, 'super_admin') && (
              <NativeSelect
                label={words.audit_company}
                value={filters.company}
                onChange={(event) => change({ company: event.currentTarget.value })}
                data={[
                  { value: '', label: words.audit_company_all },
                  ...companies.map(({ id, name }) => ({ value: String(id), label: name })),
                ]}
              />
            )}
            <TextInput
              label={words.audit_actor}
              value={filters.actor}
              onChange={(event) => change({ actor: event.currentTarget.value })}
              maxLength={64}
              spellCheck={false}
            />
            <TextInput
              label={words.audit_person}
              inputMode="numeric"
              value={filters.person}
              onChange={(event) => change({ person: event.currentTarget.value })}
              error={personFault}
            />
          </div>
          {!wasCancelled(exporting.error) && <ProblemNotice problem={exporting.error} />}
          <Done>{exporting.isSuccess ? words.audit_exported : undefined}</Done>
          <Group>
            <Button type="submit">{words.audit_show}</Button>
            <Button
              variant="default"
              disabled={faulty}
              loading={exporting.isPending}
              onClick={() => exporting.mutate()}
            >
              {words.audit_export}
            </Button>
          </Group>
        </Stack>
      </form>
      <GrowingList of={entries} none={words.audit_none}>
        {(rows) => <Entries of={rows} root={holds(session, 'super_admin')} />}
      </GrowingList>
    </Page>
  );
}

function familyOf(action: string, words: Words): string | undefined {
  return Object.entries<string>(words.audit_families).find(([prefix]) => action.startsWith(prefix))?.[1];
}

/** The object of an entry: its page, where it has one that the reader may open. */
function Subject({
  of: { kind, id, name },
  root,
}: {
  readonly of: NonNullable<Schemas['AuditEntry']['subject']>;
  readonly root: boolean;
}): ReactNode {
  const shown = <bdi>{name ?? kind}</bdi>;
  const page =
    kind === 'person'
      ? `/company/people/${id}`
      : kind === 'terminal'
        ? `/admin/terminals/${id}`
        : kind === 'extension' && root
          ? `/admin/extensions/${id}`
          : undefined;
  return page === undefined ? (
    shown
  ) : (
    <Link href={page} className="link">
      {shown}
    </Link>
  );
}

function Entries({
  of: entries,
  root,
}: {
  readonly of: readonly Schemas['AuditEntry'][];
  readonly root: boolean;
}): ReactNode {
  const words = useWords();
  const formats = useFormats();
  return (
    <table className="table audit" aria-label={words.audit_title}>
      <thead>
        <tr>
          <th scope="col">{words.audit_time}</th>
          <th scope="col">{words.audit_who}</th>
          <th scope="col">{words.audit_what}</th>
          <th scope="col">{words.audit_details}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.sequence}>
            <td data-label={words.audit_time} className="short">
              {formats.second(entry.at)}
            </td>
            <td data-label={words.audit_who}>
              <span>
                <bdi>{entry.actor.name}</bdi> <br />
                <small>
                  {words.audit_actors[entry.actor.kind]}
                  {entry.actor.id === undefined ? '' : ` ${entry.actor.id}`}
                </small>
              </span>
            </td>
            <td data-label={words.audit_what}>
              <span>
                {familyOf(entry.action, words)}
                <br />
                <code>{entry.action}</code>
                <br />
                {entry.subject !== undefined && (
                  <small>
                    <Subject of={entry.subject} root={root} /> {entry.subject.id}
                  </small>
                )}
              </span>
            </td>
            <td data-label={words.audit_details}>
              <Details of={entry} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Details({ of: entry }: { readonly of: Schemas['AuditEntry'] }): ReactNode {
  const words = useWords();
  return (
    <div>
      {entry.reason !== undefined && (
        <div>
          {words.audit_reason}: <bdi>{entry.reason}</bdi>
        </div>
      )}
      {(entry.changes ?? []).map((change) => (
        <div key={change.member}>
          {change.member}:{' '}
          {change.old !== undefined && (
            <>
              <bdi>{change.old === '' ? words.audit_empty : change.old}</bdi> →{' '}
            </>
          )}
          <bdi>{change.new === undefined || change.new === '' ? words.audit_empty : change.new}</bdi>
        </div>
      ))}
      <small title={entry.hash}>
        {words.audit_entry} {entry.sequence}, {words.audit_hash} <span className="key">{entry.hash.slice(0, 12)}…</span>
      </small>
    </div>
  );
}
