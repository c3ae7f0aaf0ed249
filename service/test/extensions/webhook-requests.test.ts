/**
 * One signed request, against real servers on loopback: what goes out, what is never followed, and what hostile
 * receivers can do.
 */

import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createLog } from '@clockproof/platform/log';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  createWebhookSender,
  type Delivery,
  patience,
  type ResolvedAddress,
  type SenderOptions,
} from '../../src/extensions/webhooks/send.js';
import { type Answering, certificate, closedPort, pour, startRaw, startReceiver } from '../receivers.js';
import { monday } from '../world.js';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const olderSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const delivery = (url: string, overrides: Partial<Delivery> = {}): Delivery => ({
  url,
  id: 'evt_000000000007',
  body: '{"id":"evt_000000000007","type":"ping","name":"Südwind"}',
  secrets: [secret],
  ...overrides,
});
const loopback: readonly ResolvedAddress[] = [{ address: '127.0.0.1', family: 4 }];

let lines: string[] = [];
const cleanups: (() => Promise<void>)[] = [];
const closeAll = async () => {
  for (const close of cleanups.splice(0)) await close();
  lines = [];
};
const closeLater = async <Closable extends { close(): Promise<void> }>(
  opening: Promise<Closable>,
): Promise<Closable> => {
  const server = await opening;
  cleanups.push(() => server.close());
  return server;
};
const openReceiver = (answer?: Answering, options?: Parameters<typeof startReceiver>[1]) =>
  closeLater(startReceiver(answer, options));
const openRawReceiver = (say: Parameters<typeof startRaw>[0]) => closeLater(startRaw(say));
const sender = (options: Partial<SenderOptions> = {}) =>
  createWebhookSender({
    allowPrivateTargets: true,
    clock: () => monday,
    log: createLog('info', 'test', { write: (line) => lines.push(line) }),
    resolveHost: () => Promise.resolve(loopback),
    trustedCertificates: certificate,
    ...options,
  });
const reasons = () => lines.map((line) => (JSON.parse(line) as { reason: string }).reason);
const unreachableAttempt = { outcome: 'unreachable', milliseconds: 0 };

