/** The audit log is committed to once a day, and what an index has of the ledger shows an old backup or a cut log. */
import type { Transaction } from '@clockproof/platform/database/database';
import { dialects } from '@clockproof/platform/testing/databases';
import { day, parseInstant } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runVerify } from '../../src/commands/verify.js';
import { commitLog } from '../../src/proofs/commit-log.js';
import type { Fetch } from '../../src/proofs/verify-anchors.js';
import { readHead } from '../../src/store/audit/rows.js';
import { readInstallationToken } from '../../src/store/installation.js';
import { sealAll } from '../../src/store/seal.js';
import { closeMonth } from '../builders.js';
import { addApp } from '../linking.js';
import { createWorld, type World } from '../world.js';

const sender = `0x${'4c'.repeat(32)}`;

describe.each(dialects)('the commitment to the audit log on %s', (dialect) => {
  let world: World;
  let root: string;
  let ledger: { company_token: string; period: string; merkle_root: string }[];
  const commitments = () =>
    world.db.all("SELECT period, root FROM commitments WHERE kind = 'log' ORDER BY id") as Promise<object[]>;

  const logCommitment = async () =>
    (await world.db.get<{ id: number }>("SELECT id FROM commitments WHERE kind = 'log'"))!.id;

  beforeAll(async () => {
    world = await createWorld(dialect);
    const { store } = world.service;
    await sealAll(store, world.now);
    ({ root } = await readHead(world.db));
    world.advance(day);
    const replica = await world.replica();
    await Promise.all([commitLog(store, world.now()), commitLog(replica.store, world.now())]);
    await commitLog(store, world.now() + 1);
    await world.stop(replica);
    world.set(parseInstant('2026-12-02T07:00:00Z')!);
    await closeMonth(world);
    await sealAll(store, world.now);
    ledger = await world.db.all(
      `SELECT period, root AS merkle_root, COALESCE(c.proof_token, :token) AS company_token
       FROM commitments m LEFT JOIN companies c ON c.id = m.company_id ORDER BY m.id DESC`,
      { token: (await readInstallationToken(world.db))! },
    );
  });
  afterAll(() => world.close());

  /** An index that lists the ledger, one anchor a page. */
  const indexOf =
    (status: object = { history: 'complete', state: 'ready' }): Fetch =>
    async (url) => {
      const { pathname, searchParams } = new URL(url);
      const place = Number(searchParams.get('cursor'));
      const anchors = searchParams.get('sender') === sender ? ledger : [];
      const next_cursor = place + 1 < anchors.length ? String(place + 1) : null;
      const body = pathname === '/api/v1/status' ? status : { data: anchors.slice(place, place + 1), next_cursor };
      return { status: 200, json: async () => body };
    };
  const verify = (reader: Pick<Transaction, 'all' | 'get' | 'dialect'>, fetch = indexOf(), anchorSender = sender) =>
    runVerify(reader, { anchors: { index: 'https://index.example/', sender: anchorSender, fetch } });

  /** Takes the database back to the end of a number of entries, as an old backup would, and looks. */
  async function verifyBackup(size: number): Promise<string> {
    let text = '';
    const undo = new Error('undo');
    await world.db
      .write(async (tx) => {
        for (const table of ['audit_entries', 'audit_parties', 'audit_heads'])
          for (const statement of dialect === 'sqlite'
            ? [`DROP TRIGGER ${table}_no_update`, `DROP TRIGGER ${table}_no_delete`]
            : [`ALTER TABLE ${table} DISABLE TRIGGER ALL`])
            await tx.run(statement);
        await tx.run('DELETE FROM audit_heads WHERE size > :size', { size });
        for (const table of ['anchor_checks', 'anchors', 'commitment_leaves', 'commitments', 'closed_months'])
          await tx.run(`DELETE FROM ${table}`);
        ({ text } = await verify(tx));
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    return text;
  }

  it('one process a day commits to the newest head of the audit log of the days before', async () => {
    expect(await commitments()).toEqual([{ period: 'log-2026-11-23', root }]);
  });

  it('a key that reads every company gets the commitment to the audit log, and no other', async () => {
    const keyOf = async (name: string, company: { readonly companyId?: number }) => {
      const scopes = ['read:commitments', 'write:anchors'] as const;
      return (await addApp(world, name, { ...company, keyReads: 'everyone', linkable: false, scopes })).key;
    };
    const periods = async (key: string) =>
      ((await world.call('GET', '/api/v1/commitments', { key })).body['data'] as { period: string }[]).map(
        ({ period }) => period,
      );
    expect(await periods(await keyOf('Nord', { companyId: world.nord }))).toEqual(['2026-11']);
    const key = await keyOf('Installation', {});
    expect(await periods(key)).toEqual(['log-2026-11-23', '2026-11']);
    const body = { tx: '7fqJ6T3hVb3mJXy9n6fUuQ3sAtj4sGZq1cB8dEw5kLrP', sender, package: sender, chain: '6364aad5' };
    const checks = [{ index: 'https://index.example', verdict: 'match' }];
    const path = `/api/v1/commitments/${await logCommitment()}/anchors`;
    expect(await world.call('POST', path, { key, body: { ...body, checks } })).toMatchObject({
      status: 201,
      body: { kind: 'log', state: 'anchored', company_token: await readInstallationToken(world.db) },
    });
    await sealAll(world.service.store, world.now);
  });

  it('the commitment to the audit log matches the list of an index', async () => {
    const { exitCode, text } = await verify(world.db);
    expect([exitCode, text]).toEqual([0, expect.stringMatching(/\nanchors fit: 2 on the ledger$/)]);
  });

  it('a log with a cut end and an old backup contradict the commitment to the audit log', async () => {
    const text = await verifyBackup(0);
    expect(text).toContain(`log-2026-11-23 is on the ledger with a root that no head has: ${root}`);
    expect(text).toContain('company 1, 2026-11 is on the ledger with a root that no commitment has: ');
  });

  it('the commitment to the audit log is compared with the heads without an index too', async () => {
    let text = '';
    const undo = new Error('undo');
    await world.db
      .write(async (tx) => {
        await tx.run("UPDATE commitments SET root = 'x' WHERE kind = 'log'");
        ({ text } = await runVerify(tx, {}));
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    expect(text).toContain('audit log NOT intact: log-2026-11-23 was committed to, and no head has its root');
  });

  it('the check of log commitments omits foreign anchors, and says what an index has not read', async () => {
    ledger = [{ company_token: 'other', period: '2026-10', merkle_root: root }, ...ledger];
    expect((await verify(world.db)).text).toMatch(/\nanchors fit: 2 on the ledger$/);
    expect(await verify(world.db, indexOf(), `0x${'5d'.repeat(32)}`)).toMatchObject({
      exitCode: 1,
      text: expect.stringMatching(/^anchors NOT checked: .* lists none/),
    });
    const result = await verify(world.db, indexOf({ history: 'partial', state: 'ready' }));
    expect(result.text).toContain('https://index.example/ has not read the whole ledger');
  });

  const statusUrl = 'https://index.example/api/v1/status';
  const refusedConnection = new TypeError('fetch failed', {
    cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
  });
  const readHtml = async () => JSON.parse('<html>') as unknown;
  it.each([
    ['is down', async () => Promise.reject(refusedConnection), `${statusUrl}: ECONNREFUSED`],
    ['refuses', async () => ({ status: 503, json: readHtml }), `${statusUrl} answers 503`],
    ['answers null', async () => ({ status: 200, json: async () => null }), `${statusUrl} answers no object`],
    ['answers no JSON', async () => ({ status: 200, json: readHtml }), `${statusUrl}: Unexpected token`],
    ['is none', async () => ({ status: 200, json: async () => ({ hello: 'world' }) }), ''],
  ] as [string, Fetch, string][])('the check of anchors says why where the index %s', async (_, fetch, reason) => {
    const { exitCode, text } = await verify(world.db, fetch);
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^anchors NOT checked: /);
    expect(text).toContain(reason);
  });
});
