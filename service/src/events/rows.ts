import type { Reader, Transaction, Value } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { ChangeSequence, ExtensionId } from '../ids.js';
import { insert } from '../tables.js';
import { type CompanyScope, type TenantScope, within } from '../tenant/scope.js';

export type EventRow = Tables['events'];

export const nextSequenceStatement = 'UPDATE event_head SET sequence = sequence + 1 WHERE one = 1 RETURNING sequence';

export async function nextSequence(tx: Transaction): Promise<ChangeSequence> {
  return (await tx.get<{ sequence: number }>(nextSequenceStatement))!.sequence;
}

export async function currentSequence(reader: Reader): Promise<ChangeSequence> {
  return (await reader.get<{ sequence: number }>('SELECT sequence FROM event_head WHERE one = 1'))!.sequence;
}

/** The commit sequence; `sequence - optimistic` changes with every write that is not a stamp's batch. */
export interface SequenceHead {
  readonly sequence: ChangeSequence;
  readonly optimistic: number;
}

export async function readSequenceHead(reader: Reader): Promise<SequenceHead> {
  return (await reader.get<SequenceHead>('SELECT sequence, optimistic FROM event_head WHERE one = 1'))!;
}

export async function insertEvent(tx: Transaction, row: EventRow): Promise<void> {
  await insert(tx, 'events', row);
}

export interface EventFilter {
  readonly after: number;
  readonly upTo: number;
  /** Families the caller may read: `clock`, `leave`. */
  readonly families: readonly string[];
  /** Excludes events before this instant. */
  readonly since: number;
  readonly limit: number;
}

/** Events between two positions, in commit order. */
export function listEvents(
  reader: Reader,
  scope: TenantScope,
  { after, upTo, families, since, limit }: EventFilter,
): Promise<EventRow[]> {
  const { sql, parameters: tenant } = within(scope, { company: 'company_id', person: 'person_id' });
  const family = families.map((_, index) => `type LIKE :family_${index}`).join(' OR ');
  const parameters: Record<string, Value> = { after, upTo, since, limit, ...tenant };
  families.forEach((name, index) => {
    parameters[`family_${index}`] = `${name}.%`;
  });
  return reader.all<EventRow>(
    `SELECT * FROM events WHERE sequence > :after AND sequence <= :upTo AND at >= :since AND (${family === '' ? '1 = 0' : family})
      ${sql} ORDER BY sequence LIMIT :limit`,
    parameters,
  );
}

/**
 * Events for one extension alone, between two positions, in commit order: `link.ended`. A link that ended when its
 * extension left the company is among them.
 */
export function listEventsOfExtension(
  reader: Reader,
  extensionId: ExtensionId,
  scope: CompanyScope,
  { after, upTo, since, limit }: Omit<EventFilter, 'families'>,
): Promise<EventRow[]> {
  const { sql, parameters } = within(scope, { company: 'company_id' });
  return reader.all<EventRow>(
    `SELECT * FROM events WHERE extension_id = :extensionId AND sequence > :after AND sequence <= :upTo AND at >= :since ${sql}
     ORDER BY sequence LIMIT :limit`,
    { extensionId, after, upTo, since, limit, ...parameters },
  );
}

/** When the first event after a position happened. */
export async function instantAfter(reader: Reader, after: number): Promise<number | undefined> {
  return (
    await reader.get<{ at: Instant }>('SELECT at FROM events WHERE sequence > :after ORDER BY sequence LIMIT 1', {
      after,
    })
  )?.at;
}

/** The position of the last event before an instant; 0 if there is none. */
export async function lastSequenceBefore(reader: Reader, at: Instant): Promise<ChangeSequence> {
  return (await reader.get<{ n: number }>('SELECT COALESCE(max(sequence), 0) AS n FROM events WHERE at < :at', { at }))!
    .n;
}
