/**
 * Takes proofs of another index, for example to fill what the node no longer lists. Nothing is believed: the ledger is
 * asked for each transaction by its digest, which nodes often still answer from an archive, and only what it confirms
 * is stored, in the ledger's words.
 */
import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { openDatabase } from '@clockproof/platform/database/open';
import type { IndexerConfig } from '../config.js';
import type { DecodedTransaction } from '../ledger/event-decoder.js';
import { isTransactionDigest, normaliseRoot } from '../ledger/identifiers.js';
import { ingestTransaction } from '../store/ingest.js';
import { migrations } from '../store/schema.js';
import { type CommandContext, openLedger, patiently } from './ledger.js';

export interface ImportCounts {
  read: number;
  stored: number;
  known: number;
  contradicted: number;
  unconfirmed: number;
  unreadable: number;
  /** Proofs that no line names, of transactions of which one does. */
  beside: number;
}

interface Line {
  readonly tx: string;
  readonly sequence: number;
  readonly root: string;
}

/** More lines at fault are only counted. */
const maxNamed = 100;

/** @returns 0 if the ledger confirms every line, 1 otherwise. @throws WrongLedger, LedgerFailure */
export async function importProofs(
  config: IndexerConfig,
  file: string | undefined,
  { print, clock, fetch }: CommandContext,
): Promise<number> {
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
    const { decoder } = await openLedger(config, db, fetch);
    // Lines of one transaction stand together; more need not be remembered.
    let current:
      | { readonly digest: string; readonly answer: DecodedTransaction | undefined; stored?: Set<number> }
      | undefined;

    let number = 0;
    const name = (fault: string) => {
      if (++faultCount <= maxNamed) print(`import: line ${number}: ${fault}`);
    };
    let faultCount = 0;
    for await (const text of createInterface({
      input: file === undefined ? process.stdin : createReadStream(file),
      crlfDelay: Infinity,
    })) {
      number++;
      if (text.trim() === '') continue;
      counts.read++;
      const line = readLine(text);
      if (line === undefined) {
        counts.unreadable++;
        name('not readable as a proof');
        continue;
      }
      if (current?.digest !== line.tx) {
        counts.beside += current?.stored?.size ?? 0;
        const transaction = await patiently(() => decoder.transaction(line.tx));
        current = { digest: line.tx, answer: typeof transaction === 'object' ? transaction : undefined };
      }
      const { digest, answer } = current;
      const proof = answer?.proofs.find((proof) => proof.eventSequence === line.sequence);
      if (answer === undefined || proof === undefined) {
        counts.unconfirmed++;
        name(`the ledger does not confirm transaction ${line.tx} event ${line.sequence}`);
        continue;
      }
      if (proof.merkleRoot !== line.root) {
        counts.contradicted++;
        name(
          `transaction ${line.tx} event ${line.sequence} has root ${proof.merkleRoot} on the ledger, not ${line.root}`,
        );
        continue;
      }
      // The whole transaction at once: with a part of its proofs, the root of another would seem to be a mismatch.
      current.stored ??= new Set(
        (await db.write((tx) => ingestTransaction(tx, digest, answer, clock()))).inserted.map(
          (candidate) => candidate.eventSequence,
        ),
      );
      if (current.stored.delete(line.sequence)) counts.stored++;
      else counts.known++;
    }
    counts.beside += current?.stored?.size ?? 0;
    const addition = counts.beside === 0 ? '' : `; ${counts.beside} more of the same transactions stored`;
    print(
      `import: ${counts.read} lines; ${counts.stored} stored, ${counts.known} known before, ${counts.unconfirmed} not confirmed by the ledger, ${counts.contradicted} contradicted by it, ${counts.unreadable} unreadable${addition}`,
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
