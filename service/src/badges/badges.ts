/** Badges: the company card key, finding a card's badge, blocking a badge. */

import { toHex } from '@clockproof/platform/bytes/encoding';
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { BadgeId, CompanyId } from '../ids.js';
import { Refusal } from '../refusal.js';
import type { DataKey } from '../sealing/data-key.js';
import type { Write } from '../write/write.js';
import { cardKeyOfVersion, findBadgeById, insertCardKey, newestCardKey, setBadgeState } from './rows.js';

const associatedData = (companyId: CompanyId, version: number) => `company card key ${companyId} ${version}`;

/** The company's card key, decrypted. @returns 16 bytes */
export async function companyCardKey(
  reader: Reader,
  dataKey: DataKey,
  companyId: CompanyId,
  version: number,
): Promise<Uint8Array> {
  return dataKey.open(associatedData(companyId, version), await cardKeyOfVersion(reader, companyId, version));
}

/** Version of the newest company card key, which is created with the company's first badge. */
export async function currentCardKeyVersion(
  tx: Transaction,
  dataKey: DataKey,
  randomBytes: RandomBytes,
  companyId: CompanyId,
  at: Instant,
): Promise<number> {
  const newest = await newestCardKey(tx, companyId);
  if (newest !== undefined) return newest.version;
  // If two first badges are issued at once, one key is stored and both read it.
  await insertCardKey(tx, companyId, 1, dataKey.seal(associatedData(companyId, 1), randomBytes(16)), at);
  return 1;
}

/** The stored hash of a card's UID. */
export function uidHash(dataKey: DataKey, companyId: CompanyId, uid: Uint8Array): string {
  return dataKey.hash(`card uid ${companyId}`, toHex(uid));
}

/**
 * Blocks a badge immediately: its next session is refused, and a running one ends at its next step. @throws Refusal
 * `not_found`
 */
export async function blockBadge(write: Write, badgeId: BadgeId, companyId: CompanyId): Promise<void> {
  const badge = await findBadgeById(write, badgeId);
  if (badge === undefined || badge.company_id !== companyId || (await setBadgeState(write, badgeId, 'blocked')) === 0)
    throw new Refusal('not_found');
  await write.audit({
    companyId,
    action: 'badge.blocked',
    subject: `badge ${badgeId}`,
    details: { person: badge.person_id },
  });
}
