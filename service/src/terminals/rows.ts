import type { Parameters, Reader } from '@clockproof/platform/database/database';
import { expression } from '@clockproof/platform/database/table';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { BadgeId, CardSessionId, CompanyId, DepartmentId, PersonId, TerminalId } from '../store/ids.js';
import { type CompanyScope, within } from '../store/scope.js';
import {
  insert,
  insertIfAbsent,
  remove,
  removeSome,
  removeWhere,
  removeWhereReturning,
  type Transaction,
  update,
  updateReturning,
  updateWhere,
  updateWhereReturning,
  upsert,
} from '../store/tables.js';

export type TerminalRow = Tables['terminals'];

export type CardSessionRow = Tables['card_sessions'];

export type NonceRow = Tables['terminal_nonces'];

export type IssuingRow = Tables['issuing_windows'];

/** Undefined if it was removed. */
export function findTerminal(reader: Reader, id: TerminalId): Promise<TerminalRow | undefined> {
  return reader.get<TerminalRow>('SELECT * FROM terminals WHERE id = :id AND removed_at IS NULL', { id });
}

/** The same for a write, which may change it: no other write does until its transaction ends. */
export function keepTerminal(tx: Reader, id: TerminalId): Promise<TerminalRow | undefined> {
  return tx.get<TerminalRow>(
    `SELECT t.* FROM terminals t WHERE t.id = :id AND t.removed_at IS NULL${tx.dialect.forNoKeyUpdate('t')}`,
    { id },
  );
}

/** A terminal with the facts that its admins see beside its row. */
export interface ShownTerminalRow extends TerminalRow {
  readonly code_expires_at: Instant | null;
  readonly confirmed_first: string | null;
  readonly confirmed_last: string | null;
}

const selectShown = `SELECT t.*, c.expires_at AS code_expires_at, p.first_name AS confirmed_first, p.last_name AS confirmed_last
  FROM terminals t LEFT JOIN pairing_codes c ON c.terminal_id = t.id LEFT JOIN people p ON p.id = t.confirmed_by`;

/** By name. */
export function listTerminalRows(
  reader: Reader,
  scope: CompanyScope,
  {
    after,
    limit,
  }: { readonly after: { readonly name: string; readonly id: string } | undefined; readonly limit: number },
): Promise<ShownTerminalRow[]> {
  const { sql, parameters } = within(scope, { company: 't.company_id' });
  return reader.all<ShownTerminalRow>(
    `${selectShown} WHERE t.removed_at IS NULL ${sql} ${after === undefined ? '' : 'AND (t.name, t.id) > (:name, :id)'}
     ORDER BY t.name, t.id LIMIT :limit`,
    { limit, ...parameters, ...(after === undefined ? {} : { name: after.name, id: after.id }) },
  );
}

export function findShownTerminal(
  reader: Reader,
  scope: CompanyScope,
  id: TerminalId,
): Promise<ShownTerminalRow | undefined> {
  const { sql, parameters } = within(scope, { company: 't.company_id' });
  return reader.get<ShownTerminalRow>(`${selectShown} WHERE t.id = :id AND t.removed_at IS NULL ${sql}`, {
    id,
    ...parameters,
  });
}

/** Names of the other terminals of a company. */
export async function otherTerminalNames(reader: Reader, companyId: CompanyId, except: TerminalId): Promise<string[]> {
  const rows = await reader.all<{ name: string }>(
    'SELECT name FROM terminals WHERE company_id = :companyId AND id <> :except AND removed_at IS NULL',
    { companyId, except },
  );
  return rows.map(({ name }) => name);
}

export function departmentsOf(
  reader: Reader,
  terminalId: TerminalId,
): Promise<{ readonly id: DepartmentId; readonly name: string }[]> {
  return reader.all(
    `SELECT d.id, d.name FROM terminal_departments t JOIN departments d ON d.id = t.department_id
     WHERE t.terminal_id = :terminalId ORDER BY d.name, d.id`,
    { terminalId },
  );
}

export type TerminalOptions = Pick<
  TerminalRow,
  'name' | 'location' | 'show_info' | 'info_without_pin' | 'badge_and_pin' | 'repeat_lock_seconds' | 'issuing_allowed'
>;

export async function updateTerminalRow(
  tx: Transaction,
  id: TerminalId,
  patch: Partial<TerminalOptions & Pick<TerminalRow, 'proofs_stopped_at'>>,
): Promise<void> {
  await update(tx, 'terminals', { id }, patch);
}

