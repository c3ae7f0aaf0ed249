import type { Reader, Transaction } from '@clockproof/platform/database/database';

export type CardFamily = 'desfire' | 'ntag424';

export interface BadgeRow {
  readonly id: string;
  readonly company_id: number;
  readonly person_id: number;
  /** HMAC of the UID under DATA_KEY: the card's number itself is stored nowhere. */
  readonly uid_hash: string;
  /** `issuing` from before the first key is written until the card has proved the new one. */
  readonly state: 'issuing' | 'active' | 'blocked';
  /** What the card is driven as; decided at issuing, never by the card at a stamp. */
  readonly family: CardFamily | null;
  /** Application on the card, hex as it travels. */
  readonly aid: string | null;
  readonly key_number: number;
  /** Version of the company card key it was diversified from. */
  readonly key_version: number;
  readonly pin_tries: number;
  readonly pin_locked_until: number | null;
  readonly created_at: number;
  readonly issued_at: number | null;
}

export function findBadge(reader: Reader, companyId: number, uidHash: string): Promise<BadgeRow | undefined> {
  return reader.get<BadgeRow>('SELECT * FROM badges WHERE company_id = :companyId AND uid_hash = :uidHash', {
    companyId,
    uidHash,
  });
}

/** Conversations with one badge begin one after the other, at whatever terminal. */
export async function lockBadge(tx: Transaction, id: string): Promise<void> {
  await tx.get(`SELECT id FROM badges WHERE id = :id${tx.dialect.forUpdate}`, { id });
}

export function findBadgeById(reader: Reader, id: string): Promise<BadgeRow | undefined> {
  return reader.get<BadgeRow>('SELECT * FROM badges WHERE id = :id', { id });
}

export type NewBadgeRow = Pick<
  BadgeRow,
  'id' | 'company_id' | 'person_id' | 'uid_hash' | 'key_number' | 'key_version' | 'created_at'
>;

/**
 * A row before the card is touched. A torn issue of the same card is taken up again, also for another person; an active
 * or blocked badge stays as it is.
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
  id: string,
  family: CardFamily,
  aid: string,
  at: number,
): Promise<void> {
  await tx.run("UPDATE badges SET state = 'active', family = :family, aid = :aid, issued_at = :at WHERE id = :id", {
    id,
    family,
    aid,
    at,
  });
}

export async function setBadgeState(tx: Transaction, id: string, state: 'active' | 'blocked'): Promise<number> {
  return tx.run("UPDATE badges SET state = :state WHERE id = :id AND state <> 'issuing'", { id, state });
}

export function newestCardKey(
  reader: Reader,
  companyId: number,
): Promise<{ version: number; sealed: Uint8Array } | undefined> {
  return reader.get(
    'SELECT version, sealed FROM company_card_keys WHERE company_id = :companyId ORDER BY version DESC LIMIT 1',
    { companyId },
  );
}

export async function cardKeyOfVersion(reader: Reader, companyId: number, version: number): Promise<Uint8Array> {
  return (await reader.get<{ sealed: Uint8Array }>(
    'SELECT sealed FROM company_card_keys WHERE company_id = :companyId AND version = :version',
    { companyId, version },
  ))!.sealed;
}

export async function insertCardKey(
  tx: Transaction,
  companyId: number,
  version: number,
  sealed: Uint8Array,
  at: number,
): Promise<void> {
  await tx.run(
    'INSERT INTO company_card_keys (company_id, version, sealed, created_at) VALUES (:companyId, :version, :sealed, :at) ON CONFLICT DO NOTHING',
    { companyId, version, sealed, at },
  );
}

export async function savePin(tx: Transaction, personId: number, hash: string, at: number): Promise<void> {
  await tx.run(
    'INSERT INTO pins (person_id, hash, updated_at) VALUES (:personId, :hash, :at) ON CONFLICT (person_id) DO UPDATE SET hash = excluded.hash, updated_at = excluded.updated_at',
    { personId, hash, at },
  );
}

export async function findPin(reader: Reader, personId: number): Promise<string | undefined> {
  return (await reader.get<{ hash: string }>('SELECT hash FROM pins WHERE person_id = :personId', { personId }))?.hash;
}

/**
 * Counts a try before it is looked at: of parallel guesses no more than `most` are ever compared. @returns tries so
 * far, undefined where no more are allowed.
 */
export async function countPinTry(
  tx: Transaction,
  badgeId: string,
  most: number,
  lockUntil: number,
  at: number,
): Promise<number | undefined> {
  // A lock that has run out starts the count again.
  await tx.run(
    'UPDATE badges SET pin_tries = 0, pin_locked_until = NULL WHERE id = :badgeId AND pin_locked_until <= :at',
    { badgeId, at },
  );
  return (
    await tx.get<{ pin_tries: number }>(
      `UPDATE badges SET pin_tries = pin_tries + 1, pin_locked_until = CASE WHEN pin_tries + 1 >= :most THEN CAST(:lockUntil AS BIGINT) ELSE NULL END
     WHERE id = :badgeId AND pin_tries < :most RETURNING pin_tries`,
      { badgeId, most, lockUntil },
    )
  )?.pin_tries;
}

export async function forgetPinTries(tx: Transaction, badgeId: string): Promise<void> {
  await tx.run('UPDATE badges SET pin_tries = 0, pin_locked_until = NULL WHERE id = :badgeId', { badgeId });
}

/** Badges of a person that are not blocked. */
export async function countBadges(reader: Reader, personId: number): Promise<number> {
  return (await reader.get<{ badges: number }>(
    "SELECT count(*) AS badges FROM badges WHERE person_id = :personId AND state = 'active'",
    { personId },
  ))!.badges;
}

/** Ids of the active badges of a person. */
export async function listActiveBadges(reader: Reader, personId: number): Promise<string[]> {
  return (
    await reader.all<{ id: string }>(
      "SELECT id FROM badges WHERE person_id = :personId AND state = 'active' ORDER BY id",
      { personId },
    )
  ).map((row) => row.id);
}
