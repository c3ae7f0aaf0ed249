/** Before the first page: who the node is, whether it is the right ledger, and what is to be read of it. */
import type { Database } from '@clockproof/platform/database/database';
import type { Log } from '@clockproof/platform/log';
import { askOneChain } from '../ledger/chain.js';
import { connectLedger, readVersions } from '../ledger/connect.js';
import { createEventDecoder, type EventDecoder } from '../ledger/event-decoder.js';
import { type Ask, LedgerFailure } from '../ledger/graphql.js';
import { knownChains, shortChain } from '../ledger/identifiers.js';
import { type Lineage, lineageOf, mergeVersions } from '../ledger/lineage.js';
import { createLedgerNode, type LedgerNode, type PackageVersion } from '../ledger/node.js';
import type { Expectation } from '../ledger/proof-event.js';
import {
  readFollower,
  readStreams,
  reconcileStreams,
  saveChain,
  savePackage,
  type WantedStream,
} from '../store/streams.js';
import { packageAddresses, refuseOtherChain, refuseOtherPackage } from './identity.js';

export interface LedgerSettings {
  readonly database: Database;
  readonly ask: Ask;
  /** The same node for questions while a client waits: gives up sooner. `ask` unless given. */
  readonly askQuickly?: Ask;
  /** Address of any version of the anchor package, normalised. */
  readonly package: string;
  readonly network: string;
  /** Senders to index, normalised; empty means all. */
  readonly senders: readonly string[];
  readonly log: Log;
  readonly onFailure?: (code: string) => void;
}

/** The ledger as one node shows it. */
export interface Ledger {
  readonly node: LedgerNode;
  readonly decoder: EventDecoder;
  /** For questions while a client waits. */
  readonly quickDecoder: EventDecoder;
  /** The node's own limit for a page; undefined if it tells none. */
  readonly maxPageSize: number | undefined;
  lineage: Lineage;
  /** Packages and senders whose proofs are of this index. */
  expectation: Expectation;
}

/** Failures of the question about the package without a reason, over all tries to open the ledger. */
export interface PackageFailures {
  count: number;
}

/** So often, and the node counts as one that does not tell about packages. */
const packageAttempts = 5;

/**
 * Checkpoints by which one replica of a node may be behind another, about three quarters of an hour. A larger
 * difference is not taken for lag.
 */
export const maxReplicaLag = 10_000;

/** @throws WrongLedger before anything is changed; LedgerFailure */
export async function openLedger(settings: LedgerSettings, failures: PackageFailures): Promise<Ledger> {
  const { database, ask, log } = settings;
  const { node, chainId: id, view } = await connectLedger(ask);
  refuseOtherChain(await readFollower(database), id);
  const chain = knownChains[shortChain(id)];
  if (chain !== undefined && chain.network !== settings.network)
    log.warn(
      { chain_id: shortChain(id), configured: settings.network },
      `the node belongs to the ${chain.network} of ${chain.family}`,
    );
  const maxPageSize = await node.maxPageSize().catch(() => undefined);
  const { lineage, expectation } = await resolveLineage(settings, node, failures);
  await saveChain(database, { chainId: id, dialect: node.dialect, head: view });
  log.info({ dialect: node.dialect, chain_id: shortChain(id), package: lineage.original }, 'following the ledger');
  const quickNode = createLedgerNode(askOneChain(settings.askQuickly ?? ask, id), node.dialect);
  const ledger: Ledger = {
    node: withHeadVerification(node, view.sequence),
    decoder: createEventDecoder(node, () => ledger.expectation),
    quickDecoder: createEventDecoder(quickNode, () => ledger.expectation),
    maxPageSize,
    lineage,
    expectation,
  };
  return ledger;
}

/** Asks again if the node's checkpoint leaps ahead: everything up to it would count as read. */
function withHeadVerification(node: LedgerNode, from: number): LedgerNode {
  let head = from;
  return {
    ...node,
    async page(request) {
      const page = await node.page(request);
      const limit = head + maxReplicaLag;
      if (page.view.sequence > limit && page.view.sequence > (await node.view()).sequence + maxReplicaLag)
        throw new LedgerFailure(
          'retry',
          `the node says that it is at checkpoint ${page.view.sequence}, and then that it is not`,
          'HEAD_IN_DOUBT',
        );
      head = page.view.sequence;
      return page;
    },
  };
}

/**
 * The versions of the package, and the streams that follow from them.
 * @throws WrongLedger before anything is changed, if what is configured is no version of the package that the
 * database is an index of
 */
export async function resolveLineage(
  settings: LedgerSettings,
  node: LedgerNode,
  failures: PackageFailures,
): Promise<Pick<Ledger, 'lineage' | 'expectation'>> {
  const { database, log, senders } = settings;
  const state = await readFollower(database);
  const storedVersions = state.packageVersions;
  const reportedVersions = await fetchVersions(settings, node, packageAddresses(state), failures);
  refuseOtherPackage(state, settings.package, reportedVersions);
  const versions = mergeVersions(storedVersions, reportedVersions);
  const lineage = lineageOf(settings.package, versions);
  if (!lineage.known)
    log.warn(
      { package: settings.package },
      'the node does not know the anchor package; polling goes on in case it appears',
    );
  else if (lineage.original !== settings.package)
    log.info(
      { package: settings.package, original: lineage.original },
      'the anchor package was upgraded; events are found by the original id',
    );
  await reconcileStreams(database, wantedStreams(lineage, senders), lineage.known);
  const expectation = {
    packages: new Set([
      ...lineage.definingIds.map((definition) => definition.id),
      ...(await readStreams(database)).map((stream) => stream.package),
    ]),
    senders: new Set(senders),
  };
  if (lineage.known && JSON.stringify(versions) !== JSON.stringify(storedVersions))
    await savePackage(database, { original: lineage.original, versions, publishedAt: lineage.publishedAt });
  return { lineage, expectation };
}

/** @param knownAddresses addresses of versions that are known already: for one of them nothing depends on the answer */
async function fetchVersions(
  settings: LedgerSettings,
  node: LedgerNode,
  knownAddresses: ReadonlySet<string>,
  failures: PackageFailures,
): Promise<readonly PackageVersion[]> {
  try {
    return await readVersions(node, settings.package);
  } catch (error) {
    if (!(error instanceof LedgerFailure)) throw error;
    settings.onFailure?.(error.code);
    if (knownAddresses.has(settings.package) || (error.code === 'UNKNOWN' && ++failures.count >= packageAttempts))
      return [];
    throw error;
  }
}

function wantedStreams(lineage: Lineage, senders: readonly string[]): WantedStream[] {
  return lineage.definingIds.flatMap(({ id, publishedAt }) =>
    (senders.length === 0 ? [null] : senders).map((sender) => ({
      id: `events ${id} ${sender ?? '*'}`,
      package: id,
      sender,
      fromCheckpoint: publishedAt ?? lineage.publishedAt ?? 0,
    })),
  );
}
