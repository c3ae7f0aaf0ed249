/** A page of the SQLite file is damaged: everything that looks at it says so in a sentence, and nothing makes it worse. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@clockproof/platform/database/open';
import type { Log } from '@clockproof/platform/log';
import { createMetrics } from '@clockproof/platform/metrics';
import { createTestDatabase, type TestDatabase } from '@clockproof/platform/testing/databases';
import { hour } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { doctor } from '../../src/commands/doctor.js';
import { createFileCheck } from '../../src/commands/file-check.js';
import { backUp } from '../../src/commands/restore.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import { monday, seededBytes } from '../world.js';

const main = fileURLToPath(new URL('../../bin/clockproof.js', import.meta.url));
const pageBytes = 4_096;

function overwrite(file: string, place: number, bytes: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(bytes, 0xa5), 0, bytes, place);
  closeSync(handle);
}

describe('a damaged SQLite file', () => {
  let home: TestDatabase;
  let file: string;
  beforeEach(async () => {
    home = await createTestDatabase('sqlite', migrations);
    file = home.settings.dsn;
  });
  afterEach(() => home.drop());

  /** The root page of a table that is empty, and that no start reads. */
  async function damageTable(): Promise<void> {
    const db = await openDatabase(home.settings);
    const { rootpage } = (await db.get<{ rootpage: number }>(
      "SELECT rootpage FROM sqlite_master WHERE name = 'vacation_bookings'",
    ))!;
    await db.close();
    overwrite(file, (rootpage - 1) * pageBytes, pageBytes);
  }

  const run = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', DB_DSN: file, LISTEN_ADDR: '127.0.0.1:0' },
    });
    return { status, text: stdout + stderr };
  };

  async function examine(): Promise<string> {
    const lines: string[] = [];
    await doctor({
      env: { DB_DSN: file },
      print: (line) => lines.push(line),
      clock: () => monday,
      randomBytes: seededBytes('doctor'),
      fetch: async () => ({ status: 200 }),
    });
    return lines.join('\n');
  }

  it('doctor names a damaged SQLite file, and what to do', async () => {
    expect(await examine()).toMatch(/^ok {4}file: no page is damaged$/m);
    await damageTable();
    expect(await examine()).toMatch(
      /^FAIL {2}file: the file is damaged \(.*\); stop the service, first copy the file/m,
    );
  });

  it('a damaged SQLite file is not backed up', async () => {
    const target = `${file}.backup`;
    const backup = () =>
      backUp(home.settings, target, { passphrase: undefined, randomBytes: seededBytes('backup'), at: monday });
    await damageTable();
    await expect(backup()).rejects.toThrow(/^nothing was backed up: the file is damaged/);
    expect(existsSync(target)).toBe(false);
  });

  it('a damaged SQLite file is found at night, and shows in the log and the metrics', async () => {
    const errors: object[] = [];
    const log = { error: (facts: object) => void errors.push(facts) } as unknown as Log;
    const metrics = createMetrics('service');
    const check = createFileCheck(home.settings, { metrics, log });
    const readGauge = async () => /database_damaged (\d)$/m.exec(await metrics.registry.metrics())![1];
    await damageTable();
    await check(hour);
    await check(3 * hour);
    expect([errors, await readGauge()]).toEqual([[], '0']);
    await check(26 * hour);
    expect(errors).toEqual([{ damage: [expect.any(String)] }]);
    expect(await readGauge()).toBe('1');
  });

  it('a read of a damaged page is answered with "unavailable"', async () => {
    await damageTable();
    const db = await openDatabase(home.settings);
    await expect(db.all('SELECT * FROM vacation_bookings')).rejects.toMatchObject({ reason: 'damaged' });
    await db.close();
  });

  it.each([
    ['a folder', () => mkdirSync(file), 'SQLITE_CANTOPEN: unable to open database file'],
    ['a file with two names', () => linkSync(`${file}.away`, file), 'it has a second name'],
  ])('%s in place of the SQLite file ends doctor and backup with a sentence', async (_, put, reason) => {
    renameSync(file, `${file}.away`);
    put();
    const sentence = `DB_DSN: ${file} cannot be opened: ${reason}`;
    expect(await examine()).toContain(`FAIL  file: ${sentence}`);
    const { status, text } = run('backup', `${file}.backup`);
    expect(status).toBe(1);
    expect(text.startsWith(sentence)).toBe(true);
    expect(text.split('\n')).toHaveLength(2);
  });

  it('a damaged SQLite file ends a start, and commands, with one sentence', () => {
    // The schema, behind the header.
    overwrite(file, 100, pageBytes - 100);
    for (const words of [['serve'], ['migrate'], ['audit', 'verify'], ['backup', `${file}.backup`]]) {
      const { status, text } = run(...words);
      expect([words, status]).toEqual([words, 1]);
      expect(text).toContain('the file is damaged (');
      expect(text).not.toMatch(/\n {4}at /);
    }
  });
});
