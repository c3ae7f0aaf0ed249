import { append as appendLeaf, emptyFrontier, rootOf } from '@clockproof/platform/bytes/merkle-tree';
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { minute } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendAudit } from '../../src/store/audit/audit.js';
import { type EntryRow, type HeadRow, placesInLog, readHead } from '../../src/store/audit/rows.js';
import { verifyAudit } from '../../src/store/audit/verify.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import { placeBefore } from '../../src/store/position.js';
import { headText, leafOf, seal, sealAll } from '../../src/store/seal.js';
import { createStore, type Store } from '../../src/store/write.js';

const start = 1_795_000_000_000;
const sign = (text: string) => Buffer.from(text).toString('hex').slice(0, 8).padEnd(64, '0');
/** Entries that are sealed, by heads of three; and behind them entries that are not. */
const sealedEntries = 60;
const tailEntries = 4;

describe.each(dialects)('the audit log on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  let store: Store;
  /** Numbers of all entries, the sealed ones first. */
  let numbers: number[];
  let head: { size: number; root: string };

  const append = (target: Store, index: number) =>
    target.write({ actor: { kind: 'person', id: String(index % 7) }, at: start + index * minute }, (write) =>
      write.audit({
        companyId: index % 3,
        action: 'clock.in',
        subject: `person ${index % 7}`,
        details: { entry: index },
      }),
    );

  beforeAll(async () => {
    home = await createTestDatabase(dialect, migrations);
    db = await openDatabase(home.settings);
    store = createStore(db);
    for (let index = 0; index < sealedEntries; index++) {
      await append(store, index);
      if (index % 3 === 2) await seal(store, start + index * minute);
    }
    head = await readHead(db);
    for (let index = 0; index < tailEntries; index++) await append(store, sealedEntries + index);
    const rows = await db.all<{ sequence: number }>('SELECT sequence FROM audit_entries ORDER BY sequence');
    numbers = rows.map(({ sequence }) => sequence);
  });
  afterAll(async () => {
    await db.close();
    await home.drop();
  });

  it('the audit log is intact, sealed up to the newest head, and knows the place of each entry', async () => {
    expect(await verifyAudit(db)).toMatchObject({
      intact: true,
      entries: sealedEntries + tailEntries,
      head: { size: sealedEntries },
    });
    const places = await placesInLog(db, numbers);
    expect(numbers.map((number) => places.get(number))).toEqual(
      numbers.map((_, index) => (index < sealedEntries ? index + 1 : undefined)),
    );
  });

  it('the audit log knows a place before an instant: all entries up to it are older', async () => {
    expect(await placeBefore(db, start)).toBe(0);
    expect(await placeBefore(db, start + 7 * minute)).toBe(numbers[5]);
    expect(await placeBefore(db, start + 1_000 * minute)).toBe(numbers[sealedEntries - 1]);
  });

  /** What somebody with the database in their hands can do. */
  async function tamper(statements: readonly string[]): Promise<Awaited<ReturnType<typeof verifyAudit>>> {
    let result: Awaited<ReturnType<typeof verifyAudit>> | undefined;
    const undo = new Error('undo');
    await db
      .write(async (tx) => {
        const guards = ['audit_entries', 'audit_parties', 'audit_heads'].flatMap((table) =>
          dialect === 'sqlite'
            ? [`DROP TRIGGER ${table}_no_update`, `DROP TRIGGER ${table}_no_delete`]
            : [`ALTER TABLE ${table} DISABLE TRIGGER ALL`],
        );
        for (const statement of [...guards, ...statements]) await tx.run(statement);
        result = await verifyAudit(tx, head);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    return result!;
  }

  it('the audit log refuses to change or lose an entry, or a head', async () => {
    for (const statement of [
      'UPDATE audit_entries SET at = at + 1',
      'DELETE FROM audit_entries',
      'UPDATE audit_heads SET at = at + 1',
      'DELETE FROM audit_heads',
    ])
      await expect(db.write((tx) => tx.run(statement))).rejects.toThrow('append-only');
  });

  it.each([
    'at = at + 1',
    "actor_id = '9'",
    "actor_kind = 'terminal'",
    "action = 'clock.out'",
    "family = 'absence'",
    "subject = 'person 99'",
    'details = \'{"index":-1}\'',
    "records = '{}'",
    'company_id = 42',
    "actor_name = 'x'",
    `mac = 'sha256:${'0'.repeat(64)}'`,
  ])('the audit log detects a change of an entry, sealed or not: %s', async (change) => {
    for (const index of [0, 31, sealedEntries - 1, sealedEntries + 1])
      expect(await tamper([`UPDATE audit_entries SET ${change} WHERE sequence = ${numbers[index]}`])).toEqual({
        intact: false,
        firstBad: numbers[index],
        why: 'altered',
      });
  });

  it('the audit log detects an entry that was moved or copied, sealed or not', async () => {
    for (const index of [10, sealedEntries + 1]) {
      const [sequence, freeSequence] = [numbers[index]!, numbers[index]! + 1];
      const columns =
        'at, company_id, actor_kind, actor_id, actor_name, family, action, subject, details, records, mac';
      const copyStatements = [
        `INSERT INTO audit_entries (sequence, ${columns}) SELECT ${freeSequence}, ${columns} FROM audit_entries WHERE sequence = ${sequence}`,
        `INSERT INTO audit_parties (party, at, sequence) SELECT party, at, ${freeSequence} FROM audit_parties WHERE sequence = ${sequence}`,
      ];
      expect(await tamper(copyStatements)).toMatchObject({ intact: false, firstBad: freeSequence });
      const moveStatements = ['audit_entries', 'audit_parties'].map(
        (table) => `UPDATE ${table} SET sequence = ${freeSequence} WHERE sequence = ${sequence}`,
      );
      expect(await tamper(moveStatements)).toMatchObject({
        intact: false,
        firstBad: index < sealedEntries ? sequence : freeSequence,
      });
    }
  });

  it('the audit log detects a removed entry, and one added to the sealed part', async () => {
    for (const index of [0, 30, sealedEntries - 1])
      expect(await tamper([`DELETE FROM audit_entries WHERE sequence = ${numbers[index]}`])).toEqual({
        intact: false,
        firstBad: numbers[index],
        why: 'missing',
      });
    let verdict: Awaited<ReturnType<typeof verifyAudit>> | undefined;
    const addedSequence = numbers[20]! + 1;
    const undo = new Error('undo');
    await db
      .write(async (tx) => {
        const entry = { at: start, actor: { kind: 'system' }, action: 'clock.in', details: { entry: 1 } } as const;
        await appendAudit(tx, addedSequence, entry, { sign: undefined, records: {} });
        verdict = await verifyAudit(tx, head);
        throw undo;
      })
      .catch((error: unknown) => expect(error).toBe(undo));
    expect(verdict).toEqual({ intact: false, firstBad: addedSequence, why: 'added' });
  });

  it('the audit log detects a cut end if one of its heads was noted elsewhere', async () => {
    const cutPoint = numbers[sealedEntries - 4]!;
    const statements = [
      `DELETE FROM audit_entries WHERE sequence > ${cutPoint}`,
      `DELETE FROM audit_heads WHERE last > ${cutPoint}`,
    ];
    expect(await tamper(statements)).toEqual({ intact: false, firstBad: sealedEntries, why: 'cut' });
  });

  it('the audit log detects a head that does not fit: changed, or other than noted', async () => {
    const { last } = await readHead(db);
    const changes = ['root', 'frontier'].map((column) => `${column} = '${'0'.repeat(64)}'`);
    for (const change of [...changes, 'latest_at = latest_at + 1'])
      expect(await tamper([`UPDATE audit_heads SET ${change} WHERE last = ${last}`])).toMatchObject({
        intact: false,
        firstBad: last,
        why: 'head',
      });
    expect(await verifyAudit(db, { ...head, root: '0'.repeat(64) })).toEqual({
      intact: false,
      firstBad: last,
      why: 'head',
    });
  });

  it('the audit log checks a noted head at any size, because a new sealing may have other sizes', async () => {
    const entries = await db.all<EntryRow>('SELECT * FROM audit_entries ORDER BY sequence LIMIT 31');
    const tree = entries.reduce((frontier, entry) => appendLeaf(frontier, leafOf(entry)), emptyFrontier);
    const notedHead = { size: 31, root: rootOf(tree).toString('hex') };
    expect(await verifyAudit(db, notedHead)).toMatchObject({ intact: true });
    expect(await verifyAudit(db, { ...notedHead, root: head.root })).toEqual({
      intact: false,
      firstBad: numbers[32],
      why: 'head',
    });
  });

  it('the audit log has one line of heads with two sealing processes, or after a kill', async () => {
    const otherHome = await createTestDatabase(dialect, migrations);
    const [firstDb, secondDb] = [await openDatabase(otherHome.settings), await openDatabase(otherHome.settings)];
    const stores = [createStore(firstDb, { sign }), createStore(secondDb, { sign })] as const;
    for (let round = 0; round < 8; round++) {
      for (const target of stores) await append(target, round);
      // Read by a process that ends before it writes.
      await readHead(firstDb);
      await Promise.all(stores.map((target) => sealAll(target, () => start + round)));
    }
    const heads = await firstDb.all<HeadRow>('SELECT * FROM audit_heads ORDER BY size');
    expect(heads.at(-1)!.size).toBe(16);
    expect(heads.map(({ previous }) => previous)).toEqual([0, ...heads.map(({ size }) => size)].slice(0, -1));
    for (const { signature, ...rest } of heads) expect(signature).toBe(sign(headText(rest)));
    expect(await verifyAudit(secondDb, undefined, sign)).toMatchObject({ intact: true, entries: 16 });
    await Promise.all([firstDb.close(), secondDb.close()]);
    await otherHome.drop();
  });

  it('the audit log does not miss an entry that is written and sealed during the walk', async () => {
    const otherHome = await createTestDatabase(dialect, migrations);
    const log = await openDatabase(otherHome.settings);
    const target = createStore(log);
    await append(target, 0);
    await sealAll(target, () => start);
    let readCount = 0;
    const busyReader: Parameters<typeof verifyAudit>[0] = {
      dialect: log.dialect,
      get: log.get,
      all: async (sql, parameters) => {
        if (readCount++ < 6) {
          await append(target, readCount);
          if (readCount % 2 === 0) await sealAll(target, () => start + readCount);
        }
        return log.all(sql, parameters);
      },
    };
    expect(await verifyAudit(busyReader)).toMatchObject({ intact: true });
    expect(readCount).toBeGreaterThan(3);
    const { n } = (await log.get<{ n: number }>('SELECT count(*) AS n FROM audit_entries'))!;
    expect(await verifyAudit(log)).toMatchObject({ intact: true, entries: n });
    await log.close();
    await otherHome.drop();
  });

  it('the audit log keeps a text with line breaks one entry', async () => {
    const reason = 'sick\r\n2026-11-23T08:00:00Z {"action":"link.granted"}\u2028';
    const otherHome = await createTestDatabase(dialect, migrations);
    const log = await openDatabase(otherHome.settings);
    await createStore(log).write({ actor: { kind: 'person', id: '1' }, at: start }, (write) =>
      write.audit({ action: 'month.reopened', details: { reason } }),
    );
    expect(await log.get('SELECT details FROM audit_entries')).toEqual({ details: JSON.stringify({ reason }) });
    expect(await verifyAudit(log)).toMatchObject({ intact: true, entries: 1 });
    await log.close();
    await otherHome.drop();
  });
});
