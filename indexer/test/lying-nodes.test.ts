/** The claims of the index when nodes answer for another chain, or leave out, invent or change events. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createChain } from '../simulator/chain.js';
import { objectsIn, type Spoil, spoilNode } from '../simulator/faults.js';
import { createSimulatedNode, type NodeOptions, type SimulatedNode } from '../simulator/node.js';
import type { SimulatedDialect } from '../simulator/schemas.js';
import { importProofs } from '../src/commands/import.js';
import { recheck } from '../src/commands/recheck.js';
import { settle } from '../src/commands/settle.js';
import { readConfig } from '../src/config.js';
import { WrongLedger } from '../src/ledger/chain.js';
import type { ProofRecord } from '../src/store/proof-record.js';
import { readTotals } from '../src/store/proofs.js';
import { readFollower } from '../src/store/streams.js';
import {
  anchors,
  asFetch,
  createGround,
  createHome,
  expectedProofs,
  type Ground,
  growProofs,
  type Home,
  type Index,
  nodesBefore,
  proofEvent,
  startIndex,
  storedProofs,
  today,
  watermark,
} from './world.js';

const wrongRoot = '0'.repeat(64);
const immutable = 'public, max-age=31536000, immutable';

/** Lists leave out these events; a question by digest still finds them. */
const hideEvents = (hides: (tx: string, sequence: number) => boolean): Spoil => {
  return ({ data }, query) => {
    if (!query.includes('query Page')) return;
    const list = (data as { events?: { edges: { cursor: string; node: Record<string, unknown> }[] } }).events!;
    list.edges = list.edges.filter(({ cursor, node }) => {
      const transaction = (node['transaction'] ?? node['transactionBlock']) as { digest: string };
      const place = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { e: number };
      return !hides(transaction.digest, place.e);
    });
  };
};

