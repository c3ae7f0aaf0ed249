import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openReceiver, type Receiver, refuseWebhook } from '../peers/receiver.js';
import { judgeReceiver, senderTo } from '../roles/receiver.js';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
/** Milliseconds between the pieces of a slow body. */
const apart = 15;
let receiver: Receiver;
afterEach(() => receiver.close());

/** A receiver that answers as instructed. @returns ids of the requirements that it breaks */
async function broken(answer: Receiver['answer']): Promise<string[]> {
  receiver = await openReceiver();
  receiver.answer = answer;
  const results = await judgeReceiver(senderTo(receiver.url, secret, apart));
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
  it('that judges the first piece of a body is named', async () => {
    receiver = await openReceiver();
    const hasty = createHttpServer((request, response) => {
      request.once('data', (body: Buffer) => {
        const { status } = right({ at: Date.now(), method: 'POST', path: '/', headers: request.headers, body }) ?? {};
        response.writeHead(status ?? 500).end();
      });
    }).listen(0, '127.0.0.1');
    await once(hasty, 'listening');
    try {
      const { port } = hasty.address() as AddressInfo;
      const results = await judgeReceiver(senderTo(`http://127.0.0.1:${port}/`, secret, apart));
      expect(results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)).toContain('RCV-013');
    } finally {
      hasty.close();
      hasty.closeAllConnections();
    }
  });
  // The guide prints the first of them.
  const examples = new URL('../../docs/examples/events/', import.meta.url).pathname;
  const programs = [
    ['receiver.mjs', process.execPath, () => [`${examples}receiver.mjs`]],
    ['receiver.py', 'python3', () => [`${examples}receiver.py`]],
    ['receiver.php', 'php', (port: number) => ['-S', `127.0.0.1:${port}`, `${examples}receiver.php`]],
  ] as const;
  for (const [name, command, words] of programs) {
    const installed = spawnSync(command, ['--version']).status === 0;
    (installed ? it : it.skip)(`of the examples, ${name}, breaks nothing`, async () => {
      // The one that afterEach closes.
      receiver = await openReceiver();
      const probe = createServer().listen(0, '127.0.0.1');
      await once(probe, 'listening');
      const { port } = probe.address() as AddressInfo;
      await new Promise((resolve) => probe.close(resolve));
      const handled = mkdtempSync(join(tmpdir(), 'clockproof-handled-'));
      const child = spawn(command, words(port), {
        env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port), HANDLED: handled },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      try {
        // PHP says that it has started on the other channel.
        await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')]);
        const results = await judgeReceiver(senderTo(`http://127.0.0.1:${port}/`, secret, apart));
        expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
      } finally {
        child.kill();
        rmSync(handled, { recursive: true });
      }
    });
  }
});