/** The row stays for the names of stamps; nothing of the device does. */
export async function markRemoved(tx: Transaction, id: TerminalId, at: Instant): Promise<void> {
  await forgetDevice(tx, id);
  await remove(tx, 'pairing_codes', { terminal_id: id });
  await update(tx, 'terminals', { id }, { removed_at: at });
}

/** A device's report with its status. */
export type DeviceFacts = Pick<
  TerminalRow,
  'agent_version' | 'reader' | 'reader_state' | 'clock_offset_ms' | 'offline_waiting'
>;

export async function saveDeviceFacts(
  tx: Transaction,
  id: TerminalId,
  facts: Partial<DeviceFacts>,
  at: Instant,
): Promise<void> {
  await update(tx, 'terminals', { id }, { ...facts, last_seen_at: at });
}

async function forgetDevice(tx: Transaction, id: TerminalId): Promise<void> {
  const device = {
    public_key: null,
    fingerprint: null,
    device: null,
    confirmed_at: null,
    confirmed_by: null,
    agent_version: null,
    reader: null,
    reader_state: null,
    clock_offset_ms: null,
    offline_waiting: null,
    key_copied_at: null,
  };
  await update(tx, 'terminals', { id }, device);
  await remove(tx, 'terminal_runs', { terminal_id: id });
  await endWork(tx, id);
}

async function endWork(tx: Transaction, id: TerminalId): Promise<void> {
  await endSessions(tx, 'terminal_id = :id', { id });
  await cancelIssuingRow(tx, id);
}

/** Its key is on two devices and cannot be paired again. @returns false if that was known */
export async function stopCopiedKey(tx: Transaction, id: TerminalId, at: Instant): Promise<boolean> {
  const stopCount = await updateWhere(
    tx,
    'terminals',
    { key_copied_at: at, copied_fingerprint: expression('fingerprint') },
    'id = :id AND key_copied_at IS NULL',
    { id },
  );
  if (stopCount > 0) await endWork(tx, id);
  return stopCount > 0;
}

export type RunRow = Tables['terminal_runs'];

export function findRun(reader: Reader, terminalId: TerminalId, run: string): Promise<RunRow | undefined> {
  return reader.get('SELECT * FROM terminal_runs WHERE terminal_id = :terminalId AND run = :run', { terminalId, run });
}

export async function hasRuns(reader: Reader, terminalId: TerminalId): Promise<boolean> {
  const row = await reader.get('SELECT 1 AS one FROM terminal_runs WHERE terminal_id = :terminalId LIMIT 1', {
    terminalId,
  });
  return row !== undefined;
}

/** Whether another run began after this one, and before the cutoff. */
export async function hasLaterRun(
  reader: Reader,
  { terminal_id: terminalId, run, first_at: first }: RunRow,
  cutoff: number,
): Promise<boolean> {
  const laterRun = await reader.get(
    `SELECT 1 AS one FROM terminal_runs
     WHERE terminal_id = :terminalId AND (first_at, run) > (:first, :run) AND first_at < :cutoff LIMIT 1`,
    { terminalId, first, run, cutoff },
  );
  return laterRun !== undefined;
}

/** Forgets those that began before the cutoff. */
export async function beginRun(tx: Transaction, row: RunRow, cutoff: number): Promise<void> {
  await removeWhere(tx, 'terminal_runs', 'terminal_id = :id AND first_at < :cutoff', { id: row.terminal_id, cutoff });
  await insertIfAbsent(tx, 'terminal_runs', row);
}

export async function insertTerminal(tx: Transaction, row: TerminalRow): Promise<void> {
  await insert(tx, 'terminals', row);
}

export async function saveDepartments(
  tx: Transaction,
  terminalId: TerminalId,
  departmentIds: readonly DepartmentId[],
): Promise<void> {
  await remove(tx, 'terminal_departments', { terminal_id: terminalId });
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
  await forgetDevice(tx, terminalId);
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
  const [code] = await removeWhereReturning(
    tx,
    'pairing_codes',
    'hash = :hash AND expires_at > :at AND wrong_tries < :maxWrongTries',
    { hash, maxWrongTries, at },
  );
  return code?.terminal_id;
}

/**
 * Counts a wrong try against the open code that its first characters name.
 * @returns the terminal of that code and the tries so far; undefined if they name none
 */
export async function countWrongCode(
  tx: Transaction,
  lookupHash: string,
  at: Instant,
): Promise<
  { readonly terminal_id: TerminalId; readonly company_id: CompanyId; readonly wrong_tries: number } | undefined
