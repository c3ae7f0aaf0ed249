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
const closing: (() => Promise<void>)[] = [];
const closeAll = async () => {
  for (const close of closing.splice(0)) await close();
};
const receiver = async (answer?: Answering): Promise<Receiver> => {
  const one = await startReceiver(answer);
  closing.push(() => one.close());
  return one;
};

let count = 0;
async function create(
  { world, root }: Admin,
  webhook_url: string,
  more: object = {},
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
      ...more,
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

const audited = async ({ root }: Admin, action: string, id: string) => {
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
  const fresh = async () => {
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
    const { world } = await fresh();
    const there = await receiver();
    const made = await create(admin, `http://127.0.0.1:${there.port}/hooks`);
    expect(await ping(made.path)).toMatchObject({
      status: 200,
      body: { outcome: 'delivered', status: 204, duration_milliseconds: 0 },
    });
    const [got] = there.received;
    const event = JSON.parse(got!.body) as { id: string; sequence: number };
    const { epoch } = await settledPosition(world.db);
    expect(event).toEqual({
      id: feedPositionOf({ epoch, place: event.sequence }),
      type: 'ping',
      timestamp: formatInstant(world.now()),
      sequence: expect.any(Number),
      epoch,
      company_id: world.nord,
      data: { extension: { id: made.id, name: made.name } },
    });
    expect(got!.headers).toMatchObject({
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(world.now() / 1_000)),
    });
    expect(verifies(admin, got!, made.secret)).toBe(true);
    expect(await audited(admin, 'extension.pinged', made.id)).toMatchObject([
      { actor: { name: 'Rhea Root' }, changes: [{ member: 'event', new: event.id }] },
    ]);
    // Each is an event of its own; nobody else learns of it.
    expect((await ping(made.path)).body).toMatchObject({ outcome: 'delivered' });
    expect((JSON.parse(there.received[1]!.body) as { sequence: number }).sequence).toBeGreaterThan(event.sequence);
    expect((await world.db.get<{ n: number }>("SELECT count(*) AS n FROM events WHERE type = 'ping'"))!.n).toBe(0);
  });

  it('a webhook of an extension without a company names no company', async () => {
    await fresh();
    const there = await receiver();
    const made = await create(admin, `http://127.0.0.1:${there.port}/`, { company_id: undefined });
    expect((await ping(made.path)).body).toMatchObject({ outcome: 'delivered' });
    expect(JSON.parse(there.received[0]!.body)).not.toHaveProperty('company_id');
  });

  it('a ping shows the answer of an address, and nothing about an unreachable one', async () => {
    await fresh();
    const odd = await startRaw((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'));
    });
    const talking = await startRaw((socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'));
    closing.push(
      () => odd.close(),
      () => talking.close(),
    );
    const answers: [string, Record<string, unknown>][] = [];
    for (const [what, port] of [
      [
        'moved',
        (
          await receiver((response) => {
            response.writeHead(302, { location: '/' }).end();
          })
        ).port,
      ],
      [
        'broken',
        (
          await receiver((response) => {
            response.writeHead(500).end();
          })
        ).port,
      ],
      ['odd', odd.port],
      ['talking', talking.port],
      ['closed', await closedPort()],
    ] as const) {
      answers.push([what, (await ping((await create(admin, `http://127.0.0.1:${port}/`)).path)).body]);
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
    const { world } = await fresh();
    // A ping inside of a transaction would wait for itself on SQLite, and keep later writes from being settled.
    const there = await receiver(async (response) => {
      const { place } = await world.service.store.write({ actor: system, at: world.now() }, async (write) => {
        await write.audit({ action: 'audit.signed' });
        return write.position();
      });
      response.writeHead((await settledPlace(world.db)) >= place ? 204 : 500).end();
    });
    expect((await ping((await create(admin, `http://127.0.0.1:${there.port}/`)).path)).body).toMatchObject({
      outcome: 'delivered',
    });
  });

  it('webhooks allow five pings a minute for an extension, and twenty for all', async () => {
    const { world } = await fresh();
    const there = await receiver();
    const extensions = [];
    for (let index = 0; index < 6; index++) extensions.push(await create(admin, `http://127.0.0.1:${there.port}/`));
    const [first] = extensions;
    for (let index = 0; index < 5; index++) expect((await ping(first!.path)).status).toBe(200);
    const refused = await ping(first!.path);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const statuses = await Promise.all(
      extensions.slice(1).flatMap(({ path }) => [1, 2, 3, 4].map(() => ping(path).then(({ status }) => status))),
    );
    expect([
      statuses.filter((status) => status === 200).length,
      statuses.filter((status) => status === 429).length,
    ]).toEqual([15, 5]);
    expect(there.received).toHaveLength(20);
    world.advance(minute);
    expect((await ping(first!.path)).status).toBe(200);
  });

  it('a new webhook secret needs a fresh second factor, and is shown once', async () => {
    const { world, root } = await fresh();
    const there = await receiver();
    const made = await create(admin, `http://127.0.0.1:${there.port}/`);
    world.advance(16 * minute);
    expect(await rotate(made.path)).toMatchObject({ status: 403, body: { code: 'second_factor_required' } });
    await fresh();
    const answer = await rotate(made.path);
    const next = answer.body['webhook_secret'] as string;
    expect(answer).toMatchObject({
      status: 201,
      body: {
        webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        previous_ends_at: formatInstant(world.now() + day),
      },
    });
    expect(Buffer.from(next.slice(6), 'base64')).toHaveLength(32);
    expect(next).not.toBe(made.secret);
    expect(JSON.stringify((await root.call('GET', made.path)).body)).not.toContain('whsec_');
    expect(await audited(admin, 'extension.webhook_secret_rotated', made.id)).toMatchObject([
      { changes: [{ member: 'previous_ends_at', new: formatInstant(world.now() + day) }] },
    ]);

    const signedBy = async () => {
      expect((await ping(made.path)).body).toMatchObject({ outcome: 'delivered' });
      const got = there.received.at(-1)!;
      return [
        String(got.headers['webhook-signature']).split(' ').length,
        verifies(admin, got, made.secret),
        verifies(admin, got, next),
      ];
    };
    expect(await signedBy()).toEqual([2, true, true]);
    const rotated = world.now();
    world.set(rotated + day - 1);
    await fresh();
    world.set(rotated + day - 1);
    expect(await signedBy()).toEqual([2, true, true]);
    world.set(rotated + day);
    expect(await signedBy()).toEqual([1, false, true]);
    // Housekeeping leaves nothing of it.
    const stored = async () =>
      (await world.db.get<{ n: number }>('SELECT count(*) AS n FROM webhook_secrets WHERE extension_id = :id', {
        id: made.id,
      }))!.n;
    expect(await stored()).toBe(2);
    expect(await world.db.write((tx) => deleteEndedSecrets(tx, rotated + day, 10))).toBe(1);
    expect(await stored()).toBe(1);
    expect(await signedBy()).toEqual([1, false, true]);
  });

  it('a webhook keeps two secrets under parallel rotations, and drops the oldest of three', async () => {
    const { world } = await fresh();
    const there = await receiver();
    const made = await create(admin, `http://127.0.0.1:${there.port}/`);
    const secrets = [made.secret];
    for (let index = 0; index < 2; index++) {
      secrets.push((await rotate(made.path)).body['webhook_secret'] as string);
      world.advance(minute);
    }
    await ping(made.path);
    expect(secrets.map((secret) => verifies(admin, there.received[0]!, secret))).toEqual([false, true, true]);
    const raced = (await Promise.all([1, 2, 3, 4, 5].map(() => rotate(made.path)))).map(
      (answer) => answer.body['webhook_secret'] as string,
    );
    expect(new Set(raced).size).toBe(5);
    await ping(made.path);
    expect(String(there.received[1]!.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect([...secrets, ...raced].filter((secret) => verifies(admin, there.received[1]!, secret))).toHaveLength(2);
    expect(raced.filter((secret) => verifies(admin, there.received[1]!, secret))).toHaveLength(2);
  });

  it('webhook secrets are not stored in plain text, nor in log or audit log', async () => {
    await fresh();
    const made = await create(admin, `http://127.0.0.1:${await closedPort()}/`);
    const next = (await rotate(made.path)).body['webhook_secret'] as string;
    await ping(made.path);
    const stored = await dump(admin.world.db);
    expect(stored).toContain(made.id);
    for (const secret of [made.secret, next]) {
      for (const trace of [
        secret,
        secret.slice(6),
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret.slice(6), 'base64').toString('hex'),
      ])
        expect([trace, stored.includes(trace), lines.join('').includes(trace)]).toEqual([trace, false, false]);
    }
    expect(stored).not.toContain('whsec_');
  });

  it('webhooks are never sent unsigned', async () => {
    const { world } = await fresh();
    const there = await receiver();
    const made = await create(admin, `http://127.0.0.1:${there.port}/`);
    await world.db.write((tx) => tx.run('DELETE FROM webhook_secrets WHERE extension_id = :id', { id: made.id }));
    expect(await ping(made.path)).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(there.received).toEqual([]);
    expect((await rotate(made.path)).status).toBe(201);
    expect((await ping(made.path)).body).toMatchObject({ outcome: 'delivered' });
  });

  it('webhooks exist only for extensions in their mode, with a secret for as long', async () => {
    const { world, root } = await fresh();
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
    const there = await receiver();
    const made = await create(admin, `http://127.0.0.1:${there.port}/`);
    const secretsLeft = async () =>
      (await world.db.get<{ n: number }>('SELECT count(*) AS n FROM webhook_secrets WHERE extension_id = :id', {
        id: made.id,
      }))!.n;
    expect((await root.call('PATCH', made.path, { body: { mode: 'api' } })).status).toBe(200);
    expect([await codes(made.path), await secretsLeft()]).toEqual([mismatch, 0]);
    expect(
      (
        await root.call('PATCH', made.path, {
          body: { mode: 'webhooks', webhook_url: `http://127.0.0.1:${there.port}/` },
        })
      ).status,
    ).toBe(200);
    expect((await ping(made.path)).body).toMatchObject({ outcome: 'delivered' });
    expect(verifies(admin, there.received[0]!, made.secret)).toBe(false);
    // Another name is no reason for another secret.
    const rotated = (await rotate(made.path)).body['webhook_secret'] as string;
    expect((await root.call('PATCH', made.path, { body: { name: 'Renamed hooks' } })).status).toBe(200);
    await ping(made.path);
    expect(verifies(admin, there.received[1]!, rotated)).toBe(true);
    expect((await root.call('DELETE', made.path)).status).toBe(204);
    expect([await codes(made.path), await secretsLeft()]).toEqual([
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
    const open = await startRaw((socket) => socket.end());
    closing.push(() => open.close());
    const ports = [22, 1, 8080, open.port];
    const saved = await Promise.all(
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
    expect(saved.map((answer) => answer.body['code'])).toEqual(ports.map(() => 'target_refused'));
    expect(new Set(saved.map((answer) => JSON.stringify(view(answer)))).size).toBe(1);

    names.set('inside.example', '127.0.0.1');
    const pinged = [];
    for (const port of ports)
      pinged.push(
        await admin.root.call('POST', `${(await create(admin, `https://inside.example:${port}/`)).path}/ping`),
      );
    expect(pinged.map(view)).toEqual(ports.map(() => ({ status: 200, outcome: 'unreachable', request_id: '' })));
    expect(open.connections()).toBe(0);
  });

  it('a ping refuses a private address that was saved while they were allowed', async () => {
    const canary = await startRaw((socket) => socket.end());
    closing.push(() => canary.close());
    const made = await create(admin, 'https://app.example/');
    await admin.world.db.write((tx) =>
      tx.run('UPDATE extensions SET webhook_url = :url WHERE id = :id', {
        url: `https://127.0.0.1:${canary.port}/`,
        id: made.id,
      }),
    );
    expect(await admin.root.call('POST', `${made.path}/ping`)).toMatchObject({
      status: 422,
      body: { code: 'target_refused' },
    });
    expect([canary.connections(), await audited(admin, 'extension.pinged', made.id)]).toEqual([0, []]);
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
    const made = await create(admin, 'https://app.example/');
    expect(
      (
        await admin.root.call('POST', '/app/admin/extensions', {
          body: { name: 'Odd', mode: 'webhooks', scopes: [], acting: 'personal_link', webhook_url },
        })
      ).body,
    ).toMatchObject({ code: 'target_refused' });
    expect((await admin.root.call('PATCH', made.path, { body: { webhook_url } })).body).toMatchObject({
      code: 'target_refused',
    });
    expect((await admin.root.call('GET', made.path)).body).toMatchObject({ webhook_url: 'https://app.example/' });
  });
});

describe.each(oneDialect)('webhook secrets on %s', (dialect) => {
  afterEach(closeAll);

  const keysOf = (dataKeyOf?: Uint8Array) =>
    createSealingKeys(
      dataKeyOf && createDataKey(dataKeyOf, seededBytes('sealing')),
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
    await withSecrets(keysOf(), async (db, [id], [old]) => {
      expect(await dump(db)).not.toContain('whsec_');
      const extension = (await findExtension(db, id))!;
      const { secret } = await createStore(db).write({ actor: system, at: monday }, (write) =>
        rotateSecret(write, extension, keysOf(dataKey), seededBytes('rotated')),
      );
      expect(await signingSecrets(db, id, keysOf(dataKey), monday + hour)).toEqual([secret, old]);
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
