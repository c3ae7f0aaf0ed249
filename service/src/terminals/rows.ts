import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { CardSessionId, CompanyId, DepartmentId, PersonId, TerminalId } from '../ids.js';
import { insert, insertIfAbsent, update, updateReturning, upsert } from '../tables.js';

export type TerminalRow = Tables['terminals'];

export type CardSessionRow = Tables['card_sessions'];

export type NonceRow = Tables['terminal_nonces'];

export function findTerminal(reader: Reader, id: TerminalId): Promise<TerminalRow | undefined> {
  return reader.get<TerminalRow>('SELECT * FROM terminals WHERE id = :id', { id });
}

export async function insertTerminal(tx: Transaction, row: TerminalRow): Promise<void> {
  await insert(tx, 'terminals', row);
}

export async function saveDepartments(
  tx: Transaction,
  terminalId: TerminalId,
  departmentIds: readonly DepartmentId[],
): Promise<void> {
  await tx.run('DELETE FROM terminal_departments WHERE terminal_id = :terminalId', { terminalId });
  for (const departmentId of departmentIds)
    await insert(tx, 'terminal_departments', { terminal_id: terminalId, department_id: departmentId });
}

/** Whether a department can stamp here: none selected means everyone. */
export async function servesDepartment(
  reader: Reader,
  terminalId: TerminalId,
  departmentId: DepartmentId | null,
): Promise<boolean> {
  const row = await reader.get<{ chosen: number; mine: number }>(
    'SELECT count(*) AS chosen, COALESCE(sum(CASE WHEN department_id = :departmentId THEN 1 ELSE 0 END), 0) AS mine FROM terminal_departments WHERE terminal_id = :terminalId',
    { terminalId, departmentId: departmentId ?? 0 },
  );
  return row!.chosen === 0 || row!.mine > 0;
}

/** A new code; the registered key is removed with it. */
export async function savePairingCode(
  tx: Transaction,
  terminalId: TerminalId,
  hashes: { readonly hash: string; readonly lookup_hash: string },
  expiresAt: Instant,
): Promise<void> {
  await update(
    tx,
    'terminals',
    { id: terminalId },
    { public_key: null, fingerprint: null, device: null, confirmed_at: null },
  );
  const code = { terminal_id: terminalId, ...hashes, expires_at: expiresAt, wrong_tries: 0 };
  await upsert(tx, 'pairing_codes', ['terminal_id'], code);
}

/** Uses up a code: of any number of devices, only one gets the terminal. */
export async function takePairingCode(
  tx: Transaction,
  hash: string,
  maxWrongTries: number,
  at: Instant,
): Promise<string | undefined> {
  return (
    await tx.get<{ terminal_id: TerminalId }>(
      'DELETE FROM pairing_codes WHERE hash = :hash AND expires_at > :at AND wrong_tries < :maxWrongTries RETURNING terminal_id',
      { hash, maxWrongTries, at },
    )
  )?.terminal_id;
}

/**
 * Counts a wrong try against the open code that its first characters name.
 * @returns the terminal of that code and the tries so far; undefined if they name none
 */
export function countWrongCode(
  tx: Transaction,
  lookupHash: string,
  at: Instant,
): Promise<
  { readonly terminal_id: TerminalId; readonly company_id: CompanyId; readonly wrong_tries: number } | undefined
> {
  return tx.get(
    `UPDATE pairing_codes SET wrong_tries = wrong_tries + 1 WHERE lookup_hash = :lookupHash AND expires_at > :at
     RETURNING terminal_id, wrong_tries, (SELECT t.company_id FROM terminals t WHERE t.id = pairing_codes.terminal_id) AS company_id`,
    { lookupHash, at },
  );
}

/** Pairings follow one another, so that two devices with the same key cannot both be the first. */
export async function lockPairing(tx: Transaction): Promise<void> {
  await tx.get(`SELECT one FROM people_access WHERE one = 1${tx.dialect.forUpdate}`);
}

/** Whether any terminal of the installation has this key, confirmed or not. */
export async function isKeyTaken(reader: Reader, publicKey: Uint8Array): Promise<boolean> {
  return (
    (await reader.get('SELECT 1 AS taken FROM terminals WHERE public_key = :publicKey', { publicKey })) !== undefined
  );
}

export async function registerKey(
  tx: Transaction,
  terminalId: TerminalId,
  publicKey: Uint8Array,
  fingerprint: string,
  device: string | null,
): Promise<TerminalRow> {
  const key = { public_key: publicKey, fingerprint, device, confirmed_at: null };
  const [terminal] = await updateReturning(tx, 'terminals', { id: terminalId }, key);
  return terminal!;
}

/** Only the key whose fingerprint the admin compared is confirmed. */
export async function confirmKey(
  tx: Transaction,
  terminalId: TerminalId,
  companyId: CompanyId,
  fingerprint: string,
  at: Instant,
): Promise<number> {
  return tx.run(
    'UPDATE terminals SET confirmed_at = :at WHERE id = :terminalId AND company_id = :companyId AND fingerprint = :fingerprint AND public_key IS NOT NULL',
    { terminalId, companyId, fingerprint, at },
  );
}

