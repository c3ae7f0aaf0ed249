import type { Reader } from '@clockproof/platform/database/database';
import { expression } from '@clockproof/platform/database/table';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import { type IdleSessionRow, type SessionRow, shortestIdleMinutes } from '../people/caller.js';
import type { PersonRow } from '../people/rows.js';
import type { CompanyId, PersonId, SessionId } from '../store/ids.js';
import { type CompanyScope, within } from '../store/scope.js';
import type { KeyName } from '../store/sealing/sealing-keys.js';
import {
  insert,
  insertIfAbsent,
  remove,
  removeSome,
  removeWhere,
  removeWhereReturning,
  type Transaction,
  update,
  updateWhere,
  updateWhereReturning,
  upsert,
} from '../store/tables.js';

/** A person's credentials. No row: never invited. */
export type CredentialRow = Tables['credentials'];

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
export async function renewHash(tx: Transaction, personId: PersonId, oldHash: string, newHash: string): Promise<void> {
  await update(tx, 'credentials', { person_id: personId, password_hash: oldHash }, { password_hash: newHash });
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
      `SELECT 1 AS expected FROM people p JOIN credentials k ON k.person_id = p.id WHERE p.email = :email AND p.active = 1 AND (k.last_address = :address
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
  const { account, at, ...limits } = try_;
  if (await insertIfAbsent(tx, 'password_tries', { account, tries: 1, last_at: at })) return true;
  const updateCount = await updateWhere(
    tx,
    'password_tries',
    { last_at: at, tries: expression('CASE WHEN last_at <= :forgottenBefore THEN 1 ELSE tries + 1 END') },
    'account = :account AND (tries < :freeTries OR last_at <= :delayedBefore)',
    { account, ...limits },
  );
  return updateCount === 1;
}

export function readPasswordTries(reader: Reader, account: string): Promise<Tables['password_tries'] | undefined> {
  return reader.get<Tables['password_tries']>('SELECT * FROM password_tries WHERE account = :account', { account });
}

export async function forgetPasswordTries(tx: Transaction, account: string): Promise<void> {
  await remove(tx, 'password_tries', { account });
}

export function purgePasswordTries(tx: Transaction, before: Instant, limit: number): Promise<number> {
  return removeSome(tx, 'password_tries', ['account'], 'last_at < :before', { before, limit });
}

const noPending = { pending_sealed: null, pending_sealed_by: null, pending_expires_at: null };

export async function savePendingFactor(
  tx: Transaction,
  row: { personId: PersonId; sealed: Uint8Array; sealedBy: KeyName; expiresAt: Instant },
): Promise<void> {
  const pendingColumns = {
    pending_sealed: row.sealed,
    pending_sealed_by: row.sealedBy,
    pending_expires_at: row.expiresAt,
  };
  // A person who signs in through the company may have no row yet.
  await upsert(tx, 'credentials', ['person_id'], { person_id: row.personId, ...pendingColumns });
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
  const noTotp = { totp_sealed: null, totp_sealed_by: null, totp_enrolled_at: null, ...noPending };
  await update(tx, 'credentials', { person_id: personId }, noTotp);
}

/** The password no longer works; its person can choose another one only with a link. */
export async function endPassword(tx: Transaction, personId: PersonId): Promise<void> {
  await update(tx, 'credentials', { person_id: personId }, { password_hash: null });
}

/** Whether the password was ended, and no other one was chosen yet. */
export async function isPasswordEnded(reader: Reader, personId: PersonId): Promise<boolean> {
  const credential = await findCredential(reader, personId);
  return credential !== undefined && credential.password_hash === null;
}

/** Serialises changes to a person's credentials. */
export async function lockCredential(tx: Transaction, personId: PersonId): Promise<void> {
  await tx.get(`SELECT person_id FROM credentials k WHERE person_id = :personId${tx.dialect.forNoKeyUpdate('k')}`, {
    personId,
  });
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
    (await updateWhere(tx, 'credentials', { totp_step: step }, 'person_id = :personId AND totp_step < :step', {
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
  const [credential] = await updateWhereReturning(
    tx,
    'credentials',
    {
      factor_tries: expression('CASE WHEN factor_tries_since <= :before THEN 1 ELSE factor_tries + 1 END'),
      factor_tries_since: expression('CASE WHEN factor_tries_since <= :before THEN :at ELSE factor_tries_since END'),
    },
    'person_id = :personId',
    { personId, at, before: at - window },
  );
  return credential?.factor_tries ?? 0;
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
  await deleteRecoveryCodes(tx, personId);
  for (const hash of hashes) await insert(tx, 'recovery_codes', { person_id: personId, hash, hashed_by: hashedBy });
}

export async function deleteRecoveryCodes(tx: Transaction, personId: PersonId): Promise<void> {
  await remove(tx, 'recovery_codes', { person_id: personId });
}

export async function takeRecoveryCode(
  tx: Transaction,
  personId: PersonId,
  hash: string,
  hashedBy: KeyName,
  at: Instant,
): Promise<boolean> {
  return (
    (await updateWhere(
      tx,
      'recovery_codes',
      { used_at: at },
      'person_id = :personId AND hash = :hash AND hashed_by = :hashedBy AND used_at IS NULL',
      { personId, hash, hashedBy },
    )) === 1
  );
}

export async function countRecoveryCodes(reader: Reader, personId: PersonId): Promise<number> {
  return (await reader.get<{ n: number }>(
    'SELECT count(*) AS n FROM recovery_codes WHERE person_id = :personId AND used_at IS NULL',
    { personId },
  ))!.n;
}

/** Whether a person has a password, or an account at the identity provider of their company. */
export async function canSignIn(reader: Reader, personId: PersonId): Promise<boolean> {
  return (
    (await reader.get(
      `SELECT 1 AS one FROM credentials WHERE person_id = :personId AND password_hash IS NOT NULL
     UNION ALL SELECT 1 AS one FROM provider_subjects WHERE person_id = :personId LIMIT 1`,
      { personId },
    )) !== undefined
  );
}

/** True once a super admin has chosen a password, even if it has ended since: only the first one is set up. */
export async function superAdminExists(reader: Reader): Promise<boolean> {
  return (
    (await reader.get(
      "SELECT 1 AS one FROM credentials k JOIN people p ON p.id = k.person_id WHERE p.role = 'super_admin' AND p.active = 1 LIMIT 1",
    )) !== undefined
  );
}

/** True if the person may sign in: they and their company stay active until the transaction ends. */
export async function keepActive(tx: Reader, personId: PersonId): Promise<boolean> {
  const { forShare, forKeyShare } = tx.dialect;
  const person = await tx.get(
    `SELECT p.id FROM people p JOIN companies c ON c.id = p.company_id
     WHERE p.id = :personId AND p.active = 1 AND c.active = 1${forShare('p')}${forKeyShare('c')}`,
    { personId },
  );
  return person !== undefined;
}

/** Whether a password that was just verified still holds, and does so until the transaction ends. */
export async function keepPassword(tx: Reader, { person_id: personId, password_hash: hash }: CredentialRow) {
  const row = await tx.get<Pick<CredentialRow, 'password_hash'>>(
    `SELECT k.password_hash FROM credentials k WHERE k.person_id = :personId${tx.dialect.forShare('k')}`,
    { personId },
  );
  return row?.password_hash === hash;
}

// ---- sessions

const sessionColumns =
  'id, person_id, stage, opened_by, pending_binding, created_at, last_seen_at, second_factor_at, ended_at, device, address';

export async function insertSession(
  tx: Transaction,
  row: Omit<SessionRow, 'ended_at'> & { readonly token_hash: string },
): Promise<void> {
  await insert(tx, 'sessions', row);
}

/**
 * A session and its maximum idle time: a person with roles in several companies gets the shortest of these, and a super
 * admin, who reaches every company, the shortest possible.
 */
export function findSession(reader: Reader, tokenHash: string): Promise<IdleSessionRow | undefined> {
  return reader.get<IdleSessionRow>(
    `SELECT ${sessionColumns}, (
       SELECT CASE WHEN p.role = 'super_admin' THEN ${shortestIdleMinutes} ELSE MIN(c.idle_minutes) END
       FROM people p JOIN companies c ON c.id = p.company_id
         OR c.id IN (SELECT g.company_id FROM role_grants g WHERE g.person_id = p.id)
       WHERE p.id = sessions.person_id GROUP BY p.role) AS idle_minutes
     FROM sessions WHERE token_hash = :tokenHash`,
    { tokenHash },
  );
}

/** The rights of a session and its person. */
export type SessionRights = Pick<SessionRow, 'stage' | 'ended_at' | 'second_factor_at'> &
  Pick<PersonRow, 'role' | 'active' | 'company_id' | 'company_active'>;

/**
 * For a write, which may change the person: no other write changes them, the session or the company's activity
 * meanwhile.
 */
export function keepSession(tx: Reader, id: SessionId): Promise<SessionRights | undefined> {
  const { forNoKeyUpdate, forKeyShare } = tx.dialect;
  return tx.get<SessionRights>(
    `SELECT s.stage, s.ended_at, s.second_factor_at, p.role, p.active, p.company_id, c.active AS company_active
     FROM sessions s JOIN people p ON p.id = s.person_id JOIN companies c ON c.id = p.company_id
     WHERE s.id = :id${forNoKeyUpdate('s, p')}${forKeyShare('c')}`,
    { id },
  );
}

export async function touchSession(tx: Transaction, id: SessionId, address: string, at: Instant): Promise<void> {
  await updateWhere(tx, 'sessions', { last_seen_at: at, address }, 'id = :id AND last_seen_at < :at', { id, at });
}

/** A new token for an active session, and its new stage. @returns whether it was still active */
export async function renewToken(
  tx: Transaction,
  row: { id: string; tokenHash: string; stage: SessionRow['stage']; secondFactorAt: number | null; at: Instant },
): Promise<boolean> {
  const { id, tokenHash, stage, secondFactorAt, at } = row;
  return (
    (await updateWhere(
      tx,
      'sessions',
      {
        token_hash: tokenHash,
        stage,
        second_factor_at: secondFactorAt,
        last_seen_at: at,
        ...(stage === 'complete' ? { pending_binding: null } : {}),
      },
      'id = :id AND ended_at IS NULL',
      { id },
    )) === 1
  );
}

export async function markEnded(tx: Transaction, id: SessionId, personId: PersonId, at: Instant): Promise<boolean> {
  return (
    (await updateWhere(tx, 'sessions', { ended_at: at }, 'id = :id AND person_id = :personId AND ended_at IS NULL', {
      id,
      personId,
    })) === 1
  );
}

/** @param except the session to keep; '' for none */
export function markAllEnded(tx: Transaction, personId: PersonId, except: string, at: Instant): Promise<number> {
  return updateWhere(tx, 'sessions', { ended_at: at }, 'person_id = :personId AND id <> :except AND ended_at IS NULL', {
    personId,
    except,
  });
}

/** @returns the number of sessions of a company's people that this ended */
export function endSessionsOfCompany(tx: Transaction, companyId: CompanyId, at: number): Promise<number> {
  return updateWhere(
    tx,
    'sessions',
    { ended_at: at },
    'ended_at IS NULL AND person_id IN (SELECT id FROM people WHERE company_id = :companyId)',
    { companyId },
  );
}

/** Ends the sessions that people of a company opened through its identity provider. @returns their number */
export function endProviderSessions(tx: Transaction, companyId: CompanyId, at: Instant): Promise<number> {
  return updateWhere(
    tx,
    'sessions',
    { ended_at: at },
    "ended_at IS NULL AND opened_by = 'provider' AND person_id IN (SELECT id FROM people WHERE company_id = :companyId)",
    { companyId },
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
    `SELECT ${sessionColumns} FROM sessions
     WHERE person_id = :personId AND ended_at IS NULL AND stage = 'complete' AND last_seen_at > :seenAfter AND created_at > :createdAfter
       ${before === undefined ? '' : 'AND (last_seen_at, id) < (:seen, :id)'}
     ORDER BY last_seen_at DESC, id DESC LIMIT :limit`,
    { personId, seenAfter, createdAfter, limit, seen: before?.seen ?? 0, id: before?.id ?? '' },
  );
}

export async function deleteSessionsBefore(tx: Transaction, createdBefore: number): Promise<void> {
  await removeWhere(tx, 'sessions', 'created_at < :createdBefore', { createdBefore });
}

// ---- one-time links

export async function insertOneTimeLink(tx: Transaction, row: OneTimeLinkRow): Promise<void> {
  await removeWhere(tx, 'one_time_links', 'expires_at < :at', { at: row.created_at });
  if (row.person_id !== null) await deleteOneTimeLinks(tx, row.person_id);
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
export async function takeOneTimeLink(
  tx: Transaction,
  hash: string,
  kind: OneTimeLinkRow['kind'],
  at: Instant,
): Promise<OneTimeLinkRow | undefined> {
  const [link] = await removeWhereReturning(
    tx,
    'one_time_links',
    'hash = :hash AND kind = :kind AND expires_at > :at',
    { hash, kind, at },
  );
  return link;
}

export async function deleteOneTimeLinks(tx: Transaction, personId: PersonId): Promise<void> {
  await remove(tx, 'one_time_links', { person_id: personId });
}

export async function deleteOneTimeLinksOfCompany(tx: Transaction, companyId: CompanyId): Promise<void> {
  const people = 'person_id IN (SELECT id FROM people WHERE company_id = :companyId)';
  await removeWhere(tx, 'one_time_links', people, { companyId });
}

export async function deleteSetUpLinks(tx: Transaction): Promise<void> {
  await remove(tx, 'one_time_links', { kind: 'set_up' });
}

// ---- losses with a lost DATA_KEY

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

/** Deletes codes that can no longer be checked. */
export async function deleteSealedRecoveryCodes(tx: Transaction, personId: PersonId): Promise<void> {
  await remove(tx, 'recovery_codes', { person_id: personId, hashed_by: 'data_key' });
}

export async function forgetPendingFactor(tx: Transaction, personId: PersonId): Promise<void> {
  await update(tx, 'credentials', { person_id: personId }, noPending);
}
