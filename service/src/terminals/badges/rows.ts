import type { Reader } from '@clockproof/platform/database/database';
import { expression } from '@clockproof/platform/database/table';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../../generated/tables.js';
import { matchingPeople } from '../../people/rows.js';
import type { BadgeId, CompanyId, PersonId, TerminalId } from '../../store/ids.js';
import { type CompanyScope, type TenantScope, within } from '../../store/scope.js';
import {
  insertIfAbsent,
  remove,
  removeWhere,
  type Transaction,
  update,
  updateWhere,
  updateWhereReturning,
  upsert,
} from '../../store/tables.js';

export type CardFamily = NonNullable<Tables['badges']['family']>;

export type BadgeRow = Tables['badges'];

/** A badge, and the newest version of the card key of its company. */
export type HeldBadgeRow = BadgeRow & { readonly newest_version: number };

export function findBadge(reader: Reader, companyId: CompanyId, uidHash: string): Promise<HeldBadgeRow | undefined> {
  return reader.get<HeldBadgeRow>(
    `SELECT b.*, (SELECT max(k.version) FROM company_card_keys k WHERE k.company_id = b.company_id) AS newest_version
     FROM badges b WHERE b.company_id = :companyId AND b.uid_hash = :uidHash AND b.state <> 'returned'`,
    { companyId, uidHash },
  );
}

/** Everyone's badges that the card has been, oldest first. */
export function listBadgesOfCard(reader: Reader, companyId: CompanyId, uidHash: string): Promise<BadgeRow[]> {
  return reader.all<BadgeRow>(
    'SELECT * FROM badges WHERE company_id = :companyId AND uid_hash = :uidHash AND issued_at IS NOT NULL ORDER BY issued_at',
    { companyId, uidHash },
  );
}

/** Sessions of one badge begin one after the other, at any terminal. */
export async function lockBadge(tx: Transaction, id: BadgeId): Promise<void> {
  await tx.get(`SELECT id FROM badges WHERE id = :id${tx.dialect.forUpdate}`, { id });
}

export function findBadgeById(reader: Reader, id: BadgeId): Promise<BadgeRow | undefined> {
  return reader.get<BadgeRow>('SELECT * FROM badges WHERE id = :id', { id });
}

export type NewBadgeRow = Pick<
  BadgeRow,
  'id' | 'company_id' | 'person_id' | 'uid_hash' | 'key_number' | 'key_version' | 'created_at'
>;

/**
 * Creates the row before the card is written. An interrupted issuing of the same card is resumed, even for another
 * person; an active or blocked badge stays unchanged.
 */
export async function beginBadge(tx: Transaction, row: NewBadgeRow): Promise<BadgeRow | undefined> {
  const { company_id: companyId, uid_hash: hash, person_id, key_version } = row;
  await insertIfAbsent(tx, 'badges', { ...row, state: 'issuing' });
  const [badge] = await updateWhereReturning(
    tx,
    'badges',
    { person_id, key_version },
    "company_id = :companyId AND uid_hash = :hash AND state = 'issuing'",
    { companyId, hash },
  );
  return badge;
}

export async function activateBadge(
  tx: Transaction,
  id: BadgeId,
  card: Pick<BadgeRow, 'aid' | 'locked'> & { readonly family: CardFamily; readonly issued_terminal_id: TerminalId },
  at: Instant,
): Promise<void> {
  await update(tx, 'badges', { id }, { state: 'active', ...card, issued_at: at });
}

/** The badge proved its key. */
export async function noteUse(tx: Transaction, id: BadgeId, at: Instant): Promise<void> {
  await update(tx, 'badges', { id }, { last_used_at: at });
}

export async function updateBadge(
  tx: Transaction,
  id: BadgeId,
  patch: Partial<
    Pick<BadgeRow, 'state' | 'blocked_at' | 'blocked_by' | 'lost' | 'returned_at' | 'key_version' | 'renewing_to'>
  >,
): Promise<void> {
  await update(tx, 'badges', { id }, patch);
}

/** A badge with the names beside its row. */
export interface ShownBadgeRow extends BadgeRow {
  readonly state: 'active' | 'blocked' | 'returned';
  readonly issued_at: Instant;
  readonly first_name: string;
  readonly last_name: string;
  readonly terminal_name: string | null;
  readonly blocker_first: string | null;
  readonly blocker_last: string | null;
  readonly newest_version: number | null;
  /** The time of the last use reveals presence; others see it only with the evaluation `presence`. */
  readonly shows_use: 0 | 1;
  /** The person has a PIN. */
  readonly pin_set: 0 | 1;
}

