/**
 * Takes proofs of another index, for example to fill what the node no longer lists. Nothing is believed: the ledger is
 * asked about each transaction by its digest, which
 * nodes often still answer from an archive, and only what the ledger confirms is stored, in the ledger's words.
 */
import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { openDatabase } from '@clockproof/platform/database/open';
import type { Instant } from '@clockproof/platform/time/instant';
import { fetch } from 'undici';
import type { IndexerConfig } from '../config.js';
import { connectLedger, readVersions } from '../ledger/connect.js';
import { createEventDecoder, type DecodedTransaction } from '../ledger/event-decoder.js';
import { createGraphqlClient, type Fetch, LedgerFailure } from '../ledger/graphql.js';
import { isTransactionDigest, normaliseRoot } from '../ledger/identifiers.js';
import { lineageOf, mergeVersions } from '../ledger/lineage.js';
import { sleep } from '../sleep.js';
import { ingest } from '../store/ingest.js';
import { migrations } from '../store/schema.js';
import { readFollower } from '../store/streams.js';

export interface ImportCounts {
  read: number;
  stored: number;
  known: number;
  contradicted: number;
  unconfirmed: number;
  unreadable: number /** Proofs that no line names, of transactions of which one does. */;
  beside: number;
}

interface Line {
  readonly tx: string;
  readonly sequence: number;
  readonly root: string;
}

const tries = 5;

export async function importProofs(
  config: IndexerConfig,
  words: readonly string[],
  print: (line: string) => void,
  clock: () => Instant,
  ledgerFetch: Fetch = fetch as unknown as Fetch,
): Promise<number> {
  const [file, ...rest] = words;
  if (rest.length > 0) {
    print('import: name one file, or none for standard input');
    return 64;
  }
  if (file !== undefined) await access(file, constants.R_OK);
  const db = await openDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
  const counts: ImportCounts = {
    read: 0,
    stored: 0,
    known: 0,
    contradicted: 0,
    unconfirmed: 0,
    unreadable: 0,
    beside: 0,
  };
  try {
    await db.migrate(migrations);
    const { node, chainId } = await connectLedger(
      createGraphqlClient({ url: config.CHAIN_GRAPHQL_URL, fetch: ledgerFetch }),
    );
    const { chainId: indexed, packageVersions } = await readFollower(db);
    if (indexed !== null && indexed !== chainId) {
      print(`import: the database is an index of chain ${indexed}, but the node belongs to chain ${chainId}`);
      return 1;
    }
    const lineage = lineageOf(
      config.CHAIN_ANCHOR_PACKAGE,
      mergeVersions(packageVersions, await patiently(() => readVersions(node, config.CHAIN_ANCHOR_PACKAGE))),
    );
    const decoder = createEventDecoder(node, () => ({
      packages: new Set(lineage.definingIds.map((one) => one.id)),
      senders: new Set(config.ADDRESSES),
    }));
    // Lines of one transaction stand together; more need not be remembered.
    let current:
      | { readonly digest: string; readonly told: DecodedTransaction | undefined; stored?: Set<number> }
      | undefined;

    for await (const text of createInterface({
      input: file === undefined ? process.stdin : createReadStream(file),
      crlfDelay: Infinity,
    })) {
      if (text.trim() === '') continue;
      counts.read++;
      const line = readLine(text);
      if (line === undefined) {
        counts.unreadable++;
        continue;
      }
      if (current?.digest !== line.tx) {
        counts.beside += current?.stored?.size ?? 0;
        current = { digest: line.tx, told: await patiently(() => decoder.transaction(line.tx)) };
      }
      const { digest, told } = current;
      const proof = told?.proofs.find((one) => one.eventSequence === line.sequence);
      if (told === undefined || proof === undefined) {
        counts.unconfirmed++;
        continue;
      }
      if (proof.merkleRoot !== line.root) {
        counts.contradicted++;
        continue;
      }
      // The whole transaction at once: with a part of its proofs, the root of another would seem to be a mismatch.
      current.stored ??= new Set(
        (await db.write((tx) => ingest(tx, told, clock(), { digest, sequences: told.sequences }))).inserted.map(
          (one) => one.eventSequence,
        ),
      );
      if (current.stored.delete(line.sequence)) counts.stored++;
      else counts.known++;
    }
    counts.beside += current?.stored?.size ?? 0;
    const beside = counts.beside === 0 ? '' : `; ${counts.beside} more of the same transactions stored`;
    print(
      `import: ${counts.read} lines; ${counts.stored} stored, ${counts.known} known before, ${counts.unconfirmed} not confirmed by the ledger, ${counts.contradicted} contradicted by it, ${counts.unreadable} unreadable${beside}`,
    );
    return counts.contradicted + counts.unconfirmed + counts.unreadable === 0 ? 0 : 1;
  } finally {
    await db.close();
  }
}

function readLine(text: string): Line | undefined {
  let value: { tx?: unknown; event_sequence?: unknown; merkle_root?: unknown };
  try {
    value = JSON.parse(text) as typeof value;
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const root = typeof value.merkle_root === 'string' ? normaliseRoot(value.merkle_root) : undefined;
  if (
    typeof value.tx !== 'string' ||
    !isTransactionDigest(value.tx) ||
    root === undefined ||
    !Number.isSafeInteger(value.event_sequence)
  )
    return undefined;
  return { tx: value.tx, sequence: value.event_sequence as number, root };
}

async function patiently<T>(question: () => Promise<T>): Promise<T> {
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
