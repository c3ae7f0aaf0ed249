/** What a later version does to the database of an earlier one, shown with a migration that does not exist. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Database, Migration } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrations } from '../../src/store/migrations/migrations.js';

const floors: Migration = {
  id: '9000-floors',
  statements: (d) => [
    `ALTER TABLE departments ADD COLUMN floor ${d.integer} NOT NULL DEFAULT 0`,
    "UPDATE departments SET floor = floor + 1 WHERE name = 'Office'",
  ],
};

/** A start that dies between the two statements. It runs what was built, as `make test` does before the tests. */
const dyingStart = `
  import { openDatabase } from '@clockproof/platform/database/open';
  import { migrations } from '${new URL('../../dist/src/store/migrations/migrations.js', import.meta.url)}';
  function* statements(d) {
    yield \`ALTER TABLE departments ADD COLUMN floor \${d.integer} NOT NULL DEFAULT 0\`;
    process.kill(process.pid, 'SIGKILL');
  }
  const db = await openDatabase(JSON.parse(process.argv[1]));
  await db.migrate([...migrations, { id: '9000-floors', statements }]);`;

it('migrations are applied in the order of their ids', () => {
  const ids = migrations.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted());
});

describe.each(dialects)('a later migration on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    home = await createTestDatabase(dialect, migrations);
    db = await openDatabase(home.settings);
    await db.write(async (tx) => {
      await tx.run(
        "INSERT INTO companies (name, time_zone, country, updated_at) VALUES ('Nord', 'Europe/Berlin', 'DE', 1)",
      );
      await tx.run("INSERT INTO departments (company_id, name) VALUES (1, 'Office'), (1, 'Dock')");
    });
  });
  afterEach(async () => {
    await db.close();
    await home.drop();
  });
  const readFloors = () => db.all('SELECT name, floor FROM departments ORDER BY id');
  const migratedRows = [
    { name: 'Office', floor: 1 },
    { name: 'Dock', floor: 0 },
  ];

  it('a later migration converts the rows once when two processes start at the same time', async () => {
    const otherDb = await openDatabase(home.settings);
    await Promise.all([db, otherDb].map((database) => database.migrate([...migrations, floors])));
    await otherDb.close();
    expect(await readFloors()).toEqual(migratedRows);
  });

  it('a later migration leaves nothing after a process death, and the next start applies it', async () => {
    const child = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', dyingStart, JSON.stringify(home.settings)],
      {
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
        encoding: 'utf8',
      },
    );
    expect(child).toMatchObject({ signal: 'SIGKILL', stderr: '' });
    await expect(readFloors()).rejects.toThrow();
    await db.migrate([...migrations, floors]);
    expect(await readFloors()).toEqual(migratedRows);
  });
});