const selectShown = `SELECT b.*, p.first_name, p.last_name, t.name AS terminal_name, k.first_name AS blocker_first, k.last_name AS blocker_last,
    (SELECT max(c.version) FROM company_card_keys c WHERE c.company_id = b.company_id) AS newest_version,
    CASE WHEN EXISTS (SELECT 1 FROM evaluation_switches s WHERE s.company_id = b.company_id AND s.evaluation = 'presence' AND s.enabled = 0)
      THEN 0 ELSE 1 END AS shows_use,
    CASE WHEN EXISTS (SELECT 1 FROM pins n WHERE n.person_id = b.person_id) THEN 1 ELSE 0 END AS pin_set
  FROM badges b JOIN people p ON p.id = b.person_id LEFT JOIN terminals t ON t.id = b.issued_terminal_id LEFT JOIN people k ON k.id = b.blocked_by`;
const columns = { company: 'b.company_id', person: 'b.person_id' };

export interface BadgeFilter {
  readonly states: readonly ShownBadgeRow['state'][];
  /** Parts of the person's name. */
  readonly search: string | undefined;
  readonly before: { readonly issued: Instant; readonly id: string } | undefined;
  readonly limit: number;
}

/** The newest first. Cards that were only half issued are none. */
export function listBadgeRows(
  reader: Reader,
  scope: TenantScope,
  { states, search, before, limit }: BadgeFilter,
): Promise<ShownBadgeRow[]> {
  const { sql, parameters } = within(scope, columns);
  const match = matchingPeople(search, 'p.sort_name');
  return reader.all<ShownBadgeRow>(
    `${selectShown} WHERE b.state IN (${states.map((_, index) => `:state_${index}`).join(', ')}) ${sql}
      ${match.sql} ${before === undefined ? '' : 'AND (b.issued_at, b.id) < (:issued, :id)'}
     ORDER BY b.issued_at DESC, b.id DESC LIMIT :limit`,
    {
      limit,
      ...parameters,
      ...Object.fromEntries(states.map((state, index) => [`state_${index}`, state])),
      ...match.parameters,
      ...(before === undefined ? {} : { issued: before.issued, id: before.id }),
    },
  );
}

export function findShownBadge(reader: Reader, scope: TenantScope, id: BadgeId): Promise<ShownBadgeRow | undefined> {
  const { sql, parameters } = within(scope, columns);
  return reader.get<ShownBadgeRow>(`${selectShown} WHERE b.id = :id AND b.state <> 'issuing' ${sql}`, {
    id,
    ...parameters,
  });
}

export function newestCardKey(
  reader: Reader,
  companyId: CompanyId,
): Promise<Pick<Tables['company_card_keys'], 'version' | 'sealed' | 'created_at'> | undefined> {
  return reader.get(
    'SELECT version, sealed, created_at FROM company_card_keys WHERE company_id = :companyId ORDER BY version DESC LIMIT 1',
    { companyId },
  );
}

export function listCardKeys(
  reader: Reader,
  companyId: CompanyId,
): Promise<Pick<Tables['company_card_keys'], 'version' | 'sealed' | 'created_at'>[]> {
  return reader.all('SELECT version, sealed, created_at FROM company_card_keys WHERE company_id = :companyId', {
    companyId,
  });
}

/** Whether cards are locked when they are issued; see `terminals/cards/write-keys.ts`. */
export async function locksCards(reader: Reader, companyId: CompanyId): Promise<boolean> {
  const row = await reader.get<{ lock_cards: 0 | 1 }>(
    'SELECT lock_cards FROM card_settings WHERE company_id = :companyId',
    { companyId },
  );
  return row?.lock_cards === 1;
}

export async function saveCardLock(tx: Transaction, companyId: CompanyId, lockCards: boolean): Promise<void> {
  await upsert(tx, 'card_settings', ['company_id'], { company_id: companyId, lock_cards: lockCards ? 1 : 0 });
}

/** Counts the badges that are in people's hands. */
export async function countCards(
  reader: Reader,
  companyId: CompanyId,
  version: number,
): Promise<{ readonly badges: number; readonly outdated: number; readonly locked: number }> {
  return (await reader.get(
    `SELECT count(*) AS badges, COALESCE(sum(CASE WHEN key_version < :version THEN 1 ELSE 0 END), 0) AS outdated,
      COALESCE(sum(locked), 0) AS locked
     FROM badges WHERE company_id = :companyId AND state IN ('active', 'blocked')`,
    { companyId, version },
  ))!;
}

/** @returns false if the company has this version already; one that is being stored is waited for */
export function insertCardKey(
  tx: Transaction,
  companyId: CompanyId,
  version: number,
  sealedKey: Uint8Array,
  at: Instant,
): Promise<boolean> {
  return insertIfAbsent(tx, 'company_card_keys', { company_id: companyId, version, sealed: sealedKey, created_at: at });
}

