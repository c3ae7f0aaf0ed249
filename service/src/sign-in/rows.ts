import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { CompanyId, PersonId, SessionId } from '../ids.js';
import type { KeyName } from '../sealing/sealing-keys.js';
import { insert, update, upsert } from '../tables.js';
import { type CompanyScope, within } from '../tenant/scope.js';

/** A person's credentials. No row: never invited. */
export type CredentialRow = Tables['credentials'];

export type SessionRow = Omit<Tables['sessions'], 'token_hash' | 'challenge' | 'challenge_for' | 'challenge_until'>;

export type OneTimeLinkRow = Tables['one_time_links'];

// ---- credentials

export function findCredential(reader: Reader, personId: PersonId): Promise<CredentialRow | undefined> {
  return reader.get<CredentialRow>('SELECT * FROM credentials WHERE person_id = :personId', { personId });
}

export function findCredentialByEmail(reader: Reader, email: string): Promise<CredentialRow | undefined> {
  return reader.get<CredentialRow>(
    `SELECT k.* FROM credentials k JOIN people p ON p.id = k.person_id JOIN companies c ON c.id = p.company_id
     WHERE p.email = :email AND p.active = 1 AND c.active = 1`,
    { email },
  );
}

export async function savePassword(
  tx: Transaction,
  personId: PersonId,
  passwordHash: string,
  at: Instant,
): Promise<void> {
  const credential = { person_id: personId, password_hash: passwordHash, password_changed_at: at };
  await upsert(tx, 'credentials', ['person_id'], credential);
}

/** The same password with newer parameters. No effect if the password was changed meanwhile. */
export async function renewHash(tx: Transaction, personId: PersonId, before: string, after: string): Promise<void> {
  await update(tx, 'credentials', { person_id: personId, password_hash: before }, { password_hash: after });
}

export async function noteSignIn(tx: Transaction, personId: PersonId, address: string, at: Instant): Promise<void> {
  await update(tx, 'credentials', { person_id: personId }, { last_sign_in_at: at, last_address: address });
}

/** Whether the person has a passkey, or signed in from here before: by address, or by the browser's last session. */
export async function isSignInExpected(
  reader: Reader,
  { email, address, tokenHash }: { readonly email: string; readonly address: string; readonly tokenHash: string },
): Promise<boolean> {
  return (
    (await reader.get(
      `SELECT 1 AS expected FROM people p JOIN credentials k ON k.person_id = p.id WHERE p.email = :email AND (k.last_address = :address
        OR EXISTS (SELECT 1 FROM passkeys y WHERE y.person_id = p.id)
        OR EXISTS (SELECT 1 FROM sessions s WHERE s.person_id = p.id AND s.stage = 'complete' AND (s.token_hash = :tokenHash OR s.address = :address)))`,
      { email, address, tokenHash },
    )) !== undefined
  );
}

/** Counts a try, unless the account has used up its free ones and the delay is not over. @returns whether it counted */
export async function countPasswordTry(
  tx: Transaction,
  try_: {
    readonly account: string;
    readonly at: Instant;
    readonly freeTries: number;
    readonly delayedBefore: Instant;
    readonly forgottenBefore: Instant;
  },
): Promise<boolean> {
  return (
    (await tx.get(
      `INSERT INTO password_tries (account, tries, last_at) VALUES (:account, 1, :at)
       ON CONFLICT (account) DO UPDATE SET last_at = excluded.last_at,
         tries = CASE WHEN password_tries.last_at <= :forgottenBefore THEN 1 ELSE password_tries.tries + 1 END
       WHERE password_tries.tries < :freeTries OR password_tries.last_at <= :delayedBefore RETURNING tries`,
      try_,
    )) !== undefined
  );
}

export function readPasswordTries(reader: Reader, account: string): Promise<Tables['password_tries'] | undefined> {
  return reader.get<Tables['password_tries']>('SELECT * FROM password_tries WHERE account = :account', { account });
}

