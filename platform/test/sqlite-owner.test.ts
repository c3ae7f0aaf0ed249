/** One serving process per SQLite file, and copies that lack what was written last. */
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Migration } from '../src/database/database.js';
import { openExistingDatabase } from '../src/database/open.js';
import { openSqlite } from '../src/database/sqlite.js';
import type { Repeat } from '../src/database/sqlite-owner.js';

const folder = mkdtempSync(join(tmpdir(), 'clockproof-owner-'));
afterAll(() => rmSync(folder, { recursive: true }));

const stamps: Migration = { id: '0001-stamps', statements: () => ['CREATE TABLE stamps (at INTEGER)'] };

let nextFile = 0;
let file: string;
let tick: () => Promise<void>;
const repeat: Repeat = (action) => {
  tick = action;
  return () => {
    tick = () => Promise.reject(new Error('the file is closed'));
  };
};
const start = async () => {
  const db = await openSqlite(file, { own: true, repeat });
  await db.migrate([stamps]);
  return db;
};
const stamp = (db: Awaited<ReturnType<typeof start>>, at: number) =>
  db.write((tx) => tx.run('INSERT INTO stamps (at) VALUES (:at)', { at }));
const copyWithoutLog = (name: string) => {
  const copy = join(folder, `${name}.sqlite`);
  copyFileSync(file, copy);
  return copy;
};
/** The three files, as a process that was killed leaves them. */
const copyWithLog = (name: string) => {
  const copy = copyWithoutLog(name);
  for (const end of ['-wal', '-shm']) if (existsSync(file + end)) copyFileSync(file + end, copy + end);
  return copy;
};
beforeEach(() => {
  file = join(folder, `${String(++nextFile)}.sqlite`);
});

describe('an SQLite file that a process serves from', () => {
  it('is refused to a second one, and free again after the first has closed it', async () => {
    const first = await start();
    await expect(openSqlite(file, { own: true, repeat })).rejects.toThrow(/another process is serving from/);
    await stamp(first, 1);
    await first.close();
    const second = await start();
    expect(await second.all('SELECT at FROM stamps')).toEqual([{ at: 1 }]);
    await second.close();
  });

  it('can be read by a command meanwhile', async () => {
    const db = await start();
    await stamp(db, 1);
    const command = await openExistingDatabase({ driver: 'sqlite', dsn: file });
    expect(await command.all('SELECT at FROM stamps')).toEqual([{ at: 1 }]);
    await command.close();
    await stamp(db, 2);
    await db.close();
  });

  it('moves its log into the file from time to time', async () => {
    const db = await start();
    const before = statSync(file).size;
    for (let at = 0; at < 300; at++) await db.write((tx) => tx.run('INSERT INTO stamps (at) VALUES (randomblob(500))'));
    expect(statSync(file).size).toBe(before);
    await tick();
    expect(statSync(file).size).toBeGreaterThan(before + 300 * 500);
    await db.close();
  });
});

describe('a copy of the main file alone', () => {
  it('made while a process served is refused to services and commands', async () => {
    await (await start()).close();
    const db = await start();
    await stamp(db, 1);
    const copy = copyWithoutLog('bare');
    await expect(openSqlite(copy, { own: true, repeat })).rejects.toThrow(/made while the service was running/);
    await expect(openExistingDatabase({ driver: 'sqlite', dsn: copy })).rejects.toThrow(/made while the service was/);
    await db.close();
  });

  it('made before anything reached it is refused, not taken for a new installation', async () => {
    const db = await openSqlite(file);
    await db.migrate([stamps]);
    const copy = copyWithoutLog('empty');
    expect(statSync(copy).size).toBe(4_096);
    await expect(openSqlite(copy, { own: true, repeat })).rejects.toThrow(/is empty: a copy made without/);
    await expect(openExistingDatabase({ driver: 'sqlite', dsn: copy })).rejects.toThrow(/is empty/);
    await db.close();
  });

  it('made after a clean stop is complete', async () => {
    const db = await start();
    await stamp(db, 1);
    await db.close();
    const copy = await openSqlite(copyWithoutLog('stopped'), { own: true, repeat });
    expect(await copy.all('SELECT at FROM stamps')).toEqual([{ at: 1 }]);
    await copy.close();
  });
});

describe('the files that a killed process leaves', () => {
  it('are complete', async () => {
    const db = await start();
    await stamp(db, 1);
    const copy = await openSqlite(copyWithLog('killed'), { own: true, repeat });
    expect(await copy.all('SELECT at FROM stamps')).toEqual([{ at: 1 }]);
    await copy.close();
    await db.close();
  });

  it('are still complete when a command was the last to close them', async () => {
    const db = await start();
    await stamp(db, 1);
    const copy = copyWithLog('looked-at');
    await (await openExistingDatabase({ driver: 'sqlite', dsn: copy })).close();
    expect(existsSync(`${copy}-wal`)).toBe(false);
    const next = await openSqlite(copy, { own: true, repeat });
    expect(await next.all('SELECT at FROM stamps')).toEqual([{ at: 1 }]);
    await next.close();
    await db.close();
  });
});
