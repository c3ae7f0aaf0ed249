import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { lockExtension } from '../../extensions/rows.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { rotateSecret } from '../../webhooks/secrets.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function rotateWebhookSecret({
  db,
  sealingKeys,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'sealingKeys' | 'randomBytes'>): Handler<operations['rotateWebhookSecret'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    requireFreshFactor(caller, at);
    const { secret, previousEndsAt } = await db.write(async (tx) => {
      const extension = await lockExtension(tx, id);
      if (extension === undefined) throw new Refusal('not_found');
      if (extension.mode !== 'webhooks') throw new Refusal('connection_mode_mismatch');
      return rotateSecret(tx, extension, sealingKeys, actorOf(caller), randomBytes, at);
    });
    return { status: 201, body: { webhook_secret: secret, previous_ends_at: formatInstant(previousEndsAt) } };
  };
}