export async function forgetPasswordTries(tx: Transaction, account: string): Promise<void> {
  await tx.run('DELETE FROM password_tries WHERE account = :account', { account });
}

export function purgePasswordTries(tx: Transaction, before: Instant): Promise<number> {
  return tx.run('DELETE FROM password_tries WHERE last_at < :before', { before });
}

const noPending = { pending_sealed: null, pending_sealed_by: null, pending_expires_at: null };

export async function savePendingFactor(
  tx: Transaction,
  row: { personId: PersonId; sealed: Uint8Array; sealedBy: KeyName; expiresAt: Instant },
): Promise<void> {
  const pending = { pending_sealed: row.sealed, pending_sealed_by: row.sealedBy, pending_expires_at: row.expiresAt };
  await update(tx, 'credentials', { person_id: row.personId }, pending);
}

export async function saveFactor(
  tx: Transaction,
  row: { personId: PersonId; sealed: Uint8Array; sealedBy: KeyName; step: number; at: Instant },
): Promise<void> {
  await upsert(tx, 'credentials', ['person_id'], {
    person_id: row.personId,
    totp_sealed: row.sealed,
    totp_sealed_by: row.sealedBy,
    totp_enrolled_at: row.at,
    totp_step: row.step,
    factor_tries: 0,
    ...noPending,
  });
}

export async function deleteTotp(tx: Transaction, personId: PersonId): Promise<void> {
  const none = { totp_sealed: null, totp_sealed_by: null, totp_enrolled_at: null, ...noPending };
  await update(tx, 'credentials', { person_id: personId }, none);
}

/** Serialises changes to a person's credentials. */
export async function lockCredential(tx: Transaction, personId: PersonId): Promise<void> {
  await tx.run('UPDATE credentials SET factor_tries = factor_tries WHERE person_id = :personId', { personId });
}

/** An authenticator app or at least one passkey. */
export async function hasSecondFactor(reader: Reader, personId: PersonId): Promise<boolean> {
  return (
    (await reader.get(
      `SELECT 1 AS one FROM credentials WHERE person_id = :personId AND totp_enrolled_at IS NOT NULL
     UNION ALL SELECT 1 AS one FROM passkeys WHERE person_id = :personId LIMIT 1`,
      { personId },
    )) !== undefined
  );
}

/** One statement decides: of two requests with codes of the same step, one advances it. */
export async function takeStep(tx: Transaction, personId: PersonId, step: number): Promise<boolean> {
  return (
    (await tx.run('UPDATE credentials SET totp_step = :step WHERE person_id = :personId AND totp_step < :step', {
      personId,
      step,
    })) === 1
  );
}

/**
 * Counts an attempt before it is evaluated. @returns attempts since the window began, including this one; the row stays
 * locked until the transaction ends
 */
export async function countFactorTry(
  tx: Transaction,
  personId: PersonId,
  at: Instant,
  window: number,
): Promise<number> {
  const row = await tx.get<{ factor_tries: number }>(
    `UPDATE credentials SET
       factor_tries = CASE WHEN factor_tries_since <= :before THEN 1 ELSE factor_tries + 1 END,
       factor_tries_since = CASE WHEN factor_tries_since <= :before THEN :at ELSE factor_tries_since END
     WHERE person_id = :personId RETURNING factor_tries`,
    { personId, at, before: at - window },
  );
  return row?.factor_tries ?? 0;
}

export async function resetFactorTries(tx: Transaction, personId: PersonId): Promise<void> {
  await update(tx, 'credentials', { person_id: personId }, { factor_tries: 0 });
}

export async function replaceRecoveryCodes(
  tx: Transaction,
  personId: PersonId,
  hashes: readonly string[],
  hashedBy: KeyName,
): Promise<void> {
  await tx.run('DELETE FROM recovery_codes WHERE person_id = :personId', { personId });
  for (const hash of hashes) await insert(tx, 'recovery_codes', { person_id: personId, hash, hashed_by: hashedBy });
}

