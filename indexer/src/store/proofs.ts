/** Every statement about proofs, rejected events and their counts. */
import type { Parameters, Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { ProofsTable, TotalsTable } from '../generated/tables.js';
import type { Proof, RejectedEvent } from '../ledger/proof-event.js';
import { update } from './tables.js';

export type ProofRow = Omit<ProofsTable, 'event_type' | 'event_bcs' | 'confirmed' | 'listed_again'>;

/** A place in ledger order. */
export interface Position {
  readonly checkpoint: number;
  readonly tx: string;
  readonly sequence: number;
}

const columns = 'tx, event_sequence, checkpoint, ledger_time, sender, package, company_token, period, merkle_root';

/**
 * Reasons that speak of the node and not of the event: such events are asked for again until they are proofs or
 * malformed for good.
 */
const unresolvedReasons = "reason IN ('incomplete', 'payload_unreadable', 'sender_missing')";
const unresolvedOfTransaction = `SELECT 1 AS one FROM rejected_events WHERE rejected_events.tx = :tx AND ${unresolvedReasons}`;

/**
 * The look-up behind every verdict. Proofs, gaps and disputes are read in one statement: a change between two would be
 * seen twice or not at all.
 */
export const proofsOfTransactionSql = `SELECT ${columns}, confirmed, listed_again, CASE WHEN EXISTS (${unresolvedOfTransaction}) THEN 1 ELSE 0 END AS gaps,
  CASE WHEN EXISTS (SELECT 1 FROM integrity_alarms WHERE integrity_alarms.tx = :tx) THEN 1 ELSE 0 END AS disputed
  FROM proofs WHERE tx = :tx ORDER BY event_sequence`;

export interface ProofsOfTransaction {
  readonly rows: readonly ProofRow[];
  /** The node has not delivered every event of the transaction. */
  readonly incomplete: boolean;
  /** The ledger has answered for the whole transaction by its digest. */
  readonly confirmed: boolean;
  /** The ledger has contradicted a proof of this transaction, and no one has settled it. */
  readonly disputed: boolean;
  /** The other versions that it gave; none where it said that there is no such event. */
  readonly disputedBy: readonly ProofRow[];
  /**
   * Nothing about these proofs can change any more: they are complete, undisputed and dated, and the node has reported
   * them alike three times: in a list, in the second reading, and by their digest.
   */
  readonly final: boolean;
}

export async function proofsOfTransaction(db: Reader, tx: string): Promise<ProofsOfTransaction> {
  const rows = await db.all<ProofRow & { confirmed: number; listed_again: number; gaps: number; disputed: number }>(
    proofsOfTransactionSql,
    {
      tx,
    },
  );
  const incomplete =
    rows.length > 0 ? rows[0]!.gaps === 1 : (await db.get(unresolvedOfTransaction, { tx })) !== undefined;
  const isDisputed = rows.length > 0 && rows[0]!.disputed === 1;
  const isConfirmed = rows.length > 0 && !incomplete && rows.every((row) => row.confirmed === 1);
  const disputedBy = isDisputed ? await disputedVersions(db, tx) : [];
  return {
    rows,
    incomplete,
    confirmed: isConfirmed,
    disputed: isDisputed,
    disputedBy,
    final: isConfirmed && !isDisputed && rows.every((row) => row.listed_again === 1 && row.ledger_time !== null),
  };
}

export interface ProofFilter {
  readonly sender?: string | undefined;
  readonly companyToken?: string | undefined;
  readonly period?: string | undefined;
}

/** A page, newest first. @param before the last proof of the page before, which is not repeated */
export function listProofs(
  db: Reader,
  { sender, companyToken, period }: ProofFilter,
  limit: number,
  before?: Position,
): Promise<ProofRow[]> {
  const conditions = [
    ...(sender === undefined ? [] : ['sender = :sender']),
    ...(companyToken === undefined ? [] : ['company_token = :token']),
    ...(period === undefined ? [] : ['period = :period']),
    ...(before === undefined ? [] : ['(checkpoint, tx, event_sequence) < (:checkpoint, :tx, :sequence)']),
  ];
  return db.all<ProofRow>(
    `SELECT ${columns} FROM proofs${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`} ORDER BY checkpoint DESC, tx DESC, event_sequence DESC LIMIT :limit`,
    {
      sender: sender ?? null,
      token: companyToken ?? null,
      period: period ?? null,
      limit,
      ...(before ?? {}),
    } as Parameters,
  );
}

/** Proofs in ledger order after a place, up to a checkpoint. @param senders empty means all */
export function proofsInLedgerOrder(
  db: Reader,
  after: Position,
  upTo: number,
  senders: readonly string[],
  limit: number,
): Promise<ProofRow[]> {
  const names = senders.map((_, index) => `:s${index}`);
  return db.all<ProofRow>(
    `SELECT ${columns} FROM proofs WHERE (checkpoint, tx, event_sequence) > (:checkpoint, :tx, :sequence) AND checkpoint <= :upTo
      ${names.length === 0 ? '' : `AND sender IN (${names.join(', ')})`} ORDER BY checkpoint, tx, event_sequence LIMIT :limit`,
    { ...after, upTo, limit, ...Object.fromEntries(senders.map((sender, index) => [`s${index}`, sender])) },
  );
}

export type EvidenceRow = Omit<ProofsTable, 'confirmed' | 'listed_again'>;

/** The same with the event itself, for export. */
export function evidenceInLedgerOrder(db: Reader, after: Position, limit: number): Promise<EvidenceRow[]> {
  return db.all<EvidenceRow>(
    `SELECT ${columns}, event_type, event_bcs FROM proofs WHERE (checkpoint, tx, event_sequence) > (:checkpoint, :tx, :sequence) ORDER BY checkpoint, tx, event_sequence LIMIT :limit`,
    { ...after, limit },
  );
}

export const beforeEverything: Position = { checkpoint: -1, tx: '', sequence: -1 };

export interface Stored {
  readonly inserted: readonly Proof[];
  /** Proofs that were stored without their time, which is now known. */
  readonly dated: readonly Proof[];
  /** Proofs that were stored with the same contents. */
  readonly unchanged: readonly Proof[];
  /** Proofs that are stored with other contents. */
  readonly alarms: number;
}

/**
 * Stores proofs once. Stored ones stay as they are; for one with other contents, an alarm is kept instead.
 * Rows go in by key, so that two replicas storing the same page wait for each other instead of deadlocking.
 */
export async function storeProofs(tx: Transaction, proofs: readonly Proof[], at: Instant): Promise<Stored> {
  const insertedProofs: Proof[] = [];
  const datedProofs: Proof[] = [];
  const unchangedProofs: Proof[] = [];
  let alarms = 0;
  const orderedProofs = [...proofs].sort((a, b) =>
    a.tx < b.tx ? -1 : a.tx > b.tx ? 1 : a.eventSequence - b.eventSequence,
  );
  for (let from = 0; from < orderedProofs.length; from += rowsPerStatement) {
    const chunk = orderedProofs.slice(from, from + rowsPerStatement);
    const insertedKeys = new Set(
      (await tx.all<{ tx: string; event_sequence: number }>(insertSql(chunk.length), insertParameters(chunk))).map(
        (row) => `${row.tx} ${row.event_sequence}`,
      ),
    );
    for (const proof of chunk) {
      if (insertedKeys.has(`${proof.tx} ${proof.eventSequence}`)) {
        insertedProofs.push(proof);
        continue;
      }
      const outcome = await compareWithStored(tx, proof, at);
      if (outcome === 'alarm') alarms++;
      if (outcome === 'same' || outcome === 'dated') unchangedProofs.push(proof);
      if (outcome === 'dated') datedProofs.push(proof);
    }
  }
  if (insertedProofs.length > 0) await deleteRejections(tx, insertedProofs);
  return { inserted: insertedProofs, dated: datedProofs, unchanged: unchangedProofs, alarms };
}

const rowsPerStatement = 50;
const proofColumns = [
  'tx',
  'event_sequence',
  'checkpoint',
  'ledger_time',
  'sender',
  'package',
  'company_token',
  'period',
  'merkle_root',
  'event_type',
  'event_bcs',
] as const;
const insertStatements = new Map<number, string>();

function insertSql(rows: number): string {
  let sql = insertStatements.get(rows);
  if (sql === undefined) {
    const values = Array.from(
      { length: rows },
      (_, row) => `(${proofColumns.map((_column, index) => `:p${row}_${index}`).join(', ')})`,
    );
    sql = `INSERT INTO proofs (${proofColumns.join(', ')}) VALUES ${values.join(', ')} ON CONFLICT DO NOTHING RETURNING tx, event_sequence`;
    insertStatements.set(rows, sql);
  }
  return sql;
}

function insertParameters(proofs: readonly Proof[]): Parameters {
  const parameters: Record<string, string | number | Uint8Array | null> = {};
  proofs.forEach((proof, row) => {
    const values = [
      proof.tx,
      proof.eventSequence,
      proof.checkpoint,
      proof.ledgerTime,
      proof.sender,
      proof.package,
      proof.companyToken,
      proof.period,
      Buffer.from(proof.merkleRoot, 'hex'),
      proof.eventType,
      proof.eventBcs,
    ];
    values.forEach((value, index) => {
      parameters[`p${row}_${index}`] = value;
    });
  });
  return parameters;
}

const maxVersionsKept = 10;
/** Stands in an alarm for the version that there is no such event. */
const missingVersion = 'null';

function rowOf(proof: Proof): ProofRow {
  return {
    tx: proof.tx,
    event_sequence: proof.eventSequence,
    checkpoint: proof.checkpoint,
    ledger_time: proof.ledgerTime,
    sender: proof.sender,
    package: proof.package,
    company_token: proof.companyToken,
    period: proof.period,
    merkle_root: Buffer.from(proof.merkleRoot, 'hex'),
  };
}

/** The ledger facts of a proof as an alarm keeps them: a JSON list in a fixed order. */
function versionOf(row: ProofRow): string {
  const root = Buffer.from(row.merkle_root).toString('hex');
  return JSON.stringify([
    row.checkpoint,
    row.sender,
    row.package,
    row.company_token,
    row.period,
    root,
    row.ledger_time,
  ]);
}

/** The versions of a transaction's proofs in alarms, in the order of its events. */
async function disputedVersions(db: Reader, tx: string): Promise<ProofRow[]> {
  const alarms = await db.all<{ event_sequence: number; reported: string }>(
    'SELECT event_sequence, reported FROM integrity_alarms WHERE tx = :tx AND reported <> :missing ORDER BY event_sequence, noticed_at, reported',
    { tx, missing: missingVersion },
  );
  return alarms.map(({ event_sequence, reported }) => {
    const [checkpoint, sender, definedBy, company_token, period, root, ledger_time] = JSON.parse(reported) as [
      number,
      string,
      string,
      string,
      string,
      string,
      Instant | null,
    ];
    const merkle_root = Buffer.from(root, 'hex');
    return {
      tx,
      event_sequence,
      checkpoint,
      ledger_time,
      sender,
      package: definedBy,
      company_token,
      period,
      merkle_root,
    };
  });
}

async function compareWithStored(
  tx: Transaction,
  proof: Proof,
  at: Instant,
): Promise<'same' | 'dated' | 'alarm' | 'known alarm'> {
  const storedRow = await tx.get<ProofRow>(
    `SELECT ${columns} FROM proofs WHERE tx = :tx AND event_sequence = :sequence`,
    {
      tx: proof.tx,
      sequence: proof.eventSequence,
    },
  );
  if (storedRow === undefined) return 'same';
  // A time that one of the two does not know contradicts nothing.
  const reportedVersion = versionOf({ ...rowOf(proof), ledger_time: proof.ledgerTime ?? storedRow.ledger_time });
  const keptVersion = versionOf({ ...storedRow, ledger_time: storedRow.ledger_time ?? proof.ledgerTime });
  if (reportedVersion !== keptVersion) {
    // A node that gives a new version every time must not fill the table: a few of them show what there is to see.
    const insertedCount = await tx.run(
      `INSERT INTO integrity_alarms (tx, event_sequence, reported, stored, noticed_at) SELECT :tx, :sequence, :reported, :stored, :at
        WHERE (SELECT count(*) FROM integrity_alarms WHERE tx = :tx AND event_sequence = :sequence) < :most ON CONFLICT DO NOTHING`,
      {
        tx: proof.tx,
        sequence: proof.eventSequence,
        reported: reportedVersion,
        stored: keptVersion,
        at,
        most: maxVersionsKept,
      },
    );
    return insertedCount === 1 ? 'alarm' : 'known alarm';
  }
  if (storedRow.ledger_time !== null || proof.ledgerTime === null) return 'same';
  await update(tx, 'proofs', { tx: proof.tx, event_sequence: proof.eventSequence }, { ledger_time: proof.ledgerTime });
  return 'dated';
}

/** An event that could not be read before and now is a proof. */
async function deleteRejections(tx: Transaction, proofs: readonly Proof[]): Promise<void> {
  const { rejected } = (await tx.get<{ rejected: number }>('SELECT rejected FROM totals WHERE id = 1'))!;
  if (rejected === 0) return;
  let deletedCount = 0;
  for (const proof of proofs)
    deletedCount += await tx.run('DELETE FROM rejected_events WHERE tx = :tx AND event_sequence = :sequence', {
      tx: proof.tx,
      sequence: proof.eventSequence,
    });
  if (deletedCount > 0)
    await tx.run('UPDATE totals SET rejected = rejected - :gone WHERE id = 1', { gone: deletedCount });
}

/**
 * Forgets gaps in a transaction that the node has delivered now. -1 stands for all of it.
 * @returns their number
 */
export async function deleteUnresolved(tx: Transaction, digest: string, sequences: readonly number[]): Promise<number> {
  let deletedCount = 0;
  for (const sequence of [-1, ...sequences])
    deletedCount += await tx.run(
      `DELETE FROM rejected_events WHERE tx = :tx AND event_sequence = :sequence AND ${unresolvedReasons}`,
      {
        tx: digest,
        sequence,
      },
    );
  return deletedCount;
}

/**
 * Stores rejected events. A stored proof stays one, even if the node rejects it today. @returns the number added
 */
export async function storeRejected(tx: Transaction, events: readonly RejectedEvent[]): Promise<number> {
  let addedCount = 0;
  for (const event of events) {
    const key = { tx: event.tx, sequence: event.sequence };
    if ((await tx.get('SELECT 1 AS one FROM proofs WHERE tx = :tx AND event_sequence = :sequence', key)) !== undefined)
      continue;
    addedCount -= await tx.run(
      `DELETE FROM rejected_events WHERE tx = :tx AND event_sequence = :sequence AND ${unresolvedReasons}`,
      key,
    );
    addedCount += await tx.run(
      `INSERT INTO rejected_events (tx, event_sequence, checkpoint, event_type, sender, reason, raw) VALUES (:tx, :sequence, :checkpoint, :type, :sender, :reason, :raw) ON CONFLICT DO NOTHING`,
      {
        ...key,
        checkpoint: event.checkpoint,
        type: event.type,
        sender: event.sender,
        reason: event.reason,
        raw: event.raw,
      },
    );
  }
  return addedCount;
}

/**
 * Transactions that the node has not delivered whole: an event is missing in part, or the time. In the order of their
 * digests, after one of them.
 */
export async function incompleteTransactions(db: Reader, after: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ tx: string }>(
    `SELECT tx FROM rejected_events WHERE ${unresolvedReasons} AND tx > :after UNION SELECT tx FROM proofs WHERE ledger_time IS NULL AND tx > :after ORDER BY tx LIMIT :limit`,
    { after, limit },
  );
  return rows.map((row) => row.tx);
}

export type Totals = Omit<TotalsTable, 'id'>;

export async function addToTotals(
  tx: Transaction,
  {
    proofs,
    rejected,
    alarms,
    gapRepairs = 0,
    lastProofAt,
  }: {
    readonly proofs: number;
    readonly rejected: number;
    readonly alarms: number;
    readonly gapRepairs?: number;
    readonly lastProofAt: Instant | null;
  },
): Promise<void> {
  await tx.run(
    `UPDATE totals SET proofs = proofs + :proofs, rejected = rejected + :rejected, alarms = alarms + :alarms, gap_repairs = gap_repairs + :gapRepairs,
      last_proof_at = CASE WHEN :at > COALESCE(last_proof_at, -1) THEN :at ELSE last_proof_at END WHERE id = 1`,
    { proofs, rejected, alarms, gapRepairs, at: lastProofAt ?? -1 },
  );
}

export async function readTotals(db: Reader): Promise<Totals> {
  return (await db.get<Totals>(
    'SELECT proofs, rejected, alarms, gap_repairs, last_proof_at FROM totals WHERE id = 1',
  ))!;
}

/** Counts the rows themselves, to compare with the kept total. */
export async function countProofs(db: Reader): Promise<number> {
  return (await db.get<{ n: number }>('SELECT count(*) AS n FROM proofs'))!.n;
}

/** True if the event was stored, as a proof or as rejected. */
export async function isStored(db: Reader, tx: string, sequence: number): Promise<boolean> {
  return (
    (await db.get(
      'SELECT 1 AS one FROM proofs WHERE tx = :tx AND event_sequence = :sequence UNION ALL SELECT 1 FROM rejected_events WHERE tx = :tx AND event_sequence = :sequence',
      { tx, sequence },
    )) !== undefined
  );
}

/** Checkpoint of the last stored proof of a package and sender before a checkpoint. @param sender null means any */
export async function lastCheckpointBefore(
  db: Reader,
  checkpoint: number,
  { package: name, sender }: { readonly package: string; readonly sender: string | null },
): Promise<number | undefined> {
  return (
    await db.get<{ checkpoint: number }>(
      `SELECT checkpoint FROM proofs WHERE checkpoint < :checkpoint AND package = :name${sender === null ? '' : ' AND sender = :sender'} ORDER BY checkpoint DESC LIMIT 1`,
      { checkpoint, name, ...(sender === null ? {} : { sender }) },
    )
  )?.checkpoint;
}

export function rejectedByReason(db: Reader): Promise<{ reason: string; n: number }[]> {
  return db.all<{ reason: string; n: number }>(
    'SELECT reason, count(*) AS n FROM rejected_events GROUP BY reason ORDER BY reason',
  );
}

export function integrityAlarms(
  db: Reader,
): Promise<{ tx: string; event_sequence: number; reported: string; stored: string; noticed_at: number }[]> {
  return db.all(
    'SELECT tx, event_sequence, reported, stored, noticed_at FROM integrity_alarms ORDER BY noticed_at, tx',
  );
}

/** The ledger has answered for the whole transaction by its digest, and every proof in that answer is stored. */
export async function markConfirmed(tx: Transaction, digest: string, sequences: readonly number[]): Promise<void> {
  const rows = await tx.all<{ event_sequence: number }>(
    'SELECT event_sequence FROM proofs WHERE tx = :digest AND confirmed = 0',
    { digest },
  );
  for (const { event_sequence: sequence } of rows.filter((row) => sequences.includes(row.event_sequence)))
    await update(tx, 'proofs', { tx: digest, event_sequence: sequence }, { confirmed: 1 });
}

/** The second reading has found these proofs as they are stored. */
export async function markListedAgain(tx: Transaction, proofs: readonly Proof[]): Promise<void> {
  for (const proof of proofs)
    await update(
      tx,
      'proofs',
      { tx: proof.tx, event_sequence: proof.eventSequence, listed_again: 0 },
      { listed_again: 1 },
    );
}

/**
 * Raises an alarm for every stored proof that the transaction does not have, by the ledger's answer for its digest.
 * @param sequences places of all events of the transaction
 * @returns the number of alarms
 */
export async function raiseMissing(
  tx: Transaction,
  digest: string,
  sequences: readonly number[],
  at: Instant,
): Promise<number> {
  const storedRows = await tx.all<ProofRow>(`SELECT ${columns} FROM proofs WHERE tx = :digest`, { digest });
  let alarms = 0;
  for (const row of storedRows.filter((proof) => !sequences.includes(proof.event_sequence)))
    alarms += await tx.run(
      'INSERT INTO integrity_alarms (tx, event_sequence, reported, stored, noticed_at) VALUES (:digest, :sequence, :missing, :stored, :at) ON CONFLICT DO NOTHING',
      { digest, sequence: row.event_sequence, missing: missingVersion, stored: versionOf(row), at },
    );
  return alarms;
}

// ---- corrections, made by an operator's command only

/** Transactions with an open alarm, in the order of their digests. */
export async function disputedTransactions(db: Reader): Promise<string[]> {
  return (await db.all<{ tx: string }>('SELECT DISTINCT tx FROM integrity_alarms ORDER BY tx')).map((row) => row.tx);
}

/**
 * Replaces the stored proofs of a transaction with the ledger's answer for its digest, and closes its alarms. Proofs
 * that the answer lacks are removed.
 * @returns the changes, and the lowest checkpoint from which on the digest has to be calculated again
 */
export async function replaceTransaction(
  tx: Transaction,
  digest: string,
  proofs: readonly Proof[],
): Promise<{ readonly changed: number; readonly removed: number; readonly lowestCheckpoint: number | undefined }> {
  const storedRows = await tx.all<ProofRow>(`SELECT ${columns} FROM proofs WHERE tx = :digest`, { digest });
  const touchedCheckpoints: number[] = [];
  let changedCount = 0;
  let removedCount = 0;
  for (const row of storedRows) {
    const key = { tx: digest, sequence: row.event_sequence };
    const proof = proofs.find((candidate) => candidate.eventSequence === row.event_sequence);
    if (proof !== undefined && versionOf(rowOf(proof)) === versionOf(row)) continue;
    await tx.run('DELETE FROM proofs WHERE tx = :tx AND event_sequence = :sequence', key);
    touchedCheckpoints.push(row.checkpoint);
    if (proof === undefined) removedCount++;
    else {
      await tx.run(insertSql(1), insertParameters([proof]));
      touchedCheckpoints.push(proof.checkpoint);
      changedCount++;
    }
  }
  const alarms = await tx.run('DELETE FROM integrity_alarms WHERE tx = :digest', { digest });
  await addToTotals(tx, { proofs: -removedCount, rejected: 0, alarms: -alarms, lastProofAt: null });
  return {
    changed: changedCount,
    removed: removedCount,
    lowestCheckpoint: touchedCheckpoints.length === 0 ? undefined : Math.min(...touchedCheckpoints),
  };
}

/**
 * Removes everything that is stored about a transaction. @returns the number of proofs, and the checkpoint of the first
 */
export async function removeTransaction(
  tx: Transaction,
  digest: string,
): Promise<{ readonly removed: number; readonly lowestCheckpoint: number | undefined }> {
  const { removed, lowestCheckpoint } = await replaceTransaction(tx, digest, []);
  const rejectedCount = await tx.run('DELETE FROM rejected_events WHERE tx = :digest', { digest });
  if (rejectedCount > 0) await addToTotals(tx, { proofs: 0, rejected: -rejectedCount, alarms: 0, lastProofAt: null });
  return { removed, lowestCheckpoint };
}
