import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant, hour } from '@clockproof/platform/time/instant';
import { rotateKey as rotate } from '../../extensions/extensions.js';
import { lockExtension } from '../../extensions/rows.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { readKeyEnd } from './createExtension.js';

const overlapHours = 24;

export function rotateKey({
  db,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'randomBytes'>): Handler<operations['rotateKey'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => {
    requireFreshFactor(caller, at);
    const overlap = (body.overlap_hours ?? overlapHours) * hour;
    const expiresAt = readKeyEnd(body.expires_at, at);
    const { key, previousEndsAt } = await db.write(async (tx) => {
      const extension = await lockExtension(tx, id);
      if (extension === undefined) throw new Refusal('not_found');
      return rotate(tx, extension, { overlap, expiresAt }, actorOf(caller), randomBytes, at);
    });
    return { status: 201, body: { key, previous_ends_at: formatInstant(previousEndsAt) } };
  };
}