export async function deleteRecoveryCodes(tx: Transaction, personId: PersonId): Promise<void> {
  await tx.run('DELETE FROM recovery_codes WHERE person_id = :personId', { personId });
}

export async function takeRecoveryCode(
  tx: Transaction,
  personId: PersonId,
  hash: string,
  hashedBy: KeyName,
  at: Instant,
): Promise<boolean> {
  return (
    (await tx.run(
      'UPDATE recovery_codes SET used_at = :at WHERE person_id = :personId AND hash = :hash AND hashed_by = :hashedBy AND used_at IS NULL',
      { personId, hash, hashedBy, at },
    )) === 1
  );
}

export async function countRecoveryCodes(reader: Reader, personId: PersonId): Promise<number> {
  return (await reader.get<{ n: number }>(
    'SELECT count(*) AS n FROM recovery_codes WHERE person_id = :personId AND used_at IS NULL',
    { personId },
  ))!.n;
}

/** True once a super admin can sign in. */
export async function superAdminExists(reader: Reader): Promise<boolean> {
  return (
    (await reader.get(
      "SELECT 1 AS one FROM credentials k JOIN people p ON p.id = k.person_id WHERE p.role = 'super_admin' AND p.active = 1 AND k.password_hash IS NOT NULL LIMIT 1",
    )) !== undefined
  );
}

// ---- sessions

export async function insertSession(
  tx: Transaction,
  row: Omit<SessionRow, 'ended_at'> & { readonly token_hash: string },
): Promise<void> {
  await insert(tx, 'sessions', row);
}

export function findSession(reader: Reader, tokenHash: string): Promise<SessionRow | undefined> {
  return reader.get<SessionRow>(
    'SELECT id, person_id, stage, created_at, last_seen_at, second_factor_at, ended_at, device, address FROM sessions WHERE token_hash = :tokenHash',
    { tokenHash },
  );
}

export async function touchSession(tx: Transaction, id: SessionId, address: string, at: Instant): Promise<void> {
  await tx.run('UPDATE sessions SET last_seen_at = :at, address = :address WHERE id = :id AND last_seen_at < :at', {
    id,
    address,
    at,
  });
}

/** A new token for an active session, and its new stage. @returns whether it was still active */
export async function renewToken(
  tx: Transaction,
  row: { id: string; tokenHash: string; stage: SessionRow['stage']; secondFactorAt: number | null; at: Instant },
): Promise<boolean> {
  return (
    (await tx.run(
      'UPDATE sessions SET token_hash = :tokenHash, stage = :stage, second_factor_at = :secondFactorAt, last_seen_at = :at WHERE id = :id AND ended_at IS NULL',
      { ...row },
    )) === 1
  );
}

export async function markEnded(tx: Transaction, id: SessionId, personId: PersonId, at: Instant): Promise<boolean> {
  return (
    (await tx.run('UPDATE sessions SET ended_at = :at WHERE id = :id AND person_id = :personId AND ended_at IS NULL', {
      id,
      personId,
      at,
    })) === 1
  );
}

/** @param except the session to keep; '' for none */
export function markAllEnded(tx: Transaction, personId: PersonId, except: string, at: Instant): Promise<number> {
  return tx.run(
    'UPDATE sessions SET ended_at = :at WHERE person_id = :personId AND id <> :except AND ended_at IS NULL',
    { personId, except, at },
  );
}

/** @returns the number of sessions of a company's people that this ended */
export function endSessionsOfCompany(tx: Transaction, companyId: CompanyId, at: number): Promise<number> {
  return tx.run(
    'UPDATE sessions SET ended_at = :at WHERE ended_at IS NULL AND person_id IN (SELECT id FROM people WHERE company_id = :companyId)',
    { companyId, at },
  );
}

