/**
 * A small world for tests: a chain, a node of one dialect in front of it, an empty database, and followers that come
 * and go.
 */
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { silentLog } from '@clockproof/platform/log';
import {
  createTestDatabase,
  type DialectName,
  oneDialect,
  type TestDatabase,
} from '@clockproof/platform/testing/databases';
import { type Chain, createChain, type NewEvent, type NewTransaction, proofFields } from '../simulator/chain.js';
import { addressOf } from '../simulator/encode.js';
import { type Spoil, spoilNode } from '../simulator/faults.js';
import { createSimulatedNode, type NodeOptions, type SimulatedNode } from '../simulator/node.js';
import { createRandom, type Random } from '../simulator/random.js';
import { type SimulatedDialect, simulatedDialects } from '../simulator/schemas.js';
import { readConfig } from '../src/config.js';
import { createFollower, type Follower, type FollowerOptions } from '../src/follow/follower.js';
import { type Indexer, startIndexer } from '../src/indexer.js';
import { type Ask, createGraphqlClient, type Fetch, LedgerFailure } from '../src/ledger/graphql.js';
import { type ProofRecord, presentProof } from '../src/store/proof-record.js';
import { beforeEverything, proofsInLedgerOrder } from '../src/store/proofs.js';
import { migrations } from '../src/store/schema.js';
import { readStreams } from '../src/store/streams.js';

export const anchors = ['one', 'two', 'three'].map((word) => addressOf(`anchor ${word}`));

/** A ledger with an anchor package on it. */
export interface Ground {
  readonly chain: Chain;
  readonly package: string;
  readonly random: Random;
}

/** The time on the clocks of these worlds, unless a test has its own. */
export const today = 1_795_233_600_000;

/** @param clock of the ledger; without one its checkpoints are a quarter of a second apart */
export function createGround(seed = 1, name = 'test', clock?: () => number): Ground {
  const chain = createChain({ name, start: today, ...(clock === undefined ? {} : { clock }) });
  return { chain, package: chain.publish('anchor').address, random: createRandom(seed) };
}

export function proofEvent(
  random: Random,
  company = `ct_${random.between(0, 9)}`,
  period = `2026-${String(random.between(1, 12)).padStart(2, '0')}`,
): NewEvent {
  return { fields: proofFields({ companyToken: company, period, merkleRoot: random.bytes(32) }) };
}

/** One checkpoint with up to two transactions of the package, some with several proofs, some with none. */
export function grow({ chain, package: calledPackage, random }: Ground, checkpoints = 1): void {
  for (let index = 0; index < checkpoints; index++) {
    chain.append(
      Array.from(
        { length: random.between(0, 2) },
        (): NewTransaction => ({
          sender: anchors[random.between(0, anchors.length - 1)]!,
          called: calledPackage,
          events: Array.from({ length: random.between(0, 3) }, () => proofEvent(random)),
        }),
      ),
    );
  }
}

/** Exactly so many proofs, one a transaction, ten a checkpoint. */
export function growProofs({ chain, package: calledPackage, random }: Ground, count: number): void {
  for (let remainingCount = count; remainingCount > 0; remainingCount -= 10) {
    chain.append(
      Array.from({ length: Math.min(10, remainingCount) }, () => ({
        sender: anchors[random.between(0, anchors.length - 1)]!,
        called: calledPackage,
        events: [proofEvent(random)],
      })),
    );
  }
}

/** The expected contents of the index, told by the chain itself. */
export function expectedProofs(
  { chain, package: anchorPackage }: Ground,
  upTo = Infinity,
  senders: readonly string[] = [],
): ProofRecord[] {
  return chain
    .events(anchorPackage)
    .filter(
      (event) =>
        event.transaction.checkpoint <= upTo && (senders.length === 0 || senders.includes(event.transaction.sender)),
    )
    .map((event) => {
      const [token, period, root] = event.fields;
      if (token?.type !== 'string' || period?.type !== 'string' || root?.type !== 'bytes')
        throw new Error('not the usual struct');
      return {
        tx: event.transaction.digest,
        event_sequence: event.index,
        sender: event.transaction.sender,
        package: anchorPackage,
        company_token: token.text,
        period: period.text,
        merkle_root: Buffer.from(root.bytes).toString('hex'),
        checkpoint: event.transaction.checkpoint,
        ledger_time: new Date(chain.timeOf(event.transaction.checkpoint)).toISOString().replace('.000Z', 'Z'),
      };
    })
    .sort(
      (a, b) =>
        a.checkpoint - b.checkpoint || (a.tx < b.tx ? -1 : a.tx > b.tx ? 1 : a.event_sequence - b.event_sequence),
    );
}

export async function storedProofs(db: Database, upTo = Number.MAX_SAFE_INTEGER): Promise<ProofRecord[]> {
  return (await proofsInLedgerOrder(db, beforeEverything, upTo, [], 10_000_000)).map(presentProof);
}

