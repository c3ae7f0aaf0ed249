import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createLog } from '@clockproof/platform/log';
import { createTestDatabase, oneDialect } from '@clockproof/platform/testing/databases';
import { day, formatInstant, hour, minute } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { recordExtension } from '../../src/extensions/extensions.js';
import { findExtension } from '../../src/extensions/rows.js';
import { deleteEndedSecrets } from '../../src/extensions/webhooks/rows.js';
import { issueSecret, rotateSecret, signingSecrets } from '../../src/extensions/webhooks/secrets.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import { settledPosition } from '../../src/store/position.js';
import { createDataKey } from '../../src/store/sealing/data-key.js';
import { createSealingKeys, type SealingKeys } from '../../src/store/sealing/sealing-keys.js';
import { createStore } from '../../src/store/write.js';
import { addSuperAdmin, type Browser, dump } from '../browser.js';
import { feedPositionOf, settledPlace } from '../feed.js';
import { type Answering, closedPort, type Receiver, startRaw, startReceiver } from '../receivers.js';
import { type Answer, createWorld, dataKey, monday, seededBytes, type World, type WorldOptions } from '../world.js';

const system = { kind: 'system' } as const;

interface Admin {
  readonly world: World;
  readonly root: Browser;
  close(): Promise<void>;
}

async function start(dialect: (typeof oneDialect)[number], options: WorldOptions): Promise<Admin> {
  const world = await createWorld(dialect, options);
  const root = await addSuperAdmin(world, { companyId: world.nord });
  return { world, root: await world.as(root), close: () => world.close() };
}

const lines: string[] = [];
const log = createLog('info', 'test', { write: (line) => lines.push(line) });
const cleanups: (() => Promise<void>)[] = [];
const closeAll = async () => {
  for (const close of cleanups.splice(0)) await close();
};
const openReceiver = async (answer?: Answering): Promise<Receiver> => {
  const receiver = await startReceiver(answer);
  cleanups.push(() => receiver.close());
  return receiver;
};

let count = 0;
async function create(
  { world, root }: Admin,
  webhook_url: string,
  overrides: object = {},
): Promise<{ readonly id: string; readonly name: string; readonly secret: string; readonly path: string }> {
  const name = `Hooks ${++count}`;
  const answer = await root.call('POST', '/app/admin/extensions', {
    body: {
      name,
      mode: 'webhooks',
      scopes: ['read:users'],
      acting: 'personal_link',
      company_id: world.nord,
      webhook_url,
      ...overrides,
    },
  });
  expect(answer).toMatchObject({ status: 201 });
  const { id } = answer.body['extension'] as { id: string };
  return { id, name, secret: answer.body['webhook_secret'] as string, path: `/app/admin/extensions/${id}` };
}

/** What the receiver's own library makes of it, at the world's time. */
function verifies({ world }: Admin, { headers, body }: Receiver['received'][number], secret: string): boolean {
  const now = jest.spyOn(Date, 'now').mockReturnValue(world.now());
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  } finally {
    now.mockRestore();
  }
}

const auditEntriesOf = async ({ root }: Admin, action: string, id: string) => {
  const entries = (await root.call('GET', '/app/admin/audit?from=2026-11-01&to=2026-12-31&action=extension.&limit=500'))
    .body['data'] as { action: string; subject: { id: string }; actor: object; changes?: object[] }[];
  return entries.filter((entry) => entry.action === action && entry.subject.id === id);
};