/** Active sessions, most recently used first. */
export function listSessionRows(
  reader: Reader,
  filter: {
    personId: PersonId;
    seenAfter: number;
    createdAfter: number;
    before: { seen: number; id: string } | undefined;
    limit: number;
  },
): Promise<SessionRow[]> {
  const { personId, seenAfter, createdAfter, before, limit } = filter;
  return reader.all<SessionRow>(
    `SELECT id, person_id, stage, created_at, last_seen_at, second_factor_at, ended_at, device, address FROM sessions
     WHERE person_id = :personId AND ended_at IS NULL AND stage = 'complete' AND last_seen_at > :seenAfter AND created_at > :createdAfter
       ${before === undefined ? '' : 'AND (last_seen_at, id) < (:seen, :id)'}
     ORDER BY last_seen_at DESC, id DESC LIMIT :limit`,
    { personId, seenAfter, createdAfter, limit, seen: before?.seen ?? 0, id: before?.id ?? '' },
  );
}

export async function deleteSessionsBefore(tx: Transaction, createdBefore: number): Promise<void> {
  await tx.run('DELETE FROM sessions WHERE created_at < :createdBefore', { createdBefore });
}

// ---- one-time links

export async function insertOneTimeLink(tx: Transaction, row: OneTimeLinkRow): Promise<void> {
  await tx.run('DELETE FROM one_time_links WHERE expires_at < :at', { at: row.created_at });
  if (row.person_id !== null)
    await tx.run('DELETE FROM one_time_links WHERE person_id = :personId', { personId: row.person_id });
  await insert(tx, 'one_time_links', row);
}

export function findOneTimeLink(
  reader: Reader,
  hash: string,
  kind: OneTimeLinkRow['kind'],
  at: Instant,
): Promise<OneTimeLinkRow | undefined> {
  return reader.get<OneTimeLinkRow>(
    'SELECT * FROM one_time_links WHERE hash = :hash AND kind = :kind AND expires_at > :at',
    { hash, kind, at },
  );
}

/** Removes a link, so that only one of two requests gets it. */
export function takeOneTimeLink(
  tx: Transaction,
  hash: string,
  kind: OneTimeLinkRow['kind'],
  at: Instant,
): Promise<OneTimeLinkRow | undefined> {
  return tx.get<OneTimeLinkRow>(
    'DELETE FROM one_time_links WHERE hash = :hash AND kind = :kind AND expires_at > :at RETURNING *',
    { hash, kind, at },
  );
}

export async function deleteSetUpLinks(tx: Transaction): Promise<void> {
  await tx.run("DELETE FROM one_time_links WHERE kind = 'set_up'");
}

// ---- what a lost DATA_KEY takes with it

export interface SealedCredential {
  readonly person_id: PersonId;
  readonly company_id: CompanyId;
  /** The authenticator app, not only recovery codes or one that is being set up. */
  readonly has_app: 0 | 1;
}

/** People whose authenticator app or recovery codes need `DATA_KEY`. */
export function listSealedCredentials(reader: Reader, scope: CompanyScope): Promise<SealedCredential[]> {
  const { sql, parameters } = within(scope, { company: 'p.company_id' });
  return reader.all<SealedCredential>(
    `SELECT k.person_id, p.company_id, CASE WHEN k.totp_sealed_by = 'data_key' THEN 1 ELSE 0 END AS has_app
     FROM credentials k JOIN people p ON p.id = k.person_id
     WHERE (k.totp_sealed_by = 'data_key' OR k.pending_sealed_by = 'data_key'
       OR EXISTS (SELECT 1 FROM recovery_codes r WHERE r.person_id = k.person_id AND r.hashed_by = 'data_key')) ${sql}
     ORDER BY k.person_id`,
    parameters,
  );
}

/** Codes that nobody can check any more. */
export async function deleteSealedRecoveryCodes(tx: Transaction, personId: PersonId): Promise<void> {
  await tx.run("DELETE FROM recovery_codes WHERE person_id = :personId AND hashed_by = 'data_key'", { personId });
}

export async function forgetPendingFactor(tx: Transaction, personId: PersonId): Promise<void> {
  await update(tx, 'credentials', { person_id: personId }, noPending);
}