export async function watermark(db: Database): Promise<number> {
  const streams = await readStreams(db);
  return streams.length === 0 ? -1 : Math.min(...streams.map((stream) => stream.watermark));
}

export interface Home {
  readonly db: Database;
  readonly test: TestDatabase;
  close(): Promise<void>;
}

export async function createHome(driver: DialectName): Promise<Home> {
  const test = await createTestDatabase(driver, migrations);
  const db = await openDatabase(test.settings);
  return {
    db,
    test,
    close: async () => {
      await db.close();
      await test.drop();
    },
  };
}

export function asFetch(node: SimulatedNode): Fetch {
  return (url, init) => node.fetch(url, init) as unknown as ReturnType<Fetch>;
}

/**
 * Every dialect of nodes, before one database. A node's dialect concerns the reading and not the rows, so another
 * database needs only one.
 */
export const nodesBefore = (driver: DialectName): readonly SimulatedDialect[] =>
  oneDialect.includes(driver) ? simulatedDialects : ['ga'];

export interface World extends Ground {
  readonly node: SimulatedNode;
  readonly ask: Ask;
  follower(options?: Partial<FollowerOptions>): Follower;
}

export function createWorld(
  ground: Ground,
  db: Database,
  options: NodeOptions | SimulatedDialect,
  spoil: Spoil = () => undefined,
): World {
  const node = spoilNode(
    createSimulatedNode(ground.chain, typeof options === 'string' ? { dialect: options } : options),
    spoil,
  );
  const ask = createGraphqlClient({ url: 'http://node.example/graphql', fetch: asFetch(node) });
  return { ...ground, node, ask, follower: (overrides) => createFollower(followerOptions(ground, db, ask, overrides)) };
}

export function followerOptions(
  ground: Ground,
  database: Database,
  ask: Ask,
  overrides: Partial<FollowerOptions> = {},
): FollowerOptions {
  return {
    database,
    ask,
    package: ground.package,
    network: 'devnet',
    senders: [],
    pollMilliseconds: 1_000,
    pauseMilliseconds: 0,
    rescanPages: 1,
    log: silentLog,
    clock: () => today,
    monotonic: () => performance.now(),
    random: () => 0.5,
    sleep: async () => undefined,
    holder: 'follower',
    ...overrides,
  };
}

/** Thrown where the process is to die. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

export interface Index {
  readonly indexer: Indexer;
  get(
    path: string,
  ): Promise<{ readonly status: number; readonly cache: string | null; readonly body: Record<string, unknown> }>;
  close(): Promise<void>;
}

/**
 * The whole index over a database that is there, passes driven by the test. Every answer is held against the contract.
 */
export async function startIndex({
  ground,
  home,
  node,
  clock = () => today,
  addresses = [],
}: {
  readonly ground: Pick<Ground, 'package'>;
  readonly home: Home;
  readonly node: SimulatedNode;
  readonly clock?: () => number;
  readonly addresses?: readonly string[];
}): Promise<Index> {
  const breaches: string[] = [];
  const indexer = await startIndexer({
    config: {
      ...readConfig({
        ACCEPT_TERMS: 'true',
        CHAIN_ANCHOR_PACKAGE: ground.package,
        CHAIN_NETWORK: 'devnet',
        CHAIN_GRAPHQL_URL: 'http://node.example',
        ADDRESSES: addresses.join(),
        LISTEN_ADDR: '127.0.0.1:0',
        RATE_IP_PER_MINUTE: '100000',
      }),
      DB_DRIVER: home.test.settings.driver,
      DB_DSN: home.test.settings.dsn,
    },
    log: silentLog,
    clock,
    fetch: asFetch(node),
    follow: false,
    sleep: async () => undefined,
    onContractBreach: (breach) => breaches.push(breach),
  });
  return {
    indexer,
    async get(path) {
      const response = await fetch(`${indexer.url}${path}`);
      return {
        status: response.status,
        cache: response.headers.get('cache-control'),
        body: (await response.json()) as Record<string, unknown>,
      };
    },
    async close() {
      await indexer.close();
      if (breaches.length > 0) throw new Error(`answers break the contract: ${breaches.join('; ')}`);
    },
  };
}

/** Passes until one goes through, as the loop would. @returns the number of failures before */
export async function passUntilItGoesThrough(follower: Follower, maxFailures = 20): Promise<number> {
  for (let failureCount = 0; ; failureCount++) {
    try {
      await follower.pass();
      return failureCount;
    } catch (error) {
      if (!(error instanceof LedgerFailure) || failureCount === maxFailures) throw error;
    }
  }
}

/** Passes enough for the questions that are put only now and then. */
export async function untilAudited(follower: Follower): Promise<void> {
  for (let pass = 0; pass < 11; pass++) await follower.pass();
}
