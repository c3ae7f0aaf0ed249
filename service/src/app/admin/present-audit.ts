/** Audit entries as the pages show them. */
import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { EntryRow } from '../../audit/rows.js';
import type { components } from '../../generated/app-types.js';
import { peopleNames } from '../../people/rows.js';

type Schemas = components['schemas'];

/** The log holds people by id alone; their names are those of today. */
export async function presentAuditEntries(reader: Reader, rows: readonly EntryRow[]): Promise<Schemas['AuditEntry'][]> {
  const ids = rows.flatMap((row) => [
    ...(row.actor_kind === 'person' ? [Number(row.actor_id)] : []),
    ...(subjectOf(row).kind === 'person' ? [Number(subjectOf(row).id)] : []),
  ]);
  const names = await peopleNames(reader, ids);
  return rows.map((row) => presentAuditEntry(row, names));
}

function subjectOf(row: EntryRow): { readonly kind?: string | undefined; readonly id?: string | undefined } {
  const [, kind, id] = /^([a-z][a-z_]*) (.{1,64})$/.exec(row.subject ?? '') ?? [];
  return { kind, id };
}

function presentAuditEntry(row: EntryRow, names: ReadonlyMap<number, string>): Schemas['AuditEntry'] {
  const { changes, reason } = readDetails(row.details);
  const { kind, id } = subjectOf(row);
  const subjectName = kind === 'person' ? names.get(Number(id)) : undefined;
  const actorName = row.actor_kind === 'person' ? names.get(Number(row.actor_id)) : row.actor_name;
  return {
    sequence: row.sequence,
    at: formatInstant(row.at),
    actor: {
      kind: row.actor_kind === 'system' ? 'service' : (row.actor_kind as Schemas['AuditActor']['kind']),
      ...(row.actor_id === null ? {} : { id: row.actor_id }),
      name: actorName ?? row.actor_id ?? 'Clockproof',
    },
    action: row.action,
    ...(kind === undefined || id === undefined
      ? {}
      : { subject: { kind, id, ...(subjectName === undefined ? {} : { name: subjectName }) } }),
    ...(row.company_id === null ? {} : { company_id: row.company_id }),
    ...(changes.length === 0 ? {} : { changes }),
    ...(reason === undefined ? {} : { reason }),
    hash: row.hash,
  };
}

/**
 * Details are free in form: `changes` and `before`/`after` are values that changed, `reason` is one, everything else is
 * told as a new value.
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
        ? (changes as { member: string; old?: unknown; new?: unknown }[]).map((one) =>
            change(one.member, one.old, one.new),
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
    ...(old === undefined ? {} : { old: textOf(old) }),
    ...(value === undefined ? {} : { new: textOf(value) }),
  };
}

function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 1_000);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
