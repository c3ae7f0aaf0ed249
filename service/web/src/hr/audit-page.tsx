/**
 * The audit log: actions with their actors, in words; filters in the address, the whole entry below its row, export.
 */
import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Fragment, type KeyboardEvent, type ReactNode, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import { holds, type Schemas } from '../api/session.js';
import { dayIn } from '../parts/address-dates.js';
import { plusDays, useCalendar, useDays } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { Glyph, Initials } from '../parts/glyph.js';
import { GrowingList } from '../parts/growing-list.js';
import { Icon } from '../parts/icon.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { saveFile } from '../parts/save-file.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords, type Words } from '../words/words.js';
import './audit.css';
import { useCompanies } from '../extensions/companies.js';
import { PersonField } from '../extensions/person-field.js';

type AuditEntry = Schemas['AuditEntry'];

interface Filters {
  readonly from: string;
  readonly to: string;
  readonly company: string;
  readonly person: string;
  readonly actor: string;
  readonly action: string;
  /** The number of the entry that is open. */
  readonly open: string;
}

/** @param today of the company, whose days the filter counts */
function filtersOf(search: string, today: string): Filters {
  const query = new URLSearchParams(search);
  return {
    from: dayIn(query, 'from') ?? plusDays(today, -7),
    to: dayIn(query, 'to') ?? today,
    company: /^\d{1,15}$/.test(query.get('company') ?? '') ? query.get('company')! : '',
    person: /^\d{1,15}$/.test(query.get('person') ?? '') ? query.get('person')! : '',
    actor: query.get('actor')?.slice(0, 64) ?? '',
    action: query.get('action') ?? '',
    open: /^\d{1,15}$/.test(query.get('open') ?? '') ? query.get('open')! : '',
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
  const calendar = useCalendar(useOwnZone());
  const withFactor = useWithFactor();
  const companies = useCompanies(session);
  const [, go] = useLocation();
  const root = holds(session, 'super_admin');
  // The address holds the filters: a filtered log can be sent, and Back returns to the filters before.
  const filters = filtersOf(useSearch(), calendar.today);
  const periodFault = filters.to < filters.from ? words.audit_period : undefined;
  const query = queryOf(filters);
  const entries = usePagesOf(
    ['audit', query],
    (cursor) =>
      ask(
        client.GET('/app/admin/audit', {
          params: { query: { ...query, limit: 50, cursor } },
        }),
      ),
    { enabled: periodFault === undefined },
  );
  const exporting = useMutation({
    mutationFn: () =>
      withFactor(() => ask<Blob>(client.GET('/app/admin/audit/export', { params: { query }, parseAs: 'blob' }))),
    onSuccess: (content) => saveFile(words.audit_file(filters.from, filters.to), content),
  });
  const change = (part: Partial<Filters>, replace = false) =>
    go(
      `/admin/audit?${new URLSearchParams(Object.entries({ ...filters, open: '', ...part }).filter(([, value]) => value !== ''))}`,
      { replace },
    );
  const actor = useNameOf(filters.actor, filters.actor !== '' && /^\d+$/.test(filters.actor));
  const person = useNameOf(filters.person, filters.person !== '');
  return (
    <Page
      title={words.audit_title}
      lead={words.audit_text}
      action={
        <Button disabled={periodFault !== undefined} loading={exporting.isPending} onClick={() => exporting.mutate()}>
          {words.audit_export}
        </Button>
      }
    >
      <div className="audit-filters">
        <DayField label={words.audit_from} value={filters.from} onChange={(from) => change({ from })} required />
        <DayField
          label={words.audit_to}
          value={filters.to}
          onChange={(to) => change({ to })}
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
        {root && (
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
        <PersonField
          label={words.audit_actor}
          selectedName={filters.actor === '' ? undefined : actor}
          onChoose={(id) => change({ actor: id === undefined ? '' : String(id) })}
        />
        <PersonField
          label={words.audit_person}
          selectedName={filters.person === '' ? undefined : person}
          onChoose={(id) => change({ person: id === undefined ? '' : String(id) })}
        />
      </div>
      {!wasCancelled(exporting.error) && <ProblemNotice problem={exporting.error} />}
      <Done>{exporting.isSuccess ? words.audit_exported : undefined}</Done>
      {periodFault === undefined && (
        <GrowingList of={entries} none={words.audit_none}>
          {(rows) => (
            <>
              <Entries of={rows} root={root} open={filters.open} onOpen={(open) => change({ open }, true)} />
              <p className="muted audit-foot">{words.times_in(calendar.timeZone)}</p>
            </>
          )}
        </GrowingList>
      )}
    </Page>
  );
}

/** @returns the name of a person; the id until the name is known, or if it is not */
function useNameOf(id: string, isKnown: boolean): string {
  const person = useQuery({
    queryKey: ['person', id],
    queryFn: () => ask(client.GET('/app/admin/people/{id}', { params: { path: { id: Number(id) } } })),
    enabled: isKnown,
  });
  return person.data?.display_name ?? id;
}

/** Marks refusals, and entries that need a look. */
function toneOf({ action, changes = [] }: AuditEntry): 'bad' | 'warn' | undefined {
  if (/(refused|pin\.locked|went_back|proofs_stopped|proofs_failed|key_copied|webhooks_disabled)$/.test(action))
    return 'bad';
  const isOwnRecord = changes.some(({ member }) => member === 'own_record');
  return isOwnRecord || action.startsWith('offline_stamp.') ? 'warn' : undefined;
}

function sentenceOf(action: string, words: Words): string {
  return (words.audit_actions as Readonly<Record<string, string | undefined>>)[action] ?? action;
}

function pageOf(kind: string, id: string, person: number | undefined, root: boolean): string | undefined {
  if (kind === 'terminal') return `/admin/terminals/${id}`;
  if (kind === 'extension') return root ? `/admin/extensions/${id}` : undefined;
  if (kind === 'company') return root ? `/company/companies?open=${id}` : undefined;
  if (kind === 'department') return '/company/departments';
  if (person === undefined) return undefined;
  return kind === 'absence' ? `/company/people/${person}?tab=vacation` : `/company/people/${person}`;
}

/** The object of an entry: its page, where it has one that the reader may open. */
function Subject({
  of: { kind, id, name, person_id: person },
  root,
}: {
  readonly of: NonNullable<AuditEntry['subject']>;
  readonly root: boolean;
}): ReactNode {
  const label = <bdi>{name ?? id}</bdi>;
  const page = pageOf(kind, id, person, root);
  return page === undefined ? (
    label
  ) : (
    <Link href={page} className="link">
      {label}
    </Link>
  );
}

function Entries({
  of: entries,
  root,
  open,
  onOpen,
}: {
  readonly of: readonly AuditEntry[];
  readonly root: boolean;
  readonly open: string;
  readonly onOpen: (entry: string) => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  return (
    <table className="audit" aria-label={words.audit_title}>
      <thead>
        <tr>
          <th scope="col">{words.audit_time}</th>
          <th scope="col">{words.audit_who}</th>
          <th scope="col">{words.audit_what}</th>
          <th scope="col" className="number">
            {words.audit_entry}
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {entries.map((entry, index) => {
          const date = calendar.dateOf(entry.at);
          const previousEntry = entries[index - 1];
          const key = String(entry.sequence);
          const place = entry.place === null ? undefined : calendar.count(entry.place);
          const tone = toneOf(entry);
          const toggle = () => onOpen(open === key ? '' : key);
          return (
            <Fragment key={key}>
              {(previousEntry === undefined || calendar.dateOf(previousEntry.at) !== date) && (
                <tr className="audit-day">
                  <th scope="rowgroup" colSpan={5}>
                    {calendar.fullDay(date)}
                  </th>
                </tr>
              )}
              <tr
                className="audit-entry"
                data-open={open === key || undefined}
                onClick={(event) => {
                  if (!(event.target as Element).closest('button, a')) toggle();
                }}
              >
                <td className="audit-time">{calendar.second(entry.at)}</td>
                <td className="audit-who">
                  {entry.actor.kind === 'person' && <Initials name={entry.actor.name} />}
                  <span>
                    <b>
                      <bdi>{entry.actor.name}</bdi>
                    </b>
                    {entry.actor.kind !== 'person' && <small> {words.audit_actors[entry.actor.kind]}</small>}
                  </span>
                </td>
                <td className="audit-what" data-tone={tone}>
                  {tone !== undefined && <Glyph name={tone === 'bad' ? 'cross' : 'unproven'} />}{' '}
                  {sentenceOf(entry.action, words)}
                  {entry.subject?.name !== undefined &&
                    !(entry.subject.kind === 'person' && entry.subject.id === entry.actor.id) && (
                      <>
                        {' · '}
                        <Subject of={entry.subject} root={root} />
                      </>
                    )}
                </td>
                <td className={place === undefined ? 'muted audit-number' : 'number muted audit-number'}>
                  {place ?? words.audit_unsealed}
                </td>
                <td className="opener">
                  <button
                    id={`open-${key}`}
                    type="button"
                    className="row-button"
                    aria-expanded={open === key}
                    aria-controls={open === key ? `entry-${key}` : undefined}
                    aria-label={words.audit_details_of(place ?? calendar.second(entry.at))}
                    onClick={toggle}
                    onKeyDown={(event: KeyboardEvent) => {
                      if (event.key === 'Escape' && open === key) toggle();
                    }}
                  >
                    <Icon name={open === key ? 'down' : 'right'} />
                  </button>
                </td>
              </tr>
              {open === key && (
                <tr className="audit-opened">
                  <td colSpan={5} id={`entry-${key}`}>
                    <Details of={entry} root={root} />
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

/** The whole entry: its changes, reason and subject, and its place in the sealed log. */
function Details({ of: entry, root }: { readonly of: AuditEntry; readonly root: boolean }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const [wasCopied, setCopied] = useState(false);
  const changes = entry.changes ?? [];
  const textOf = (value: string | undefined) => (value === undefined || value === '' ? words.audit_empty : value);
  return (
    <div className="audit-detail">
      {changes.length > 0 && (
        <section>
          <h2>{words.audit_changes}</h2>
          <dl>
            {changes.map(({ member, old, new: newValue }) => (
              <div key={member}>
                <dt>{words.audit_members[member] ?? member.replaceAll('_', ' ')}</dt>
                <dd>
                  {old !== undefined && (
                    <>
                      <del>
                        <span className="hidden">{words.audit_was} </span>
                        <bdi>{textOf(old)}</bdi>
                      </del>{' '}
                      →{' '}
                    </>
                  )}
                  <ins>
                    <bdi>{textOf(newValue)}</bdi>
                  </ins>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {entry.reason !== undefined && (
        <section>
          <h2>{words.audit_reason}</h2>
          <p>
            <bdi>{entry.reason}</bdi>
          </p>
        </section>
      )}
      <section>
        <h2>{words.audit_object}</h2>
        <p>
          {entry.subject !== undefined && (
            <>
              <Subject of={entry.subject} root={root} />{' '}
              <small className="muted">
                {entry.subject.kind.replaceAll('_', ' ')} {entry.subject.id}
              </small>
              <br />
            </>
          )}
          <small className="muted">
            {words.audit_who}: {words.audit_actors[entry.actor.kind]} {entry.actor.id}
          </small>
          <br />
          <code>{entry.action}</code>
        </p>
      </section>
      <section>
        <h2>{words.audit_seal}</h2>
        <p>
          {entry.place === null ? (
            words.audit_unsealed
          ) : (
            <>
              <Glyph name="proven" /> {words.audit_place(calendar.count(entry.place))}
            </>
          )}
          <br />
          <code title={entry.mac}>
            {entry.mac.slice(0, entry.mac.indexOf(':') + 13)} … {entry.mac.slice(-4)}
          </code>
          <br />
          <button
            type="button"
            className="link-button"
            onClick={() => {
              void navigator.clipboard.writeText(JSON.stringify(entry, null, 2)).then(() => setCopied(true));
            }}
          >
            {words.audit_copy}
          </button>{' '}
          <span role="status">{wasCopied && words.audit_copied}</span>
        </p>
      </section>
    </div>
  );
}