> {
  const [code] = await updateWhereReturning(
    tx,
    'pairing_codes',
    { wrong_tries: expression('wrong_tries + 1') },
    'lookup_hash = :lookupHash AND expires_at > :at',
    { lookupHash, at },
  );
  if (code === undefined) return undefined;
  const { terminal_id, wrong_tries } = code;
  const terminal = await tx.get<Pick<TerminalRow, 'company_id'>>('SELECT company_id FROM terminals WHERE id = :id', {
    id: terminal_id,
  });
  return { terminal_id, company_id: terminal!.company_id, wrong_tries };
}

/**
 * Pairings and new names follow one another, so that of two devices with the same key, or two terminals with the same
 * name, one is the first.
 */
export async function lockPairing(tx: Transaction): Promise<void> {
  await tx.get(`SELECT one FROM people_access WHERE one = 1${tx.dialect.forUpdate}`);
}

/** Whether any terminal of the installation has this key, confirmed or not, or it was found on two devices. */
export async function isKeyTaken(reader: Reader, publicKey: Uint8Array, fingerprint: string): Promise<boolean> {
  const keyOwner =
    (await reader.get('SELECT 1 AS one FROM terminals WHERE public_key = :publicKey', { publicKey })) ??
    (await reader.get('SELECT 1 AS one FROM terminals WHERE copied_fingerprint = :fingerprint', { fingerprint }));
  return keyOwner !== undefined;
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
  by: PersonId | null,
  at: Instant,
): Promise<number> {
  return updateWhere(
    tx,
    'terminals',
    { confirmed_at: at, confirmed_by: by },
    'id = :terminalId AND company_id = :companyId AND fingerprint = :compared AND public_key IS NOT NULL AND removed_at IS NULL',
    { terminalId, companyId, compared: fingerprint },
  );
}

/** @returns false if the nonce has already been used */
export function spendNonce(tx: Transaction, row: NonceRow): Promise<boolean> {
  return insertIfAbsent(tx, 'terminal_nonces', row);
}

/** @returns the number of nonces that it deleted */
export function deleteNonces(tx: Transaction, before: Instant, limit: number): Promise<number> {
  return removeSome(tx, 'terminal_nonces', ['terminal_id', 'nonce'], 'at < :before', { before, limit });
}

/** The request that used a nonce, and its outcome if that is kept. */
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

/** Begins an issuing; of the one before nothing is left. */
export async function openIssuingWindow(
  tx: Transaction,
  terminalId: TerminalId,
  personId: PersonId,
  expiresAt: Instant,
  at: Instant,
): Promise<void> {
  const window = {
    terminal_id: terminalId,
    person_id: personId,
    expires_at: expiresAt,
    state: 'waiting',
    started_at: at,
    card_at: null,
    reason: null,
    badge_id: null,
  } as const;
  await upsert(tx, 'issuing_windows', ['terminal_id'], window);
}

const isOpen = "state NOT IN ('issued', 'cancelled')";

/** The latest issuing at a terminal, over or not. */
export function findIssuing(
  reader: Reader,
  terminalId: TerminalId,
): Promise<(IssuingRow & { readonly first_name: string; readonly last_name: string }) | undefined> {
  return reader.get(
    'SELECT w.*, p.first_name, p.last_name FROM issuing_windows w JOIN people p ON p.id = w.person_id WHERE w.terminal_id = :terminalId',
    { terminalId },
  );
}

/**
 * Saves the progress of issuing a badge to a person. Nothing happens if it was cancelled meanwhile, or another one has
 * begun at the terminal.
 */
export async function saveIssuing(
  tx: Transaction,
  terminalId: TerminalId,
  personId: PersonId,
  patch: Partial<Pick<IssuingRow, 'state' | 'card_at' | 'reason'>>,
): Promise<void> {
  const condition = `terminal_id = :terminalId AND person_id = :personId AND ${isOpen}`;
  await updateWhere(tx, 'issuing_windows', patch, condition, { terminalId, personId });
}

/** The badge was issued, also if it was cancelled while the card was written. */
export async function saveIssued(
  tx: Transaction,
  terminalId: TerminalId,
  { id, person_id }: Pick<Tables['badges'], 'id' | 'person_id'>,
): Promise<void> {
  const key = { terminal_id: terminalId, person_id };
  await update(tx, 'issuing_windows', key, { state: 'issued', reason: null, badge_id: id });
}

/** @returns whether one was open */
export async function cancelIssuingRow(tx: Transaction, terminalId: TerminalId): Promise<boolean> {
  return (
    (await updateWhere(tx, 'issuing_windows', { state: 'cancelled' }, `terminal_id = :terminalId AND ${isOpen}`, {
      terminalId,
    })) > 0
  );
}

