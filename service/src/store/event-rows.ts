import type { Reader, Value } from '@clockproof/platform/database/database';
import { day, type Instant } from '@clockproof/platform/time/instant';
import type { EventType } from '../generated/contract.js';
import type { Tables } from '../generated/tables.js';
import type { ChangeSequence, ExtensionId } from './ids.js';
import { placeBefore } from './position.js';
import { type CompanyScope, type TenantScope, within } from './scope.js';
import { removeSome, type Writing } from './tables.js';

export type EventRow = Tables['events'];

export interface EventFilter {
  readonly after: number;
  readonly upTo: number;
  /** Events of other types are left out. */
  readonly types: readonly EventType[];
  /** Excludes events before this instant. */
  readonly since: number;
  readonly limit: number;
  /** Only events with these numbers. */
  readonly sequences?: readonly ChangeSequence[];
}

/** The condition that an event is of one of these types. */
function ofTypes(types: readonly EventType[]): { readonly sql: string; readonly parameters: Record<string, Value> } {
  if (types.length === 0) return { sql: 'AND 1 = 0', parameters: {} };
  const names = types.map((_, index) => `:type_${index}`);
  return {
    sql: `AND type IN (${names.join(', ')})`,
    parameters: Object.fromEntries(types.map((type, index) => [`type_${index}`, type])),
  };
}

interface Selection {
  /** `events WHERE …` */
  readonly from: string;
  readonly parameters: Record<string, Value>;
}

/** Numbers for `IN (…)`. A few lengths, filled up with the last one, so that each statement is prepared once. */
export function numbersAmong(sequences: readonly ChangeSequence[]): {
  readonly names: string;
  readonly parameters: Record<string, number>;
} {
  const length = [1, 5, 15, 50, 100, 200].find((size) => size >= sequences.length) ?? sequences.length;
  const names: string[] = [];
  const parameters: Record<string, number> = {};
  for (let index = 0; index < length; index++) {
    names.push(`:only_${index}`);
    parameters[`only_${index}`] = sequences[Math.min(index, sequences.length - 1)] ?? 0;
  }
  return { names: names.join(', '), parameters };
}

/** The condition that an event has one of these numbers. */
function sequenceCondition(
  sequences: readonly ChangeSequence[] | undefined,
): Pick<Selection, 'parameters'> & { readonly sql: string } {
  if (sequences === undefined) return { sql: '', parameters: {} };
  const { names, parameters } = numbersAmong(sequences);
  return { sql: `AND sequence IN (${names})`, parameters };
}

function selectionOf(scope: TenantScope, { after, upTo, types, since, limit, sequences }: EventFilter): Selection {
  const { sql, parameters } = within(scope, { company: 'company_id', person: 'person_id' });
  const typeCondition = ofTypes(types);
  const idCondition = sequenceCondition(sequences);
  return {
    from: `events WHERE sequence > :after AND sequence <= :upTo AND at >= :since ${typeCondition.sql} ${idCondition.sql} ${sql}`,
    parameters: { after, upTo, since, limit, ...parameters, ...typeCondition.parameters, ...idCondition.parameters },
  };
}

/** Events between two positions, in commit order. */
export function listEvents(reader: Reader, scope: TenantScope, filter: EventFilter): Promise<EventRow[]> {
  const { from, parameters } = selectionOf(scope, filter);
  return reader.all<EventRow>(`SELECT * FROM ${from} ORDER BY sequence LIMIT :limit`, parameters);
}

/** The number of events that {@link listEvents} would return. */
export function countEvents(reader: Reader, scope: TenantScope, filter: EventFilter): Promise<number> {
  return count(reader, selectionOf(scope, filter));
}

async function count(reader: Reader, { from, parameters }: Selection): Promise<number> {
  const sql = `SELECT count(*) AS n FROM (SELECT sequence FROM ${from} LIMIT :limit) AS found`;
  return (await reader.get<{ n: number }>(sql, parameters))!.n;
}

/**
 * Events for one extension alone, between two positions, in commit order: `link.ended`. A link that ended when its
 * extension left the company is among them.
 */
export function listEventsOfExtension(
  reader: Reader,
  extensionId: ExtensionId,
  scope: CompanyScope,
  filter: EventFilter,
): Promise<EventRow[]> {
  const { from, parameters } = selectedOfExtension(extensionId, scope, filter);
  return reader.all<EventRow>(`SELECT * FROM ${from} ORDER BY sequence LIMIT :limit`, parameters);
}

/** The number of events that {@link listEventsOfExtension} would return. */
export function countEventsOfExtension(
  reader: Reader,
  extensionId: ExtensionId,
  scope: CompanyScope,
  filter: EventFilter,
): Promise<number> {
  return count(reader, selectedOfExtension(extensionId, scope, filter));
}

function selectedOfExtension(
  extensionId: ExtensionId,
  scope: CompanyScope,
  { after, upTo, types, since, limit, sequences }: EventFilter,
): Selection {
  const { sql, parameters } = within(scope, { company: 'company_id' });
  const typeCondition = ofTypes(types);
  const idCondition = sequenceCondition(sequences);
  return {
    from: `events WHERE extension_id = :extensionId AND sequence > :after AND sequence <= :upTo AND at >= :since ${typeCondition.sql} ${idCondition.sql} ${sql}`,
    parameters: {
      extensionId,
      after,
      upTo,
      since,
      limit,
      ...parameters,
      ...typeCondition.parameters,
      ...idCondition.parameters,
    },
  };
}

/** Time for which events are kept. */
export const keptFor = 30 * day;

/** Purges some events older than 30 days: those before a place, as the list refuses earlier ones. @returns their number */
export async function purgeEvents(tx: Writing, at: Instant, limit: number): Promise<number> {
  const place = await placeBefore(tx, at - keptFor);
  return removeSome(tx, 'events', ['sequence'], 'sequence <= :place', { place, limit });
}

/** The position of the last event before an instant; 0 if there is none. */
export async function lastSequenceBefore(reader: Reader, at: Instant): Promise<ChangeSequence> {
  return (await reader.get<{ n: number }>('SELECT COALESCE(max(sequence), 0) AS n FROM events WHERE at < :at', { at }))!
    .n;
}

/** Extensions that have events of their own, such as the end of a link, after one number and up to another. */
export async function extensionsWithOwnEvents(
  reader: Reader,
  after: ChangeSequence,
  upTo: ChangeSequence,
): Promise<ReadonlySet<string>> {
  const rows = await reader.all<{ extension_id: string }>(
    'SELECT DISTINCT extension_id FROM events WHERE extension_id IS NOT NULL AND sequence > :after AND sequence <= :upTo',
    { after, upTo },
  );
  return new Set(rows.map((row) => row.extension_id));
}
