/**
 * Every column that refers to a person, and the effect of erasing on it. A test compares this list with the schema, so
 * that it finds a forgotten table.
 */

import { deleteLinksOfPerson } from '../access/oauth/rows.js';
import { erasedPersonName } from '../people/actor.js';
import type { PersonRow } from '../people/rows.js';
import { forgetMonths } from '../proofs/rows.js';
import type { PersonId } from '../store/ids.js';
import { remove, removeWhere, type TableName, update, type Writing } from '../store/tables.js';

export interface PersonalColumn {
  readonly table: TableName;
  readonly column: string;
  /**
   * `delete` the row; `clear` the column; `keep` the id, which identifies no one once the person is gone; `elsewhere`:
   * the owning room handles it, because more depends on it.
   */
  readonly how: 'delete' | 'clear' | 'keep' | 'elsewhere';
}

/** In the order of erasing: rows that refer to others first, the person last. */
export const personalColumns: readonly PersonalColumn[] = [
  { table: 'consent_requests', column: 'person_id', how: 'elsewhere' },
  { table: 'authorization_codes', column: 'person_id', how: 'elsewhere' },
  { table: 'links', column: 'person_id', how: 'elsewhere' },
  { table: 'notices', column: 'person_id', how: 'delete' },
  { table: 'mail_outbox', column: 'person_id', how: 'delete' },
  { table: 'mail_choices', column: 'person_id', how: 'delete' },
  { table: 'sessions', column: 'person_id', how: 'delete' },
  { table: 'recovery_codes', column: 'person_id', how: 'delete' },
  { table: 'passkeys', column: 'person_id', how: 'delete' },
  { table: 'one_time_links', column: 'person_id', how: 'delete' },
  { table: 'provider_subjects', column: 'person_id', how: 'delete' },
  { table: 'credentials', column: 'person_id', how: 'delete' },
  { table: 'card_sessions', column: 'person_id', how: 'delete' },
  { table: 'issuing_windows', column: 'person_id', how: 'delete' },
  { table: 'badges', column: 'person_id', how: 'delete' },
  { table: 'badges', column: 'blocked_by', how: 'keep' },
  { table: 'terminals', column: 'confirmed_by', how: 'keep' },
  { table: 'pins', column: 'person_id', how: 'delete' },
  { table: 'approvals', column: 'person_id', how: 'delete' },
  { table: 'approvals', column: 'decided_by', how: 'keep' },
  { table: 'approvals', column: 'decided_for', how: 'keep' },
  { table: 'approval_substitutes', column: 'person_id', how: 'delete' },
  { table: 'approval_substitutes', column: 'substitute_id', how: 'delete' },
  { table: 'closed_absences', column: 'person_id', how: 'delete' },
  { table: 'absences', column: 'person_id', how: 'delete' },
  { table: 'absences', column: 'author_person_id', how: 'keep' },
  { table: 'absence_ledgers', column: 'person_id', how: 'delete' },
  { table: 'vacation_entitlements', column: 'person_id', how: 'delete' },
  { table: 'vacation_bookings', column: 'person_id', how: 'delete' },
  { table: 'vacation_bookings', column: 'booked_by', how: 'keep' },
  { table: 'time_bookings', column: 'person_id', how: 'delete' },
  { table: 'time_bookings', column: 'booked_by', how: 'keep' },
  { table: 'flexitime_limits', column: 'person_id', how: 'delete' },
  { table: 'corrections', column: 'person_id', how: 'delete' },
  { table: 'corrections', column: 'requested_by', how: 'keep' },
  { table: 'corrections', column: 'decided_by', how: 'keep' },
  { table: 'unresolved_stamps', column: 'person_id', how: 'delete' },
  { table: 'unresolved_stamps', column: 'taken_for', how: 'keep' },
  { table: 'unresolved_stamps', column: 'decided_by', how: 'keep' },
  { table: 'entry_versions', column: 'person_id', how: 'delete' },
  { table: 'entry_versions', column: 'changed_by', how: 'keep' },
  { table: 'time_entries', column: 'person_id', how: 'delete' },
  { table: 'clock_states', column: 'person_id', how: 'delete' },
  { table: 'schedules', column: 'person_id', how: 'delete' },
  { table: 'special_rules', column: 'person_id', how: 'delete' },
  { table: 'role_grants', column: 'person_id', how: 'delete' },
  { table: 'person_changes', column: 'person_id', how: 'delete' },
  { table: 'month_balances', column: 'person_id', how: 'delete' },
  { table: 'commitment_leaves', column: 'person_id', how: 'elsewhere' },
  { table: 'closed_month_people', column: 'person_id', how: 'delete' },
  { table: 'month_sign_offs', column: 'person_id', how: 'delete' },
  { table: 'month_sign_offs', column: 'signed_by', how: 'keep' },
  { table: 'evaluation_switches', column: 'changed_by', how: 'keep' },
  { table: 'closed_months', column: 'closed_by', how: 'keep' },
  { table: 'people_access', column: 'changed_by', how: 'keep' },
  { table: 'month_steps', column: 'person_id', how: 'keep' },
  { table: 'events', column: 'person_id', how: 'delete' },
  { table: 'removals', column: 'person_id', how: 'clear' },
];

export async function eraseRows(tx: Writing, personId: PersonId): Promise<void> {
  await deleteLinksOfPerson(tx, personId);
  for (const { table, column, how } of personalColumns)
    if (how === 'delete') await removeWhere(tx, table, `${column} = :personId`, { personId });
  await forgetMonths(tx, personId);
  await update(tx, 'removals', { person_id: personId }, { person_id: null });
  // Stored responses for repeated requests (24 hours) contain the record.
  await removeWhere(tx, 'idempotency_keys', 'answer LIKE :first OR answer LIKE :last', {
    first: `%"user_id":${personId},%`,
    last: `%"user_id":${personId}}%`,
  });
  await remove(tx, 'people', { id: personId });
}

/**
 * Removes the person's name from the stored events of absences they recorded for others. The absences themselves look
 * the name up.
 */
export async function eraseAuthorship(tx: Writing, { id: personId }: PersonRow): Promise<void> {
  const events = await tx.all<{ sequence: number; payload: string }>(
    `SELECT e.sequence, e.payload FROM events e WHERE e.type LIKE 'leave.%' AND e.person_id IN (SELECT person_id FROM absences WHERE author_person_id = :personId AND person_id <> :personId)`,
    { personId },
  );
  const recordedIds = new Set(
    (await tx.all<{ id: number }>('SELECT id FROM absences WHERE author_person_id = :personId', { personId })).map(
      (row) => row.id,
    ),
  );
  for (const { sequence, payload } of events) {
    const event = JSON.parse(payload) as { data: { id: number; created_by?: { name: string } } };
    if (!recordedIds.has(event.data.id) || event.data.created_by === undefined) continue;
    event.data.created_by.name = erasedPersonName;
    await update(tx, 'events', { sequence }, { payload: JSON.stringify(event) });
  }
}
