/** Badges: the company card key, finding a card's badge, and the states of a badge. */

import { hkdfSync } from 'node:crypto';
import { toHex } from '@clockproof/platform/bytes/encoding';
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { BadgeId, CompanyId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { DataKey } from '../../store/sealing/data-key.js';
import type { Transaction } from '../../store/tables.js';
import type { Write } from '../../store/write.js';
import {
  type BadgeRow,
  findBadgeById,
  insertCardKey,
  listCardKeys,
  listUsableBadges,
  lockBadge,
  newestCardKey,
  saveCardLock,
  updateBadge,
} from './rows.js';

const associatedData = (companyId: CompanyId, version: number) => `company card key ${companyId} ${version}`;

/** The card keys of a company by version, 16 bytes each. */
export interface CompanyCardKeys {
  /** @returns undefined if there is no such version, and cannot have been */
  of(version: number): Uint8Array | undefined;
}

/** So many replacements may have been made after the backup that a database was restored from. */
const maxLost = 8;

/**
 * The stored versions, and those that would follow: cards may have keys of them that were written before a restore.
 * @see docs/decisions/card-key-versions.md
 */
export async function companyCardKeys(
  reader: Reader,
  dataKey: DataKey,
  companyId: CompanyId,
): Promise<CompanyCardKeys> {
  const rows = await listCardKeys(reader, companyId);
  const newestVersion = Math.max(0, ...rows.map(({ version }) => version));
  const keyOf = (version: number): Uint8Array | undefined => {
    const row = rows.find((cardKey) => cardKey.version === version);
    if (row !== undefined) return dataKey.open(associatedData(companyId, version), row.sealed);
    const isNext =
      newestVersion > 0 && version > newestVersion && version <= Math.min(newestVersion + maxLost, lastVersion);
    return isNext ? nextCardKey(keyOf(version - 1)!, version) : undefined;
  };
  return { of: keyOf };
}

/** RFC 5869, so that a restored database comes to the same key. The key before does not follow from it. */
function nextCardKey(previousKey: Uint8Array, version: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', previousKey, '', `clockproof card key ${version}`, 16));
}

/** The company's card key of one version. @returns 16 bytes */
export async function companyCardKey(
  reader: Reader,
  dataKey: DataKey,
  companyId: CompanyId,
  version: number,
): Promise<Uint8Array> {
  return (await companyCardKeys(reader, dataKey, companyId)).of(version)!;
}

/** Version of the newest company card key, which is created with the company's first badge. */
export async function currentCardKeyVersion(
  tx: Transaction,
  dataKey: DataKey,
  randomBytes: RandomBytes,
  companyId: CompanyId,
  at: Instant,
): Promise<number> {
  const newestKey = await newestCardKey(tx, companyId);
  if (newestKey !== undefined) return newestKey.version;
  // If two first badges are issued at once, one key is stored and both read it.
  await insertCardKey(tx, companyId, 1, dataKey.seal(associatedData(companyId, 1), randomBytes(16)), at);
  return 1;
}

/** A key's version is one byte on the card, and 0 is the factory's. */
const lastVersion = 255;

/**
 * The next card key of the company. New badges get keys of it at once, those that exist at their next stamp at a
 * terminal that issues badges; until then their key of the version before is accepted. It is derived from the key
 * before: if that one may be known, it is a random one instead, and all badges end.
 * @throws Refusal `card_key_versions_used_up`
 */
export async function rotateCardKey(
  write: Write,
  dataKey: DataKey,
  randomBytes: RandomBytes,
  companyId: CompanyId,
  { known = false }: { readonly known?: boolean | undefined } = {},
): Promise<void> {
  let version: number;
  let key: Uint8Array;
  do {
    version = ((await newestCardKey(write, companyId))?.version ?? 0) + 1;
    // A version that comes again would name two keys, and a card says only its number.
    if (version > lastVersion) throw new Refusal('card_key_versions_used_up');
    const next = known ? undefined : (await companyCardKeys(write, dataKey, companyId)).of(version);
    key = next ?? randomBytes(16);
    // Of two replacements at the same time, one gets the next version after the other's.
  } while (
    !(await insertCardKey(write, companyId, version, dataKey.seal(associatedData(companyId, version), key), write.at))
  );
  if (known) {
    await write.lock({ everyone: companyId });
    for (const badge of await listUsableBadges(write, { company: companyId }))
      await giveUpBadge(write, badge, 'card_key_known');
  }
  await write.audit({
    companyId,
    action: 'card.key_rotated',
    subject: `company ${companyId}`,
    details: { version, known: known || undefined },
  });
}

/** For cards that are issued from now on. */
export async function setCardLock(write: Write, companyId: CompanyId, lockCards: boolean): Promise<void> {
  await saveCardLock(write, companyId, lockCards);
  await write.audit({
    companyId,
    action: 'card.lock_set',
    subject: `company ${companyId}`,
    details: { lock_cards: lockCards },
  });
}

/** The stored hash of a card's UID. */
export function uidHash(dataKey: DataKey, companyId: CompanyId, uid: Uint8Array): string {
  return dataKey.hash(`card uid ${companyId}`, toHex(uid));
}

/**
 * Blocks a badge immediately: its next session is refused, and a running one ends at its next step. One that is blocked
 * or returned stays as it is. @throws Refusal `not_found`
 */
export async function markBadgeBlocked(
  write: Write,
  badgeId: BadgeId,
  companyId: CompanyId,
  { lost = false }: { readonly lost?: boolean | undefined } = {},
): Promise<void> {
  const badge = await findIssued(write, badgeId, companyId);
  if (badge.state !== 'active') return;
  await updateBadge(write, badgeId, {
    state: 'blocked',
    blocked_at: write.at,
    blocked_by: write.actor.kind === 'person' ? Number(write.actor.id) : null,
    lost: lost ? 1 : 0,
  });
  await note(write, 'badge.blocked', badge, lost ? { lost: true } : {});
}

/** One that is active stays as it is. @throws Refusal `not_found`, `badge_returned` */
export async function unblockBadge(write: Write, badgeId: BadgeId, companyId: CompanyId): Promise<void> {
  const badge = await findIssued(write, badgeId, companyId);
  if (badge.state === 'returned') throw new Refusal('badge_returned');
  if (badge.state === 'active') return;
  await updateBadge(write, badgeId, { state: 'active', blocked_at: null, blocked_by: null, lost: 0 });
  await note(write, 'badge.unblocked', badge);
}

/**
 * The card was handed back. The badge is over and lets go of the card: the person it is issued to next gets a badge of
 * their own, and this one keeps its history. @throws Refusal `not_found`
 */
export async function returnBadge(write: Write, badgeId: BadgeId, companyId: CompanyId): Promise<void> {
  const badge = await findIssued(write, badgeId, companyId);
  if (badge.state === 'returned') return;
  await updateBadge(write, badgeId, { state: 'returned', returned_at: write.at });
  await note(write, 'badge.returned', badge);
}

/** Locked, so that blocking and returning follow one another, and erasing the person comes before or after. */
async function findIssued(write: Write, badgeId: BadgeId, companyId: CompanyId): Promise<BadgeRow> {
  const holder = (await findBadgeById(write, badgeId))?.person_id;
  if (holder !== undefined) await write.lock({ people: [holder] });
  await lockBadge(write, badgeId);
  const badge = await findBadgeById(write, badgeId);
  if (badge === undefined || badge.company_id !== companyId || badge.state === 'issuing')
    throw new Refusal('not_found');
  return badge;
}

async function note(
  write: Write,
  action: 'badge.blocked' | 'badge.unblocked' | 'badge.returned',
  { id, company_id: companyId, person_id: person }: BadgeRow,
  details: { readonly lost?: true } = {},
): Promise<void> {
  await write.audit({ companyId, action, subject: `badge ${id}`, details: { person, ...details } });
}

/**
 * The key of its card is lost with `DATA_KEY`, or may be known: the badge is over, as one that was handed back. A card
 * with a lost key cannot be issued again.
 */
export async function giveUpBadge(
  write: Write,
  { id, company_id: companyId, person_id: person }: Pick<BadgeRow, 'id' | 'company_id' | 'person_id'>,
  because: 'data_key_lost' | 'card_key_known',
): Promise<void> {
  await updateBadge(write, id, { state: 'returned', returned_at: write.at });
  await write.audit({ companyId, action: 'badge.returned', subject: `badge ${id}`, details: { person, because } });
}
