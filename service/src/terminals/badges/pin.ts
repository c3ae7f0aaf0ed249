/**
 * PINs: six digits, entered at a terminal after a card was authenticated. A million possibilities are too few, so the
 * stored value is argon2id over a keyed hash (DATA_KEY): PINs in a stolen database cannot be guessed. Attempts are
 * counted per badge, durably, before a PIN is compared.
 */

import { hour, type Instant, second } from '@clockproof/platform/time/instant';
import { hash, verify } from '@node-rs/argon2';
import { notify } from '../../inbox/notices.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { DataKey } from '../../store/sealing/data-key.js';
import type { Cause, Store, Write } from '../../store/write.js';
import {
  type BadgeRow,
  countPinTry,
  deletePin,
  findBadgeById,
  findPin,
  resetPinTries,
  resetPinTriesOf,
  savePin,
} from './rows.js';

const tries = 5;
const lockTime = hour;
/** OWASP Password Storage Cheat Sheet: argon2id, 19 MiB, 2 passes, 1 lane; 2 is argon2id. */
const cost = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Deliberately slow; call it outside a transaction. */
export function hashPin(dataKey: DataKey, personId: PersonId, pin: string): Promise<string> {
  return hash(dataKey.hash(`pin ${personId}`, pin), cost);
}

/** Stores the result of {@link hashPin}, and forgets wrong attempts. */
export async function setPin(write: Write, personId: PersonId, companyId: CompanyId, pinHash: string): Promise<void> {
  const { at } = write;
  await savePin(write, personId, pinHash, at);
  await resetPinTriesOf(write, personId);
  await write.audit({ companyId, action: 'pin.set', subject: `person ${personId}` });
}

/** Removes a PIN that its person has forgotten, and notifies them. Without a PIN, it does nothing. */
export async function resetPin(
  write: Write,
  personId: PersonId,
  companyId: CompanyId,
  details?: { readonly because: 'data_key_lost' },
): Promise<void> {
  if (!(await deletePin(write, personId))) return;
  await notify(write, [personId], { kind: 'pin_reset' });
  await write.audit({ companyId, action: 'pin.reset', subject: `person ${personId}`, details });
}

/**
 * Compares a PIN at a terminal. If the process stops between counting and comparing, one attempt is used up and nothing
 * else.
 * @throws Refusal `pin_wrong` with `tries_left`, `pin_locked` (423, for one hour after the fifth wrong one),
 * `pin_required` the person has none
 */
export async function verifyPin(
  db: Store,
  dataKey: DataKey,
  badge: BadgeRow,
  pin: string,
  { actor, at }: Cause,
): Promise<void> {
  const pinRow = await findPin(db, badge.person_id);
  if (pinRow === undefined) throw new Refusal('pin_required');
  const attempt = await db.runMaintenance('attempt counter', (tx) =>
    countPinTry(tx, badge.id, tries, at + lockTime, at),
  );
  if (attempt === undefined)
    throw lockRefusal((await findBadgeById(db, badge.id))?.pin_locked_until ?? at + lockTime, at);
  if (await verify(pinRow, dataKey.hash(`pin ${badge.person_id}`, pin))) {
    await db.runMaintenance('attempt counter', (tx) => resetPinTries(tx, badge.id));
    return;
  }
  if (attempt >= tries) {
    await db.write({ actor, at }, (write) =>
      write.audit({
        companyId: badge.company_id,
        action: 'pin.locked',
        subject: `badge ${badge.id}`,
        details: { person: badge.person_id },
      }),
    );
    throw lockRefusal(at + lockTime, at);
  }
  throw new Refusal('pin_wrong', { extra: { tries_left: tries - attempt } });
}

function lockRefusal(until: Instant, at: Instant): Refusal {
  return new Refusal('pin_locked', {
    headers: { 'retry-after': String(Math.max(1, Math.ceil((until - at) / second))) },
  });
}
