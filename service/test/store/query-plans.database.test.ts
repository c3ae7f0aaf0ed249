import type { Database, Parameters, Reader, Transaction } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { statementOf } from '@clockproof/platform/database/table';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { hour } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { approvedAbsenceDays } from '../../src/absences/days.js';
import { listAbsentFrom } from '../../src/absences/rows.js';
import { correctWithNotice, submitCorrection } from '../../src/clock/corrections.js';
import { countUnfinishedInMonth, listClocks, listEntries, listEntriesChanged } from '../../src/clock/rows.js';
import { stamp } from '../../src/clock/stamp.js';
import { listApprovalRows } from '../../src/inbox/approval-rows.js';
import { countWaitingByKind, countWaitingInMonth } from '../../src/inbox/approvals.js';
import { readBalancesOn } from '../../src/months/accounts/balances-on.js';
import { readPersonDays, readPersonMonths } from '../../src/months/person-balance.js';
import { listPeopleOfMonth, listWork, sumStoredBefore } from '../../src/months/rows.js';
import { findPerson, listPeople, listPeopleChanged, listPersonIds, type PersonRow } from '../../src/people/rows.js';
import { listEvents } from '../../src/store/event-rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import { placeBehind } from '../../src/store/position.js';
import { createStore, type Write } from '../../src/store/write.js';
import { monday, mondayMinute } from '../world.js';

const system = { kind: 'system' } as const;
/** Few rows in any installation, or one: reading them whole is the cheapest way. */
const smallTables = [
  'companies',
  'company_holidays',
  'departments',
  'epochs',
  'closed_months',
  'role_grants',
  'absence_types',
  'schedules',
  'sqlite_sequence',
];
const companies = 20;
const peoplePerCompany = 20;
const daysPerPerson = 50;

