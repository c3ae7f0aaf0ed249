/** The ledger as commands use it: the right chain and package or nothing, and patience with a busy node. */
import type { Database } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { fetch as undiciFetch } from 'undici';
import type { IndexerConfig } from '../config.js';
import { refuseOtherChain, refuseOtherPackage } from '../follow/identity.js';
import { connectLedger, readVersions } from '../ledger/connect.js';
import { createEventDecoder, type EventDecoder } from '../ledger/event-decoder.js';
import { createGraphqlClient, type Fetch, LedgerFailure } from '../ledger/graphql.js';
import { lineageOf, mergeVersions } from '../ledger/lineage.js';
import type { LedgerNode } from '../ledger/node.js';
import { sleep } from '../sleep.js';
import { readFollower, saveChain, savePackage } from '../store/streams.js';

/** Parts of the process for a command that asks the ledger. */
export interface CommandContext {
  readonly print: (line: string) => void;
  readonly clock: () => Instant;
  /** undici's unless given. */
  readonly fetch?: Fetch;
}

export interface CommandLedger {
  readonly node: LedgerNode;
  readonly decoder: EventDecoder;
}

/**
 * Connects to the configured node for a command that stores what it answers. An empty database becomes an index of its
 * chain and package here, before anything else is stored.
 * @throws WrongLedger if the database is an index of another chain or package. LedgerFailure
 */
export async function openLedger(
  config: IndexerConfig,
  db: Database,
  fetch: Fetch = undiciFetch as unknown as Fetch,
): Promise<CommandLedger> {
  const { node, chainId, view } = await connectLedger(createGraphqlClient({ url: config.CHAIN_GRAPHQL_URL, fetch }));
  const state = await readFollower(db);
  refuseOtherChain(state, chainId);
  const reportedVersions = await patiently(() => readVersions(node, config.CHAIN_ANCHOR_PACKAGE));
  refuseOtherPackage(state, config.CHAIN_ANCHOR_PACKAGE, reportedVersions);
  const versions = mergeVersions(state.packageVersions, reportedVersions);
  const lineage = lineageOf(config.CHAIN_ANCHOR_PACKAGE, versions);
  await saveChain(db, { chainId, dialect: node.dialect, head: view });
  if (lineage.known) await savePackage(db, { original: lineage.original, versions, publishedAt: lineage.publishedAt });
  const expectation = {
    packages: new Set(lineage.definingIds.map((version) => version.id)),
    senders: new Set(config.ADDRESSES),
  };
  return { node, decoder: createEventDecoder(node, () => expectation) };
}

const tries = 5;

/** Asks again where the node says that it is busy. @throws LedgerFailure after five tries, or at once if it is final */
export async function patiently<T>(question: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await question();
    } catch (error) {
      if (
        !(error instanceof LedgerFailure) ||
        (error.kind !== 'retry' && error.kind !== 'smaller') ||
        attempt === tries
      )
        throw error;
      await sleep(error.retryAfterMilliseconds ?? 500 * 2 ** attempt);
    }
  }
}
