/** The commands beside serving: their effects and refusals. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSimulatedNode, type SimulatedNode } from '../simulator/node.js';
import { compare, digestOf, disagreements } from '../src/commands/compare.js';
import { doctor } from '../src/commands/doctor.js';
import { exportProofs } from '../src/commands/export.js';
import { importProofs } from '../src/commands/import.js';
import { type ApiFetch, IndexUnreachable } from '../src/commands/peer-index.js';
import { reindex } from '../src/commands/reindex.js';
import { readConfig } from '../src/config.js';
import { publishedDigest } from '../src/store/index-digest.js';
import type { ProofRecord } from '../src/store/proof-record.js';
import { readTotals } from '../src/store/proofs.js';
import { readDigest, readStreams } from '../src/store/streams.js';
import {
  anchors,
  asFetch,
  createGround,
  createHome,
  createWorld,
  expectedProofs,
  type Ground,
  growProofs,
  type Home,
  proofEvent,
  storedProofs,
  today,
  untilAudited,
  watermark,
} from './world.js';

describe.each(dialects)('on %s', (driver) => {
  let home: Home;
  let ground: Ground;
  let output: string[];
  const print = (line: string) => void output.push(line);
  const env = () => ({
    ACCEPT_TERMS: 'true',
    CHAIN_ANCHOR_PACKAGE: ground.package,
    CHAIN_NETWORK: 'devnet',
    CHAIN_GRAPHQL_URL: 'http://node.example/graphql',
    DB_DRIVER: driver,
    DB_DSN: home.test.settings.dsn,
  });
  const config = () => readConfig(env());
  beforeEach(async () => {
    home = await createHome(driver);
    ground = createGround();
    output = [];
  });
  afterEach(() => home.close());

  it('reindex sets the watermarks back and the next pass reads again, without losing or doubling', async () => {
    growProofs(ground, 100);
    const world = createWorld(ground, home.db, 'flat');
    await world.follower().pass();
    expect(await reindex(config(), 5, print)).toBe(0);
    expect(await watermark(home.db)).toBe(4);
    await world.follower().pass();
    expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
    expect(await reindex(config(), 0, print)).toBe(0);
    expect((await readStreams(home.db))[0]).toMatchObject({ backfilled: false, history: 'complete' });
    await world.follower().pass();
    expect((await readStreams(home.db))[0]).toMatchObject({ backfilled: true, history: 'complete' });
    expect((await readTotals(home.db)).proofs).toBe(100);
  });
  it.each(['ga', 'flat'] as const)(
    'reindex takes nothing from a complete history, although the node has pruned since (%s)',
    async (dialect) => {
      growProofs(ground, 400);
      let prunedBelow = 0;
      let pages = -Infinity;
      const follower = createWorld(ground, home.db, { dialect, prunedBelow: () => prunedBelow }).follower({
        pageSize: 10,
        // After retention was compared in the middle of the reading.
        onStep: (step) => {
          if (step === 'page committed' && ++pages === 22) prunedBelow = ground.chain.head;
        },
      });
      await follower.pass();
      prunedBelow = 10;
      pages = 0;
      await reindex(config(), 0, print);
      for (let pass = 0; pass < 3; pass++) await follower.pass();
      expect(prunedBelow).toBe(ground.chain.head);
      expect((await readStreams(home.db))[0]).toMatchObject({
        backfilled: true,
        history: 'complete',
        retentionCheckedFrom: ground.chain.head,
      });
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      growProofs(ground, 100);
      prunedBelow = ground.chain.head - 2;
      await untilAudited(follower);
      expect((await readStreams(home.db))[0]!.history).toBe('partial');
    },
  );
  describe('export and import', () => {
    const file = () => join(mkdtempSync(join(tmpdir(), 'export-')), 'proofs.ndjson');

    it('fill what a node no longer lists, asking the ledger about each proof by its digest', async () => {
      growProofs(ground, 60);
      await createWorld(ground, home.db, 'flat').follower().pass();
      const path = file();
      expect(await exportProofs(config(), path, print)).toBe(0);
      const lines = readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as ProofRecord & { event_bcs: string });
      expect(
        lines.map(({ event_bcs, ...record }) => {
          expect(Buffer.from(event_bcs, 'base64').length).toBeGreaterThan(40);
          return { ...record, event_type: undefined };
        }),
      ).toEqual(expectedProofs(ground).map((proof) => ({ ...proof, event_type: undefined })));
      const wholeDigest = publishedDigest(await readDigest(home.db));

      const newcomer = await createHome(driver);
      try {
        const node = createSimulatedNode(ground.chain, { dialect: 'flat', prunedBelow: () => 5, archive: true });
        const world = createWorld(ground, newcomer.db, { dialect: 'flat', prunedBelow: () => 5, archive: true });
        await world.follower().pass();
        expect((await storedProofs(newcomer.db)).length).toBeLessThan(60);
        const newcomerConfig = { ...config(), DB_DSN: newcomer.test.settings.dsn };
        expect(await importProofs(newcomerConfig, path, { print, clock: () => today, fetch: asFetch(node) })).toBe(0);
        expect(await storedProofs(newcomer.db)).toEqual(expectedProofs(ground));
        expect((await readTotals(newcomer.db)).proofs).toBe(60);
        await world.follower().pass();
        expect(publishedDigest(await readDigest(newcomer.db))).toEqual(wholeDigest);
        expect(await importProofs(newcomerConfig, path, { print, clock: () => today, fetch: asFetch(node) })).toBe(0);
        expect(output.at(-1)).toContain('60 known before');
        expect((await readStreams(newcomer.db))[0]!.history).toBe('partial');
      } finally {
        await newcomer.close();
      }
    });

    it.each(['ga', 'flat'] as const)(
      'store the whole transaction of which a line names one proof (%s)',
      async (dialect) => {
        ground.chain.append([
          {
            sender: anchors[0]!,
            called: ground.package,
            events: [proofEvent(ground.random), proofEvent(ground.random), proofEvent(ground.random)],
          },
        ]);
        const path = file();
        writeFileSync(path, JSON.stringify(expectedProofs(ground)[1]));
        const node = createSimulatedNode(ground.chain, {
          dialect,
          prunedBelow: () => ground.chain.head + 1,
          archive: true,
        });
        expect(await importProofs(config(), path, { print, clock: () => today, fetch: asFetch(node) })).toBe(0);
        expect(output).toEqual([
          'import: 1 lines; 1 stored, 0 known before, 0 not confirmed by the ledger, 0 contradicted by it, 0 unreadable; 2 more of the same transactions stored',
        ]);
        expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
        expect((await readTotals(home.db)).proofs).toBe(3);
        expect(await importProofs(config(), path, { print, clock: () => today, fetch: asFetch(node) })).toBe(0);
        expect(output.at(-1)).toBe(
          'import: 1 lines; 0 stored, 1 known before, 0 not confirmed by the ledger, 0 contradicted by it, 0 unreadable',
        );
      },
    );

    it('store nothing that the ledger does not confirm', async () => {
      growProofs(ground, 3);
      const [realProof, otherProof, thirdProof] = expectedProofs(ground);
      const path = file();
      writeFileSync(
        path,
        [
          JSON.stringify({ ...realProof, merkle_root: 'f'.repeat(64) }),
          JSON.stringify({ ...otherProof, tx: '1'.repeat(32) }),
          JSON.stringify({ ...thirdProof, event_sequence: 9 }),
          'no json',
          '{"tx":1}',
          '',
          JSON.stringify(thirdProof),
        ].join('\n'),
      );
      expect(
        await importProofs(config(), path, {
          print,
          clock: () => today,
          fetch: asFetch(createSimulatedNode(ground.chain, { dialect: 'ga' })),
        }),
      ).toBe(1);
      expect(output.at(-1)).toBe(
        'import: 6 lines; 1 stored, 0 known before, 2 not confirmed by the ledger, 1 contradicted by it, 2 unreadable',
      );
      expect(await storedProofs(home.db)).toEqual([thirdProof]);
    });
  });

  describe('doctor', () => {
    it('doctor finds nothing wrong with a healthy index', async () => {
      growProofs(ground, 40);
      const world = createWorld(ground, home.db, 'ga');
      await world.follower().pass();
      expect([
        await doctor(env(), print, asFetch(world.node)),
        output.filter((line) => line.startsWith('FAIL')),
      ]).toEqual([0, []]);
    });
    it('doctor names what is wrong', async () => {
      growProofs(ground, 40);
      const world = createWorld(ground, home.db, 'ga');
      await world.follower().pass();
      const newestProof = expectedProofs(ground).at(-1)!;
      await home.db.write((tx) =>
        tx.run('DELETE FROM proofs WHERE checkpoint = :checkpoint', { checkpoint: newestProof.checkpoint }),
      );
      await home.db.write((tx) =>
        tx.run(
          "INSERT INTO integrity_alarms (tx, event_sequence, reported, stored, noticed_at) VALUES ('t', 0, 'a', 'b', 1)",
        ),
      );
      expect(await doctor(env(), print, asFetch(world.node))).toBe(1);
      expect(
        output
          .filter((line) => line.startsWith('FAIL'))
          .map((line) => line.split(':')[0]!.slice(6))
          .sort(),
      ).toEqual(['alarm', 'database', 'digest', 'newest event']);
    });
    it('doctor names every wrong setting and an unreachable ledger', async () => {
      expect(await doctor({ POLL_INTERVAL: '0s' }, print)).toBe(1);
      expect(output.filter((line) => line.startsWith('FAIL'))).toHaveLength(3);
      output = [];
      const deadNode: SimulatedNode = {
        requests: { count: 0 },
        fetch: async () => {
          throw new TypeError('fetch failed');
        },
      };
      expect(await doctor(env(), print, asFetch(deadNode))).toBe(1);
      expect(output.some((line) => line.startsWith('FAIL  ledger:'))).toBe(true);
    });
  });
});

describe('compare', () => {
  const ground = createGround();
  growProofs(ground, 700);
  const proofs = expectedProofs(ground).reverse();
  const status = (more: object = {}) => ({
    network: 'devnet',
    chain_id: '01020304',
    package: ground.package,
    indexed_count: 700,
    history: 'complete',
    checkpoint: ground.chain.head,
    addresses: [],
    ...more,
  });

  const fetchOf = (answer: (url: string) => Promise<Response>): ApiFetch => answer as unknown as ApiFetch;

  /** Two indexes behind their APIs. */
  function servers(
    contents: Readonly<Record<string, { readonly status: object; readonly proofs: readonly ProofRecord[] }>>,
    refuseFirst = 0,
  ) {
    let refusedCount = 0;
    return async (url: string) => {
      const { origin, pathname, searchParams } = new URL(url);
      if (refusedCount++ < refuseFirst) return Response.json({}, { status: 429, headers: { 'retry-after': '3' } });
      const index = contents[origin]!;
      if (pathname.endsWith('/status')) return Response.json(index.status);
      const from = Number(searchParams.get('cursor') ?? '0');
      const data = index.proofs.slice(from, from + 500);
      return Response.json({
        data,
        next_cursor: from + 500 < index.proofs.length ? String(from + 500) : null,
        has_more: from + 500 < index.proofs.length,
      });
    };
  }
  const runCompare = async (
    left: object,
    right: object,
    more: {
      readonly left?: readonly ProofRecord[];
      readonly right?: readonly ProofRecord[];
      readonly refuse?: number;
      readonly full?: boolean;
    } = {},
  ) => {
    const output: string[] = [];
    const waits: number[] = [];
    const contents = {
      'http://one.example': { status: left, proofs: more.left ?? proofs },
      'http://two.example': { status: right, proofs: more.right ?? proofs },
    };
    const code = await compare(['http://one.example', 'http://two.example/'], more.full === true, {
      print: (line) => void output.push(line),
      fetch: fetchOf(servers(contents, more.refuse)),
      wait: async (milliseconds) => void waits.push(milliseconds),
    });
    return { code, output, waits };
  };

  describe('equal digests', () => {
    const ownDigest = { checkpoint: ground.chain.head, root: digestOf(proofs) };
    const claim = { index_digest: ownDigest };
    it('settle it for those who believe them, and say that this is all', async () => {
      const { code, output } = await runCompare(status(claim), status(claim), { left: [], right: [] });
      expect([code, output.at(-1)]).toEqual([
        0,
        'compare: both claim the same digest; with --full their lists are read and the digest is recomputed',
      ]);
    });
    it('compare --full recomputes digests, which an index that only repeats them does not survive', async () => {
      const { code, output } = await runCompare(status(claim), status(claim), { right: [], full: true });
      expect(code).toBe(1);
      expect(
        output.some((line) =>
          line.startsWith(`http://two.example/ claims the digest ${ownDigest.root}, but its list gives `),
        ),
      ).toBe(true);
      const honestRun = await runCompare(status(claim), status(claim), { full: true });
      expect([honestRun.code, honestRun.output.at(-1)]).toEqual([
        0,
        expect.stringMatching(
          `^compare: both list the same ${proofs.length} proofs up to checkpoint \\d+, of ${proofs.length} and ${proofs.length}$`,
        ),
      ]);
    });
  });
  it.each([
    ['has read nothing', { checkpoint: undefined }, /has read nothing yet$/],
    ['has not reached a node', { checkpoint: undefined, chain_id: undefined }, /has read nothing yet$/],
    ['has no proof', { indexed_count: 0 }, /has no proof: there is nothing to compare$/],
    ['is far behind', { checkpoint: 1 }, /is 20000 checkpoints behind; wait until it has caught up$/],
  ])('compare agrees with nobody who %s', async (_, more, sentence) => {
    for (const full of [false, true]) {
      const { code, output } = await runCompare(
        status({ checkpoint: 20_001 }),
        status({ checkpoint: 20_001, ...more }),
        {
          right: [],
          full,
        },
      );
      expect([code, output.at(-1)]).toEqual([2, expect.stringMatching(sentence)]);
    }
  });

  it('agrees with no index whose senders it does not share', async () => {
    const { code, output } = await runCompare(status(), status({ addresses: [`0x${'1'.repeat(64)}`] }), {
      right: [],
      full: true,
    });
    expect([code, output.at(-1)]).toEqual([
      2,
      'compare: the two index no sender in common: there is nothing to compare',
    ]);
  });
  it('compare reads no list that is too long for its memory', async () => {
    const { code, output } = await runCompare(status(), status({ indexed_count: 5_000_001 }), { full: true });
    expect([code, output.at(-1)]).toEqual([
      2,
      'compare: http://two.example/ claims 5000001 proofs; at most 5000000 are compared one by one',
    ]);
  });
  it('compare prints no control characters of a peer', async () => {
    const { output } = await runCompare(status(), status(), {
      right: proofs.map((proof, index) => (index === 3 ? { ...proof, merkle_root: '\u001b[2J' } : proof)),
    });
    expect(output.join('')).not.toMatch(/\p{Cc}/u);
    expect(output.join('')).toContain('\ufffd[2J');
  });

  const peer = (answer: (path: string) => unknown, headers: Record<string, string> = {}) => {
    const waits: number[] = [];
    let isRefused = false;
    const ask = async (url: string) => {
      const path = new URL(url).pathname;
      if (headers['retry-after'] !== undefined && !isRefused) {
        isRefused = true;
        return Response.json({}, { status: 503, headers });
      }
      return Response.json(url.startsWith('http://one') && path.endsWith('/proofs') ? page : answer(path));
    };
    const page = { data: proofs, next_cursor: null };
    const urls = ['http://one.example', 'http://two.example'] as const;
    const comparison = compare(urls, true, {
      print: () => undefined,
      fetch: fetchOf(ask),
      wait: async (milliseconds) => void waits.push(milliseconds),
    });
    return { comparison, waits };
  };
  it.each<[string, (path: string) => unknown]>([
    ['without an end', () => ({ ...status(), data: proofs, next_cursor: 'x' })],
    ['in empty pages', () => ({ ...status(), data: [], next_cursor: String(Math.random()) })],
    ['that are none', () => ({ ...status(), data: [{ tx: 1 }], next_cursor: null })],
    ['of which nothing is known', (path) => (path.endsWith('/status') ? { hello: 'world' } : {})],
    ['that is null', (path) => (path.endsWith('/status') ? status() : null)],
    ['with a cursor that is no text', () => ({ ...status(), data: proofs, next_cursor: { x: 1 } })],
    [
      'that is longer than an answer may be',
      (path) => ({
        ...status(),
        data: proofs,
        next_cursor: null,
        pad: path.endsWith('/status') ? '' : 'x'.repeat(5_000_000),
      }),
    ],
    ['by a status that is null', () => null],
    ['by a checkpoint that is no number', () => ({ ...status({ checkpoint: 'x' }), data: [], next_cursor: null })],
    ['by a digest that is none', () => ({ ...status({ index_digest: null }), data: [], next_cursor: null })],
    ['by a digest of other bytes', () => ({ ...status({ index_digest: { checkpoint: 1, root: 7 } }), data: [] })],
    ['by senders that are none', () => ({ ...status({ addresses: [7] }), data: [], next_cursor: null })],
  ])('compare gives up on a list of proofs %s', async (_, answer) => {
    await expect(peer(answer).comparison).rejects.toThrow(IndexUnreachable);
  });
  it.each([
    ['99999999', 60_000],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 5_000],
    ['7', 7_000],
  ])('compare waits no longer than a minute for Retry-After: %s', async (retryAfter, milliseconds) => {
    const { comparison, waits } = peer(() => ({ ...status(), data: proofs, next_cursor: null }), {
      'retry-after': retryAfter,
    });
    await comparison;
    expect(waits).toEqual([milliseconds]);
  });
  it('compares up to the checkpoint that both have reached', async () => {
    const lastCheckpoint = ground.chain.head - 4;
    const { code } = await runCompare(status(), status({ checkpoint: lastCheckpoint }), {
      right: proofs.filter((proof) => proof.checkpoint <= lastCheckpoint),
    });
    expect(code).toBe(0);
  });
  it('compare names what one index lacks, and a company period of which it has nothing', async () => {
    const lonelyProof: ProofRecord = { ...proofs[9]!, company_token: 'ct_only', period: '2020-01' };
    const { code, output } = await runCompare(status(), status(), {
      left: proofs.map((proof, index) => (index === 9 ? lonelyProof : proof)),
      right: proofs.filter((_, index) => index !== 3 && index !== 9),
    });
    expect(code).toBe(1);
    const lackLines = output.filter((line) => line.startsWith('http://two.example/ lacks'));
    expect(lackLines).toHaveLength(2);
    expect(lackLines.find((line) => line.includes(proofs[3]!.tx))).not.toContain('of which it has nothing');
    expect(output.find((line) => line.includes(lonelyProof.tx))).toContain('of which it has nothing');
  });
  it('compare names conflicting roots', async () => {
    const forgedProofs = proofs.map((proof, index) =>
      index === 42 ? { ...proof, merkle_root: '0'.repeat(64) } : proof,
    );
    const { code, output } = await runCompare(status(), status(), { right: forgedProofs });
    expect(code).toBe(1);
    expect(output.some((line) => line.includes(proofs[42]!.merkle_root) && line.includes('0'.repeat(64)))).toBe(true);
  });
  it('compare does not expect of an index of certain senders what others anchored', async () => {
    const senderProofs = proofs.filter((proof) => proof.sender === anchors[0]);
    const { code, output } = await runCompare(status(), status({ addresses: [anchors[0]] }), { right: senderProofs });
    expect([code, output.filter((line) => line.includes('lacks'))]).toEqual([0, []]);
    expect(output).toContain(
      `http://two.example/ indexes 1 senders only; ${700 - senderProofs.length} proofs of others that http://one.example has were not compared`,
    );
    const { code: secondCode, output: secondOutput } = await runCompare(status(), status({ addresses: [anchors[0]] }), {
      right: senderProofs.slice(1),
    });
    expect([
      secondCode,
      secondOutput.filter((line) => line.includes(`lacks transaction ${senderProofs[0]!.tx}`)).length,
    ]).toEqual([1, 1]);
  });
  it('compare names conflicting roots of one company and period, whatever transactions they stand in', async () => {
    const leftProof: ProofRecord = { ...proofs[9]!, company_token: 'ct_only', period: '2020-01' };
    const rightProof: ProofRecord = {
      ...leftProof,
      tx: proofs[9]!.tx.split('').reverse().join(''),
      merkle_root: 'e'.repeat(64),
    };
    const replaceTenth = (replacement: ProofRecord) =>
      proofs.map((proof, index) => (index === 9 ? replacement : proof));
    const { code, output } = await runCompare(status(), status(), {
      left: replaceTenth(leftProof),
      right: replaceTenth(rightProof),
    });
    expect(code).toBe(1);
    expect(output).toContain(
      `http://two.example/ lacks transaction ${leftProof.tx} event 0 with root ${leftProof.merkle_root} (company ct_only, period 2020-01, in conflict with root ${rightProof.merkle_root} of transaction ${rightProof.tx} that it has)`,
    );
    expect(output).toContain(
      `http://one.example lacks transaction ${rightProof.tx} event 0 with root ${rightProof.merkle_root} (company ct_only, period 2020-01, in conflict with root ${leftProof.merkle_root} of transaction ${leftProof.tx} that it has)`,
    );
  });
  it('looks at each proof a few times only, however little the two have in common', () => {
    let looks = 0;
    const manyProofs = (word: string) =>
      Array.from(
        { length: 2_000 },
        (_, index): ProofRecord => ({
          ...proofs[0]!,
          tx: `${word}${index}`,
          checkpoint: index,
          get period() {
            looks++;
            return word;
          },
        }),
      );
    const state = { ...status(), checkpoint: 3_000, addresses: [] };
    expect(
      disagreements(
        { name: 'a', status: state, proofs: manyProofs('one') },
        { name: 'b', status: state, proofs: manyProofs('two') },
      ),
    ).toHaveLength(4_000);
    expect(looks).toBeLessThan(40_000);
  });
  it('catches an index whose list does not give its own digest', async () => {
    const { code, output } = await runCompare(
      status({ index_digest: { checkpoint: ground.chain.head, root: 'b'.repeat(64) } }),
      status(),
    );
    expect(code).toBe(1);
    expect(output.some((line) => line.startsWith('http://one.example claims the digest'))).toBe(true);
  });
  it('compare waits where it is asked to', async () => {
    const { code, waits } = await runCompare(status(), status(), { refuse: 2 });
    expect([code, waits]).toEqual([0, [3_000, 3_000]]);
  });
  it('compare refuses different ledgers', async () => {
    expect((await runCompare(status(), status({ chain_id: '99999999' }))).code).toBe(1);
  });
});