describe('a webhook', () => {
  afterEach(closeAll);

  it('a webhook is one POST of the JSON, signed, over TLS with the requested name', async () => {
    const receiver = await openReceiver(
      (response) => {
        response.writeHead(202, { 'content-type': 'text/plain' }).end('thank you');
      },
      { secure: true },
    );
    expect(await sender()(delivery(`https://hooks.example:${receiver.port}/in?token=1`))).toEqual({
      outcome: 'delivered',
      status: 202,
      milliseconds: 0,
      answer: 'thank you',
    });
    expect(receiver.received).toHaveLength(1);
    const { method, path, headers, body } = receiver.received[0]!;
    expect({ method, path, body }).toEqual({ method: 'POST', path: '/in?token=1', body: delivery('').body });
    expect(headers).toEqual({
      host: `hooks.example:${receiver.port}`,
      connection: 'close',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'accept-encoding': 'identity',
      'user-agent': 'Clockproof',
      'webhook-id': 'evt_000000000007',
      'webhook-timestamp': String(Math.floor(monday / 1_000)),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
  });

  it('the official library verifies a webhook, with either secret during a rotation', async () => {
    const receiver = await openReceiver();
    await sender()(delivery(`http://127.0.0.1:${receiver.port}/`, { secrets: [secret, olderSecret] }));
    const { headers, body } = receiver.received[0]!;
    const now = jest.spyOn(Date, 'now').mockReturnValue(monday + 1);
    try {
      for (const validSecret of [secret, olderSecret])
        expect(new Webhook(validSecret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
      expect(() =>
        new Webhook(`whsec_${Buffer.alloc(32, 1).toString('base64')}`).verify(body, headers as Record<string, string>),
      ).toThrow();
      expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
    } finally {
      now.mockRestore();
    }
  });

  it('only answers from 200 to 299 deliver a webhook', async () => {
    const statuses = [200, 201, 202, 204, 226, 299, 300, 301, 304, 400, 401, 404, 410, 429, 500, 503];
    const outcomes: [number, string][] = [];
    for (const status of statuses) {
      const receiver = await openReceiver((response) => {
        response.writeHead(status).end();
      });
      const attempt = await sender()(delivery(`http://127.0.0.1:${receiver.port}/`));
      expect(attempt).toMatchObject({ status });
      outcomes.push([status, attempt.outcome]);
    }
    expect(outcomes).toEqual(statuses.map((status) => [status, status < 300 ? 'delivered' : 'refused']));
  });

  it('a webhook keeps 1 KiB of the answer and its Retry-After', async () => {
    const receiver = await openReceiver((response) => {
      response.writeHead(503, { 'retry-after': '120' }).end(`\0${'x'.repeat(5_000)}`);
    });
    expect(await sender()(delivery(`http://127.0.0.1:${receiver.port}/`))).toEqual({
      outcome: 'refused',
      status: 503,
      milliseconds: 0,
      retryAfter: '120',
      answer: `\ufffd${'x'.repeat(1_023)}`,
    });
  });

  it('a webhook carries no cookie of an earlier answer and no connection of it', async () => {
    const receiver = await openReceiver((response) => {
      response.writeHead(200, { 'set-cookie': 'session=1; Path=/', connection: 'keep-alive' }).end('ok');
    });
    const send = sender();
    for (let count = 0; count < 2; count++)
      expect(await send(delivery(`http://127.0.0.1:${receiver.port}/`))).toMatchObject({ outcome: 'delivered' });
    expect(receiver.received.map(({ headers }) => [headers.cookie, headers.connection])).toEqual([
      [undefined, 'close'],
      [undefined, 'close'],
    ]);
  });
});

describe('deliveries of one lane', () => {
  afterEach(closeAll);

  const line = 'ext_1';
  /** Answers every request of a connection; counts requests by connection. */
  const openCountingReceiver = async (answer: (socket: Socket, number: number) => void) => {
    const counts: number[] = [];
    const receiver = await openRawReceiver((socket) => {
      const index = counts.push(0) - 1;
      socket.on('data', (data) => {
        if (!data.includes('POST ')) return;
        counts[index]!++;
        answer(socket, index);
      });
    });
    return { port: receiver.port, counts };
  };
  const ok = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
  const sendSeveral = async (send: ReturnType<typeof sender>, port: number, count: number) => {
    const outcomes: string[] = [];
    for (let index = 0; index < count; index++)
      outcomes.push((await send(delivery(`http://hooks.example:${port}/`, { line }))).outcome);
    return outcomes;
  };
  const deliveredOutcomes = (count: number) => Array<string>(count).fill('delivered');

  it('deliveries of one lane share a connection in sequence, and open another for parallel ones', async () => {
    const receiver = await openCountingReceiver(ok);
    const send = sender();
    expect(await sendSeveral(send, receiver.port, 3)).toEqual(deliveredOutcomes(3));
    expect(receiver.counts).toEqual([3]);
    await Promise.all([sendSeveral(send, receiver.port, 2), sendSeveral(send, receiver.port, 2)]);
    expect(receiver.counts).toHaveLength(2);
    expect(receiver.counts[0]! + receiver.counts[1]!).toBe(7);
    // Another line has nothing of it.
    await send(delivery(`http://hooks.example:${receiver.port}/`, { line: 'ext_2' }));
    expect(receiver.counts).toHaveLength(3);
  });

  it('deliveries of one lane check the address of every new connection, and open one every 30 seconds', async () => {
    let now = monday;
    let isGood = true;
    const canary = await openCountingReceiver(ok);
    let lookupCount = 0;
    const send = sender({
      clock: () => now,
      resolveHost: async () => {
        lookupCount++;
        return [{ address: isGood ? '127.0.0.1' : '0.0.0.0', family: 4 }];
      },
    });
    expect(await sendSeveral(send, canary.port, 2)).toEqual(deliveredOutcomes(2));
    // The name leads elsewhere; the connection still leads to what was checked.
    isGood = false;
    now += 29_000;
    expect(await sendSeveral(send, canary.port, 1)).toEqual(deliveredOutcomes(1));
    expect(lookupCount).toBe(1);
    now += 1_000;
    expect(await sendSeveral(send, canary.port, 2)).toEqual(['unreachable', 'unreachable']);
    expect(lookupCount).toBe(3);
    expect(canary.counts).toEqual([3]);
  });

  it('deliveries of one lane check the address again when the receiver closed the connection', async () => {
    let isGood = true;
    const canary = await openCountingReceiver((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok');
    });
    const send = sender({ resolveHost: async () => [{ address: isGood ? '127.0.0.1' : '0.0.0.0', family: 4 }] });
    expect(await sendSeveral(send, canary.port, 2)).toEqual(deliveredOutcomes(2));
    isGood = false;
    expect(await sendSeveral(send, canary.port, 1)).toEqual(['unreachable']);
    expect(canary.counts).toEqual([1, 1]);
  });

  it('deliveries of one lane are sent once more if an idle connection breaks, and no third time', async () => {
    let breaks = 0;
    const receiver = await openCountingReceiver((socket, index) => {
      if (receiver.counts[index]! === 1 && breaks < 2) ok(socket);
      else socket.destroy();
    });
    const send = sender();
    expect(await sendSeveral(send, receiver.port, 2)).toEqual(deliveredOutcomes(2));
    expect(receiver.counts).toEqual([2, 1]);
    breaks = 2;
    expect(await sendSeveral(send, receiver.port, 1)).toEqual(['unreachable']);
    expect(receiver.counts).toEqual([2, 2, 1]);
    // A connection of its own gets no second one.
    expect(await sendSeveral(send, receiver.port, 1)).toEqual(['unreachable']);
    expect(receiver.counts).toEqual([2, 2, 1, 1]);
  });

  it('deliveries of one lane do not reuse a connection that answered too much', async () => {
    const bigBody = 'x'.repeat(65 * 1024);
    const receiver = await openCountingReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bigBody.length}\r\n\r\n${bigBody}`);
    });
    expect(await sendSeveral(sender(), receiver.port, 2)).toEqual(['refused', 'refused']);
    expect(receiver.counts).toEqual([1, 1]);
  });
});

describe('a redirect', () => {
  afterEach(closeAll);

  const locations = (canary: number) => [
    `http://127.0.0.1:${canary}/`,
    `https://127.0.0.1:${canary}/`,
    `//127.0.0.1:${canary}/`,
    '/again',
    '?again',
    '',
    'file:///etc/passwd',
    'https://hooks.example/',
    `http://user@127.0.0.1:${canary}/`,
    'gopher://127.0.0.1/',
    'data:,x',
  ];

  it.each([301, 302, 303, 307, 308])('a redirect with %d is never followed, for any target', async (status) => {
    const canary = await openReceiver();
    for (const location of locations(canary.port)) {
      const receiver = await openReceiver((response) => {
        response.writeHead(status, { location }).end();
      });
      expect(await sender()(delivery(`http://127.0.0.1:${receiver.port}/`))).toMatchObject({
        outcome: 'refused',
        status,
      });
      expect([location, receiver.received.length]).toEqual([location, 1]);
    }
    expect(canary.received).toEqual([]);
  });

  it('a redirect by header or page is not followed either', async () => {
    const canary = await openReceiver();
    const receiver = await openReceiver((response) => {
      response
        .writeHead(200, {
          refresh: `0; url=http://127.0.0.1:${canary.port}/`,
          'content-type': 'text/html',
          link: `<http://127.0.0.1:${canary.port}/>; rel=preload`,
        })
        .end(`<meta http-equiv=refresh content="0;url=http://127.0.0.1:${canary.port}/">`);
    });
    expect(await sender()(delivery(`http://127.0.0.1:${receiver.port}/`))).toMatchObject({ outcome: 'delivered' });
    expect(canary.received).toEqual([]);
  });
});

describe('the dialled address', () => {
  afterEach(closeAll);

  const strictSender = (resolveHost: SenderOptions['resolveHost']) =>
    sender({ allowPrivateTargets: false, resolveHost: resolveHost! });

  it('a dialled address is judged where names resolve to the inside', async () => {
    const canary = await closeLater(startRaw((socket) => socket.end()));
    const insideAddresses = [
      '127.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '0.0.0.0',
      '::',
      'fe80::1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '::7f00:1',
    ];
    for (const address of insideAddresses)
      expect(
        await strictSender(async () => [{ address, family: address.includes(':') ? 6 : 4 }])(
          delivery(`https://hooks.example:${canary.port}/`),
        ),
      ).toEqual(unreachableAttempt);
    expect(reasons()).toEqual(insideAddresses.map((address) => `the name leads to ${address}, which is not allowed`));
    expect(canary.connections()).toBe(0);
  });

  it('an address is refused if one of several leads inside', async () => {
    const canary = await closeLater(startRaw((socket) => socket.end()));
    const mixedAddresses: readonly (readonly ResolvedAddress[])[] = [
      [
        { address: '1.1.1.1', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
      [
        { address: '127.0.0.1', family: 4 },
        { address: '1.1.1.1', family: 4 },
      ],
      [
        { address: '1.1.1.1', family: 4 },
        { address: '::1', family: 6 },
      ],
      [
        { address: '2606:4700::1111', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ],
    ];
    for (const addresses of mixedAddresses)
      expect(await strictSender(async () => addresses)(delivery(`https://hooks.example:${canary.port}/`))).toEqual(
        unreachableAttempt,
      );
    expect(
      reasons().every((reason) => /^the name leads to (127\.0\.0\.1|::1), which is not allowed$/.test(reason)),
    ).toBe(true);
    expect(canary.connections()).toBe(0);
  });

  it('the dialled address is the judged one, for any later answer of the name server', async () => {
    const receiver = await openReceiver(undefined, { address: '127.0.0.1' });
    const canary = await openReceiver(undefined, { address: '127.0.0.2', port: receiver.port });
    const answers = ['127.0.0.1', '127.0.0.2'];
    let lookupCount = 0;
    const send = sender({ resolveHost: async () => [{ address: answers[lookupCount++]!, family: 4 }] });
    expect(await send(delivery(`http://hooks.example:${receiver.port}/`))).toMatchObject({ outcome: 'delivered' });
    expect([lookupCount, receiver.received.length, canary.received.length]).toEqual([1, 1, 0]);
  });

  it('an address is judged each time: a good name later leads inside', async () => {
    // 0.0.0.0 reaches whatever listens on loopback and is allowed by no setting.
    const receiver = await openReceiver();
    const answers = ['127.0.0.1', '0.0.0.0', '127.0.0.1'];
    const send = sender({ resolveHost: async () => [{ address: answers.shift()!, family: 4 }] });
    const outcomes = [];
    for (let count = 0; count < 3; count++)
      outcomes.push((await send(delivery(`http://hooks.example:${receiver.port}/`))).outcome);
    expect(outcomes).toEqual(['delivered', 'unreachable', 'delivered']);
    expect(receiver.received).toHaveLength(2);
  });

  it('a dialled address is never the second answer of a changing name server', async () => {
    const server = createSocket('udp4');
    cleanups.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const answers = ['127.0.0.2', '127.0.0.1'];
    let lookupCount = 0;
    server.on('message', (question, { port, address }) => {
      const octets = answers[lookupCount++]!.split('.').map(Number);
      // The question once more, then one address that must not be cached (RFC 1035 §4).
      const reply = Buffer.concat([
        question.subarray(0, 2),
        Buffer.from([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]),
        question.subarray(12, question.indexOf(0, 12) + 5),
        Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...octets]),
      ]);
      server.send(reply, port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
    const resolveHost = async (name: string) =>
      (await resolver.resolve4(name)).map((address) => ({ address, family: 4 as const }));
    const canary = await closeLater(startRaw((socket) => socket.end()));
    const url = `https://hooks.example:${canary.port}/`;
    // Good when it is checked: what is dialled is that answer, and the name is not asked for again.
    const receiver = await openReceiver(undefined, { secure: true, address: '127.0.0.2', port: canary.port });
    expect(await sender({ resolveHost })(delivery(url))).toMatchObject({ outcome: 'delivered' });
    expect([lookupCount, receiver.received.length, canary.connections()]).toEqual([1, 1, 0]);
    // Inside now, and refused where private addresses are.
    expect(await strictSender(resolveHost)(delivery(url))).toEqual(unreachableAttempt);
    expect([lookupCount, canary.connections()]).toEqual([2, 0]);
    expect(reasons()).toEqual(['the name leads to 127.0.0.1, which is not allowed']);
  });

  it('a numeric address is judged without a name server', async () => {
    const canary = await closeLater(startRaw((socket) => socket.end()));
    let lookupCount = 0;
    const send = strictSender(async () => {
      lookupCount++;
      return loopback;
    });
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '0177.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost'])
      expect(await send(delivery(`https://${host}:${canary.port}/`))).toEqual(unreachableAttempt);
    expect([lookupCount, canary.connections()]).toEqual([0, 0]);
    expect(new Set(reasons())).toEqual(new Set(['the address is not allowed']));
  });

  it('a dialled address may be private where the operator allows it, and nothing else is let through', async () => {
    const receiver = await openReceiver();
    expect(await sender()(delivery(`http://127.0.0.1:${receiver.port}/`))).toMatchObject({ outcome: 'delivered' });
    expect(await sender()(delivery(`http://hooks.example:${receiver.port}/`))).toMatchObject({ outcome: 'delivered' });
    for (const url of [
      'file:///etc/passwd',
      `ftp://127.0.0.1:${receiver.port}/`,
      `http://user@127.0.0.1:${receiver.port}/`,
      `http://0.0.0.0:${receiver.port}/`,
      `http://[::ffff:127.0.0.1]:${receiver.port}/`,
      'http://1.1.1.1/',
    ])
      expect(await sender()(delivery(url))).toEqual(unreachableAttempt);
    expect(new Set(reasons())).toEqual(new Set(['the address is not allowed']));
    lines = [];
    // Plain http goes to private addresses only.
    expect(
      await sender({ resolveHost: async () => [{ address: '1.1.1.1', family: 4 }] })(delivery('http://hooks.example/')),
    ).toEqual(unreachableAttempt);
    expect(reasons()).toEqual(['the name leads to 1.1.1.1, which is not allowed']);
    expect(receiver.received).toHaveLength(2);
  });

  it('an address is dialled directly, without the proxies of the environment', async () => {
    const proxy = await closeLater(startRaw((socket) => socket.end()));
    const receiver = await openReceiver();
    const names = [
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'ALL_PROXY',
      'http_proxy',
      'https_proxy',
      'all_proxy',
      'NODE_USE_ENV_PROXY',
    ];
    const oldValues = names.map((name) => process.env[name]);
    try {
      for (const name of names)
        process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`;
      expect(await sender()(delivery(`http://127.0.0.1:${receiver.port}/`))).toMatchObject({ outcome: 'delivered' });
      expect(await strictSender(async () => loopback)(delivery('https://hooks.example/'))).toEqual(unreachableAttempt);
      expect(reasons()).toEqual(['the name leads to 127.0.0.1, which is not allowed']);
      expect(proxy.connections()).toBe(0);
    } finally {
      names.forEach((name, index) => {
        if (oldValues[index] === undefined) delete process.env[name];
        else process.env[name] = oldValues[index];
      });
    }
  });
});

describe('an unreachable address', () => {
  afterEach(closeAll);

  it('every unreachable address looks the same, for any reason', async () => {
    const silentReceiver = await openRawReceiver(() => undefined);
    const talkingReceiver = await openRawReceiver((socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'));
    const closingReceiver = await openRawReceiver((socket) => socket.destroy());
    const cutReceiver = await openRawReceiver((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'));
    });
    const plainReceiver = await openReceiver();
    const tlsReceiver = await openReceiver(undefined, { secure: true });
    const quickOptions = { totalMilliseconds: 150 };
    const attempts = [
      await sender(quickOptions)(delivery(`http://127.0.0.1:${silentReceiver.port}/`)),
      await sender()(delivery(`http://127.0.0.1:${talkingReceiver.port}/`)),
      await sender()(delivery(`http://127.0.0.1:${closingReceiver.port}/`)),
      await sender()(delivery(`http://127.0.0.1:${cutReceiver.port}/`)),
      await sender()(delivery(`http://127.0.0.1:${await closedPort()}/`)),
      // No TLS there; another name in the certificate; a certificate nobody vouches for.
      await sender()(delivery(`https://hooks.example:${plainReceiver.port}/`)),
      await sender()(delivery(`https://other.example:${tlsReceiver.port}/`)),
      await createWebhookSender({
        allowPrivateTargets: true,
        clock: () => monday,
        log: createLog('silent', 'test'),
        resolveHost: async () => loopback,
      })(delivery(`https://hooks.example:${tlsReceiver.port}/`)),
      // A name without addresses, one that is not known, one that nobody answers for, one that leads inside.
      await sender({ resolveHost: async () => [] })(delivery('https://hooks.example/')),
      await sender({ resolveHost: () => Promise.reject(new Error('ENOTFOUND')) })(delivery('https://hooks.example/')),
      await sender({ ...quickOptions, connectMilliseconds: 600_000, resolveHost: () => new Promise(() => undefined) })(
        delivery('https://hooks.example/'),
      ),
      await sender({ allowPrivateTargets: false })(delivery('https://hooks.example/')),
    ];
    expect(attempts).toEqual(attempts.map(() => unreachableAttempt));
    expect([plainReceiver.received.length, tlsReceiver.received.length]).toEqual([0, 0]);
  });

  it('an unreachable address is given up after ten seconds', async () => {
    expect(patience.connectMilliseconds).toBe(10_000);
    expect(
      await sender({ connectMilliseconds: 50, resolveHost: () => new Promise(() => undefined) })(
        delivery('https://hooks.example/'),
      ),
    ).toEqual(unreachableAttempt);
    expect(reasons()).toEqual([expect.stringContaining('UND_ERR_CONNECT_TIMEOUT')]);
  });

  it('the operator reads the name of an unreachable address, without anything behind the host', async () => {
    await sender()(delivery('https://hooks.example:1/in/secret-path?token=hidden'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      event: 'evt_000000000007',
      host: 'hooks.example:1',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(lines[0]).not.toMatch(/secret-path|hidden|whsec_/);
  });
});

describe('a hostile receiver', () => {
  afterEach(closeAll);

  const head = 'HTTP/1.1 200 OK\r\n';
  /** What both ends of a loopback connection buffer, and more than any machine's settings allow a test to notice. */
  const maxBufferedBytes = 24 * 1024 * 1024;
  const openResponder = (say: (socket: Parameters<typeof pour>[0]) => void) =>
    openRawReceiver((socket) => {
      socket.once('data', () => say(socket));
    });
  const piece = Buffer.alloc(64 * 1024, 'x');

  it.each([
    ['a body without an end', `${head}\r\n`, piece],
    ['a body of ten gigabytes', `${head}content-length: 10737418240\r\n\r\n`, piece],
    [
      'chunks without an end',
      `${head}transfer-encoding: chunked\r\n\r\n`,
      Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]),
    ],
  ])('a receiver that sends %s is refused, and read no further', async (_, opening, flood) => {
    const receiver = await openResponder((socket) => {
      socket.write(opening);
      pour(socket, flood);
    });
    const attempt = await sender()(delivery(`http://127.0.0.1:${receiver.port}/`));
    expect(attempt).toMatchObject({ outcome: 'refused', status: 200 });
    expect((attempt as { answer: string }).answer).toHaveLength(1_024);
    expect(receiver.written()).toBeLessThan(maxBufferedBytes);
    expect(receiver.connections()).toBe(1);
  });

  it('a receiver that sends endless headers, trailers or interim answers is not waited for', async () => {
    const line = `x-${'a'.repeat(1_000)}: ${'b'.repeat(1_000)}\r\n`.repeat(30);
    const floodingReceivers = [
      await openResponder((socket) => {
        socket.write(head);
        pour(socket, line);
      }),
      await openResponder((socket) => {
        socket.write(`${head}x: `);
        pour(socket, piece);
      }),
      await openResponder((socket) => pour(socket, piece)),
      await openResponder((socket) => {
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n0\r\n`);
        pour(socket, line);
      }),
    ];
    for (const receiver of floodingReceivers) {
      expect(await sender()(delivery(`http://127.0.0.1:${receiver.port}/`))).toEqual(unreachableAttempt);
      expect(receiver.written()).toBeLessThan(maxBufferedBytes);
    }
    // Interim answers are small and allowed in any number: time ends them.
    const hintingReceiver = await openResponder((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await sender({ totalMilliseconds: 200 })(delivery(`http://127.0.0.1:${hintingReceiver.port}/`))).toEqual(
      unreachableAttempt,
    );
  });

  it('a receiver may take nearly fifteen seconds, and not more', async () => {
    const releases: (() => void)[] = [];
    const receiver = await openReceiver(
      (response) => new Promise<void>((resolve) => releases.push(() => resolve(void response.writeHead(204).end()))),
    );
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    try {
      const lateAttempt = sender()(delivery(`http://127.0.0.1:${receiver.port}/`));
      while (releases.length < 1) await turn();
      jest.advanceTimersByTime(14_900);
      releases[0]!();
      expect(await lateAttempt).toMatchObject({ outcome: 'delivered' });
      const silentAttempt = sender()(delivery(`http://127.0.0.1:${receiver.port}/`));
      while (releases.length < 2) await turn();
      jest.advanceTimersByTime(15_000);
      expect(await silentAttempt).toEqual(unreachableAttempt);
    } finally {
      jest.useRealTimers();
    }
  });

  it('a receiver that answers drop by drop is given up', async () => {
    const receiver = await openResponder((socket) => {
      socket.write(`${head}\r\n`);
      const timer = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await sender({ totalMilliseconds: 200 })(delivery(`http://127.0.0.1:${receiver.port}/`))).toEqual(
      unreachableAttempt,
    );
  });

  it('a compressed answer is refused, and nothing is inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(30_000_000));
    expect(bomb.length).toBeLessThan(64 * 1024);
    for (const encoding of ['gzip', 'GZIP', 'br', 'deflate', 'gzip, gzip', 'x-unknown']) {
      const receiver = await openReceiver((response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
      });
      expect([encoding, await sender()(delivery(`http://127.0.0.1:${receiver.port}/`))]).toEqual([
        encoding,
        { outcome: 'refused', status: 200, milliseconds: 0, answer: '' },
      ]);
    }
    const plainReceiver = await openReceiver((response) => {
      response.writeHead(200, { 'content-encoding': 'identity' }).end('ok');
    });
    expect(await sender()(delivery(`http://127.0.0.1:${plainReceiver.port}/`))).toMatchObject({
      outcome: 'delivered',
      answer: 'ok',
    });
  });

  it('a receiver may answer with up to 64 KiB', async () => {
    for (const [size, outcome] of [
      [64 * 1024, 'delivered'],
      [64 * 1024 + 1, 'refused'],
    ] as const) {
      const receiver = await openReceiver((response) => {
        response.writeHead(200).end(Buffer.alloc(size, 'x'));
      });
      expect([size, (await sender()(delivery(`http://127.0.0.1:${receiver.port}/`))).outcome]).toEqual([size, outcome]);
    }
  });

  it('a receiver that switches protocols or sends two answers gets one request only', async () => {
    const switchingReceiver = await openResponder((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    );
    expect(await sender()(delivery(`http://127.0.0.1:${switchingReceiver.port}/`))).toEqual(unreachableAttempt);
    const repeatingReceiver = await openResponder((socket) =>
      socket.end(`${head}content-length: 2\r\n\r\nok${head}content-length: 0\r\n\r\n`),
    );
    expect(await sender()(delivery(`http://127.0.0.1:${repeatingReceiver.port}/`))).toMatchObject({
      status: 200,
      answer: 'ok',
    });
    expect([switchingReceiver.connections(), repeatingReceiver.connections()]).toEqual([1, 1]);
  });
});
