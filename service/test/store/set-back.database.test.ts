/** Databases whose history was set back: positions of the lost part are told apart, and numbers are not given twice. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects } from '@clockproof/platform/testing/databases';
import { describe, expect, it } from '@jest/globals';
import { migrations } from '../../src/store/migrations/migrations.js';
import { beginEpochOnNewServer, placeOf, positionText, settledPosition } from '../../src/store/position.js';
import { noticeSetBack, positionNote } from '../../src/store/set-back.js';
import { createStore } from '../../src/store/write.js';
import { monday } from '../world.js';

const append = (db: Database) =>
  createStore(db).write({ actor: { kind: 'system' }, at: monday }, (write) =>
    write.audit({ action: 'data_key.rotated' }),
  );
const readPosition = async (db: Database) => positionText(await settledPosition(db));
const isKnown = async (db: Database, position: string) =>
  placeOf(db, position, await settledPosition(db)).then(
    () => true,
    (error: { code?: string }) => error.code,
  );

describe('an older SQLite file', () => {
  it('an older SQLite file begins a new epoch: positions before the copy hold, later ones do not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'clockproof-set-back-'));
    const [file, copy, note] = ['now.sqlite', 'copy.sqlite', 'now.sqlite-position'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    let db = await openDatabase({ driver: 'sqlite', dsn: file });
    await db.migrate(migrations);
    await append(db);
    const earlierPosition = await readPosition(db);
    await db.close();
    copyFileSync(file, copy);
    db = await openDatabase({ driver: 'sqlite', dsn: file });
    await noticeSetBack(db, note);
    await append(db);
    await positionNote(db, note)();
    const lostPosition = await readPosition(db);
    expect(await isKnown(db, earlierPosition)).toBe(true);
    await db.close();

    copyFileSync(copy, file);
    db = await openDatabase({ driver: 'sqlite', dsn: file });
    await noticeSetBack(db, note);
    expect(await isKnown(db, earlierPosition)).toBe(true);
    expect(await isKnown(db, lostPosition)).toBe('history_changed');
    // Whatever is written now lies above everything that was ever given out.
    for (let index = 0; index < 3; index++) await append(db);
    expect(await isKnown(db, lostPosition)).toBe('history_changed');
    expect((await settledPosition(db)).place).toBeGreaterThan(Number.parseInt(lostPosition.slice(8), 16));
    // Looked at again, there is nothing new to notice.
    await positionNote(db, note)();
    const currentPosition = await readPosition(db);
    await noticeSetBack(db, note);
    expect(await readPosition(db)).toBe(currentPosition);
    await db.close();
    rmSync(folder, { recursive: true });
  });

  it('the note of a position remains whole if the next one cannot be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'clockproof-set-back-'));
    const [file, note] = [join(folder, 'now.sqlite'), join(folder, 'now.sqlite-position')];
    const db = await openDatabase({ driver: 'sqlite', dsn: file });
    await db.migrate(migrations);
    await append(db);
    const writeNote = positionNote(db, note);
    await writeNote();
    const notedPosition = await readPosition(db);
    await append(db);
    mkdirSync(`${note}.new`);
    await expect(writeNote()).rejects.toThrow('EISDIR');
    expect(readFileSync(note, 'utf8')).toBe(notedPosition);
    rmdirSync(`${note}.new`);
    await writeNote();
    expect(readFileSync(note, 'utf8')).toBe(await readPosition(db));
    await db.close();
    rmSync(folder, { recursive: true });
  });
});

describe.each(dialects)('another server on %s', (dialect) => {
  it('another server begins a new epoch with the first write, or at the start of a process', async () => {
    const home = await createTestDatabase(dialect, migrations);
    const [firstDb, secondDb] = [await openDatabase(home.settings), await openDatabase(home.settings)];
    await append(firstDb);
    const firstPosition = await readPosition(firstDb);
    const changeServer = (tx: { run(sql: string): Promise<number> }) =>
      tx.run("UPDATE epochs SET server = 'another' WHERE last IS NULL");
    await firstDb.write(changeServer);
    // Two processes meet it at the same time: the second finds it done.
    await Promise.all([append(firstDb), append(secondDb)]);
    expect(await firstDb.all('SELECT reason FROM epochs ORDER BY floor')).toHaveLength(3);
    expect((await readPosition(firstDb)).slice(0, 8)).not.toBe(firstPosition.slice(0, 8));
    expect(await isKnown(firstDb, firstPosition)).toBe(true);
    // Numbers that went back, as of a dump in a new cluster, are noticed by the place that was sealed.
    await firstDb.write((tx) => tx.run('UPDATE epochs SET floor = floor + 4503599627370496 WHERE last IS NULL'));
    await secondDb.write(beginEpochOnNewServer);
    await append(firstDb);
    expect(await firstDb.all('SELECT 1 AS one FROM epochs')).toHaveLength(4);
    expect((await settledPosition(firstDb)).place).toBeGreaterThan(2 ** 52);
    expect(Number.isSafeInteger((await settledPosition(firstDb)).place)).toBe(true);
    await firstDb.close();
    await secondDb.close();
    await home.drop();
  });
});
