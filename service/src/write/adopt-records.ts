/**
 * Brings the audit log of an earlier version to the point from which it vouches for every record, and signs it from the
 * moment there is a DATA_KEY. Both happen once; an entry marks each.
 */
import type { Transaction } from '@clockproof/platform/database/database';
import { hour, type Instant } from '@clockproof/platform/time/instant';
import { appendAudit } from '../audit/audit.js';
import { type RecordTableName, recordHash, recordKey, recordTableNames } from '../audit/records.js';
import { lockHead, readHead, recordsAfter, saveHead } from '../audit/rows.js';
import type { Store } from './write.js';

const system = { kind: 'system' } as const;

/** Records per entry. The log's head is locked while they are read. */
const page = 1_000;

/**
 * Call at start and every hour.
 *
 * The records of earlier versions are hashed as they are: what was changed before is not found. Where other replicas may
 * still run the earlier version, that waits for an hour, because they write records without hashes.
 * @param replicas whether other processes may write to the database
 * @returns how many records were adopted; undefined if nothing was to do or it is too early
 */
export async function adoptRecords(db: Store, at: Instant, replicas: boolean): Promise<number | undefined> {
  let adopted: number | undefined;
  if ((await readHead(db)).adopted_from === null) {
    if (at < (await db.maintain('adoption of records', (tx) => scheduledFor(tx, at, replicas)))) return undefined;
    adopted = 0;
    for (const table of recordTableNames) adopted += await adoptTable(db, table, at);
    await db.maintain('adoption of records', async (tx) => {
      if ((await lockHead(tx)).adopted_from !== null) return;
      const details = { records: adopted, complete: true };
      const entry = { at, actor: system, action: 'audit.records_adopted', details } as const;
      await saveHead(tx, { adopted_from: await appendAudit(tx, entry, { sign: db.sign }) });
    });
  }
  if (db.sign !== undefined && (await readHead(db)).signed_from === null)
    await db.maintain('adoption of records', async (tx) => {
      if ((await lockHead(tx)).signed_from !== null) return;
      const entry = { at, actor: system, action: 'audit.signed' } as const;
      await saveHead(tx, { signed_from: await appendAudit(tx, entry, { sign: db.sign }) });
    });
  return adopted;
}

async function scheduledFor(tx: Transaction, at: Instant, replicas: boolean): Promise<Instant> {
  const head = await lockHead(tx);
  if (head.adopt_at !== null) return head.adopt_at;
  // An empty log: there is no earlier version.
  const due = replicas && head.sequence > 0 ? at + hour : at;
  await saveHead(tx, { adopt_at: due });
  return due;
}

/** Every record of a table. If the process dies in between, the next start begins again: the newest hash counts. */
async function adoptTable(db: Store, table: RecordTableName, at: Instant): Promise<number> {
  let last: Awaited<ReturnType<typeof recordsAfter>>[number] | undefined;
  for (let adopted = 0; ; ) {
    const records = await db.maintain('adoption of records', async (tx) => {
      // A writer of records appends an entry in the same transaction: with the head locked, what is read here is
      // the newest version, or the entry of a newer one comes later.
      await lockHead(tx);
      const some = await recordsAfter(tx, table, last, page);
      if (some.length === 0) return some;
      const hashes = Object.fromEntries(
        some.map(({ row, salt }) => [recordKey(table, row), recordHash({ table, row, salt })]),
      );
      const entry = { at, actor: system, action: 'audit.records_adopted', details: { records: some.length } } as const;
      await appendAudit(tx, entry, { sign: db.sign, records: hashes });
      return some;
    });
    adopted += records.length;
    last = records.at(-1);
    if (records.length < page) return adopted;
  }
}
