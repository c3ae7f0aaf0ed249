import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { addDays, daysInclusive, startOfDay } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { actorOf } from '../people/actor.js';
import { administeredScope } from '../people/administered.js';
import { type PersonCaller, requireFreshFactor } from '../people/caller.js';
import { type ChangedValue, findPersonChanges } from '../people/rows.js';
import { canonicalOf } from '../store/audit/audit.js';
import {
  type AuditFilter,
  countEntries,
  type EntryRow,
  listEntriesBack,
  listEntriesOn,
  placesInLog,
  type SearchPlace,
} from '../store/audit/rows.js';
import { findSubjects, type SubjectFacts } from '../store/audit/subject-rows.js';
import { recordExport } from '../store/export.js';
import { settledPosition } from '../store/position.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { CompanyScope } from '../store/scope.js';
import { stampsShownTo } from '../working-time/evaluation-rows.js';
import { presentSince } from '../working-time/evaluations.js';

export const listAuditEntries: AppHandler<'listAuditEntries'> = async ({ db, cursors, caller, query, at }) => {
  const { cursor, limit = 100 } = query;
  const { scope, filter: requestedFilter } = auditFilterOf(caller, query);
  const binding = ['listAuditEntries', caller.person.id, scope, requestedFilter];
  const filter = withoutPresence(requestedFilter, caller, at);
  const before = cursor === undefined ? undefined : cursors.read<SearchPlace>(binding, cursor);
  const rows = await listEntriesBack(db, scope, filter, before, limit + 1);
  const page = pageOf(
    rows,
    limit,
    (row) => row,
    ({ at, sequence }) => cursors.write(binding, { at, sequence }),
  );
  return { status: 200, body: { ...page, data: await presentAuditEntries(db, page.data) } };
};

const batchSize = 1_000;