describe.each(dialects)('query plans on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  let ada: PersonRow;
  let admin: PersonRow;

  beforeAll(async () => {
    home = await createTestDatabase(dialect, migrations);
    db = await openDatabase(home.settings);
    const numbers = (count: number) =>
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
    await db.write(async (tx) => {
      const people = companies * peoplePerCompany;
      await tx.run(
        `INSERT INTO companies (name, time_zone, country, region, updated_at) ${numbers(companies)} SELECT 'Company ' || i, 'Europe/Berlin', 'DE', 'DE-HH', 1 FROM n`,
      );
      await tx.run(
        `INSERT INTO people (company_id, first_name, last_name, role, language, employment_start, tracking_start, updated_at, changed)
         ${numbers(people)} SELECT (i - 1) % ${companies} + 1, 'P', 'No. ' || i, CASE WHEN i <= ${companies} THEN 'company_admin' ELSE 'employee' END, 'en', '2026-01-01', '2026-10-01', 1, i FROM n`,
      );
      await tx.run(
        "INSERT INTO role_grants (person_id, role, company_id) SELECT id, role, company_id FROM people WHERE role = 'company_admin'",
      );
      await tx.run(
        `INSERT INTO time_entries (company_id, person_id, date, start_at, end_at, breaks, status, source_kind, created_at, updated_at, changed)
         ${numbers(people * daysPerPerson)} SELECT ((i - 1) % ${people}) % ${companies} + 1, (i - 1) % ${people} + 1, '2026-' || (10 + ((i - 1) / ${people}) / 25) || '-' || (10 + ((i - 1) / ${people}) % 15),
           ${monday} - i * 60000, ${monday} - i * 60000 + 1, '[]', 'recorded', 'web', 1, i, ${people} + i FROM n`,
      );
      await tx.run(
        `INSERT INTO clock_states (person_id, company_id, state, updated_at) SELECT id, company_id, 'out', 1 FROM people`,
      );
      await tx.run(
        `INSERT INTO events (sequence, epoch, type, at, company_id, person_id, payload) ${numbers(5_000)} SELECT i, '00000000', 'clock.in', i, (i - 1) % ${companies} + 1, (i - 1) % ${people} + 1, '{}' FROM n`,
      );
      await tx.run(
        `INSERT INTO absences (company_id, person_id, type, start_date, end_date, half_days, status, author_kind, created_at, updated_at, changed)
         ${numbers(4_000)} SELECT (i - 1) % ${companies} + 1, (i - 1) % ${people} + 1, 'vacation', '20' || (10 + i % 17) || '-11-10', '20' || (10 + i % 17) || '-11-12', 2, 'approved', 'admin', 1, 1, i FROM n`,
      );
      await tx.run(
        `INSERT INTO approvals (company_id, person_id, kind, subject_id, from_date, to_date, status, requested_at, decided_at)
         ${numbers(4_000)} SELECT (i - 1) % ${companies} + 1, (i - 1) % ${people} + 1, 'absence', i, '2026-11-10', '2026-11-12', CASE WHEN i % 50 = 0 THEN 'waiting' ELSE 'approved' END, 1, CASE WHEN i % 50 = 0 THEN NULL ELSE 1 END FROM n`,
      );
      await tx.run(
        `INSERT INTO closed_months (company_id, month, closed_at, company_name, time_zone, payroll) ${numbers(companies * 30)} SELECT (i - 1) % ${companies} + 1, '20' || (20 + (i - 1) / ${companies * 6}) || '-0' || (1 + ((i - 1) / ${companies}) % 6), 1, '', 'Europe/Berlin', '{}' FROM n`,
      );
      await tx.run(
        `INSERT INTO month_balances (company_id, month, person_id, target_minutes, worked_minutes, difference_minutes, absence_half_days, findings, days, payroll)
         SELECT m.company_id, m.month, p.id, 0, 0, 1, 0, 0, '{"general":[]}', '[]' FROM closed_months m JOIN people p ON p.company_id = m.company_id`,
      );
      await tx.run(
        `INSERT INTO entry_versions (entry_id, version, person_id, at, change, date, start_at, breaks, status)
         SELECT id, 1, person_id, 1, 'recorded', date, start_at, '[]', 'recorded' FROM time_entries WHERE id % 4 = 0`,
      );
      await tx.run(
        `INSERT INTO audit_entries (sequence, at, company_id, actor_kind, actor_id, actor_name, family, action, subject, details, mac)
         ${numbers(8_000)} SELECT i, ${monday} + i, (i - 1) % ${companies} + 1, 'extension', 'ext_' || i % 50, 'Planner', 'absence', 'absence.requested', 'absence ' || i, '{}', 'x' FROM n`,
      );
      await tx.run(
        `INSERT INTO special_rules (company_id, person_id, kind, valid_from, evening_work)
         ${numbers(people * 10)} SELECT (i - 1) % ${companies} + 1, (i - 1) % ${people} + 1, 'minijob', '20' || (16 + (i - 1) / ${people}) || '-01-01', 0 FROM n`,
      );
      await tx.run(
        `INSERT INTO approval_substitutes (company_id, person_id, substitute_id, created_at) ${numbers(people)} SELECT (i - 1) % ${companies} + 1, i, (i + ${companies - 1}) % ${people} + 1, 1 FROM n`,
      );
      await tx.run(
        `INSERT INTO time_bookings (company_id, person_id, kind, date, minutes, booked_at)
         ${numbers(8_000)} SELECT (i - 1) % ${companies} + 1, (i - 1) % ${people} + 1, 'payout', '2026-0' || (1 + i % 9) || '-01', -60, 1 FROM n`,
      );
      for (const kind of ['request_waiting', 'request_decided', 'month_reopened', 'link_ended'])
        await tx.run(
          `INSERT INTO mail_choices (person_id, kind, wanted) ${numbers(people)} SELECT i, '${kind}', 0 FROM n`,
        );
    });
    await db.write((tx) =>
      tx.run(
        `INSERT INTO corrections (company_id, person_id, entry_id, entry_version, remove, reason, status, requested_by, requested_at)
         SELECT company_id, person_id, id, 1, 1, 'x', 'approved', person_id, 1 FROM time_entries`,
      ),
    );
    await db.write((tx) => tx.run('ANALYZE'));
    ada = (await findPerson(db, peoplePerCompany * 5, allCompanies))!;
    // The first people are the admins, in the order of their companies.
    admin = (await findPerson(db, Number(ada.company_id), allCompanies))!;
  });
  afterAll(async () => {
    await db.close();
    await home.drop();
  });

  interface Statement {
    readonly sql: string;
    readonly parameters: Parameters;
  }
  /** Runs an effect and takes down every statement it sends. */
  async function record(effect: (write: Write) => Promise<unknown>): Promise<Statement[]> {
    const statements: Statement[] = [];
    await db.write(async (tx) => {
      const note = (sql: string, parameters: Parameters = {}) => {
        statements.push({ sql, parameters });
      };
      const recordingTx: Transaction = {
        dialect: tx.dialect,
        all: (sql, parameters) => {
          note(sql, parameters);
          return tx.all(sql, parameters);
        },
        get: (sql, parameters) => {
          note(sql, parameters);
          return tx.get(sql, parameters);
        },
        run: (sql, parameters) => {
          note(sql, parameters);
          return tx.run(sql, parameters);
        },
        change: (change) => {
          const { sql, parameters } = statementOf(change);
          note(sql, parameters);
          return tx.change(change);
        },
        send: (change) => void recordingTx.change(change),
      };
      await createStore({ ...db, write: (innerEffect) => innerEffect(recordingTx) }).write(
        { actor: system, at: monday + 8 * hour },
        effect,
      );
    });
    return statements;
  }

  /** Tables that the plan of a statement reads from one end to the other. */
  async function scannedTables({ sql, parameters }: Statement): Promise<string[]> {
    if (dialect === 'postgres') {
      const plan = await db.all<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters);
      return plan.flatMap((row) => /Seq Scan on (\w+)/.exec(row['QUERY PLAN'])?.[1] ?? []);
    }
    const aliases = new Map([...sql.matchAll(/(?:FROM|JOIN)\s+(\w+)\s+(\w+)/g)].map((match) => [match[2]!, match[1]!]));
    const plan = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
    // `SCAN 2-ROW VALUES CLAUSE`, `SCAN CONSTANT ROW` and the values of a WITH, which are called q, read no table.
    return plan
      .flatMap((row) => /^SCAN (?!\d+-ROW VALUES|\d*\s*CONSTANT ROW|q\b)(\w+)/.exec(row.detail)?.[1] ?? [])
      .map((name) => aliases.get(name) ?? name);
  }

  async function expectNoScan(statements: readonly Statement[]): Promise<void> {
    expect(statements.length).toBeGreaterThan(0);
    const scans: string[] = [];
    for (const statement of statements) {
      for (const table of await scannedTables(statement))
        if (!smallTables.includes(table)) scans.push(`${table}: ${statement.sql.replaceAll(/\s+/g, ' ')}`);
    }
    expect(scans).toEqual([]);
  }

  it('the check of query plans detects a statement without an index', async () => {
    await expect(
      expectNoScan([{ sql: "SELECT * FROM time_entries WHERE comment = 'x'", parameters: {} }]),
    ).rejects.toThrow('time_entries');
  });

  it('a stamp finds every row by an index, for any stamp', async () => {
    for (const kind of ['in', 'break_start', 'break_end', 'out'] as const) {
      const statements = await record((tx) =>
        stamp(tx, { personId: ada.id, companyId: ada.company_id, kind, source: { kind: 'web' } }),
      );
      await expectNoScan(statements);
      // The event needs no second change of the clock.
      expect(statements.filter(({ sql }) => sql.startsWith('UPDATE clock_states'))).toHaveLength(1);
    }
  });

  it('corrections find every row by an index', async () => {
    const times = (offset: number) => ({
      start: mondayMinute + offset * hour,
      end: mondayMinute + (offset + 1) * hour,
      breaks: [],
    });
    await expectNoScan(
      await record((tx) => submitCorrection(tx, { person: ada, by: ada, draft: { times: times(5) }, reason: 'x' })),
    );
    await expectNoScan(
      await record((tx) => correctWithNotice(tx, { person: ada, by: admin, draft: { times: times(7) }, reason: 'x' })),
    );
  });

  const page = { afterId: 0, limit: 101 };
  const reads: readonly [string, (reader: Reader) => Promise<unknown>][] = [
    [
      'entries of a company by day',
      (reader) =>
        listEntries(
          reader,
          { company: 5 },
          {
            from: '2026-11-10',
            to: '2026-11-12',
            after: undefined,
            limit: 101,
          },
        ),
    ],
    [
      'entries of a company, the next page',
      (reader) =>
        listEntries(
          reader,
          { company: 5 },
          {
            from: '2026-11-10',
            to: '2026-11-12',
            after: { date: '2026-11-11', id: 9 },
            limit: 101,
          },
        ),
    ],
    [
      'entries of a person',
      (reader) =>
        listEntries(
          reader,
          { company: 5, person: 100 },
          {
            from: '2026-01-01',
            to: '2026-12-31',
            after: undefined,
            limit: 101,
          },
        ),
    ],
    [
      'entries of every company by day',
      (reader) =>
        listEntries(reader, allCompanies, {
          from: '2026-11-10',
          to: '2026-11-10',
          after: undefined,
          limit: 101,
        }),
    ],
    [
      'entries that changed',
      (reader) =>
        listEntriesChanged(reader, allCompanies, {
          after: placeBehind(20_000),
          upTo: 21_000,
          since: 0,
          limit: 101,
        }),
    ],
    [
      'events behind a position',
      (reader) =>
        listEvents(
          reader,
          { company: 5 },
          { after: 4_900, upTo: 5_000, types: ['clock.in', 'clock.out'], since: 0, limit: 101 },
        ),
    ],
    [
      'people that changed',
      (reader) =>
        listPeopleChanged(reader, allCompanies, {
          active: undefined,
          after: placeBehind(380),
          upTo: 400,
          since: 0,
          limit: 101,
        }),
    ],
    [
      'requests that wait',
      (reader) => listApprovalRows(reader, { company: 5 }, { state: 'waiting', exceptPeople: [1], ...page }),
    ],
    ['requests of a month', (reader) => countWaitingInMonth(reader, 5, '2026-11')],
    ['requests of a person', (reader) => countWaitingByKind(reader, 100)],
    ['what is unfinished in a month', (reader) => countUnfinishedInMonth(reader, 5, '2026-11')],
    [
      'absences of a company in a month',
      (reader) => approvedAbsenceDays(reader, { companyId: 5, from: '2026-11-01', to: '2026-11-30' }),
    ],
    ['sums of closed months', (reader) => sumStoredBefore(reader, { companyId: 5, people: [ada] }, '2026-11')],
    [
      'people absent from a day on',
      (reader) => listAbsentFrom(reader, 5, { from: '2026-11-01', earliest: '2025-11-01' }),
    ],
    ['ids of a company', (reader) => listPersonIds(reader, 5)],
    ['months of a person', async (reader) => readPersonMonths(reader, ada, '2026-11', monday)],
    ['days of a person', (reader) => readPersonDays(reader, ada, '2026-11-01', '2026-11-30', monday)],
    [
      'work of people of a company',
      (reader) => listWork(reader, { companyId: 5, people: [admin, ada] }, { from: '2026-11-10', to: '2026-11-12' }),
    ],
    [
      'sums of closed months of a company',
      (reader) => sumStoredBefore(reader, { companyId: 5, people: [admin, ada] }, '2026-11'),
    ],
    ['balances of a person', (reader) => readBalancesOn(reader, [ada], '2026-11-12', monday)],
  ];
  it.each(reads)('the query plans of %s find every row by an index', async (_, read) => {
    await expectNoScan(await record(read));
  });

  it.each<[string, (reader: Reader) => Promise<unknown>]>([
    ['people', (reader) => listPeople(reader, { company: 5 }, { active: undefined, ...page })],
    ['clock states', (reader) => listClocks(reader, { company: 5 }, { state: undefined, ...page })],
    ['people of a month', (reader) => listPeopleOfMonth(reader, 5, '2026-11')],
  ])('the query plans of %s of a company read no other company', async (_, read) => {
    for (const { sql, parameters } of await record(read)) {
      const plan =
        dialect === 'postgres'
          ? (await db.all<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters)).map((row) => row['QUERY PLAN'])
          : (await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters)).map((row) => row.detail);
      expect(plan.join('\n')).toMatch(/people_by_company|people_pkey/);
    }
  });
});