describe.each(oneDialect)('on %s', (driver) => {
  let home: Home;
  let ground: Ground;
  let index: Index | undefined;
  let time: number;
  let output: string[];
  const print = (line: string) => void output.push(line);
  beforeEach(async () => {
    time = today;
    output = [];
    home = await createHome(driver);
    ground = createGround(1, 'test', () => time);
  });
  afterEach(async () => {
    await index?.close();
    index = undefined;
    await home.close();
  });

  const config = () =>
    readConfig({
      ACCEPT_TERMS: 'true',
      CHAIN_ANCHOR_PACKAGE: ground.package,
      CHAIN_NETWORK: 'devnet',
      CHAIN_GRAPHQL_URL: 'http://node.example/graphql',
      DB_DRIVER: driver,
      DB_DSN: home.test.settings.dsn,
    });
  const nodeOf = (options: NodeOptions | SimulatedDialect, spoil: Spoil = () => undefined) =>
    spoilNode(createSimulatedNode(ground.chain, typeof options === 'string' ? { dialect: options } : options), spoil);
  const begin = async (node: SimulatedNode) => {
    index = await startIndex({ ground, home, node, clock: () => time });
    return { get: index.get, follower: index.indexer.follower };
  };
  /** The index remembers its knowledge for a second. */
  const pass = async () => {
    await index!.indexer.follower.pass();
    time += 1_000;
  };
  /** Two proofs in one transaction. */
  const addTwoProofs = () => {
    const [transaction] = ground.chain.append([
      { sender: anchors[0]!, called: ground.package, events: [proofEvent(ground.random), proofEvent(ground.random)] },
    ]);
    const [first, second] = expectedProofs(ground).filter((proof) => proof.tx === transaction!.digest);
    return { tx: transaction!.digest, first: first!, second: second! };
  };
  const verify = async (tx: string, root: string) => (await index!.get(`/api/v1/verify/${tx}?root=${root}`)).body;

  describe('a node that belongs to another chain', () => {
    /** The same package address on a chain of its own. */
    const otherChain = () => {
      const chain = createChain({ name: 'test', genesis: 'another genesis', start: today });
      const otherGround: Ground = { ...ground, chain, package: chain.publish('anchor').address };
      growProofs(otherGround, 200);
      return otherGround;
    };

    it.each(nodesBefore(driver))('while the index runs stops it before anything is stored (%s)', async (dialect) => {
      growProofs(ground, 20);
      const otherGround = otherChain();
      expect(otherGround.package).toBe(ground.package);
      let currentNode = nodeOf(dialect);
      const { follower } = await begin({
        requests: currentNode.requests,
        fetch: (url, init) => currentNode.fetch(url, init),
      });
      await pass();
      const proofsBefore = await storedProofs(home.db);
      const reachedCheckpoint = await watermark(home.db);
      currentNode = spoilNode(createSimulatedNode(otherGround.chain, { dialect }), () => undefined);
      await expect(follower.pass()).rejects.toThrow(WrongLedger);
      await expect(follower.run(new AbortController().signal)).rejects.toThrow(WrongLedger);
      expect(await storedProofs(home.db)).toEqual(proofsBefore);
      expect(await watermark(home.db)).toBe(reachedCheckpoint);
      // A question by digest brings nothing of the other chain in either.
      const foreignProof = expectedProofs(otherGround).at(-1)!;
      expect(await verify(foreignProof.tx, foreignProof.merkle_root)).toMatchObject({
        verdict: 'unknown',
        reason: 'not_yet',
      });
      expect(await storedProofs(home.db)).toEqual(proofsBefore);
    });

    it('with the same first four bytes is another chain where the node tells all of them', async () => {
      growProofs(ground, 20);
      const genesis = Uint8Array.from(ground.chain.genesis);
      genesis[31]! ^= 1;
      const otherChain = { ...ground.chain, genesis };
      await begin(nodeOf('ga'));
      await pass();
      await index!.close();
      await begin(createSimulatedNode(otherChain, { dialect: 'ga' }));
      await expect(index!.indexer.follower.pass()).rejects.toThrow(WrongLedger);
      await index!.close();
      // If a node tells four bytes, no more than these can be compared.
      await begin(createSimulatedNode(otherChain, { dialect: 'flat' }));
      await pass();
      expect((await readFollower(home.db)).chainId).toBe(Buffer.from(ground.chain.genesis).toString('hex'));
      expect((await index!.get('/api/v1/status')).body['chain_id']).toMatch(/^[0-9a-f]{8}$/);
    });

    it('that was known by four bytes is known whole once a node tells them', async () => {
      growProofs(ground, 20);
      await begin(nodeOf('flat'));
      await pass();
      expect((await readFollower(home.db)).chainId).toHaveLength(8);
      await index!.close();
      await begin(nodeOf('ga'));
      await pass();
      expect((await readFollower(home.db)).chainId).toBe(Buffer.from(ground.chain.genesis).toString('hex'));
    });

    it('and was mixed in by an older version is removed by recheck --remove, and the own chain read again', async () => {
      growProofs(ground, 20);
      await begin(nodeOf('ga'));
      await pass();
      const foreignProof = { ...expectedProofs(ground)[3]!, tx: '1'.repeat(32) };
      const mixedIn = (sequence: number) => ({
        ...foreignProof,
        sequence,
        root: Buffer.from(foreignProof.merkle_root, 'hex'),
      });
      await home.db.write(async (tx) => {
        for (const { sequence, root, ...proof } of [mixedIn(0), mixedIn(1)])
          await tx.run(
            `INSERT INTO proofs (tx, event_sequence, checkpoint, sender, package, company_token, period, merkle_root, event_type)
              VALUES (:tx, :sequence, :checkpoint, :sender, :package, :token, :period, :root, 'x')`,
            {
              tx: proof.tx,
              sequence,
              checkpoint: proof.checkpoint,
              sender: proof.sender,
              package: proof.package,
              token: proof.company_token,
              period: proof.period,
              root,
            },
          );
        await tx.run('UPDATE totals SET proofs = proofs + 2 WHERE id = 1');
      });
      expect(await recheck(config(), false, { print, clock: () => time, fetch: asFetch(nodeOf('ga')) })).toBe(1);
      expect(output).toEqual([
        `recheck: transaction ${foreignProof.tx}: not on this chain`,
        'recheck: 20 transactions confirmed, 0 disputed, 1 not on this chain, 0 that the node does not have',
      ]);
      expect(await storedProofs(home.db)).toHaveLength(22);
      expect(await recheck(config(), true, { print, clock: () => time, fetch: asFetch(nodeOf('ga')) })).toBe(0);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      expect(await readTotals(home.db)).toMatchObject({ proofs: 20, alarms: 0 });
      await pass();
      expect(await watermark(home.db)).toBe(ground.chain.head);
    });

    it.each(['ga', 'flat'] as const)('another chain is not suspected of a replica that lags (%s)', async (dialect) => {
      growProofs(ground, 20);
      await begin(nodeOf(dialect));
      await pass();
      const proofs = await storedProofs(home.db);
      // It knows neither the newest transactions nor their checkpoints.
      const laggingNode = nodeOf({ dialect, lag: () => 6 });
      expect(await recheck(config(), true, { print, clock: () => time, fetch: asFetch(laggingNode) })).toBe(0);
      expect(await storedProofs(home.db)).toEqual(proofs);
    });

    it('a pruned history is no reason to remove proofs', async () => {
      growProofs(ground, 60);
      await begin(nodeOf('flat'));
      await pass();
      for (const dialect of ['ga', 'flat'] as const) {
        // It still knows its checkpoints, as nodes do that prune transactions first.
        const forgetfulNode = nodeOf({ dialect, prunedBelow: () => ground.chain.head + 1 }, (answer, query) =>
          query.includes('query Whereabouts')
            ? { data: { ...(answer.data as object), transaction: null, checkpoint: { sequenceNumber: 1 } } }
            : answer,
        );
        expect(await recheck(config(), true, { print, clock: () => time, fetch: asFetch(forgetfulNode) })).toBe(0);
      }
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
    });
  });

  it.each(['ga', 'flat'] as const)(
    'a transaction that straddles a page is no mismatch while the next page fails (%s)',
    async (dialect) => {
      for (let index = 0; index < 49; index++) growProofs(ground, 1);
      const { tx, first, second } = addTwoProofs();
      let isDown = false;
      let pages = 0;
      const { follower } = await begin(
        nodeOf(dialect, (answer, query) => {
          if (query.includes('query Page')) pages++;
          const fails = (query.includes('query Page') && pages > 1) || query.includes('query Transaction');
          return isDown && fails
            ? { errors: [{ message: 'down', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] }
            : answer;
        }),
      );
      isDown = true;
      await expect(follower.pass()).rejects.toThrow('INTERNAL_SERVER_ERROR');
      time += 1_000;
      expect((await storedProofs(home.db)).filter((proof) => proof.tx === tx)).toEqual([first]);
      for (const root of [second.merkle_root, wrongRoot])
        expect(await verify(tx, root)).toMatchObject({ verdict: 'unknown', verified: false, reason: 'not_synced' });
      expect(await verify(tx, first.merkle_root)).toMatchObject({ verdict: 'match', verified: true });
      isDown = false;
      time += 5_000;
      await pass();
      expect(await verify(tx, second.merkle_root)).toMatchObject({ verdict: 'match' });
      expect(await verify(tx, wrongRoot)).toMatchObject({ verdict: 'mismatch' });
    },
  );

  describe('a proof that the node gave in two versions', () => {
    /** A false root for the first proof, in lists only or everywhere, as long as it lies. */
    const forgeRoot = (proof: () => ProofRecord, lies: (query: string) => boolean): Spoil => {
      return ({ data }, query) => {
        if (!lies(query)) return;
        const bytes = Buffer.from(proof().merkle_root, 'hex');
        for (const object of objectsIn(data))
          if (typeof object['bcs'] === 'string')
            object['bcs'] = Buffer.from(
              Buffer.from(object['bcs'], 'base64').toString('hex').replace(bytes.toString('hex'), wrongRoot),
              'hex',
            ).toString('base64');
      };
    };
    const dispute = async (proof: ProofRecord) => {
      const forgedProof = { ...proof, merkle_root: wrongRoot };
      for (const root of [proof.merkle_root, wrongRoot, 'e'.repeat(64)]) {
        const { cache, body } = await index!.get(`/api/v1/verify/${proof.tx}?root=${root}`);
        expect([cache, body]).toMatchObject([
          'no-store',
          { verdict: 'unknown', verified: false, reason: 'disputed', proofs: [forgedProof], disputed_by: [proof] },
        ]);
      }
      expect(await index!.get(`/api/v1/proofs/${proof.tx}`)).toMatchObject({
        status: 200,
        cache: 'no-store',
        body: { merkle_root: wrongRoot, disputed_by: [proof] },
      });
    };

    it.each(nodesBefore(driver))(
      'a proof in two versions is disputed until settle asks for its transaction (%s)',
      async (dialect) => {
        growProofs(ground, 20);
        const proof = expectedProofs(ground)[4]!;
        let isLying = true;
        const { get } = await begin(
          nodeOf(
            dialect,
            forgeRoot(
              () => proof,
              () => isLying,
            ),
          ),
        );
        await pass();
        expect(await verify(proof.tx, wrongRoot)).toMatchObject({ verdict: 'match' });
        // The second reading compares what the first one stored.
        isLying = false;
        await pass();
        await pass();
        await dispute(proof);
        expect((await get('/api/v1/status')).body).toMatchObject({ state: 'degraded', alarm_count: 1 });
        expect(await settle(config(), { print, clock: () => time, fetch: asFetch(nodeOf(dialect)) })).toBe(0);
        expect(output).toEqual([
          `settle: transaction ${proof.tx}: 1 proofs replaced, 0 removed`,
          'settle: 1 of 1 disputes settled',
        ]);
        await pass();
        expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
        expect(await readTotals(home.db)).toMatchObject({ proofs: 20, alarms: 0 });
        expect(await get(`/api/v1/verify/${proof.tx}?root=${proof.merkle_root}`)).toMatchObject({
          cache: immutable,
          body: { verdict: 'match' },
        });
        expect((await get('/api/v1/status')).body).toMatchObject({ state: 'ready', alarm_count: 0 });
      },
    );

    it('the first question with the true root finds out the false version', async () => {
      growProofs(ground, 20);
      const proof = expectedProofs(ground)[4]!;
      await begin(
        nodeOf(
          'ga',
          forgeRoot(
            () => proof,
            (query) => query.includes('query Page'),
          ),
        ),
      );
      await pass();
      expect(await verify(proof.tx, proof.merkle_root)).toMatchObject({ verdict: 'unknown', reason: 'disputed' });
      await dispute(proof);
    });

    it('a proof in two versions stays disputed where the node has no whole answer', async () => {
      growProofs(ground, 20);
      const proof = expectedProofs(ground)[4]!;
      await begin(
        nodeOf(
          'ga',
          forgeRoot(
            () => proof,
            (query) => query.includes('query Page'),
          ),
        ),
      );
      await pass();
      await verify(proof.tx, proof.merkle_root);
      const forgetfulNode = nodeOf({ dialect: 'ga', prunedBelow: () => ground.chain.head + 1 });
      expect(await settle(config(), { print, clock: () => time, fetch: asFetch(forgetfulNode) })).toBe(1);
      await dispute(proof);
    });

    it('that is not in its transaction at all is removed by settle', async () => {
      growProofs(ground, 20);
      const proof = expectedProofs(ground)[4]!;
      await begin(nodeOf('ga'));
      await pass();
      await home.db.write((tx) => tx.run('UPDATE proofs SET event_sequence = 7 WHERE tx = :tx', { tx: proof.tx }));
      expect(await verify(proof.tx, wrongRoot)).toMatchObject({ verdict: 'unknown', reason: 'disputed' });
      expect((await readTotals(home.db)).alarms).toBe(1);
      expect(await settle(config(), { print, clock: () => time, fetch: asFetch(nodeOf('ga')) })).toBe(0);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      expect(await readTotals(home.db)).toMatchObject({ proofs: 20, alarms: 0 });
    });

    it('in ever new versions fills nothing', async () => {
      growProofs(ground, 5);
      const proof = expectedProofs(ground)[2]!;
      let root = 0;
      const { get } = await begin(
        nodeOf('ga', ({ data }, query) => {
          if (!query.includes('query Page')) return;
          root++;
          const forgedRoot = root.toString(16).padStart(64, '0');
          for (const object of objectsIn(data))
            if (typeof object['bcs'] === 'string')
              object['bcs'] = Buffer.from(
                Buffer.from(object['bcs'], 'base64').toString('hex').replace(proof.merkle_root, forgedRoot),
                'hex',
              ).toString('base64');
        }),
      );
      for (let poll = 0; poll < 15; poll++) await pass();
      expect((await get('/api/v1/status')).body).toMatchObject({ alarm_count: 10 });
    });
  });

  describe('events that the node leaves out of its lists', () => {
    /** Left out of lists; by digest the node answers truly. */
    it.each(['ga', 'flat'] as const)('omitted events are found by the question about them (%s)', async (dialect) => {
      growProofs(ground, 20);
      const { tx, first, second } = addTwoProofs();
      growProofs(ground, 20);
      const lostProof = expectedProofs(ground)[7]!;
      await begin(
        nodeOf(
          dialect,
          hideEvents((digest, sequence) => digest === lostProof.tx || (digest === tx && sequence === 1)),
        ),
      );
      await pass();
      expect(await storedProofs(home.db)).toHaveLength(40);
      expect(await verify(tx, second.merkle_root)).toMatchObject({ verdict: 'match', proofs: [first, second] });
      expect(await verify(lostProof.tx, lostProof.merkle_root)).toMatchObject({ verdict: 'match' });
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
    });

    it.each(['ga', 'flat'] as const)(
      'omitted events are found by the second reading once the node lists them, without anyone asking (%s)',
      async (dialect) => {
        growProofs(ground, 120);
        const lostProof = expectedProofs(ground)[7]!;
        let isHiding = true;
        const { get } = await begin(
          nodeOf(
            dialect,
            hideEvents((digest) => isHiding && digest === lostProof.tx),
          ),
        );
        await pass();
        expect(await storedProofs(home.db)).toHaveLength(119);
        isHiding = false;
        // 50 proofs a poll: three polls for a round, wherever the first one had come to.
        for (let poll = 0; poll < 5; poll++) await pass();
        expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
        expect((await get('/api/v1/status')).body).toMatchObject({
          indexed_count: 120,
          gap_repairs: 1,
          rescan: { rounds: expect.any(Number) as unknown, completed_at: expect.any(String) as unknown },
        });
      },
    );

    it('make no mismatch while the node cannot be asked for the transaction', async () => {
      const { tx, second } = addTwoProofs();
      growProofs(ground, 5);
      const hide = hideEvents((digest, sequence) => digest === tx && sequence === 1);
      await begin(
        nodeOf('ga', (answer, query) =>
          query.includes('query Transaction') ? { errors: [{ message: 'down' }] } : hide(answer, query),
        ),
      );
      await pass();
      expect(await verify(tx, second.merkle_root)).toMatchObject({
        verdict: 'unknown',
        verified: false,
        reason: 'not_yet',
      });
    });
  });

  describe('a cache before the node that mixes answers up', () => {
    it.each(nodesBefore(driver))('a cache that mixes answers up makes no true proof disputed (%s)', async (dialect) => {
      growProofs(ground, 20);
      const [proof, otherProof] = [expectedProofs(ground)[4]!, expectedProofs(ground)[9]!];
      let mixes = true;
      const node = createSimulatedNode(ground.chain, { dialect });
      await begin({
        requests: node.requests,
        fetch: (url, init) =>
          node.fetch(
            url,
            mixes && String(init.body).includes('query Transaction')
              ? { ...init, body: String(init.body).replaceAll(proof.tx, otherProof.tx) }
              : init,
          ),
      });
      await pass();
      expect(await verify(proof.tx, wrongRoot)).toMatchObject({
        verdict: 'unknown',
        reason: 'not_yet',
        proofs: [proof],
      });
      expect(await readTotals(home.db)).toMatchObject({ proofs: 20, alarms: 0 });
      mixes = false;
      time += 5_000;
      expect(await verify(proof.tx, wrongRoot)).toMatchObject({ verdict: 'mismatch', proofs: [proof] });
    });
  });

  describe('the second reading', () => {
    const rescanOf = async () =>
      (await index!.get('/api/v1/status')).body['rescan'] as { checkpoint: number; rounds: number };

    it.each(nodesBefore(driver))('the second reading goes on after a restart where it was (%s)', async (dialect) => {
      growProofs(ground, 400);
      await begin(nodeOf(dialect));
      for (let poll = 0; poll < 3; poll++) await pass();
      const rescanBefore = await rescanOf();
      expect(rescanBefore).toMatchObject({ rounds: 0 });
      await index!.close();
      await begin(nodeOf(dialect));
      await pass();
      expect((await rescanOf()).checkpoint).toBeGreaterThan(rescanBefore.checkpoint);
      for (let poll = 0; poll < 6; poll++) await pass();
      expect(await rescanOf()).toMatchObject({ rounds: 1 });
      expect(await readTotals(home.db)).toMatchObject({ proofs: 400, gap_repairs: 0, alarms: 0 });
    });

    it('the second reading has to list a confirmed proof again before its answer is immutable', async () => {
      growProofs(ground, 120);
      const [earlyProof, lateProof] = [expectedProofs(ground)[3]!, expectedProofs(ground)[110]!];
      const { get } = await begin(nodeOf('ga'));
      const cacheOf = async ({ tx, merkle_root: root }: ProofRecord) => {
        // The look-up without a root asks the node for the transaction by its digest.
        const answers = [await get(`/api/v1/proofs/${tx}`), await get(`/api/v1/verify/${tx}?root=${root}`)];
        return [...new Set(answers.map(({ cache }) => cache))];
      };
      await pass();
      expect([await cacheOf(earlyProof), await cacheOf(lateProof)]).toEqual([[immutable], ['no-store']]);
      for (let poll = 0; poll < 3; poll++) await pass();
      expect(await cacheOf(lateProof)).toEqual([immutable]);
    });

    it('an answer is not immutable if the second reading never lists its proof', async () => {
      growProofs(ground, 20);
      const [unlistedProof, listedProof] = [expectedProofs(ground)[4]!, expectedProofs(ground)[5]!];
      const { get } = await begin(
        nodeOf(
          'ga',
          hideEvents((tx) => tx === unlistedProof.tx),
        ),
      );
      for (let poll = 0; poll < 4; poll++) await pass();
      // Found by the question by digest only.
      expect(await get(`/api/v1/proofs/${unlistedProof.tx}`)).toMatchObject({ status: 200, cache: 'no-store' });
      await pass();
      expect((await get(`/api/v1/proofs/${unlistedProof.tx}`)).cache).toBe('no-store');
      expect((await get(`/api/v1/proofs/${listedProof.tx}`)).cache).toBe(immutable);
    });

    it('never fails a poll', async () => {
      growProofs(ground, 20);
      let pages = 0;
      await begin(
        nodeOf('ga', (answer, query) =>
          query.includes('query Page') && ++pages > 1 && pages % 2 === 0
            ? { errors: [{ message: 'no', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] }
            : answer,
        ),
      );
      await index!.indexer.follower.pass().catch(() => undefined);
      expect((await readFollower(home.db)).lastIndexTime).toBe(today);
    });
  });

  it.each(nodesBefore(driver))(
    'an event beyond the node’s own head is refused, and read right at the next poll (%s)',
    async (dialect) => {
      growProofs(ground, 20);
      const absurdProof = expectedProofs(ground).at(-1)!;
      let isLying = true;
      const { follower } = await begin(
        nodeOf(dialect, ({ data }, query) => {
          if (!isLying || !query.includes('query Page')) return;
          for (const object of objectsIn(data))
            if (object['digest'] === absurdProof.tx)
              (object['effects'] as { checkpoint: object }).checkpoint = {
                sequenceNumber: 999_999_999,
                timestamp: null,
              };
        }),
      );
      await expect(follower.pass()).rejects.toThrow('gives an event of checkpoint 999999999');
      isLying = false;
      growProofs(ground, 5);
      await pass();
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      expect(await watermark(home.db)).toBe(ground.chain.head);
    },
  );

  it('a clock that was ahead once degrades the index until the next poll only', async () => {
    growProofs(ground, 5);
    const { get } = await begin(nodeOf('ga'));
    time = today + 86_400_000;
    await index!.indexer.follower.pass();
    time = today + 60_000;
    ground.chain.append([]);
    await pass();
    expect((await get('/api/v1/status')).body).toMatchObject({
      state: 'ready',
      last_index_time: new Date(today + 60_000).toISOString().replace('.000Z', 'Z'),
    });
  });

  describe('import', () => {
    it('import refuses a database of another package before anything is stored', async () => {
      growProofs(ground, 5);
      await begin(nodeOf('ga'));
      await pass();
      const otherGround: Ground = { ...ground, package: ground.chain.publish('something else').address };
      growProofs(otherGround, 3);
      const file = join(mkdtempSync(join(tmpdir(), 'import-')), 'proofs.ndjson');
      writeFileSync(
        file,
        expectedProofs(otherGround)
          .map((proof) => JSON.stringify(proof))
          .join('\n'),
      );
      const otherConfig = { ...config(), CHAIN_ANCHOR_PACKAGE: otherGround.package };
      await expect(
        importProofs(otherConfig, file, { print, clock: () => time, fetch: asFetch(nodeOf('ga')) }),
      ).rejects.toThrow(WrongLedger);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      // Under the right package the lines of the other one are not confirmed.
      expect(await importProofs(config(), file, { print, clock: () => time, fetch: asFetch(nodeOf('ga')) })).toBe(1);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
    });

    it('into an empty database makes it an index of that chain', async () => {
      growProofs(ground, 3);
      const file = join(mkdtempSync(join(tmpdir(), 'import-')), 'proofs.ndjson');
      writeFileSync(
        file,
        expectedProofs(ground)
          .map((proof) => JSON.stringify(proof))
          .join('\n'),
      );
      expect(await importProofs(config(), file, { print, clock: () => time, fetch: asFetch(nodeOf('ga')) })).toBe(0);
      expect(await readFollower(home.db)).toMatchObject({
        chainId: Buffer.from(ground.chain.genesis).toString('hex'),
        originalPackage: ground.package,
      });
    });

    it('import names each line that is not stored', async () => {
      growProofs(ground, 2);
      const [firstProof, secondProof] = expectedProofs(ground);
      const file = join(mkdtempSync(join(tmpdir(), 'import-')), 'proofs.ndjson');
      writeFileSync(
        file,
        `${JSON.stringify({ ...firstProof, merkle_root: wrongRoot })}\n\nno json\n${JSON.stringify(secondProof)}`,
      );
      expect(await importProofs(config(), file, { print, clock: () => time, fetch: asFetch(nodeOf('ga')) })).toBe(1);
      expect(output.slice(0, 2)).toEqual([
        `import: line 1: transaction ${firstProof!.tx} event 0 has root ${firstProof!.merkle_root} on the ledger, not ${wrongRoot}`,
        'import: line 3: not readable as a proof',
      ]);
    });
  });
});
