/**
 * Stops a process that writes to an SQLite file at random system calls, or lets the disk be full from one on, and opens the
 * file again as a start does: nothing that was acknowledged may be missing, and no page damaged. In between, sqlite3
 * sometimes looks into the file, as operators do. `make soak NAME=stops`; STOPS=1000. Needs strace.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openDatabase } from '@clockproof/platform/database/open';
import { findDamage } from '@clockproof/platform/database/sqlite-check';

const stops = Number(process.env['STOPS'] ?? 1_000);
const folder = mkdtempSync(join(tmpdir(), 'clockproof-stops-'));
const writer = fileURLToPath(new URL('./file-stops-writer.js', import.meta.url));
const calls = 'pwrite64,fsync,fdatasync,ftruncate,unlink';
const counts = { killed: 0, full: 0, ended: 0, looked: 0, acknowledged: 0 };

/** @returns the numbers that were acknowledged before the end */
async function writeUntilStopped(file: string, injection: string): Promise<number[]> {
  const words = ['-f', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${injection}`];
  const child = spawn('strace', [...words, process.execPath, writer, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: number[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => acknowledged.push(Number(line)));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  counts[signal === 'SIGKILL' || code === 137 ? 'killed' : code === 3 ? 'full' : 'ended']++;
  return acknowledged;
}

let file = '';
let expected = new Set<number>();
for (let stop = 0; stop < stops; stop++) {
  if (stop % 50 === 0) {
    file = join(folder, `${stop}.sqlite`);
    expected = new Set();
  }
  // Counted by each thread of the writer.
  const nth = 1 + Math.floor(Math.random() ** 2 * 400);
  const full = stop % 4 === 3;
  const injection = full ? `pwrite64,ftruncate:error=ENOSPC:when=${nth}+` : `${calls}:signal=SIGKILL:when=${nth}`;
  for (const number of await writeUntilStopped(file, injection)) {
    expected.add(number);
    counts.acknowledged++;
  }
  if (Math.random() < 0.3) {
    counts.looked++;
    await promisify(execFile)('sqlite3', [file, 'SELECT count(*) FROM sqlite_master']);
  }
  const settings = { driver: 'sqlite', dsn: file, own: true } as const;
  const db = await openDatabase(settings);
  const table = await db.get("SELECT 1 AS one FROM sqlite_master WHERE name = 'numbers'");
  const rows = table === undefined ? [] : await db.all<{ number: number }>('SELECT number FROM numbers');
  const stored = new Set(rows.map(({ number }) => number));
  const missing = [...expected].filter((number) => !stored.has(number));
  await db.close();
  const damage = await findDamage(settings, 60_000);
  if (missing.length > 0 || damage?.length !== 0) {
    console.error(`after ${injection}: missing ${missing.join(', ')}; damage ${JSON.stringify(damage)}; see ${file}`);
    process.exit(1);
  }
  if (stop % 100 === 99) console.log(`${stop + 1} stops: ${JSON.stringify(counts)}`);
}
rmSync(folder, { recursive: true });
console.log(`every start found all that was acknowledged, and no page was damaged: ${JSON.stringify(counts)}`);