export const exportAuditLog: AppHandler<'exportAuditLog'> = async ({ db, caller, query, at }) => {
  requireFreshFactor(caller, at);
  const { scope, filter: requestedFilter } = auditFilterOf(caller, query);
  const filter = withoutPresence(requestedFilter, caller, at);
  // Entries up to it are there or never come, so as many are exported as are counted.
  const { place: upTo } = await settledPosition(db);
  const count = await countEntries(db, scope, filter, upTo);
  // Before the first line leaves: an export that breaks off has been recorded as well.
  const exportDetails = { companyId: scope.company, from: query.from, to: query.to, entries: count };
  await db.write({ actor: actorOf(caller.person), at }, (write) => recordExport(write, exportDetails));
  return {
    status: 200,
    headers: {
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="audit-${query.from}-${query.to}.ndjson"`,
    },
    stream: exportedLines(db, scope, filter, upTo),
  };
};

/** Line by line, a batch in memory at a time. @param upTo the number of the last entry */
async function* exportedLines(
  reader: Reader,
  scope: CompanyScope,
  filter: AuditFilter,
  upTo: number,
): AsyncGenerator<string> {
  let after: SearchPlace | undefined;
  for (;;) {
    const rows = await listEntriesOn(reader, scope, filter, { after, upTo, limit: batchSize });
    // `canonical` is the text that `mac` covers.
    const entries = await presentAuditEntries(reader, rows);
    yield entries
      .map((entry, index) => `${JSON.stringify({ ...entry, canonical: canonicalOf(rows[index]!) })}\n`)
      .join('');
    if (rows.length < batchSize) return;
    after = rows.at(-1);
  }
}

/**
 * Stamps of today reveal presence at work: without the evaluation `presence` an admin reads those of others a day
 * later.
 */
function withoutPresence(filter: AuditFilter, { person }: PersonCaller, at: Instant): AuditFilter {
  return { ...filter, condition: stampsShownTo(person.id, presentSince(at)) };
}

const maxDays = 366;

/**
 * The filter of a request, within the admin's rights: a company admin sees their company, a super admin everything.
 * Days are those on the admin's own clock.
 * @throws Refusal `invalid_request` backwards or more than 366 days, `not_found` another company
 */
function auditFilterOf(
  caller: PersonCaller,
  query: { from: string; to: string; company_id?: number; user_id?: number; actor_id?: string; action?: string },
): { readonly scope: CompanyScope; readonly filter: AuditFilter } {
  const { from, to, company_id: companyId } = query;
  if (to < from) throw invalidField('to', 'before_start', 'The period ends before it begins.');
  if (daysInclusive(from, to) > maxDays) throw invalidField('to', 'too_long', `A period has at most ${maxDays} days.`);
  const ownScope = administeredScope(caller);
  if (companyId !== undefined && ownScope.company !== undefined && companyId !== ownScope.company)
    throw new Refusal('not_found');
  const zone = caller.person.time_zone;
  return {
    scope: companyId === undefined ? ownScope : { company: companyId },
    filter: {
      from: startOfDay(from, zone),
      before: startOfDay(addDays(to, 1), zone),
      personId: query.user_id,
      actorId: query.actor_id,
      action: query.action,
    },
  };
}

/** Audit entries as the pages show them. */
type Schemas = components['schemas'];

/** The log holds people and objects by id alone; their names are those of today. */
async function presentAuditEntries(reader: Reader, rows: readonly EntryRow[]): Promise<Schemas['AuditEntry'][]> {
  const subjects = await findSubjects(
    reader,
    rows.flatMap((row) => [...(row.actor_id === null ? [] : [actorOfRow(row)]), row.subject ?? '']),
  );
  const values = await findPersonChanges(
    reader,
    rows.flatMap((row) => personChangeOf(row) ?? []),
  );
  const places = await placesInLog(
    reader,
    rows.map(({ sequence }) => sequence),
  );
  return rows.map((row) =>
    presentAuditEntry(row, {
      subjects,
      values: values.get(personChangeOf(row) ?? 0),
      place: places.get(row.sequence),
    }),
  );
}

/** The values of a change of a person stand beside the log; the entry has their hash. */
function personChangeOf({ records }: EntryRow): number | undefined {
  const [, id] = /"person_changes (\d+)":"/.exec(records ?? '') ?? [];
  return id === undefined ? undefined : Number(id);
}

function actorOfRow({ actor_kind: kind, actor_id: id }: EntryRow): string {
  return `${kind} ${id}`;
}

function subjectOf(row: EntryRow): { readonly kind?: string | undefined; readonly id?: string | undefined } {
  const [, kind, id] = /^([a-z][a-z_]*) (.{1,64})$/.exec(row.subject ?? '') ?? [];
  return { kind, id };
}

function presentAuditEntry(
  row: EntryRow,
  {
    subjects,
    values,
    place,
  }: {
    readonly subjects: ReadonlyMap<string, SubjectFacts>;
    readonly values: readonly ChangedValue[] | undefined;
    /** In the sealed log. */
    readonly place: number | undefined;
  },
): Schemas['AuditEntry'] {
  const { changes: detailChanges, reason } = readDetails(row.details);
  const changes =
    values === undefined
      ? detailChanges
      : [
          ...values.map((value) => change(value.member, value.old ?? undefined, value.new ?? undefined)),
          ...detailChanges.filter(({ member }) => member !== 'changed'),
        ].slice(0, 100);
  const { kind, id } = subjectOf(row);
  const subject = subjects.get(row.subject ?? '');
  const actorName = row.actor_kind === 'person' ? subjects.get(actorOfRow(row))?.name : row.actor_name;
  return {
    sequence: row.sequence,
    place: place ?? null,
    at: formatInstant(row.at),
    actor: {
      kind: row.actor_kind === 'system' ? 'service' : (row.actor_kind as Schemas['AuditActor']['kind']),
      id: row.actor_id ?? undefined,
      name: actorName ?? row.actor_id ?? 'Clockproof',
    },
    action: row.action,
    subject:
      kind === undefined || id === undefined
        ? undefined
        : {
            kind,
            id,
            name: subject?.name,
            person_id: subject?.person,
          },
    company_id: row.company_id ?? undefined,
    changes: changes.length === 0 ? undefined : changes,
    reason,
    mac: row.mac,
  };
}

/**
 * Details are free in form: `changes` and `before`/`after` are values that changed, `reason` is one, everything else is
 * presented as a new value.
 */
function readDetails(json: string | null): {
  readonly changes: Schemas['AuditChange'][];
  readonly reason: string | undefined;
} {
  const { changes, before, after, reason, ...rest } = (json === null ? {} : JSON.parse(json)) as Record<
    string,
    unknown
  >;
  return {
    changes: [
      ...(Array.isArray(changes)
        ? (changes as { member: string; old?: unknown; new?: unknown }[]).map((member) =>
            change(member.member, member.old ?? undefined, member.new ?? undefined),
          )
        : []),
      ...differences(before, after),
      ...Object.entries(rest).map(([member, value]) => change(member, undefined, value)),
    ].slice(0, 100),
    reason: typeof reason === 'string' && reason !== '' ? reason.slice(0, 1_000) : undefined,
  };
}

function differences(before: unknown, after: unknown): Schemas['AuditChange'][] {
  if (before === undefined && after === undefined) return [];
  if (!isRecord(before) || !isRecord(after)) return [change('value', before, after)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((member) => JSON.stringify(before[member]) !== JSON.stringify(after[member]))
    .map((member) => change(member, before[member], after[member]));
}

function change(member: string, old: unknown, value: unknown): Schemas['AuditChange'] {
  return {
    member: member.slice(0, 100),
    old: old === undefined ? undefined : textOf(old),
    new: value === undefined ? undefined : textOf(value),
  };
}

function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 1_000);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
