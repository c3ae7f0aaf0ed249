/** Backups of a running service, restored into either database; moving from one to the other. */
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { readTables, type Table } from '@clockproof/platform/tools/read-tables';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readBackupFile, writeBackupFile } from '../../src/commands/backup-file.js';
import { exportDatabase } from '../../src/commands/export-database.js';
import { backUp, move, restore } from '../../src/commands/restore.js';
import { runVerify } from '../../src/commands/verify.js';
import type { Tables } from '../../src/generated/tables.js';
import { recordCompany } from '../../src/people/people.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import { noteSigning } from '../../src/store/seal.js';
import { signWith } from '../../src/store/sealing/data-key.js';
import { makeKeys, readDataKey, takeKeys } from '../../src/store/sealing/data-keys.js';
import { insert } from '../../src/store/tables.js';
import { createStore } from '../../src/store/write.js';
import { sendStamp } from '../builders.js';
import { createWorld, dataKey, monday, seededBytes, type World } from '../world.js';
import { berlin } from '../zones.js';

const randomBytes = seededBytes('backups');
const options = { passphrase: undefined, randomBytes, at: monday };
const folder = mkdtempSync(join(tmpdir(), 'clockproof-backups-'));
const homes: TestDatabase[] = [];
let files = 0;
const newFile = () => join(folder, `${++files}.backup`);
afterAll(async () => {
  for (const home of homes) await home.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** A database that nobody has touched. On SQLite there is no file yet. */
async function emptyDatabase(dialect: (typeof dialects)[number]): Promise<TestDatabase['settings']> {
  const home = await createTestDatabase(dialect);
  homes.push(home);
  return home.settings;
}

/** Where the database of a world is. */
const databaseOf = ({ settings }: World): TestDatabase['settings'] => ({
  driver: settings['DB_DRIVER'] as 'sqlite' | 'postgres',
  dsn: settings['DB_DSN']!,
});

/**
 * Lines without the head, which says when, and without epochs, see {@link expectNewEpoch}; in no order, because databases
 * give rows in different orders.
 */
async function linesOf(settings: TestDatabase['settings']): Promise<string[]> {
  const lines: string[] = [];
  let table: string | undefined;
  for await (const line of exportDatabase(settings, monday)) {
    const { kind, name } = JSON.parse(line) as { kind?: string; name?: string };
    if (kind === 'table') table = name;
    if (table !== 'epochs') lines.push(line);
  }
  return lines.slice(1, -1).sort();
}

async function epochsOf(settings: TestDatabase['settings']): Promise<Record<string, { last: unknown }>> {
  const db = await openDatabase(settings);
  const rows = await db.all<Tables['epochs']>('SELECT * FROM epochs');
  await db.close();
  return Object.fromEntries(rows.map((row) => [row.epoch, row]));
}

/** All epochs are there: the current one has ended, and a new one began. */
async function expectNewEpoch(from: TestDatabase['settings'], to: TestDatabase['settings']): Promise<void> {
  const [before, after] = [await epochsOf(from), await epochsOf(to)];
  const newEpochs = Object.keys(after).filter((epoch) => !(epoch in before));
  expect(newEpochs).toHaveLength(1);
  for (const row of Object.values(before)) if (row.last === null) row.last = expect.any(Number);
  expect(after).toEqual({
    ...before,
    [newEpochs[0]!]: expect.objectContaining({ last: null, reason: 'restored or moved' }) as unknown,
  });
}

describe.each(dialects)('a backup of a service on %s', (dialect) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(dialect);
    await noteSigning(world.service.store, monday);
  });
  afterAll(() => world.close());

  it.each(dialects)('a backup under load has everything acknowledged before, on %s too', async (target) => {
    const acknowledgedStamps = new Map<number, number>();
    let isStopping = false;
    const stampsBefore = await countStamps(databaseOf(world));
    const probe = () => world.call('GET', '/api/v1/status');
    const clients = [world.people.ada, world.people.ben].map(async (person) => {
      for (let verb = 'in'; !isStopping; verb = verb === 'in' ? 'out' : 'in') {
        world.advance(1_000);
        const { status } = await world.call('POST', `/api/v1/clock/${verb}`, {
          key: world.planner.key,
          body: { user_id: person },
        });
        expect([200, 409]).toContain(status);
        if (status === 200) acknowledgedStamps.set(person, (acknowledgedStamps.get(person) ?? 0) + 1);
      }
    });
    while (acknowledgedStamps.size < clients.length) await Promise.race([probe(), ...clients]);
    const expectedStamps = new Map(acknowledgedStamps);
    const file = newFile();
    await backUp(databaseOf(world), file, options).finally(() => {
      isStopping = true;
    });
    await Promise.all(clients);

    const settings = await emptyDatabase(target);
    const report = await restore(settings, file, { passphrase: undefined, dataKey });
    const db = await openDatabase(settings);
    const restoredStamps = await countStamps(settings);
    for (const [person, stamps] of expectedStamps)
      expect(restoredStamps.get(person) ?? 0).toBeGreaterThanOrEqual((stampsBefore.get(person) ?? 0) + stamps);
    const sign = signWith((await readDataKey(db, dataKey, randomBytes))!);
    const head = /audit log head (\S+)/.exec(report)![1]!;
    expect(await runVerify(db, { head, sign })).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining('records intact') as unknown,
    });
    // Numbers go on where they were.
    const company = await createStore(db, { sign }).write({ actor: { kind: 'system' }, at: monday }, (write) =>
      recordCompany(write, { name: `West ${target}`, timeZone: berlin, country: 'DE' }),
    );
    expect(company).toBeGreaterThan(world.sued);
    await db.close();
  });

  it('a backup with another DATA_KEY or none is refused, and leaves nothing', async () => {
    const file = newFile();
    await backUp(databaseOf(world), file, options);
    const settings = await emptyDatabase(dialect);
    for (const [key, reason] of [
      [undefined, /DATA_KEY is not set/],
      [seededBytes('other')(32), /DATA_KEY is not the key/],
    ] as const) {
      await expect(restore(settings, file, { passphrase: undefined, dataKey: key })).rejects.toThrow(reason);
      if (dialect === 'sqlite') expect([settings.dsn, `${settings.dsn}.restoring`].some(existsSync)).toBe(false);
    }
    expect(readFileSync(file).includes(dataKey)).toBe(false);
    expect(await restore(settings, file, { passphrase: undefined, dataKey })).toMatch(/^restored\n/);
  });

  it('a backup goes into an empty database only', async () => {
    const file = newFile();
    await backUp(databaseOf(world), file, options);
    await expect(restore(databaseOf(world), file, { passphrase: undefined, dataKey })).rejects.toThrow(
      dialect === 'sqlite' ? /exists: restore into a new file/ : /not empty: an installation is in it/,
    );
    await expect(backUp(databaseOf(world), file, options)).rejects.toThrow('exists already');
  });
});

