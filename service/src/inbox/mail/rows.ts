import type { Reader } from '@clockproof/platform/database/database';
import { expression } from '@clockproof/platform/database/table';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../../generated/tables.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import type { KeyName } from '../../store/sealing/sealing-keys.js';
import {
  insertFrom,
  insertReturning,
  removeSome,
  type Transaction,
  update,
  updateWhere,
  updateWhereReturning,
  upsert,
} from '../../store/tables.js';

export type MailRow = Tables['mail_outbox'];

export async function insertMail(
  tx: Transaction,
  row: Pick<MailRow, 'person_id' | 'kind' | 'address' | 'facts' | 'created_at' | 'expires_at'>,
): Promise<MailRow> {
  return insertReturning(tx, 'mail_outbox', { ...row, state: 'waiting', due_at: row.created_at });
}

/** A mail about a notice to everyone who is active in a company, has an address and wants this kind by e-mail. */
export async function insertMails(
  tx: Transaction,
  companyId: CompanyId,
  mail: { readonly notice: string; readonly facts: string; readonly at: Instant; readonly expiresAt: Instant },
): Promise<void> {
  await insertFrom(
    tx,
    'mail_outbox',
    ['person_id', 'kind', 'facts', 'created_at', 'expires_at', 'state', 'due_at'],
    `SELECT p.id, 'notice', :facts, :at, :expiresAt, 'waiting', :at FROM people p
     WHERE p.company_id = :companyId AND p.active = 1 AND p.email IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM mail_choices c WHERE c.person_id = p.id AND c.kind = :notice AND c.wanted = 0) ORDER BY p.id`,
    { companyId, ...mail },
  );
}

/** Saves the secret in the mail's link: only sealed, and only until the mail is sent. */
export async function saveSecret(
  tx: Transaction,
  id: number,
  secret: { readonly sealed: Uint8Array; readonly by: KeyName },
): Promise<void> {
  await update(tx, 'mail_outbox', { id }, { secret_sealed: secret.sealed, secret_sealed_by: secret.by });
}

/** The mail is for this person after all. */
export async function addressMail(
  tx: Transaction,
  id: number,
  to: { readonly personId: PersonId; readonly expiresAt: Instant },
): Promise<void> {
  await update(tx, 'mail_outbox', { id }, { person_id: to.personId, address: null, expires_at: to.expiresAt });
}

const isFree = '(leased_until IS NULL OR leased_until <= :at)';

/** An e-mail that is known to be stored. */
export async function readMail(reader: Reader, id: MailRow['id']): Promise<MailRow> {
  return (await reader.get<MailRow>('SELECT * FROM mail_outbox WHERE id = :id', { id }))!;
}

/** The mail that has been due for longest and that no process is sending. */
export function nextDue(reader: Reader, at: Instant): Promise<MailRow | undefined> {
  return reader.get<MailRow>(
    `SELECT * FROM mail_outbox WHERE state = 'waiting' AND due_at <= :at AND ${isFree} ORDER BY due_at, id LIMIT 1`,
    { at },
  );
}

/** Leases a mail: of two processes that want it, one gets it. @returns it, as it is now */
export async function leaseMail(
  tx: Transaction,
  {
    id,
    holder,
    until,
    at,
  }: { readonly id: number; readonly holder: string; readonly until: Instant; readonly at: Instant },
): Promise<MailRow | undefined> {
  const [mail] = await updateWhereReturning(
    tx,
    'mail_outbox',
    { lease_holder: holder, leased_until: until, attempts: expression('attempts + 1') },
    `id = :id AND state = 'waiting' AND ${isFree}`,
    { id, at },
  );
  return mail;
}

/** From here on the mail may have been taken. @returns false if the lease is over */
export async function beginSending(
  tx: Transaction,
  { id, holder, at }: { readonly id: number; readonly holder: string; readonly at: Instant },
): Promise<boolean> {
  return (
    (await updateWhere(
      tx,
      'mail_outbox',
      { state: 'sending' },
      "id = :id AND state = 'waiting' AND lease_holder = :holder AND leased_until > :at",
      { id, holder, at },
    )) === 1
  );
}

/** Ends a finished mail: its content, recipient and secret are deleted. */
export async function endMail(
  tx: Transaction,
  {
    id,
    holder,
    state,
    error = null,
    at,
  }: {
    readonly id: number;
    readonly holder: string;
    readonly state: Exclude<MailRow['state'], 'waiting' | 'sending'>;
    readonly error?: string | null;
    readonly at: Instant;
  },
): Promise<void> {
  await update(
    tx,
    'mail_outbox',
    { id, lease_holder: holder },
    { state, error, ended_at: at, leased_until: null, address: null, secret_sealed: null, secret_sealed_by: null },
  );
}

export async function postponeMail(
  tx: Transaction,
  {
    id,
    holder,
    dueAt,
    error,
  }: { readonly id: number; readonly holder: string; readonly dueAt: Instant; readonly error: string },
): Promise<void> {
  await update(
    tx,
    'mail_outbox',
    { id, lease_holder: holder },
    { state: 'waiting', due_at: dueAt, error, lease_holder: null, leased_until: null },
  );
}

/** Mails whose process ended while the server may have taken them. @returns their number */
export function endUncertain(tx: Transaction, at: Instant): Promise<number> {
  return updateWhere(
    tx,
    'mail_outbox',
    {
      state: 'uncertain',
      ended_at: at,
      leased_until: null,
      address: null,
      secret_sealed: null,
      secret_sealed_by: null,
    },
    "state = 'sending' AND leased_until <= :at",
    { at },
  );
}

/** @returns their number */
export function deleteEndedMails(tx: Transaction, before: Instant, limit: number): Promise<number> {
  return removeSome(tx, 'mail_outbox', ['id'], 'ended_at < :before', { before, limit });
}

/** The kinds of notices that a person does not want by e-mail. */
export async function unwantedKinds(reader: Reader, personId: PersonId): Promise<ReadonlySet<string>> {
  const rows = await reader.all<{ kind: string }>(
    'SELECT kind FROM mail_choices WHERE person_id = :personId AND wanted = 0',
    { personId },
  );
  return new Set(rows.map(({ kind }) => kind));
}

export async function saveChoice(tx: Transaction, row: Tables['mail_choices']): Promise<void> {
  await upsert(tx, 'mail_choices', ['person_id', 'kind'], row);
}