describe.each(oneDialect)('webhooks with private targets on %s', (dialect) => {
  afterEach(closeAll);

  let admin: Admin;
  beforeEach(async () => {
    admin = await start(dialect, { env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }, log });
  });
  afterEach(() => admin.close());
  // A proof of the second factor is good for a quarter of an hour, and pings are counted by the minute.
  const renewSession = async () => {
    admin.world.advance(minute);
    admin = {
      ...admin,
      root: await admin.world.as(
        (await admin.world.db.get<{ id: number }>("SELECT id FROM people WHERE first_name = 'Rhea'"))!.id,
      ),
    };
    return admin;
  };
  const ping = (path: string) => admin.root.call('POST', `${path}/ping`);
  const rotate = (path: string) => admin.root.call('POST', `${path}/webhook-secret`);

  it('a webhook ping is as documented, and signed with the shown secret', async () => {
    const { world } = await renewSession();
    const receiver = await openReceiver();
    const extension = await create(admin, `http://127.0.0.1:${receiver.port}/hooks`);
    expect(await ping(extension.path)).toMatchObject({
      status: 200,
      body: { outcome: 'delivered', status: 204, duration_milliseconds: 0 },
    });
    const [request] = receiver.received;
    const event = JSON.parse(request!.body) as { id: string; sequence: number };
    const { epoch } = await settledPosition(world.db);
    expect(event).toEqual({
      id: feedPositionOf({ epoch, place: event.sequence }),
      type: 'ping',
      timestamp: formatInstant(world.now()),
      sequence: expect.any(Number),
      epoch,
      company_id: world.nord,
      data: { extension: { id: extension.id, name: extension.name } },
    });
    expect(request!.headers).toMatchObject({
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(world.now() / 1_000)),
    });
    expect(verifies(admin, request!, extension.secret)).toBe(true);
    expect(await auditEntriesOf(admin, 'extension.pinged', extension.id)).toMatchObject([
      { actor: { name: 'Rhea Root' }, changes: [{ member: 'event', new: event.id }] },
    ]);
    // Each is an event of its own; nobody else learns of it.
    expect((await ping(extension.path)).body).toMatchObject({ outcome: 'delivered' });
    expect((JSON.parse(receiver.received[1]!.body) as { sequence: number }).sequence).toBeGreaterThan(event.sequence);
    expect((await world.db.get<{ n: number }>("SELECT count(*) AS n FROM events WHERE type = 'ping'"))!.n).toBe(0);
  });

  it('a webhook of an extension without a company names no company', async () => {
    await renewSession();
    const receiver = await openReceiver();
    const extension = await create(admin, `http://127.0.0.1:${receiver.port}/`, { company_id: undefined });
    expect((await ping(extension.path)).body).toMatchObject({ outcome: 'delivered' });
    expect(JSON.parse(receiver.received[0]!.body)).not.toHaveProperty('company_id');
  });

  it('a ping shows the answer of an address, and nothing about an unreachable one', async () => {
    await renewSession();
    const oddReceiver = await startRaw((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'));
    });
    const talkingReceiver = await startRaw((socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'));
    cleanups.push(
      () => oddReceiver.close(),
      () => talkingReceiver.close(),
    );
    const answers: [string, Record<string, unknown>][] = [];
    for (const [label, port] of [
      [
        'moved',
        (
          await openReceiver((response) => {
            response.writeHead(302, { location: '/' }).end();
          })
        ).port,
      ],
      [
        'broken',
        (
          await openReceiver((response) => {
            response.writeHead(500).end();
          })
        ).port,
      ],
      ['odd', oddReceiver.port],
      ['talking', talkingReceiver.port],
      ['closed', await closedPort()],
    ] as const) {
      answers.push([label, (await ping((await create(admin, `http://127.0.0.1:${port}/`)).path)).body]);
    }
    expect(answers).toEqual([
      ['moved', { outcome: 'refused', status: 302, duration_milliseconds: 0 }],
      ['broken', { outcome: 'refused', status: 500, duration_milliseconds: 0 }],
      ['odd', { outcome: 'refused', duration_milliseconds: 0 }],
      ['talking', { outcome: 'unreachable' }],
      ['closed', { outcome: 'unreachable' }],
    ]);
  });

  it('webhooks are sent outside of any transaction', async () => {
    const { world } = await renewSession();
    // A ping inside of a transaction would wait for itself on SQLite, and keep later writes from being settled.
    const receiver = await openReceiver(async (response) => {
      const { place } = await world.write(async (write) => {
        await write.audit({ action: 'audit.signed' });
        return write.position();
      });
      response.writeHead((await settledPlace(world.db)) >= place ? 204 : 500).end();
    });
    expect((await ping((await create(admin, `http://127.0.0.1:${receiver.port}/`)).path)).body).toMatchObject({
      outcome: 'delivered',
    });
  });

  it('webhooks allow five pings a minute for an extension, and twenty for all', async () => {
    const { world } = await renewSession();
    const receiver = await openReceiver();
    const extensions = [];
    for (let index = 0; index < 6; index++) extensions.push(await create(admin, `http://127.0.0.1:${receiver.port}/`));
    const [firstExtension] = extensions;
    for (let index = 0; index < 5; index++) expect((await ping(firstExtension!.path)).status).toBe(200);
    const refusal = await ping(firstExtension!.path);
    expect(refusal).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const statuses = await Promise.all(
      extensions.slice(1).flatMap(({ path }) => [1, 2, 3, 4].map(() => ping(path).then(({ status }) => status))),
    );
    expect([
      statuses.filter((status) => status === 200).length,
      statuses.filter((status) => status === 429).length,
    ]).toEqual([15, 5]);
    expect(receiver.received).toHaveLength(20);
    world.advance(minute);
    expect((await ping(firstExtension!.path)).status).toBe(200);
  });

  it('a new webhook secret needs a fresh second factor, and is shown once', async () => {
    const { world, root } = await renewSession();
    const receiver = await openReceiver();
    const extension = await create(admin, `http://127.0.0.1:${receiver.port}/`);
    world.advance(16 * minute);
    expect(await rotate(extension.path)).toMatchObject({ status: 403, body: { code: 'second_factor_required' } });
    await renewSession();
    const answer = await rotate(extension.path);
    const newSecret = answer.body['webhook_secret'] as string;
    expect(answer).toMatchObject({
      status: 201,
      body: {
        webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        previous_ends_at: formatInstant(world.now() + day),
      },
    });
    expect(Buffer.from(newSecret.slice(6), 'base64')).toHaveLength(32);
    expect(newSecret).not.toBe(extension.secret);
    expect(JSON.stringify((await root.call('GET', extension.path)).body)).not.toContain('whsec_');
    expect(await auditEntriesOf(admin, 'extension.webhook_secret_rotated', extension.id)).toMatchObject([
      { changes: [{ member: 'previous_ends_at', new: formatInstant(world.now() + day) }] },
    ]);

    const pingAndVerify = async () => {
      expect((await ping(extension.path)).body).toMatchObject({ outcome: 'delivered' });
      const request = receiver.received.at(-1)!;
      return [
        String(request.headers['webhook-signature']).split(' ').length,
        verifies(admin, request, extension.secret),
        verifies(admin, request, newSecret),
      ];
    };
    expect(await pingAndVerify()).toEqual([2, true, true]);
    const rotatedAt = world.now();
    world.set(rotatedAt + day - 1);
    await renewSession();
    world.set(rotatedAt + day - 1);
    expect(await pingAndVerify()).toEqual([2, true, true]);
    world.set(rotatedAt + day);
    expect(await pingAndVerify()).toEqual([1, false, true]);
    // Housekeeping leaves nothing of it.
    const countSecrets = async () =>
      (await world.db.get<{ n: number }>('SELECT count(*) AS n FROM webhook_secrets WHERE extension_id = :id', {
        id: extension.id,
      }))!.n;
    expect(await countSecrets()).toBe(2);
    expect(await world.db.write((tx) => deleteEndedSecrets(tx, rotatedAt + day, 10))).toBe(1);
    expect(await countSecrets()).toBe(1);
    expect(await pingAndVerify()).toEqual([1, false, true]);
  });

  it('a webhook keeps two secrets under parallel rotations, and drops the oldest of three', async () => {
    const { world } = await renewSession();
    const receiver = await openReceiver();
    const extension = await create(admin, `http://127.0.0.1:${receiver.port}/`);
    const secrets = [extension.secret];
    for (let index = 0; index < 2; index++) {
      secrets.push((await rotate(extension.path)).body['webhook_secret'] as string);
      world.advance(minute);
    }
    await ping(extension.path);
    expect(secrets.map((secret) => verifies(admin, receiver.received[0]!, secret))).toEqual([false, true, true]);
    const racedSecrets = (await Promise.all([1, 2, 3, 4, 5].map(() => rotate(extension.path)))).map(
      (answer) => answer.body['webhook_secret'] as string,
    );
    expect(new Set(racedSecrets).size).toBe(5);
    await ping(extension.path);
    expect(String(receiver.received[1]!.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(
      [...secrets, ...racedSecrets].filter((secret) => verifies(admin, receiver.received[1]!, secret)),
    ).toHaveLength(2);
    expect(racedSecrets.filter((secret) => verifies(admin, receiver.received[1]!, secret))).toHaveLength(2);
  });

  it('webhook secrets are not stored in plain text, nor in log or audit log', async () => {
    await renewSession();
    const extension = await create(admin, `http://127.0.0.1:${await closedPort()}/`);
    const newSecret = (await rotate(extension.path)).body['webhook_secret'] as string;
    await ping(extension.path);
    const databaseDump = await dump(admin.world.db);
    expect(databaseDump).toContain(extension.id);
    for (const secret of [extension.secret, newSecret]) {
      for (const trace of [
        secret,
        secret.slice(6),
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret.slice(6), 'base64').toString('hex'),
      ])
        expect([trace, databaseDump.includes(trace), lines.join('').includes(trace)]).toEqual([trace, false, false]);
    }
    expect(databaseDump).not.toContain('whsec_');
  });

  it('webhooks are never sent unsigned', async () => {
    const { world } = await renewSession();
    const receiver = await openReceiver();
    const extension = await create(admin, `http://127.0.0.1:${receiver.port}/`);
    await world.db.write((tx) => tx.run('DELETE FROM webhook_secrets WHERE extension_id = :id', { id: extension.id }));
    expect(await ping(extension.path)).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(receiver.received).toEqual([]);
    expect((await rotate(extension.path)).status).toBe(201);
    expect((await ping(extension.path)).body).toMatchObject({ outcome: 'delivered' });
  });

  it('webhooks exist only for extensions in their mode, with a secret for as long', async () => {
    const { world, root } = await renewSession();
    const codes = async (path: string) =>
      [await ping(path), await rotate(path)].map(({ status, body }) => [status, body['code']]);
    const mismatch = [
      [403, 'connection_mode_mismatch'],
      [403, 'connection_mode_mismatch'],
    ];
    expect(await codes(`/app/admin/extensions/${world.reader.id}`)).toEqual(mismatch);
    expect(await codes('/app/admin/extensions/ext_Nobody')).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
    const receiver = await openReceiver();
    const extension = await create(admin, `http://127.0.0.1:${receiver.port}/`);
    const countSecrets = async () =>
      (await world.db.get<{ n: number }>('SELECT count(*) AS n FROM webhook_secrets WHERE extension_id = :id', {
        id: extension.id,
      }))!.n;
    expect((await root.call('PATCH', extension.path, { body: { mode: 'api' } })).status).toBe(200);
    expect([await codes(extension.path), await countSecrets()]).toEqual([mismatch, 0]);
    expect(
      (
        await root.call('PATCH', extension.path, {
          body: { mode: 'webhooks', webhook_url: `http://127.0.0.1:${receiver.port}/` },
        })
      ).status,
    ).toBe(200);
    expect((await ping(extension.path)).body).toMatchObject({ outcome: 'delivered' });
    expect(verifies(admin, receiver.received[0]!, extension.secret)).toBe(false);
    // Another name is no reason for another secret.
    const rotatedSecret = (await rotate(extension.path)).body['webhook_secret'] as string;
    expect((await root.call('PATCH', extension.path, { body: { name: 'Renamed hooks' } })).status).toBe(200);
    await ping(extension.path);
    expect(verifies(admin, receiver.received[1]!, rotatedSecret)).toBe(true);
    expect((await root.call('DELETE', extension.path)).status).toBe(204);
    expect([await codes(extension.path), await countSecrets()]).toEqual([
      [
        [404, 'not_found'],
        [404, 'not_found'],
      ],
      0,
    ]);
  });
});

describe.each(oneDialect)('webhooks without private targets on %s', (dialect) => {
  afterEach(closeAll);

  const names = new Map<string, string>();
  let admin: Admin;
  beforeEach(async () => {
    admin = await start(dialect, { log, resolveHost: async (name) => [{ address: names.get(name)!, family: 4 }] });
  });
  afterEach(() => admin.close());
  const view = ({ status, body }: Answer) => ({ status, ...body, request_id: '' });

  it('saving and pinging a private target discloses nothing of it', async () => {
    const rawReceiver = await startRaw((socket) => socket.end());
    cleanups.push(() => rawReceiver.close());
    const ports = [22, 1, 8080, rawReceiver.port];
    const saveAnswers = await Promise.all(
      ports.map((port) =>
        admin.root.call('POST', '/app/admin/extensions', {
          body: {
            name: `Port ${port}`,
            mode: 'webhooks',
            scopes: [],
            acting: 'personal_link',
            webhook_url: `https://127.0.0.1:${port}/`,
          },
        }),
      ),
    );
    expect(saveAnswers.map((answer) => answer.body['code'])).toEqual(ports.map(() => 'target_refused'));
    expect(new Set(saveAnswers.map((answer) => JSON.stringify(view(answer)))).size).toBe(1);

    names.set('inside.example', '127.0.0.1');
    const pingAnswers = [];
    for (const port of ports)
      pingAnswers.push(
        await admin.root.call('POST', `${(await create(admin, `https://inside.example:${port}/`)).path}/ping`),
      );
    expect(pingAnswers.map(view)).toEqual(ports.map(() => ({ status: 200, outcome: 'unreachable', request_id: '' })));
    expect(rawReceiver.connections()).toBe(0);
  });

  it('a ping refuses a private address that was saved while they were allowed', async () => {
    const canary = await startRaw((socket) => socket.end());
    cleanups.push(() => canary.close());
    const extension = await create(admin, 'https://app.example/');
    await admin.world.db.write((tx) =>
      tx.run('UPDATE extensions SET webhook_url = :url WHERE id = :id', {
        url: `https://127.0.0.1:${canary.port}/`,
        id: extension.id,
      }),
    );
    expect(await admin.root.call('POST', `${extension.path}/ping`)).toMatchObject({
      status: 422,
      body: { code: 'target_refused' },
    });
    expect([canary.connections(), await auditEntriesOf(admin, 'extension.pinged', extension.id)]).toEqual([0, []]);
  });

  it.each([
    'http://app.example/',
    'https://user@app.example/',
    'https://app.example/#x',
    'https://app.example\\x',
    'https://2130706433/',
    'https://[::ffff:127.0.0.1]/',
    'https://localhost/',
    'file:///etc/passwd',
  ])('saving %s is refused, in a new extension and in an old one', async (webhook_url) => {
    const extension = await create(admin, 'https://app.example/');
    expect(
      (
        await admin.root.call('POST', '/app/admin/extensions', {
          body: { name: 'Odd', mode: 'webhooks', scopes: [], acting: 'personal_link', webhook_url },
        })
      ).body,
    ).toMatchObject({ code: 'target_refused' });
    expect((await admin.root.call('PATCH', extension.path, { body: { webhook_url } })).body).toMatchObject({
      code: 'target_refused',
    });
    expect((await admin.root.call('GET', extension.path)).body).toMatchObject({ webhook_url: 'https://app.example/' });
  });
});

describe.each(oneDialect)('webhook secrets on %s', (dialect) => {
  afterEach(closeAll);

  const keysOf = (rawKey?: Uint8Array) =>
    createSealingKeys(
      rawKey && createDataKey(rawKey, seededBytes('sealing')),
      new Uint8Array(32).fill(3),
      seededBytes('sealing'),
    );

  /** A database with two extensions, each with its secret. */
  async function withSecrets(
    keys: SealingKeys,
    run: (db: Database, ids: readonly [string, string], secrets: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const home = await createTestDatabase(dialect, migrations);
    const db = await openDatabase(home.settings);
    const add = (name: string) =>
      createStore(db).write({ actor: system, at: monday }, async (write) => {
        const { id } = await recordExtension(
          write,
          { name, mode: 'webhooks', acting: 'personal_link', scopes: [], webhookUrl: 'https://app.example/' },
          seededBytes(name),
        );
        return { id, secret: await issueSecret(write, id, keys, seededBytes(name), monday) };
      });
    try {
      const [first, second] = [await add('First'), await add('Second')];
      await run(db, [first.id, second.id], [first.secret, second.secret]);
    } finally {
      await db.close();
      await home.drop();
    }
  }

  it('a secret sealed without a DATA_KEY can be read when one is set later', async () => {
    await withSecrets(keysOf(), async (db, [id], [oldSecret]) => {
      expect(await dump(db)).not.toContain('whsec_');
      const extension = (await findExtension(db, id))!;
      const { secret } = await createStore(db).write({ actor: system, at: monday }, (write) =>
        rotateSecret(write, extension, keysOf(dataKey), seededBytes('rotated')),
      );
      expect(await signingSecrets(db, id, keysOf(dataKey), monday + hour)).toEqual([secret, oldSecret]);
      // Without the key nothing is signed with what it sealed, and nothing is delivered without a signature.
      await expect(signingSecrets(db, id, keysOf(), monday + hour)).rejects.toThrow('DATA_KEY');
    });
  });

  it('a webhook secret cannot be moved to another extension', async () => {
    const keys = keysOf(dataKey);
    await withSecrets(keys, async (db, [first, second]) => {
      await db.write((tx) =>
        tx.run(
          `UPDATE webhook_secrets SET sealed = (SELECT o.sealed FROM webhook_secrets o WHERE o.extension_id = :second)
           WHERE extension_id = :first`,
          { first, second },
        ),
      );
      await expect(signingSecrets(db, first, keys, monday)).rejects.toThrow();
    });
  });
});

describe('an installation without extensions', () => {
  afterEach(closeAll);

  it('an installation without extensions has neither webhook operation', async () => {
    const { root, world, close } = await start('sqlite', { env: { EXTENSIONS_ENABLED: 'false' } });
    try {
      for (const path of ['ping', 'webhook-secret'])
        expect((await root.call('POST', `/app/admin/extensions/${world.reader.id}/${path}`)).body).toMatchObject({
          code: 'not_found',
        });
    } finally {
      await close();
    }
  });
});