async function countStamps(settings: TestDatabase['settings']): Promise<Map<number, number>> {
  const db = await openDatabase(settings);
  const rows = await db.all<{ person_id: number; n: number }>(
    "SELECT person_id, count(*) AS n FROM events WHERE type LIKE 'clock.%' GROUP BY person_id",
  );
  await db.close();
  return new Map(rows.map(({ person_id, n }) => [person_id, n]));
}

describe('the file of a backup', () => {
  const text = Array.from({ length: 30_000 }, (_, index) =>
    JSON.stringify([index, `Zeile ${index} äß€`, index * 7919]),
  );
  const lines = async function* () {
    yield* text;
  };
  const passphrase = 'eine lange Passphrase';
  const read = async (file: string, secret?: string) => {
    const content: string[] = [];
    for await (const line of readBackupFile(file, secret)) content.push(line);
    return content;
  };
  let file: string;
  beforeAll(async () => {
    file = newFile();
    await writeBackupFile(file, lines(), { passphrase, randomBytes, cost: 2 ** 10 });
  });

  it('the file of a backup has a key that is expensive to guess', async () => {
    const otherFile = newFile();
    await writeBackupFile(otherFile, lines(), { passphrase, randomBytes });
    expect(readFileSync(otherFile, 'latin1')).toMatch(/^clockproof-backup 1 scrypt 131072 [0-9a-f]{32}\n/);
  });

  it('the file of a backup opens with its passphrase and no other', async () => {
    expect(await read(file, passphrase)).toEqual(text);
    await expect(read(file, 'eine andere Passphrase')).rejects.toThrow(/^BACKUP_PASSPHRASE is not the passphrase/);
    await expect(read(file)).rejects.toThrow(/is encrypted: set BACKUP_PASSPHRASE/);
    expect(readFileSync(file).includes('Zeile')).toBe(false);
  });

  it('a backup file with a changed byte or a missing end is refused', async () => {
    const bytes = readFileSync(file);
    const damagedFile = newFile();
    expect(bytes.length).toBeGreaterThan(2 * 65_552);
    for (const place of [80, bytes.length - 3]) {
      const alteredBytes = Buffer.from(bytes);
      alteredBytes[place] = alteredBytes[place]! ^ 1;
      writeFileSync(damagedFile, alteredBytes);
      await expect(read(damagedFile, passphrase)).rejects.toThrow(/damaged/);
    }
    const headerSize = bytes.indexOf('\n') + 1;
    for (const size of [headerSize, headerSize + 2 * 65_552]) {
      writeFileSync(damagedFile, bytes);
      truncateSync(damagedFile, size);
      await expect(read(damagedFile, passphrase)).rejects.toThrow(/damaged/);
    }
  });

  it('a file that is no backup is refused', async () => {
    const otherFile = newFile();
    writeFileSync(otherFile, 'SQLite format 3\0');
    await expect(read(otherFile)).rejects.toThrow('is not a backup');
    writeFileSync(otherFile, 'clockproof-backup 2 plain\n');
    await expect(read(otherFile)).rejects.toThrow('made by a newer version');
  });
});

