/** `audit verify` as an operator runs it: a process of its own on the database of the service. */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterAll, describe, expect, it } from '@jest/globals';
import { migrations } from '../../src/store/migrations/migrations.js';
import { sealAll } from '../../src/store/seal.js';
import { createStore } from '../../src/store/write.js';
import { monday } from '../world.js';

// The built one: what an operator runs. `make test` builds before it tests.
const main = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

describe.each(dialects)('the command audit verify on %s', (dialect) => {
  const homes: TestDatabase[] = [];
  afterAll(async () => {
    for (const home of homes) await home.drop();
  });
  /** A database brought forward by so many migrations, with so many entries. */
  async function make(
    migrationCount: number,
    entries: number,
  ): Promise<(...words: string[]) => { readonly status: number | null; readonly text: string }> {
    const home = await createTestDatabase(dialect);
    homes.push(home);
    const db = await openDatabase(home.settings);
    if (migrationCount > 0) await db.migrate(migrations.slice(0, migrationCount));
    for (let entry = 0; entry < entries; entry++)
      await createStore(db).write({ actor: { kind: 'system' }, at: monday + entry }, (write) =>
        write.audit({ actor: { kind: 'system' }, action: 'data_key.rotated' }),
      );
    if (entries > 0) await sealAll(createStore(db), () => monday);
    await db.close();
    return (...words) => {
      const result = spawnSync(process.execPath, [main, 'audit', ...words], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', DB_DRIVER: dialect, DB_DSN: home.settings.dsn },
      });
      return { status: result.status, text: result.stdout + result.stderr };
    };
  }

  it('audit verify prints the head of an intact log, and accepts it the next time', async () => {
    const run = await make(migrations.length, 3);
    const first = run('verify');
    expect(first).toEqual({
      status: 0,
      text: expect.stringMatching(
        /^audit log intact: 3 entries\nrecords intact: 0 checked\nnot signed: there is no DATA_KEY\nhead 3:[0-9a-f]{64}\n$/,
      ),
    });
    const head = /head (\S+)/.exec(first.text)![1]!;
    expect(run('verify', '--head', head)).toEqual(first);
    expect(run('verify', '--head', head.replace('3:', '4:'))).toEqual({
      status: 1,
      text: 'audit log NOT intact: it ends before entry number 4, which a stored head has\n',
    });
    expect(run('verify', '--head', 'yesterday')).toMatchObject({
      status: 64,
      text: expect.stringContaining('usage: audit verify'),
    });
  });

  it.each([
    ['an empty one', 0, /not been migrated to this version; start this/],
    [
      'one of an earlier version',
      migrations.length - 1,
      /not been migrated to this version; start this version to migrate it/,
    ],
  ])('audit verify says in one sentence that a database has another version: %s', async (_, count, sentence) => {
    expect((await make(count, 0))('verify')).toEqual({ status: 1, text: expect.stringMatching(sentence) });
  });
});