/** The terminal gave up on the card that was being written. */
export async function interruptIssuing(tx: Transaction, terminalId: TerminalId): Promise<number> {
  return update(
    tx,
    'issuing_windows',
    { terminal_id: terminalId, state: 'writing' },
    { state: 'refused', reason: 'removed' },
  );
}

/**
 * A card with the number of a badge failed here.
 * @param tried true if it took part in a proof
 * @returns since the cutoff: the failures of cards with this number, and the number of badges whose cards took part in
 * a proof
 */
export async function recordFailedProof(
  tx: Transaction,
  {
    terminalId,
    badgeId,
    tried,
  }: { readonly terminalId: TerminalId; readonly badgeId: BadgeId; readonly tried: boolean },
  at: Instant,
  cutoff: number,
): Promise<{ readonly failures: number; readonly triedBadges: number }> {
  await removeWhere(tx, 'proof_failures', 'terminal_id = :terminalId AND at < :cutoff', { terminalId, cutoff });
  const existingRow = await tx.get<Tables['proof_failures']>(
    'SELECT * FROM proof_failures WHERE terminal_id = :terminalId AND badge_id = :badgeId',
    { terminalId, badgeId },
  );
  const failures = (existingRow?.failures ?? 0) + 1;
  const tried_at = tried ? at : (existingRow?.tried_at ?? null);
  const row = { terminal_id: terminalId, badge_id: badgeId, at, failures, tried_at };
  await upsert(tx, 'proof_failures', ['terminal_id', 'badge_id'], row);
  const { badges } = (await tx.get<{ badges: number }>(
    'SELECT count(*) AS badges FROM proof_failures WHERE terminal_id = :terminalId AND tried_at >= :cutoff',
    { terminalId, cutoff },
  ))!;
  return { failures, triedBadges: badges };
}

export async function forgetFailedProofs(tx: Transaction, terminalId: TerminalId): Promise<void> {
  await remove(tx, 'proof_failures', { terminal_id: terminalId });
}

export function findIssuingWindow(
  reader: Reader,
  terminalId: TerminalId,
  at: Instant,
): Promise<{ person_id: PersonId; expires_at: number; first_name: string } | undefined> {
  return reader.get(
    `SELECT w.person_id, w.expires_at, p.first_name FROM issuing_windows w JOIN people p ON p.id = w.person_id
     WHERE w.terminal_id = :terminalId AND w.expires_at > :at AND w.${isOpen}`,
    { terminalId, at },
  );
}

/** An ended session keeps nothing of the dialogue. @returns the number of sessions that this ended */
function endSessions(tx: Transaction, condition: string, parameters: Parameters): Promise<number> {
  return updateWhere(
    tx,
    'card_sessions',
    { state: 'ended', sealed: new Uint8Array(0) },
    `state <> 'ended' AND ${condition}`,
    parameters,
  );
}

/** Ends any session of the terminal or the badge, and begins this one. */
export async function beginSession(tx: Transaction, row: CardSessionRow, cutoff: number): Promise<void> {
  await endSessions(tx, '(terminal_id = :terminalId OR badge_id = :badgeId)', {
    terminalId: row.terminal_id,
    badgeId: row.badge_id,
  });
  await removeWhere(tx, 'card_sessions', 'created_at < :cutoff', { cutoff });
  await insert(tx, 'card_sessions', row);
}

/** The session, if it belongs to this terminal. */
export function findSession(
  reader: Reader,
  id: CardSessionId,
  terminalId: TerminalId,
): Promise<CardSessionRow | undefined> {
  return reader.get<CardSessionRow>('SELECT * FROM card_sessions WHERE id = :id AND terminal_id = :terminalId', {
    id,
    terminalId,
  });
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
  }: Pick<CardSessionRow, 'id'> & Partial<Pick<CardSessionRow, 'state' | 'sealed' | 'steps' | 'last_at'>>,
): Promise<void> {
  await update(tx, 'card_sessions', { id }, changes);
}

export function endSession(tx: Transaction, id: CardSessionId, terminalId: TerminalId): Promise<number> {
  return endSessions(tx, 'id = :id AND terminal_id = :terminalId', { id, terminalId });
}

/** Sessions at one terminal begin one after the other. */
export async function lockTerminal(tx: Transaction, id: TerminalId): Promise<void> {
  await tx.get(`SELECT id FROM terminals WHERE id = :id${tx.dialect.forUpdate}`, { id });
}

/** Dialogues with cards and pairing codes that only a lost `DATA_KEY` could continue. Devices and admins begin again. */
export async function forgetSealed(tx: Transaction): Promise<void> {
  await endSessions(tx, '1 = 1', {});
  await removeWhere(tx, 'pairing_codes', '1 = 1');
}
