/** What becomes of deliveries and of messages of the event connection on their way to the kit. */
import type { World } from '../kit/world.js';
import type { Delivery } from '../peers/receiver.js';
import { type Commission, jsonOf } from './changes.js';
import type { Message } from './functions.js';

export function onTheWay(commission: Commission): World['onTheWay'] {
  const { delivery, message, closes } = commission.violation;
  const plain: Message = { method: '', path: '', headers: {}, status: 0, body: '' };
  return {
    ...(delivery && {
      delivery: (one: Delivery) =>
        commission
          .arrivals({ ...one, headers: { ...one.headers }, status: 0, body: one.body.toString('latin1') }, delivery)
          .map((change) => ({ ...change, at: one.at, body: Buffer.from(change.body, 'latin1') })),
    }),
    ...(message && {
      message: (body: Readonly<Record<string, unknown>>) =>
        commission.arrivals({ ...plain, body: JSON.stringify(body) }, message).map(({ body }) => jsonOf(body) ?? {}),
    }),
    ...(closes && { closes: () => (closes === 'never' ? undefined : closes) }),
  };
}
