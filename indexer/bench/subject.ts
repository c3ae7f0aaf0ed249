/**
 * The process under load. `serve`: the index as it runs in production and, beside it in the same process, a bare
 * node:http handler with the same prepared look-up, over so many proofs. `follow`: the index reads a ledger. `plain`: a
 * loop that only fetches the pages and inserts the rows. Prints JSON lines.
 */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { openDatabase } from '@clockproof/platform/database/open';
import { createLog } from '@clockproof/platform/log';
import { fetch } from 'undici';
import { addressOf, digestOf } from '../simulator/encode.js';
import { readConfig } from '../src/config.js';
import { startIndexer } from '../src/indexer.js';
import { pageDocuments } from '../src/ledger/documents.js';
import { presentProof } from '../src/store/proof-record.js';
import type { ProofRow } from '../src/store/proofs.js';
import { addToTotals, proofsOfTransactionSql, readTotals, storeProofs } from '../src/store/proofs.js';
import { migrations } from '../src/store/schema.js';
import { optimiseForSpeed } from '../src/v8-flags.js';

const [mode, proofs = '10000'] = process.argv.slice(2);
const say = (value: object) => console.log(JSON.stringify(value));
const residentAtMost = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0') / 1_024;
const config = readConfig({
  ACCEPT_TERMS: 'true',
  LISTEN_ADDR: '127.0.0.1:0',
  RATE_IP_PER_MINUTE: '100000000',
  CHAIN_NETWORK: 'devnet',
  POLL_INTERVAL: '1s',
  LOG_LEVEL: 'warn',
  ...process.env,
});

/** The proofs of the bench are numbered; the load generator makes their digests itself. */
export function benchProof(index: number) {
  return {
    tx: digestOf('bench', index),
    eventSequence: 0,
    checkpoint: 1 + Math.floor(index / 10),
    ledgerTime: 1_795_000_000_000 + index * 1_000,
    sender: addressOf(`sender ${index % 50}`),
    package: config.CHAIN_ANCHOR_PACKAGE,
    companyToken: `ct_${index % 5_000}`,
    period: `2026-${String(1 + (index % 12)).padStart(2, '0')}`,
    merkleRoot: Buffer.from(digestOf('root', index)).toString('hex').slice(0, 64),
    eventType: `${config.CHAIN_ANCHOR_PACKAGE}::anchor::ProofAnchored`,
    eventBcs: Buffer.alloc(60, index % 256),
  };
}

switch (mode) {
  case 'serve':
    await serve(Number(proofs));
    break;
  case 'follow':
    await follow(Number(proofs));
    break;
  case 'plain':
    await plain(Number(proofs));
    break;
  default:
    throw new Error(`unknown mode ${mode}`);
}

async function serve(count: number): Promise<void> {
  optimiseForSpeed();
  const db = await openDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
  await db.migrate(migrations);
  if ((await readTotals(db)).proofs === 0) {
    for (let from = 0; from < count; from += 5_000) {
      const batch = Array.from({ length: Math.min(5_000, count - from) }, (_, index) => benchProof(from + index));
      await db.write(async (tx) => {
        await storeProofs(tx, batch, 1);
        await addToTotals(tx, { proofs: batch.length, rejected: 0, alarms: 0, lastProofAt: null });
        // As after the first look-up of each and the second reading: the node is not part of what is measured.
        await tx.run('UPDATE proofs SET confirmed = 1, listed_again = 1 WHERE checkpoint >= :first', {
          first: batch[0]!.checkpoint,
        });
      });
    }
    await db.write(async (tx) => {
      await tx.run(
        `INSERT INTO streams (id, package, sender, from_checkpoint, watermark, backfilled, resume, version, history, history_floor, retention_checked_from) VALUES ('bench', 'x', NULL, 0, :watermark, 1, NULL, 0, 'complete', NULL, 0)`,
        { watermark: count },
      );
      await tx.run('UPDATE follower SET last_index_time = :at WHERE id = 1', { at: Date.now() });
    });
  }
  const indexer = await startIndexer({ config, log: createLog('warn', 'indexer'), follow: false });
  const bareServer = createServer((request, response) => {
    const url = request.url!;
    const question = url.indexOf('?');
    const tx = url.slice('/api/v1/verify/'.length, question < 0 ? undefined : question);
    void db.all<ProofRow>(proofsOfTransactionSql, { tx }).then((rows) => {
      const body = JSON.stringify(rows.map(presentProof));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
      response.end(body);
    });
  });
  bareServer.listen(0, '127.0.0.1', () =>
    say({ port: Number(new URL(indexer.url).port), ceilingPort: (bareServer.address() as { port: number }).port }),
  );
  process.on('SIGTERM', () => process.exit(0));
}