/** @returns false if the nonce has already been used */
export async function spendNonce(tx: Transaction, row: NonceRow, cutoff: number): Promise<boolean> {
  await tx.run('DELETE FROM terminal_nonces WHERE terminal_id = :terminalId AND at < :cutoff', {
    terminalId: row.terminal_id,
    cutoff,
  });
  return insertIfAbsent(tx, 'terminal_nonces', row);
}

/** Which request used a nonce, and what came of it if that is kept. */
export function findUsedNonce(
  reader: Reader,
  terminalId: TerminalId,
  nonce: string,
): Promise<Pick<NonceRow, 'request' | 'outcome'> | undefined> {
  return reader.get('SELECT request, outcome FROM terminal_nonces WHERE terminal_id = :terminalId AND nonce = :nonce', {
    terminalId,
    nonce,
  });
}

export async function saveOutcome(
  tx: Transaction,
  terminalId: TerminalId,
  nonce: string,
  outcome: string,
): Promise<void> {
  await update(tx, 'terminal_nonces', { terminal_id: terminalId, nonce }, { outcome });
}

export async function openIssuingWindow(
  tx: Transaction,
  terminalId: TerminalId,
  personId: PersonId,
  expiresAt: Instant,
): Promise<void> {
  const window = { terminal_id: terminalId, person_id: personId, expires_at: expiresAt };
  await upsert(tx, 'issuing_windows', ['terminal_id'], window);
}

export function findIssuingWindow(
  reader: Reader,
  terminalId: TerminalId,
  at: Instant,
): Promise<{ person_id: PersonId; expires_at: number; first_name: string } | undefined> {
  return reader.get(
    'SELECT w.person_id, w.expires_at, p.first_name FROM issuing_windows w JOIN people p ON p.id = w.person_id WHERE w.terminal_id = :terminalId AND w.expires_at > :at',
    { terminalId, at },
  );
}

export async function closeIssuingWindow(tx: Transaction, terminalId: TerminalId): Promise<void> {
  await tx.run('DELETE FROM issuing_windows WHERE terminal_id = :terminalId', { terminalId });
}

/** Ends any session of the terminal or the badge, and begins this one. */
export async function beginSession(tx: Transaction, row: CardSessionRow, cutoff: number): Promise<void> {
  await tx.run(
    "UPDATE card_sessions SET state = 'ended', sealed = :nothing WHERE state <> 'ended' AND (terminal_id = :terminalId OR badge_id = :badgeId)",
    { terminalId: row.terminal_id, badgeId: row.badge_id, nothing: new Uint8Array(0) },
  );
  await tx.run('DELETE FROM card_sessions WHERE created_at < :cutoff', { cutoff });
  await insert(tx, 'card_sessions', row);
}

/** The session, locked, if it belongs to this terminal and is still active. */
export function lockSession(
  tx: Transaction,
  id: CardSessionId,
  terminalId: TerminalId,
): Promise<CardSessionRow | undefined> {
  return tx.get<CardSessionRow>(
    `SELECT * FROM card_sessions WHERE id = :id AND terminal_id = :terminalId AND state <> 'ended'${tx.dialect.forUpdate}`,
    { id, terminalId },
  );
}

export async function saveSession(
  tx: Transaction,
  {
    id,
    ...changes
  }: Pick<CardSessionRow, 'id'> &
    Partial<Pick<CardSessionRow, 'state' | 'sealed' | 'steps' | 'slow' | 'took_ms' | 'last_at'>>,
): Promise<void> {
  await update(tx, 'card_sessions', { id }, changes);
}

/** What a proof with this family of card usually takes here. */
export function findTiming(
  reader: Reader,
  terminalId: TerminalId,
  family: Tables['card_timings']['family'],
): Promise<Tables['card_timings'] | undefined> {
  return reader.get('SELECT * FROM card_timings WHERE terminal_id = :terminalId AND family = :family', {
    terminalId,
    family,
  });
}

export async function saveTiming(tx: Transaction, row: Tables['card_timings']): Promise<void> {
  await upsert(tx, 'card_timings', ['terminal_id', 'family'], row);
}

/** Whether the card of a session was slow. */
export async function wasSlow(reader: Reader, id: CardSessionId): Promise<boolean> {
  return (await reader.get('SELECT 1 AS one FROM card_sessions WHERE id = :id AND slow = 1', { id })) !== undefined;
}

/** An ended session keeps nothing of the dialogue. */
export async function endSession(tx: Transaction, id: CardSessionId, terminalId: TerminalId): Promise<number> {
  return tx.run(
    "UPDATE card_sessions SET state = 'ended', sealed = :nothing WHERE id = :id AND terminal_id = :terminalId AND state <> 'ended'",
    { id, terminalId, nothing: new Uint8Array(0) },
  );
}

/** Sessions at one terminal begin one after the other. */
export async function lockTerminal(tx: Transaction, id: TerminalId): Promise<void> {
  await tx.get(`SELECT id FROM terminals WHERE id = :id${tx.dialect.forUpdate}`, { id });
}
