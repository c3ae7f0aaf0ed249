/** What becomes of deliveries and of messages of the event connection on their way to the kit. */
import type { World } from '../kit/world.js';
import { type Delivery, signWebhook } from '../peers/receiver.js';
import { type Commission, jsonOf } from './changes.js';
import type { Message } from './functions.js';

/** @param secrets with which a changed delivery is signed again; it keeps its signature unless there are any */
export function onTheWay(commission: Commission, secrets: ReadonlySet<string> = new Set()): World['onTheWay'] {
  const { delivery, message, closes } = commission.violation;
  const plain: Message = { method: '', path: '', headers: {}, status: 0, body: '' };
  return {
    ...(delivery && {
      delivery: (one: Delivery) =>
        commission
          .arrivals({ ...one, headers: { ...one.headers }, status: 0, body: one.body.toString('latin1') }, delivery)
          .map((changed) => ({ ...changed, at: one.at, body: Buffer.from(changed.body, 'latin1') }))
          .map((changed) => signedAgain(one, changed, secrets)),
    }),
    ...(message && {
      message: (one: Readonly<Record<string, unknown>>) =>
        commission.arrivals({ ...plain, body: JSON.stringify(one) }, message).map(({ body }) => jsonOf(body) ?? {}),
    }),
    ...(closes && { closes: () => (closes === 'never' ? undefined : closes) }),
  };
}

/** With each secret that has signed it before it was changed. */
function signedAgain(before: Delivery, { ...changed }: Delivery, secrets: ReadonlySet<string>): Delivery {
  if (changed.body.equals(before.body)) return changed;
  const signature = (secret: string, { headers, body }: Delivery) =>
    signWebhook(secret, String(headers['webhook-id']), String(headers['webhook-timestamp']), body);
  const given = String(before.headers['webhook-signature']).split(' ');
  const signers = [...secrets].filter((secret) => given.includes(signature(secret, before)));
  if (signers.length === 0) return changed;
  const signatures = signers.map((secret) => signature(secret, changed)).join(' ');
  return { ...changed, headers: { ...changed.headers, 'webhook-signature': signatures } };
}