/** Prints how long the first reading took and the most memory that was in use. */
async function follow(count: number): Promise<void> {
  let readCount = 0;
  const startedAt = performance.now();
  const indexer = await startIndexer({
    config,
    log: createLog('warn', 'indexer'),
    follow: false,
    onStep: (step) => {
      if (step === 'page committed' && ++readCount % 200 === 0) say({ pages: readCount, resident: residentAtMost() });
    },
  });
  await indexer.follower.pass();
  const seconds = (performance.now() - startedAt) / 1_000;
  const { proofs: storedCount } = await readTotals(indexer.db);
  say({ done: true, seconds, stored: storedCount, complete: storedCount === count, resident: residentAtMost() });
  await indexer.close();
}

async function plain(count: number): Promise<void> {
  const db = await openDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
  await db.migrate(migrations);
  const startedAt = performance.now();
  let storedCount = 0;
  interface Edge {
    readonly node: {
      readonly timestamp: string;
      readonly sender: { readonly address: string };
      readonly json: { readonly company_token: string; readonly period: string; readonly merkle_root: number[] };
      readonly type: { readonly repr: string };
      readonly bcs: string;
      readonly transactionBlock: {
        readonly digest: string;
        readonly effects: { readonly checkpoint: { readonly sequenceNumber: number } };
      };
    };
  }
  for (let cursor: string | null = null; ; ) {
    const response = await fetch(config.CHAIN_GRAPHQL_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: pageDocuments.flat,
        variables: { filter: { eventType: config.CHAIN_ANCHOR_PACKAGE }, first: 50, after: cursor },
      }),
    });
    const { events } = (
      (await response.json()) as {
        data: { events: { pageInfo: { hasNextPage: boolean; endCursor: string }; edges: Edge[] } };
      }
    ).data;
    await db.write((tx) =>
      tx.all(
        `INSERT INTO proofs (tx, event_sequence, checkpoint, ledger_time, sender, package, company_token, period, merkle_root, event_type, event_bcs)
        VALUES ${events.edges.map((_, row) => `(:t${row}, 0, :c${row}, :l${row}, :s${row}, :p, :k${row}, :d${row}, :r${row}, :e${row}, :b${row})`).join(', ')} ON CONFLICT DO NOTHING RETURNING tx`,
        Object.fromEntries([
          ['p', config.CHAIN_ANCHOR_PACKAGE],
          ...events.edges.flatMap(({ node }, row) => [
            [`t${row}`, node.transactionBlock.digest],
            [`c${row}`, node.transactionBlock.effects.checkpoint.sequenceNumber],
            [`l${row}`, Date.parse(node.timestamp)],
            [`s${row}`, node.sender.address],
            [`k${row}`, node.json.company_token],
            [`d${row}`, node.json.period],
            [`r${row}`, Buffer.from(node.json.merkle_root)],
            [`e${row}`, node.type.repr],
            [`b${row}`, Buffer.from(node.bcs, 'base64')],
          ]),
        ]) as Record<string, string>,
      ),
    );
    storedCount += events.edges.length;
    if (!events.pageInfo.hasNextPage) break;
    cursor = events.pageInfo.endCursor;
  }
  say({
    done: true,
    seconds: (performance.now() - startedAt) / 1_000,
    stored: storedCount,
    complete: storedCount === count,
    resident: residentAtMost(),
  });
  await db.close();
}
