import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
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
    expect(await broken(() => ({ status: 200 }))).toEqual(['RCV-002', 'RCV-003', 'RCV-004', 'RCV-012']);
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
    ).toEqual(['RCV-006', 'RCV-012']);
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
  it('that takes small bodies, wants a growing sequence or remembers what was forged is named', async () => {
    expect(await broken((delivery) => (delivery.body.length > 60_000 ? { status: 413 } : right(delivery)))).toEqual([
      'RCV-010',
    ]);
    await receiver.close();
    let last = 0;
    expect(
      await broken((delivery) => {
        const { sequence } = JSON.parse(String(delivery.body)) as { sequence: number };
        const late = sequence === last - 1;
        last = sequence;
        return late ? { status: 409 } : right(delivery);
      }),
    ).toEqual(['RCV-011']);
    await receiver.close();
    const seen = new Set<unknown>();
    expect(
      await broken((delivery) => {
        const id = delivery.headers['webhook-id'];
        const answer = seen.has(id) ? { status: 401 } : right(delivery);
        if (answer?.status === 401) seen.add(id);
        return answer;
      }),
    ).toEqual(['RCV-012']);
  });
  it('of the guide breaks nothing', async () => {
    receiver = await openReceiver();
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const guide = readFileSync(new URL('../../docs/guides/receive-webhooks.md', import.meta.url), 'utf8');
    const [, program = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? [];
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env: { PATH: process.env['PATH'] ?? '', WEBHOOK_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      const results = await judgeReceiver(senderTo(`http://127.0.0.1:${port}/`, secret));
      expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
    } finally {
      child.kill();
    }
  });
});
