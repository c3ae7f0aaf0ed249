/** Writes numbers into an SQLite file and says each on its own line once it is committed, until it is stopped. */
import { writeSync } from 'node:fs';
import { DatabaseUnavailable } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';

/** Ends as a process does that was killed on a full disk. */
const diskIsFull = 3;

/** Refusals on a full disk that it outlives. */
const patience = 2;
let refused = 0;
const db = await openDatabase({ driver: 'sqlite', dsn: process.argv[2]!, own: true }).catch(stopIfFull);
await db
  .write(async (tx) => {
    await tx.run('CREATE TABLE IF NOT EXISTS numbers (number INTEGER PRIMARY KEY, text TEXT NOT NULL)');
    // Checkpoints come often, so that many stops are in the middle of one.
    await tx.all('PRAGMA wal_autocheckpoint = 40');
  })
  .catch(stopIfFull);
const last = (await db.get<{ number: number }>('SELECT max(number) AS number FROM numbers'))?.number ?? 0;
for (let number = last + 1; ; number++) {
  const text = String(number).padStart(9_000, '.');
  const done = await db
    .write((tx) => tx.run('INSERT INTO numbers (number, text) VALUES (:number, :text)', { number, text }))
    .then(
      () => true,
      (error: unknown) => {
        if (++refused > patience) return stopIfFull(error);
        return false;
      },
    );
  if (done) writeSync(1, `${number}\n`);
}

function stopIfFull(error: unknown): never {
  if (!(error instanceof DatabaseUnavailable) && !/ENOSPC|disk|full/i.test(String(error))) throw error;
  process.exit(diskIsFull);
}
