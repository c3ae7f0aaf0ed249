/** What the anchor service reads and reports, and who hears of it. */
import { encodeBase58 } from '@clockproof/platform/bytes/base58';
import { dialects } from '@clockproof/platform/testing/databases';
import { day, formatInstant, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { purgeNotices } from '../../src/inbox/notices.js';
import { insertAnchor } from '../../src/proofs/anchor-rows.js';
import { commitLog } from '../../src/proofs/commit-log.js';
import { tellOverdueCommitments } from '../../src/proofs/overdue.js';
import { sealAll } from '../../src/store/seal.js';
import { giveFactors } from '../browser/people.js';
import { createBrowser, signIn } from '../browser.js';
import { closeMonth, reopenMonth } from '../builders.js';
import { addApp } from '../linking.js';
import { createWorld, type World } from '../world.js';

const month = '2026-11';
const [firstIndex, secondIndex] = ['https://index.example', 'https://second.example'];
const transaction = {
  tx: '7fqJ6T3hVb3mJXy9n6fUuQ3sAtj4sGZq1cB8dEw5kLrP',
  sender: `0x${'4c'.repeat(32)}`,
  package: `0x${'9d'.repeat(32)}`,
  chain: '6364aad5',
};

describe.each(dialects)('a commitment on %s', (dialect) => {
  let world: World;
  let key: string;
  let id: number;
  const close = () => closeMonth(world, { month });
  const keyOf = async (name: string, more: Parameters<typeof addApp>[2]) =>
    (
      await addApp(world, name, {
        keyReads: 'everyone',
        linkable: false,
        scopes: ['read:commitments', 'write:anchors'],
        ...more,
      })
    ).key;
  const list = async (query = '', apiKey = key) => {
    const { status, body } = await world.call('GET', `/api/v1/commitments${query}`, { key: apiKey });
    expect(status).toBe(200);
    return body['data'] as Record<string, unknown>[];
  };
  const report = (body: object, apiKey = key) =>
    world.call('POST', `/api/v1/commitments/${id}/anchors`, { key: apiKey, body });
  const anchorWith = (...verdicts: readonly (readonly [string, string])[]) => ({
    ...transaction,
    checks: verdicts.map(([index, verdict]) => ({ index, verdict })),
  });
  const proofsOf = async (person: number) =>
    (await (await signIn(world, person, createBrowser(world.url))).call('GET', '/app/me/proofs')).body['data'];

  beforeEach(async () => {
    world = await createWorld(dialect);
    await giveFactors(world, [world.people.ada, world.people.ben]);
    key = await keyOf('Anchor', { companyId: world.nord });
    world.set(parseInstant('2026-12-02T07:00:00Z')!);
    await close();
    [{ id }] = (await list()) as [{ id: number }];
  });
  afterEach(() => world.close());

  it('a commitment is listed as made, with its root and without a name', async () => {
    expect(await list('?state=made')).toEqual([
      {
        ...{ id, kind: 'month', period: month, revision: 1, state: 'made', overdue: false, anchors: [] },
        company_token: expect.stringMatching(/^[0-9a-z]{26}$/),
        merkle_root: expect.stringMatching(/^[0-9a-f]{64}$/),
        made_at: '2026-12-02T07:00:00Z',
      },
    ]);
    world.advance(day + 1);
    expect(await list('?state=made')).toMatchObject([{ overdue: true }]);
  });

  it('one anchor claims a commitment, and again only after a ledger read past the claim', async () => {
    const claim = (readUntil?: number) =>
      world
        .call('POST', `/api/v1/commitments/${id}/claims`, {
          key,
          body: {
            seconds: 180,
            ...(readUntil === undefined ? {} : { ledger_read_until: new Date(readUntil).toISOString() }),
          },
        })
        .then(({ status, body }) => (status === 201 ? body['claimed_until'] : body['code']));
    const claimEnd = world.now() + 180_000;
    const outcomes = await Promise.all([claim(world.now()), claim(world.now())]);
    expect(outcomes.toSorted()).toEqual([formatInstant(claimEnd), 'commitment_claimed']);
    expect(await claim(claimEnd + 1)).toBe('commitment_claimed');
    world.set(claimEnd);
    expect(await claim()).toBe('commitment_claimed');
    expect(await claim(claimEnd - 1)).toBe('commitment_claimed');
    expect(await claim(claimEnd)).toBe(formatInstant(claimEnd + 180_000));
    world.advance(day);
    await report(anchorWith([firstIndex, 'match']));
    expect(await claim(world.now())).toBe('commitment_claimed');
  });

  describe('a commitment without a found root', () => {
    const claim = async () => {
      const ledger = { seconds: 180, ledger_read_until: formatInstant(world.now()) };
      return (await world.call('POST', `/api/v1/commitments/${id}/claims`, { key, body: ledger })).status;
    };
    const laterTransaction = { ...transaction, tx: transaction.tx.replace('7', '8') };

    it.each([['unknown'], ['mismatch']])('a commitment is claimed again after a day of %s', async (verdict) => {
      await report(anchorWith([firstIndex, verdict], [secondIndex, 'unknown']));
      world.advance(day - 1);
      expect(await claim()).toBe(409);
      world.advance(1);
      expect(await claim()).toBe(201);
    });

    it('a commitment is not claimed once an index has found its root', async () => {
      await report(anchorWith([firstIndex, 'match'], [secondIndex, 'unknown']));
      world.advance(2 * day);
      expect(await claim()).toBe(409);
    });

    it.each([
      [
        'is anchored by a later one that every index confirms',
        ['mismatch', 'mismatch'],
        ['match', 'match'],
        'anchored',
      ],
      ['stays contradicted as long as one does not', ['mismatch', 'mismatch'], ['match', 'unknown'], 'contradicted'],
      [
        'stays contradicted if the contradicting index says nothing',
        ['mismatch', 'mismatch'],
        ['match'],
        'contradicted',
      ],
      [
        'stays contradicted if another index confirms the first',
        ['match', 'mismatch'],
        ['match', 'match'],
        'contradicted',
      ],
    ])('a commitment %s', async (_, firstVerdicts, laterVerdicts, state) => {
      const checks = (verdicts: readonly string[]) =>
        verdicts.map((verdict, index) => ({ index: [firstIndex, secondIndex][index]!, verdict }));
      await report({ ...transaction, checks: checks(firstVerdicts) });
      expect(await report({ ...laterTransaction, checks: checks(laterVerdicts) })).toMatchObject({
        status: 201,
        body: { state },
      });
    });

    it('a commitment accepts another sender of its transaction, and asks the indexes again', async () => {
      const correction = { ...transaction, sender: `0x${'00'.repeat(32)}` };
      await report(anchorWith([firstIndex, 'mismatch']));
      expect(await report(correction)).toMatchObject({
        status: 200,
        body: { state: 'reported', anchors: [{ sender: correction.sender, checks: [] }] },
      });
      await report({ ...correction, checks: [{ index: firstIndex, verdict: 'match' }] });
      expect(await report(transaction)).toMatchObject({ status: 409, body: { code: 'anchor_differs' } });
    });
  });

  it('a commitment is claimed only after the previous revision was reported', async () => {
    await reopenMonth(world, { month });
    await close();
    const [, { id: nextId }] = (await list()) as [unknown, { id: number }];
    const claim = async () =>
      (await world.call('POST', `/api/v1/commitments/${nextId}/claims`, { key, body: { seconds: 180 } })).status;
    expect(await claim()).toBe(409);
    await report(transaction);
    expect(await claim()).toBe(201);
  });

  it.each([
    ['takes', '32 bytes in 42 characters', '1uhovuEmedmkcMKogocipLUgD2Y9YzPXHGhBzCNxPx', 201],
    ['refuses', '31 bytes in 42 characters', '8zUFfLHADcabAoM9YFZYEosLosi2GDmsDuzfcSEkxG', 400],
    ['refuses', '33 bytes in 44 characters', 'z'.repeat(44), 400],
  ])('a commitment %s a digest of %s', async (_, __, tx, status) => {
    expect(await report({ ...transaction, tx })).toMatchObject({ status });
  });

  it('a commitment is anchored once every configured index confirms it, and not before', async () => {
    expect(await report(transaction)).toMatchObject({ status: 201, body: { state: 'reported' } });
    expect(await report(anchorWith([firstIndex, 'match'], [secondIndex, 'unknown']))).toMatchObject({
      status: 200,
      body: { state: 'reported' },
    });
    expect(await report(anchorWith([secondIndex, 'match']))).toMatchObject({
      status: 200,
      body: {
        state: 'anchored',
        anchors: [{ tx: transaction.tx, checks: [{ index: firstIndex }, { index: secondIndex }] }],
      },
    });
    expect(await list('?state=anchored')).toHaveLength(1);
    expect(await proofsOf(world.people.ada)).toMatchObject([
      { period: month, state: 'anchored', confirmed_by: 2, current: true },
    ]);
  });

  it('a commitment is anchored without a removed index, unless that index contradicts it', async () => {
    await report(anchorWith([firstIndex, 'match'], [secondIndex, 'unknown']));
    const firstIndexReport = { ...anchorWith([firstIndex, 'match']), indexes: [firstIndex] };
    expect(await report(firstIndexReport)).toMatchObject({ body: { state: 'anchored' } });
    await report(anchorWith([secondIndex, 'mismatch']));
    expect(await report(firstIndexReport)).toMatchObject({ body: { state: 'contradicted' } });
  });

  it('a commitment refuses other facts for a transaction, which may hold several roots', async () => {
    await report(transaction);
    const otherFacts = { ...transaction, sender: `0x${'00'.repeat(32)}` };
    expect(await report(otherFacts)).toMatchObject({ status: 409, body: { code: 'anchor_differs' } });
    await reopenMonth(world, { month });
    await close();
    [, { id }] = (await list()) as [unknown, { id: number }];
    expect(await report(transaction)).toMatchObject({ status: 201 });
    expect(await proofsOf(world.people.ada)).toMatchObject([
      { revision: 2, state: 'reported', current: true },
      { revision: 1, state: 'reported', current: false },
    ]);
  });

  it('a report takes a hundred transactions, each with the verdicts of twenty indexes, and no more', async () => {
    const indexes = Array.from({ length: 20 }, (_, number) => [`https://${number}.example`, 'unknown'] as const);
    await report(anchorWith(...indexes));
    expect(await report(anchorWith(['https://20.example', 'match']))).toMatchObject({
      status: 409,
      body: { code: 'anchor_limit' },
    });
    const txAt = (number: number) => encodeBase58(Buffer.alloc(32, number));
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
      for (let number = 1; number <= 99; number++)
        await insertAnchor(write, { ...transaction, tx: txAt(number), commitment_id: id, reported_at: write.at });
      const details = { period: month, revision: 1, tx: txAt(99), state: 'reported' };
      await write.audit({
        companyId: world.nord,
        action: 'commitment.reported',
        subject: `commitment ${id}`,
        details,
      });
    });
    expect(await report({ ...transaction, tx: txAt(100) })).toMatchObject({
      status: 409,
      body: { code: 'anchor_limit' },
    });
    expect(await report(transaction)).toMatchObject({ status: 200 });
    const [commitment] = await list();
    expect(commitment!['anchors']).toHaveLength(100);
    const body = { seconds: 60, ledger_read_until: formatInstant(world.now() + 2 * day) };
    world.advance(2 * day);
    expect(await world.call('POST', `/api/v1/commitments/${id}/claims`, { key, body })).toMatchObject({ status: 409 });
  });

  it('a contradicted commitment notifies all people of the month, also after it was anchored', async () => {
    await report(anchorWith([firstIndex, 'match']));
    expect(await report(anchorWith([secondIndex, 'mismatch']))).toMatchObject({ body: { state: 'contradicted' } });
    const ben = await signIn(world, world.people.ben, createBrowser(world.url));
    const notices = (await ben.call('GET', '/app/notices')).body['data'] as object[];
    expect(notices).toContainEqual(expect.objectContaining({ kind: 'proof_contradicted', month }));
    const { body } = await world.call(
      'GET',
      '/api/v1/events?types=commitment.made,commitment.anchored,commitment.contradicted',
      { key },
    );
    expect(
      (body['data'] as { type: string; data: { state: string } }[]).map(({ type, data }) => [type, data.state]),
    ).toEqual([
      ['commitment.made', 'made'],
      ['commitment.anchored', 'anchored'],
      ['commitment.contradicted', 'contradicted'],
    ]);
  });

  it('an unanchored commitment is overdue after a day, and admins get one notice', async () => {
    const admin = await world.hire({ firstName: 'Tom', email: 'tom@clockproof.example', role: 'company_admin' });
    await giveFactors(world, [admin]);
    const noticesOf = async (person: number) => {
      const { body } = await (await signIn(world, person, createBrowser(world.url))).call('GET', '/app/notices');
      return (body['data'] as { kind: string }[]).filter(({ kind }) => kind === 'proof_overdue');
    };
    const tell = () => tellOverdueCommitments(world.service.store, world.now());
    world.advance(day);
    await tell();
    expect(await noticesOf(admin)).toEqual([]);
    world.advance(1);
    await tell();
    await tell();
    expect(await noticesOf(admin)).toEqual([expect.not.objectContaining({ read_at: expect.anything() })]);
    expect(await noticesOf(world.people.ada)).toEqual([]);
    expect(await world.db.all("SELECT 1 AS one FROM audit_entries WHERE action = 'commitment.overdue'")).toHaveLength(
      1,
    );
    await report(anchorWith([firstIndex, 'match']));
    expect(await noticesOf(admin)).toMatchObject([{ month, read_at: expect.any(String) }]);
  });

  it('a commitment to the audit log notifies super admins when overdue, once, and when contradicted', async () => {
    const { store } = world.service;
    const root = await world.hire({ firstName: 'Root', email: 'root@clockproof.example', role: 'super_admin' });
    await giveFactors(world, [root]);
    const noticesOf = async (person: number) => {
      const { body } = await (await signIn(world, person, createBrowser(world.url))).call('GET', '/app/notices');
      return (body['data'] as { kind: string; day?: string }[]).filter(({ kind }) => kind.startsWith('log_'));
    };
    await sealAll(store, world.now);
    world.advance(day);
    await commitLog(store, world.now());
    const installationKey = await keyOf('Installation', {});
    const isLog = ({ kind }: Record<string, unknown>) => kind === 'log';
    [{ id }] = (await list('', installationKey)).filter(isLog) as [{ id: number }];
    world.advance(day + 1);
    await tellOverdueCommitments(store, world.now());
    expect(await noticesOf(root)).toEqual([expect.objectContaining({ kind: 'log_overdue', day: '2026-12-02' })]);
    // It is not sent a second time once it was too old.
    await store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
      write.unaudited('expired');
      await purgeNotices(write, write.at + 91 * day, 1_000);
    });
    await tellOverdueCommitments(store, world.now());
    expect(await noticesOf(root)).toEqual([]);
    await report(anchorWith([firstIndex, 'mismatch']), installationKey);
    expect(await noticesOf(root)).toEqual([expect.objectContaining({ kind: 'log_contradicted', day: '2026-12-02' })]);
    expect(await noticesOf(world.people.ada)).toEqual([]);
  });

  it('a commitment is hidden from keys of other companies, of linked people and without the scope', async () => {
    expect(await list('', await keyOf('Other', { companyId: world.sued }))).toEqual([]);
    const linkedKey = await keyOf('Linked', { companyId: world.nord, keyReads: 'linked_people', linkable: true });
    expect(await list('', linkedKey)).toEqual([]);
    expect(await report(transaction, linkedKey)).toMatchObject({ status: 404 });
    const readerKey = await keyOf('Reader', { companyId: world.nord, scopes: ['read:commitments'] });
    expect(await report(transaction, readerKey)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });
});
