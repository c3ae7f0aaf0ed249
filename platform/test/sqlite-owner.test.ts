/** One serving process per SQLite file; copies of it are SQLite's own business. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Migration } from '../src/database/database.js';
import { openExistingDatabase } from '../src/database/open.js';
import { openSqlite } from '../src/database/sqlite.js';

/** What a hook of a backup program does, in a process of its own. */
const vacuumScript = `const { Database } = require('@appthreat/sqlite3');
const db = new Database(process.argv[1]);
db.run("VACUUM INTO '" + process.argv[2] + "'", (error) => { if (error) throw error; db.close(); });`;

const folder = mkdtempSync(join(tmpdir(), 'clockproof-owner-'));

const stamps: Migration = { id: '0001-stamps', statements: () => ['CREATE TABLE stamps (at INTEGER)'] };

let nextFile = 0;
let file: string;
const start = async (at = file) => {
  const db = await openSqlite(at, { exclusive: true });
  await db.migrate([stamps]);
  return db;
};
const stamp = (db: Awaited<ReturnType<typeof start>>, at: number) =>
  db.write((tx) => tx.run('INSERT INTO stamps (at) VALUES (:at)', { at }));

describe('a served SQLite file', () => {
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    file = join(folder, `${String(++nextFile)}.sqlite`);
  });

  it('a served SQLite file is refused to a second process, and free after the first has closed it', async () => {
    const first = await start();
    await expect(openSqlite(file, { exclusive: true })).rejects.toThrow(/another process is serving from/);
    await stamp(first, 1);
    await first.close();
    const second = await start();
    expect(await second.all('SELECT at FROM stamps')).toEqual([{ at: 1 }]);
    await second.close();
  });

  it('a command can read a served SQLite file', async () => {
    const db = await start();
    await stamp(db, 1);
    const command = await openExistingDatabase({ driver: 'sqlite', dsn: file });
    expect(await command.all('SELECT at FROM stamps')).toEqual([{ at: 1 }]);
    await command.close();
    await stamp(db, 2);
    await db.close();
  });

  it('a process starts from the remains of a killed one: the file with its log, and a VACUUM INTO copy', async () => {
    const db = await start();
    await stamp(db, 1);
    const [leftFile, copy] = [join(folder, 'left.sqlite'), join(folder, 'copy.sqlite')];
    for (const end of ['', '-wal', '-shm']) if (existsSync(file + end)) copyFileSync(file + end, leftFile + end);
    execFileSync(process.execPath, ['-e', vacuumScript, file, copy]);
    await db.close();
    // Somebody looks at it with another program before the service does: the last to close moves the log into the file.
    const look = await openExistingDatabase({ driver: 'sqlite', dsn: leftFile });
    await look.close();
    expect(existsSync(`${leftFile}-wal`)).toBe(false);
    for (const file of [leftFile, copy]) {
      const secondProcess = await start(file);
      expect(await secondProcess.all('SELECT at FROM stamps')).toEqual([{ at: 1 }]);
      await secondProcess.close();
    }
  });

  it('a served SQLite file is refused under a symbolic link, also an older one', async () => {
    const links = [`${file}-link`, `${file}-link-of-link`] as const;
    symlinkSync(file, links[0]);
    symlinkSync(links[0], links[1]);
    const db = await start(links[1]);
    expect(existsSync(`${file}-wal`)).toBe(true);
    for (const name of [file, ...links])
      await expect(openSqlite(name, { exclusive: true })).rejects.toThrow(/another process is serving from/);
    await db.close();
  });

  it('an SQLite file with a second name is refused, to commands as well', async () => {
    await (await start()).close();
    const link = `${file}-hard`;
    linkSync(file, link);
    for (const name of [file, link])
      for (const isOwner of [true, false])
        await expect(openSqlite(name, { exclusive: isOwner })).rejects.toThrow(/second name/);
    rmSync(link);
    await (await start()).close();
  });

  it('an SQLite file mounted without its folder is refused', async () => {
    await (await start()).close();
    const mountedFile = `${file} mounted`;
    writeFileSync(mountedFile, '');
    // Only root may.
    if (spawnSync('mount', ['--bind', file, mountedFile]).status !== 0) return;
    try {
      await expect(openSqlite(mountedFile, { exclusive: true })).rejects.toThrow(/mounted as a single file/);
    } finally {
      spawnSync('umount', [mountedFile]);
    }
  });

  it.each([
    ['moved', () => renameSync(file, `${file}.old`)],
    ['removed', () => rmSync(file)],
    [
      'replaced',
      () => {
        copyFileSync(file, `${file}.new`);
        renameSync(`${file}.new`, file);
      },
    ],
    ['deprived of its -wal', () => rmSync(`${file}-wal`)],
    ['moved with its folder', () => renameSync(folder, `${folder}.old`)],
  ])('a process reports that its open SQLite file was %s', async (description, change) => {
    const db = await start();
    await stamp(db, 1);
    expect(await db.findLoss!()).toBeUndefined();
    change();
    expect(await db.findLoss!()).toContain('was moved, replaced or removed');
    if (description.endsWith('folder')) renameSync(`${folder}.old`, folder);
    await db.close();
    expect(await db.findLoss!()).toBeUndefined();
  });

  it('an SQLite file is not created again where its log was left', async () => {
    const db = await start();
    await stamp(db, 1);
    renameSync(file, `${file}.moved`);
    await db.close();
    for (const isOwner of [true, false])
      await expect(openSqlite(file, { exclusive: isOwner })).rejects.toThrow(/-wal has its newest writes/);
    renameSync(`${file}.moved`, file);
    const secondProcess = await start();
    expect(await secondProcess.all('SELECT at FROM stamps')).toEqual([{ at: 1 }]);
    await secondProcess.close();
  });

  it('an SQLite file keeps nothing of deleted rows', async () => {
    const db = await start();
    await db.write((tx) => tx.run('CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT)'));
    await db.write(async (tx) => {
      for (let id = 0; id < 2_000; id++)
        await tx.run('INSERT INTO names (name) VALUES (:name)', {
          name: `${id % 7 === 0 ? 'erased' : 'kept'} ${id}`.repeat(9),
        });
    });
    await db.write((tx) => tx.run("DELETE FROM names WHERE name LIKE 'erased%'"));
    await db.close();
    expect(readFileSync(file).includes('erased')).toBe(false);
  });

  it('a service is not ready once it has read a damaged page', async () => {
    const db = await start();
    await stamp(db, 1);
    const { rootpage } = (await db.get<{ rootpage: number }>(
      "SELECT rootpage FROM sqlite_master WHERE name = 'stamps'",
    ))!;
    await db.close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, (rootpage - 1) * 4_096, rootpage * 4_096));
    const damagedDatabase = await openSqlite(file, { exclusive: true });
    expect(await damagedDatabase.ping()).toBe(true);
    await expect(stamp(damagedDatabase, 2)).rejects.toMatchObject({ reason: 'damaged' });
    expect(await damagedDatabase.ping()).toBe(false);
    await damagedDatabase.close();
  });
});