export async function savePin(tx: Transaction, personId: PersonId, hash: string, at: Instant): Promise<void> {
  await upsert(tx, 'pins', ['person_id'], { person_id: personId, hash, updated_at: at });
}

/** @returns whether there was one */
export async function deletePin(tx: Transaction, personId: PersonId): Promise<boolean> {
  return (await remove(tx, 'pins', { person_id: personId })) > 0;
}

/** The time at which the person set a PIN; undefined if there is none. */
export async function findPinChange(reader: Reader, personId: PersonId): Promise<Instant | undefined> {
  return (
    await reader.get<{ updated_at: Instant }>('SELECT updated_at FROM pins WHERE person_id = :personId', { personId })
  )?.updated_at;
}

export async function findPin(reader: Reader, personId: PersonId): Promise<string | undefined> {
  return (await reader.get<{ hash: string }>('SELECT hash FROM pins WHERE person_id = :personId', { personId }))?.hash;
}

/**
 * Counts an attempt before it is evaluated: of parallel guesses, at most `limit` are ever compared. @returns attempts
 * so far, undefined if no more are allowed.
 */
export async function countPinTry(
  tx: Transaction,
  badgeId: BadgeId,
  limit: number,
  lockUntil: Instant,
  at: Instant,
): Promise<number | undefined> {
  // An expired lock resets the count.
  await updateWhere(
    tx,
    'badges',
    { pin_tries: 0, pin_locked_until: null },
    'id = :badgeId AND pin_locked_until <= :at',
    { badgeId, at },
  );
  const [badge] = await updateWhereReturning(
    tx,
    'badges',
    {
      pin_tries: expression('pin_tries + 1'),
      pin_locked_until: expression('CASE WHEN pin_tries + 1 >= :limit THEN CAST(:lockUntil AS BIGINT) ELSE NULL END'),
    },
    'id = :badgeId AND pin_tries < :limit',
    { badgeId, limit, lockUntil },
  );
  return badge?.pin_tries;
}

export async function resetPinTries(tx: Transaction, badgeId: BadgeId): Promise<void> {
  await update(tx, 'badges', { id: badgeId }, { pin_tries: 0, pin_locked_until: null });
}

export async function resetPinTriesOf(tx: Transaction, personId: PersonId): Promise<void> {
  await update(tx, 'badges', { person_id: personId }, { pin_tries: 0, pin_locked_until: null });
}

/** Badges of a person that are not blocked. */
export async function countBadges(reader: Reader, personId: PersonId): Promise<number> {
  return (await reader.get<{ badges: number }>(
    "SELECT count(*) AS badges FROM badges WHERE person_id = :personId AND state = 'active'",
    { personId },
  ))!.badges;
}

/** Ids of the active badges of a person. */
export async function listActiveBadges(reader: Reader, personId: PersonId): Promise<string[]> {
  return (
    await reader.all<{ id: string }>(
      "SELECT id FROM badges WHERE person_id = :personId AND state = 'active' ORDER BY id",
      { personId },
    )
  ).map((row) => row.id);
}

// ---- losses with a lost DATA_KEY

/** Badges that could still be used: without the card key none proves itself. */
export function listUsableBadges(
  reader: Reader,
  scope: CompanyScope,
): Promise<Pick<BadgeRow, 'id' | 'company_id' | 'person_id' | 'state'>[]> {
  const { sql, parameters } = within(scope, { company: 'company_id' });
  return reader.all(
    `SELECT id, company_id, person_id, state FROM badges WHERE state IN ('active', 'blocked') ${sql} ORDER BY id`,
    parameters,
  );
}

export function listPins(
  reader: Reader,
  scope: CompanyScope,
): Promise<{ readonly person_id: PersonId; readonly company_id: CompanyId }[]> {
  const { sql, parameters } = within(scope, { company: 'p.company_id' });
  return reader.all(
    `SELECT n.person_id, p.company_id FROM pins n JOIN people p ON p.id = n.person_id WHERE 1 = 1 ${sql} ORDER BY n.person_id`,
    parameters,
  );
}

/** Companies that have a card key. */
export async function listCardKeyCompanies(reader: Reader, scope: CompanyScope): Promise<CompanyId[]> {
  const { sql, parameters } = within(scope, { company: 'company_id' });
  const rows = await reader.all<{ company_id: CompanyId }>(
    `SELECT DISTINCT company_id FROM company_card_keys WHERE 1 = 1 ${sql} ORDER BY company_id`,
    parameters,
  );
  return rows.map((row) => row.company_id);
}

/** Deletes the keys of all companies, and cards whose issuing was interrupted: their keys are unknown. */
export async function deleteCardKeys(tx: Transaction): Promise<void> {
  await removeWhere(tx, 'company_card_keys', '1 = 1');
  await remove(tx, 'badges', { state: 'issuing' });
}
