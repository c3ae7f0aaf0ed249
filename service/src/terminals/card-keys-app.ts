/** The card keys of a company: which are in use, replacing them, and locking cards. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components, operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { actorOf } from '../people/actor.js';
import { companyFor } from '../people/administered.js';
import { type PersonCaller, requireFreshFactor } from '../people/caller.js';
import type { CompanyId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import { rotateCardKeys as rotate, setCardLock } from './administer.js';
import { countCards, locksCards, newestCardKey } from './badges/rows.js';

export function showCardKeys({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showCardKeys'], PersonCaller> {
  return async ({ caller, path: { id } }) => ({
    status: 200,
    body: await presentCardKeys(db, (await companyFor(db, caller, id)).id),
  });
}

export function changeCardKeys({ db }: Pick<AppNeeds, 'db'>): Handler<operations['changeCardKeys'], PersonCaller> {
  return async ({ caller, path: { id }, body: { lock_cards: lockCards }, at }) => {
    requireFreshFactor(caller, at);
    const body = await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      await setCardLock(write, caller, id, lockCards);
      return presentCardKeys(write, id);
    });
    return { status: 200, body };
  };
}

export function rotateCardKeys({
  db,
  dataKey,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'dataKey' | 'randomBytes'>): Handler<operations['rotateCardKeys'], PersonCaller> {
  return async ({ caller, path: { id }, body: why, at }) => {
    requireFreshFactor(caller, at);
    if (dataKey === undefined) throw new Refusal('data_key_missing');
    const body = await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      await rotate(write, caller, id, { dataKey, randomBytes }, why ?? {});
      return presentCardKeys(write, id);
    });
    return { status: 200, body };
  };
}

async function presentCardKeys(reader: Reader, companyId: CompanyId): Promise<components['schemas']['CardKeys']> {
  const newest = await newestCardKey(reader, companyId);
  return {
    lock_cards: await locksCards(reader, companyId),
    ...(newest === undefined ? {} : { version: newest.version, created_at: formatInstant(newest.created_at) }),
    ...(await countCards(reader, companyId, newest?.version ?? 0)),
  };
}