/** Checks of the schema that {@link rowOf} does not meet by itself. */
const exceptions: Readonly<Record<string, object>> = {
  'approvals 2': { status: 'waiting' },
  'corrections 1': { remove: 0, end_at: 2 },
  'corrections 2': { remove: 1, entry_id: 2 },
  'time_entries 2': { status: 'open' },
  'unresolved_stamps 2': { status: 'waiting' },
};

/** A row with a value in every column (1), or only where there has to be one (2). It refers to rows of the same number. */
function rowOf(table: string, columns: Table['columns'], number: number): object {
  const values = {
    integer: number,
    text: `Old & Söhne's "${number}"`,
    bytes: new Uint8Array([0, number, 127, 128, 255]),
  };
  return {
    ...Object.fromEntries(
      columns.map(({ name, kind, nullable }) => [name, nullable && number > 1 ? null : values[kind]]),
    ),
    ...exceptions[`${table} ${number}`],
  };
}

describe('the content of a backup', () => {
  it('a backup contains every row of every table, and restores it from both databases', async () => {
    const source = await createTestDatabase('sqlite', migrations);
    homes.push(source);
    const db = await openDatabase(source.settings);
    const tables = await readTables(db);
    await db.write(async (tx) => {
      await tx.run('PRAGMA defer_foreign_keys = ON');
      for (const { name, columns } of tables) {
        if ((await tx.get(`SELECT 1 AS one FROM ${name} LIMIT 1`)) !== undefined) await tx.run(`DELETE FROM ${name}`);
        const numbers = columns.some((column) => column.name === 'one') ? [1] : [1, 2];
        for (const number of numbers) await insert(tx, name as 'companies', rowOf(name, columns, number) as never);
      }
      await tx.run('DELETE FROM data_keys');
      await takeKeys(tx, makeKeys(dataKey, randomBytes), monday);
    });
    await db.close();
    const sourceLines = await linesOf(source.settings);
    let settings = source.settings;
    for (const dialect of [...dialects, 'sqlite'] as const) {
      const file = newFile();
      await backUp(settings, file, options);
      const target = await emptyDatabase(dialect);
      await restore(target, file, { passphrase: undefined, dataKey });
      expect(await linesOf(target)).toEqual(sourceLines);
      await expectNewEpoch(settings, target);
      settings = target;
    }
  });

  it('a backup with a missing row, a changed value or a missing end is refused', async () => {
    const world = await createWorld('sqlite');
    const lines: string[] = [];
    for await (const line of exportDatabase(databaseOf(world), monday)) lines.push(line);
    await world.close();
    const row = lines.findIndex((line) => line.includes('Lang'));
    for (const damagedLines of [
      lines.filter((_, index) => index !== row),
      lines.map((line, index) => (index === row ? line.replace('Lang', 'Kurz') : line)),
      lines.slice(0, -1),
      [...lines, '[1]'],
      ['{"kind":"head"}', ...lines.slice(1)],
    ]) {
      const file = newFile();
      const streamLines = async function* () {
        yield* damagedLines;
      };
      await writeBackupFile(file, streamLines(), { passphrase: undefined, randomBytes });
      const settings = await emptyDatabase('sqlite');
      await expect(restore(settings, file, { passphrase: undefined, dataKey })).rejects.toThrow(
        'the backup is damaged',
      );
      expect(existsSync(settings.dsn)).toBe(false);
    }
  });
});

if (dialects.includes('postgres'))
  describe('moving to PostgreSQL', () => {
    it('moving to PostgreSQL takes everything, is refused while the service runs, and keeps the file', async () => {
      const world = await createWorld('sqlite');
      const settings = databaseOf(world);
      await sendStamp(world, 'in');
      const target = await emptyDatabase('postgres');
      const owner = await openDatabase({ ...settings, exclusive: true });
      await expect(move(settings, target.dsn, { dataKey, at: monday })).rejects.toThrow('another process is serving');
      await owner.close();
      expect(await move(settings, target.dsn, { dataKey, at: monday })).toMatch(/^moved\n\d+ rows in \d+ tables\n/);
      expect(await linesOf(target)).toEqual(await linesOf(settings));
      await expectNewEpoch(settings, target);
      await expect(move(settings, target.dsn, { dataKey, at: monday })).rejects.toThrow('not empty');
      await world.close();
    });
  });
