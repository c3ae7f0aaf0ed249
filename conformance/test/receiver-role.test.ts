import { afterEach, describe, expect, it } from '@jest/globals';
import { openReceiver, type Receiver, refuseWebhook } from '../peers/receiver.js';
import { judgeReceiver, senderTo } from '../roles/receiver.js';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
let receiver: Receiver;
afterEach(() => receiver.close());

/** A receiver that answers as instructed. @returns ids of the requirements that it breaks */
async function broken(answer: Receiver['answer']): Promise<string[]> {
  receiver = await openReceiver();
  receiver.answer = answer;
  const results = await judgeReceiver(senderTo(receiver.url, secret));
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
}
const right: Receiver['answer'] = ({ headers, body, at }) => ({
  status: refuseWebhook(headers, body, secret, at) === undefined ? 204 : 401,
});

describe('a receiver of webhooks', () => {
  it('that verifies everything breaks nothing', async () => {
    expect(await broken(right)).toEqual([]);
  });
  it('that accepts everything breaks what is about signatures and time', async () => {
    expect(await broken(() => ({ status: 200 }))).toEqual(['RCV-002', 'RCV-003', 'RCV-004']);
  });
  it('that ignores the time, takes an id once, knows the types of today or reads one signature is named', async () => {
    expect(
      await broken((delivery) => ({
        status:
          refuseWebhook(
            delivery.headers,
            delivery.body,
            secret,
            Number(delivery.headers['webhook-timestamp']) * 1_000,
          ) === undefined
            ? 204
            : 401,
      })),
    ).toEqual(['RCV-004']);
    await receiver.close();
    const seen = new Set<unknown>();
    expect(
      await broken((delivery) => {
        if (seen.has(delivery.headers['webhook-id'])) return { status: 409 };
        seen.add(delivery.headers['webhook-id']);
        return right(delivery);
      }),
    ).toEqual(['RCV-006']);
    await receiver.close();
    expect(
      await broken((delivery) => (String(delivery.body).includes('moon.landed') ? { status: 400 } : right(delivery))),
    ).toEqual(['RCV-007']);
    await receiver.close();
    expect(
      await broken((delivery) =>
        / /.test(String(delivery.headers['webhook-signature'])) ? { status: 401 } : right(delivery),
      ),
    ).toEqual(['RCV-005']);
  });
  it('that answers with a redirect or compressed is named', async () => {
    expect(
      await broken((delivery) =>
        right(delivery)?.status === 204 ? { status: 204, headers: { 'content-encoding': 'gzip' } } : { status: 401 },
      ),
    ).toEqual(['RCV-008']);
  });
});
