import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { BadgeId, CompanyId, PersonId } from '../ids.js';
import { insertIfAbsent, update, upsert } from '../tables.js';

export type CardFamily = NonNullable<Tables['badges']['family']>;

export type BadgeRow = Tables['badges'];

export function findBadge(reader: Reader, companyId: CompanyId, uidHash: string): Promise<BadgeRow | undefined> {
  return reader.get<BadgeRow>('SELECT * FROM badges WHERE company_id = :companyId AND uid_hash = :uidHash', {
    companyId,
    uidHash,
  });
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
export function beginBadge(tx: Transaction, row: NewBadgeRow): Promise<BadgeRow | undefined> {
  return tx.get<BadgeRow>(
    `INSERT INTO badges (id, company_id, person_id, uid_hash, state, key_number, key_version, created_at) VALUES (:id, :company_id, :person_id, :uid_hash, 'issuing', :key_number, :key_version, :created_at)
     ON CONFLICT (company_id, uid_hash) DO UPDATE SET person_id = excluded.person_id WHERE badges.state = 'issuing' RETURNING *`,
    { ...row },
  );
}

export async function activateBadge(
  tx: Transaction,
  id: BadgeId,
  family: CardFamily,
  aid: string,
  at: Instant,
): Promise<void> {
  await update(tx, 'badges', { id }, { state: 'active', family, aid, issued_at: at });
}

export async function setBadgeState(tx: Transaction, id: BadgeId, state: 'active' | 'blocked'): Promise<number> {
  return tx.run("UPDATE badges SET state = :state WHERE id = :id AND state <> 'issuing'", { id, state });
}

export function newestCardKey(
  reader: Reader,
  companyId: CompanyId,
): Promise<{ version: number; sealed: Uint8Array } | undefined> {
  return reader.get(
    'SELECT version, sealed FROM company_card_keys WHERE company_id = :companyId ORDER BY version DESC LIMIT 1',
    { companyId },
  );
}

export async function cardKeyOfVersion(reader: Reader, companyId: CompanyId, version: number): Promise<Uint8Array> {
  return (await reader.get<{ sealed: Uint8Array }>(
    'SELECT sealed FROM company_card_keys WHERE company_id = :companyId AND version = :version',
    { companyId, version },
  ))!.sealed;
}

export async function insertCardKey(
  tx: Transaction,
  companyId: CompanyId,
  version: number,
  sealed: Uint8Array,
  at: Instant,
): Promise<void> {
  await insertIfAbsent(tx, 'company_card_keys', { company_id: companyId, version, sealed, created_at: at });
}

export async function savePin(tx: Transaction, personId: PersonId, hash: string, at: Instant): Promise<void> {
  await upsert(tx, 'pins', ['person_id'], { person_id: personId, hash, updated_at: at });
}

export async function findPin(reader: Reader, personId: PersonId): Promise<string | undefined> {
  return (await reader.get<{ hash: string }>('SELECT hash FROM pins WHERE person_id = :personId', { personId }))?.hash;
}

/**
 * Counts an attempt before it is evaluated: of parallel guesses, at most `limit` are ever compared. @returns attempts so
 * far, undefined if no more are allowed.
 */
export async function countPinTry(
  tx: Transaction,
  badgeId: BadgeId,
  limit: number,
  lockUntil: Instant,
  at: Instant,
): Promise<number | undefined> {
  // An expired lock resets the count.
  await tx.run(
    'UPDATE badges SET pin_tries = 0, pin_locked_until = NULL WHERE id = :badgeId AND pin_locked_until <= :at',
    { badgeId, at },
  );
  return (
    await tx.get<{ pin_tries: number }>(
      `UPDATE badges SET pin_tries = pin_tries + 1, pin_locked_until = CASE WHEN pin_tries + 1 >= :limit THEN CAST(:lockUntil AS BIGINT) ELSE NULL END
     WHERE id = :badgeId AND pin_tries < :limit RETURNING pin_tries`,
      { badgeId, limit, lockUntil },
    )
  )?.pin_tries;
}

export async function resetPinTries(tx: Transaction, badgeId: BadgeId): Promise<void> {
  await update(tx, 'badges', { id: badgeId }, { pin_tries: 0, pin_locked_until: null });
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
