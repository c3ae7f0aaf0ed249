import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects } from '@clockproof/platform/testing/databases';
import { describe, expect, it } from '@jest/globals';
import { readPersonMonths } from '../src/balances/person-balance.js';
import { findEntry } from '../src/clocking/rows.js';
import { presentEntry } from '../src/clocking/time-entry.js';
import { historyOf } from '../src/clocking/versions.js';
import { migrations } from '../src/migrations/migrations.js';
import { listMonthSteps } from '../src/months/rows.js';
import { rolesOf } from '../src/people/roles.js';
import { findPerson } from '../src/people/rows.js';
import { allCompanies } from '../src/tenant/scope.js';

/** The schema as it was before roles, schedules, corrections and balances. */
const before = [
  '0001-installation',
  '0010-audit',
  '0020-events',
  '0030-idempotency',
  '0040-people',
  '0050-extensions',
  '0060-months',
  '0080-clocking',
].map((id) => migrations.find((migration) => migration.id === id)!);

describe.each(dialects)('migrations on %s', (dialect) => {
  it('carry the rows of the version before over', async () => {
    const home = await createTestDatabase(dialect);
    const db = await openDatabase(home.settings);
    try {
      await db.migrate(before);
      await db.write(async (tx) => {
        await tx.run(
          "INSERT INTO companies (name, time_zone, country, region, updated_at) VALUES ('Old', 'Europe/Berlin', 'DE', 'DE-HH', 1)",
        );
        await tx.run("INSERT INTO departments (company_id, name) VALUES (1, 'Office')");
        for (const [id, role, department] of [
          [1, 'employee', 1],
          [2, 'approver', 1],
          [3, 'company_admin', null],
          [4, 'super_admin', null],
        ] as const) {
          await tx.run(
            `INSERT INTO people (company_id, first_name, last_name, department_id, role, language, employment_start, updated_at, changed) VALUES (1, 'P', 'Old', :department, :role, 'de', '2026-10-01', 1, :id)`,
            { id, role, department },
          );
        }
        await tx.run(
          `INSERT INTO time_entries (company_id, person_id, date, start_at, end_at, breaks, status, source_kind, source_name, created_at, updated_at, changed)
           VALUES (1, 1, '2026-10-01', 1790834400000, 1790863200000, '[]', 'recorded', 'extension', 'Planner', 1, 1, 5)`,
        );
        await tx.run("INSERT INTO closed_months (company_id, month, closed_at) VALUES (1, '2026-09', 7)");
      });
      await db.migrate(migrations);
      expect(await Promise.all([1, 2, 3, 4].map((id) => rolesOf(db, id)))).toEqual([
        [],
        [{ role: 'approver', companyId: 1, departmentIds: [1] }],
        [{ role: 'company_admin', companyId: 1 }],
        [{ role: 'super_admin' }],
      ]);
      const person = (await findPerson(db, 1, allCompanies))!;
      expect(person).toMatchObject({
        kept_from: '2026-10-01',
        opening_minutes: 0,
        deducts_breaks_from: null,
        country: 'DE',
      });
      const entry = (await findEntry(db, 1, allCompanies))!;
      expect(presentEntry(entry)).toMatchObject({ worked_minutes: 480, break_minutes: 0 });
      expect(await historyOf(db, entry)).toMatchObject([{ version: 1, change: 'recorded', source_name: 'Planner' }]);
      expect(await listMonthSteps(db, 1, '2026-09', '2026-09')).toMatchObject([
        { step: 'closed', at: 7, person_id: null },
      ]);
      expect(
        (await readPersonMonths(db, person, '2026-10', 1_793_500_000_000)).map((month) => [
          month.month,
          month.sum.workedMinutes,
        ]),
      ).toEqual([['2026-10', 480]]);
      // A second start has nothing left to do.
      await db.migrate(migrations);
    } finally {
      await db.close();
      await home.drop();
    }
  });
});
