/** The card keys of a company: the ones in use, replacing them, and locking cards. */

import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { actorOf } from '../people/actor.js';
import { companyFor } from '../people/administered.js';
import { requireFreshFactor } from '../people/caller.js';
import type { CompanyId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import { replaceCardKeys, setCardLock } from './administer.js';
import { countCards, locksCards, newestCardKey } from './badges/rows.js';

export const showCardKeys: AppHandler<'showCardKeys'> = async ({ db, caller, path: { id } }) => ({
  status: 200,
  body: await presentCardKeys(db, (await companyFor(db, caller, id)).id),
});

export const changeCardKeys: AppHandler<'changeCardKeys'> = async ({
  db,
  caller,
  path: { id },
  body: { lock_cards: lockCards },
  at,
}) => {
  requireFreshFactor(caller, at);
  const body = await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    await setCardLock(write, caller, id, lockCards);
    return presentCardKeys(write, id);
  });
  return { status: 200, body };
};

export const rotateCardKeys: AppHandler<'rotateCardKeys'> = async ({
  db,
  dataKey,
  randomBytes,
  caller,
  path: { id },
  body: why,
  at,
}) => {
  requireFreshFactor(caller, at);
  if (dataKey === undefined) throw new Refusal('data_key_missing');
  const body = await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    await replaceCardKeys(write, caller, id, { dataKey, randomBytes }, why ?? {});
    return presentCardKeys(write, id);
  });
  return { status: 200, body };
};

async function presentCardKeys(reader: Reader, companyId: CompanyId): Promise<components['schemas']['CardKeys']> {
  const newestKey = await newestCardKey(reader, companyId);
  return {
    lock_cards: await locksCards(reader, companyId),
    ...(newestKey === undefined ? {} : { version: newestKey.version, created_at: formatInstant(newestKey.created_at) }),
    ...(await countCards(reader, companyId, newestKey?.version ?? 0)),
  };
}
