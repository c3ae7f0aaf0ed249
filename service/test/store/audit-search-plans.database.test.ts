/** Each search of the audit log finds its entries by an index, so that it does not grow with the log. */
import type { Database, Parameters, Reader } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AuditFilter,
  countEntries,
  entriesByKeysFor,
  findKeyReplacement,
  findSigningStart,
  listEntriesBack,
  listEntriesOn,
  newestOfActor,
  placesInLog,
} from '../../src/store/audit/rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import { placeBefore } from '../../src/store/position.js';
import type { CompanyScope } from '../../src/store/scope.js';

/** One entry a second, from the second 1 on; 19 of 20 are stamps. */
const entries = 40_000;
const companies = 400;
const fullPeriod: AuditFilter = { from: 0, before: (entries + 1) * 1_000 };

describe.each(dialects)('the searches of the audit log on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    home = await createTestDatabase(dialect, migrations);
    db = await openDatabase(home.settings);
    await db.write(async (tx) => {
      await tx.run(
        `INSERT INTO audit_entries (sequence, at, company_id, actor_kind, actor_id, family, action, subject, mac)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${entries})
         SELECT i, i * 1000, i % ${companies} + 1,
           CASE i % 3 WHEN 0 THEN 'person' WHEN 1 THEN 'terminal' ELSE 'extension' END,
           CASE i % 3 WHEN 0 THEN CAST(i % 1000 AS TEXT) WHEN 1 THEN 'trm_' || (i % 700) ELSE 'ext_' || (i % 50) END,
           CASE WHEN i % 20 > 0 THEN 'clock' WHEN i % 400 = 0 THEN 'person' ELSE 'absence' END,
           CASE WHEN i % 20 > 0 THEN 'clock.in' WHEN i % 400 = 0 THEN 'person.added' ELSE 'absence.requested' END,
           'person ' || (i % 1000), 'x' FROM n`,
      );
      await tx.run('INSERT INTO audit_parties (party, at, sequence) SELECT subject, at, sequence FROM audit_entries');
      await tx.run(
        `INSERT INTO audit_parties (party, at, sequence)
         SELECT 'extension ' || actor_id, at, sequence FROM audit_entries WHERE actor_kind = 'extension'`,
      );
      await tx.run(
        `INSERT INTO audit_heads (size, previous, last, latest_at, entries, frontier, root, at)
         SELECT sequence, sequence - 1, sequence, at, '[' || sequence || ']', '', '', at FROM audit_entries`,
      );
    });
    // Autovacuum does so on PostgreSQL; SQLite has no statistics.
    if (dialect === 'postgres') await db.write((tx) => tx.run('ANALYZE'));
  });
  afterAll(async () => {
    await db.close();
    await home.drop();
  });

  /** The plans of the statements that a read sends. */
  async function plansOf(read: (reader: Reader) => Promise<unknown>): Promise<string> {
    const statements: [string, Parameters][] = [];
    const recordingReader: Reader = {
      dialect: db.dialect,
      all: (sql, parameters = {}) => {
        statements.push([sql, parameters]);
        return db.all(sql, parameters);
      },
      get: (sql, parameters = {}) => {
        statements.push([sql, parameters]);
        return db.get(sql, parameters);
      },
    };
    await read(recordingReader);
    const plans = await Promise.all(
      statements.map(([sql, parameters]) =>
        db.all(`EXPLAIN ${dialect === 'postgres' ? '' : 'QUERY PLAN'} ${sql}`, parameters),
      ),
    );
    return plans.flatMap((plan) => plan.map((row) => row['QUERY PLAN'] ?? row['detail'])).join('\n');
  }

  const company: CompanyScope = { company: 7 };
  const parties = dialect === 'postgres' ? 'audit_parties_pkey' : 'sqlite_autoindex_audit_parties_1';
  const fortnight = { from: 9_000_000, before: 9_900_000 };
  it.each<[string, CompanyScope, Partial<AuditFilter>, string]>([
    ['everything', allCompanies, {}, 'audit_by_time'],
    ['a period', allCompanies, fortnight, 'audit_by_time'],
    ['stamps', allCompanies, { action: 'clock.' }, 'audit_by_time'],
    ['a company', company, {}, 'audit_by_company'],
    ['a period of a company', company, fortnight, 'audit_by_company'],
    ['stamps of a company', company, { action: 'clock.in' }, 'audit_by_company'],
    ['an action', allCompanies, { action: 'person.added' }, 'audit_by_action'],
    ['an action of a company', company, { action: 'person.added' }, 'audit_by_action'],
    ['an action in a period', allCompanies, { ...fortnight, action: 'person.added' }, 'audit_by_action'],
    ['a family', allCompanies, { action: 'person.' }, 'audit_by_family'],
    ['a family of a company', company, { action: 'person.' }, 'audit_by_family'],
    ['a terminal', allCompanies, { actorId: 'trm_7' }, 'audit_by_actor'],
    ['a terminal of a company', company, { actorId: 'trm_7' }, 'audit_by_actor'],
    ['an extension', allCompanies, { actorId: 'ext_7' }, parties],
    ['a person', allCompanies, { personId: 7 }, parties],
    ['a person of a company and a family', company, { personId: 7, action: 'absence.' }, 'audit_parties'],
    ['a person and an extension', allCompanies, { personId: 7, actorId: 'ext_7' }, parties],
  ])('the searches of the audit log find %s by an index', async (_, scope, filter, index) => {
    const search = { ...fullPeriod, ...filter };
    for (const plan of [
      await plansOf((reader) => listEntriesBack(reader, scope, search, undefined, 51)),
      await plansOf((reader) => listEntriesBack(reader, scope, search, { at: 9_500_000, sequence: 9_500 }, 51)),
      await plansOf((reader) =>
        listEntriesOn(reader, scope, search, { after: { at: 9_500_000, sequence: 9_500 }, upTo: entries, limit: 51 }),
      ),
    ]) {
      expect(plan).toContain(index);
      expect(plan).not.toMatch(/Seq Scan|^SCAN/m);
    }
  });

  it('the searches of the audit log count a period by an index', async () => {
    const plan = await plansOf((reader) => countEntries(reader, allCompanies, fortnight, entries));
    expect(plan).toContain('audit_by_time');
  });

  it.each<[string, (reader: Reader) => Promise<unknown>, string]>([
    ['entries by keys for a person', (reader) => entriesByKeysFor(reader, 7, undefined, 51), parties],
    ['the newest entry of a link', (reader) => newestOfActor(reader, 'personal_link', 'lnk_7'), 'audit_by_actor'],
    ['where the log begins to be signed', findSigningStart, 'audit_by_action'],
    ['the replacement of a lost key', findKeyReplacement, 'audit_by_action'],
    ['places in the log', (reader) => placesInLog(reader, [7, 8, 9]), 'audit_heads_by_last'],
    ['the place before an instant', (reader) => placeBefore(reader, 9_500_000), 'audit_heads_by_time'],
  ])('the searches of the audit log find the page of %s by an index', async (_, read, index) => {
    const plan = await plansOf(read);
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/Seq Scan|^SCAN (?!json_each)/m);
  });

  it.each<[string, CompanyScope, Partial<AuditFilter>]>([
    ['everything', allCompanies, fortnight],
    ['a family of a company', { company: 1 }, { action: 'person.' }],
    ['an action', allCompanies, { action: 'absence.requested' }],
    ['a terminal', allCompanies, { actorId: 'trm_7' }],
    ['a terminal and an action', allCompanies, { actorId: 'trm_20', action: 'absence.requested' }],
    ['an extension', allCompanies, { actorId: 'ext_7' }],
    ['an extension and an action', allCompanies, { actorId: 'ext_0', action: 'absence.requested' }],
    ['a person', allCompanies, { personId: 7 }],
    ['a person and an extension', allCompanies, { personId: 7, actorId: 'ext_7' }],
  ])('the searches of the audit log return %s page by page, in both directions', async (_, scope, filter) => {
    const search = { ...fullPeriod, ...filter };
    const backwardEntries = [];
    for (;;) {
      const page = await listEntriesBack(db, scope, search, backwardEntries.at(-1), 400);
      backwardEntries.push(...page);
      if (page.length < 400) break;
    }
    const forwardEntries = [];
    for (;;) {
      const page = await listEntriesOn(db, scope, search, { after: forwardEntries.at(-1), upTo: entries, limit: 400 });
      forwardEntries.push(...page);
      if (page.length < 400) break;
    }
    expect(forwardEntries.length).toBeGreaterThan(0);
    expect(backwardEntries.reverse()).toEqual(forwardEntries);
    expect(await countEntries(db, scope, search, entries)).toBe(forwardEntries.length);
    const { action, actorId, personId } = search;
    const expectedEntries = await db.all<{ sequence: number }>(
      `SELECT sequence FROM audit_entries WHERE at >= :from AND at < :before
         ${scope.company === undefined ? '' : `AND company_id = ${scope.company}`}
         ${action === undefined ? '' : `AND action LIKE '${action}%'`}
         ${actorId === undefined ? '' : `AND actor_id = '${actorId}'`}
         ${personId === undefined ? '' : `AND subject = 'person ${personId}'`} ORDER BY at, sequence`,
      { from: search.from, before: search.before },
    );
    expect(forwardEntries.map(({ sequence }) => sequence)).toEqual(expectedEntries.map(({ sequence }) => sequence));
  });
});
