/**
 * Examines what can be examined from here: configuration, database against itself, ledger, and database against ledger.
 * One line a finding.
 */
import { append, emptyFrontier, leafHash, rootOf } from '@clockproof/platform/bytes/merkle-tree';
import { ConfigurationFaults } from '@clockproof/platform/config/config';
import type { Database } from '@clockproof/platform/database/database';
import { openExistingDatabase } from '@clockproof/platform/database/open';
import { fetch } from 'undici';
import { type IndexerConfig, readConfig } from '../config.js';
import { claimedHistory } from '../follow/retention.js';
import { connectLedger, readVersions } from '../ledger/connect.js';
import { createGraphqlClient, type Fetch } from '../ledger/graphql.js';
import { sameChain } from '../ledger/identifiers.js';
import { lineageOf } from '../ledger/lineage.js';
import { publishedDigest } from '../store/index-digest.js';
import { canonicalJson, presentProof } from '../store/proof-record.js';
import {
  beforeEverything,
  countProofs,
  integrityAlarms,
  isStored,
  type Position,
  proofsInLedgerOrder,
  readTotals,
  rejectedByReason,
} from '../store/proofs.js';
import { migrations } from '../store/schema.js';
import { readDigest, readFollower, readStreams } from '../store/streams.js';

type Report = (ok: boolean, subject: string, words: string) => void;

export async function doctor(
  env: Readonly<Record<string, string | undefined>>,
  print: (line: string) => void,
  ledgerFetch: Fetch = fetch as unknown as Fetch,
): Promise<number> {
  let failures = 0;
  const report: Report = (ok, subject, words) => {
    if (!ok) failures++;
    print(`${ok ? 'ok  ' : 'FAIL'}  ${subject}: ${words}`);
  };
  let config: IndexerConfig;
  try {
    config = readConfig(env);
    report(
      true,
      'configuration',
      `package ${config.CHAIN_ANCHOR_PACKAGE} on ${config.CHAIN_NETWORK}, ${config.ADDRESSES.length === 0 ? 'all senders' : `${config.ADDRESSES.length} senders`}`,
    );
  } catch (error) {
    if (!(error instanceof ConfigurationFaults)) throw error;
    for (const fault of error.faults) report(false, 'configuration', fault);
    return 1;
  }
  let db: Database | undefined;
  try {
    db = await openExistingDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
    await db.migrate(migrations);
    await checkDatabase(db, report);
  } catch (error) {
    report(false, 'database', messageOf(error));
  }
  try {
    await checkLedger(config, db, report, ledgerFetch);
  } catch (error) {
    report(false, 'ledger', messageOf(error));
  }
  await db?.close();
  print(failures === 0 ? 'nothing is wrong' : failures === 1 ? 'one thing is wrong' : `${failures} things are wrong`);
  return failures === 0 ? 0 : 1;
}

async function checkDatabase(db: Database, report: Report): Promise<void> {
  const totals = await readTotals(db);
  const proofCount = await countProofs(db);
  report(proofCount === totals.proofs, 'database', `${proofCount} proofs, ${totals.proofs} by its own count`);
  for (const { reason, n } of await rejectedByReason(db)) report(true, 'rejected', `${n} events: ${reason}`);
  const alarms = await integrityAlarms(db);
  for (const alarm of alarms)
    report(
      false,
      'alarm',
      `transaction ${alarm.tx} event ${alarm.event_sequence}: stored ${alarm.stored}, at another time ${alarm.reported}`,
    );
  if (alarms.length === 0) report(true, 'alarms', 'none');
  const state = await readDigest(db);
  const digest = publishedDigest(state);
  if (digest !== undefined) {
    const root = await recompute(db, digest.checkpoint, state.scope === '' ? [] : state.scope.split(','));
    report(
      root === digest.root,
      'digest',
      root === digest.root
        ? `${root} up to checkpoint ${digest.checkpoint}`
        : `stored ${digest.root}, recomputed ${root}`,
    );
  }
  const streams = await readStreams(db);
  for (const stream of streams) {
    report(
      stream.history !== 'partial',
      'stream',
      `${stream.id}: watermark ${stream.watermark}, ${stream.backfilled ? 'history read' : 'still reading the history'}, history ${stream.history}${stream.historyFloor === null ? '' : ` from checkpoint ${stream.historyFloor} on`}`,
    );
  }
  report(true, 'history', claimedHistory(streams, await readFollower(db)));
}

async function recompute(db: Database, upTo: number, senders: readonly string[]): Promise<string> {
  let frontier = emptyFrontier;
  for (let position: Position = beforeEverything; ; ) {
    const rows = await proofsInLedgerOrder(db, position, upTo, senders, 2_000);
    for (const row of rows) frontier = append(frontier, leafHash(Buffer.from(canonicalJson({ ...presentProof(row) }))));
    const last = rows.at(-1);
    if (last === undefined) return rootOf(frontier).toString('hex');
    position = { checkpoint: last.checkpoint, tx: last.tx, sequence: last.event_sequence };
  }
}

async function checkLedger(
  config: IndexerConfig,
  db: Database | undefined,
  report: Report,
  ledgerFetch: Fetch,
): Promise<void> {
  const { node, chainId, view } = await connectLedger(
    createGraphqlClient({ url: config.CHAIN_GRAPHQL_URL, fetch: ledgerFetch }),
  );
  report(true, 'ledger', `dialect ${node.dialect}, chain ${chainId}, checkpoint ${view.sequence}`);
  const lineage = lineageOf(config.CHAIN_ANCHOR_PACKAGE, await readVersions(node, config.CHAIN_ANCHOR_PACKAGE));
  report(
    lineage.known,
    'package',
    lineage.known
      ? `original id ${lineage.original}, ${lineage.addresses.length} versions, published in checkpoint ${lineage.publishedAt ?? 'unknown'}`
      : 'the node does not know it',
  );
  const floor = await node.retentionFloor();
  report(
    true,
    'retention',
    floor === undefined ? 'the node does not say where its memory begins' : `events from checkpoint ${floor} on`,
  );
  if (db === undefined) return;
  const follower = await readFollower(db);
  report(
    follower.chainId === null || sameChain(follower.chainId, chainId),
    'same chain',
    follower.chainId === null ? 'nothing indexed yet' : `database ${follower.chainId}, node ${chainId}`,
  );
  for (const stream of await readStreams(db)) {
    const page = await node.page({
      package: stream.package,
      direction: 'backward',
      size: 1,
      sender: stream.sender ?? undefined,
    });
    const newest = page.events.at(-1);
    if (newest === undefined || newest.checkpoint > stream.watermark) continue;
    const newestIsStored = await isStored(db, newest.tx, newest.sequence);
    report(
      newestIsStored,
      'newest event',
      newestIsStored
        ? `of ${stream.id} is stored`
        : `of ${stream.id}, transaction ${newest.tx}, lies behind the watermark and is missing`,
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
