/**
 * Whatever people, extensions and approvers do at the same time, what is stored is legal, and every view of it says the
 * same.
 */

import { dialects } from '@clockproof/platform/testing/databases';
import { addDays } from '@clockproof/platform/time/local-date';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changeAbsence, withdrawOrCancelAbsence } from '../../src/absences/change-absence.js';
import { approvedAbsenceDays } from '../../src/absences/days.js';
import { decideAbsence } from '../../src/absences/decide-absence.js';
import { draftOf } from '../../src/absences/draft.js';
import { type Author, requestAbsence } from '../../src/absences/request-absence.js';
import type { AbsenceRow } from '../../src/absences/rows.js';
import type { AbsenceAccess } from '../../src/absences/rules.js';
import { type AbsenceStatus, counts, isLive, transitions } from '../../src/absences/state.js';
import { builtInTypes } from '../../src/absences/types.js';
import { findPerson, type PersonRow } from '../../src/people/rows.js';
import { verifyAudit } from '../../src/store/audit/verify.js';
import type { EventRow } from '../../src/store/event-rows.js';
import { presentEvent } from '../../src/store/events.js';
import { allCompanies } from '../../src/store/every-company.js';
import { Refusal } from '../../src/store/refusal.js';
import { createStore } from '../../src/store/write.js';
import { createWorld, type World } from '../world.js';

const system = { kind: 'system' } as const;
const kinds = ['vacation', 'sickness', 'home_office', 'business_trip', 'training'];
const elsewhereTypes = new Set(
  builtInTypes.filter((type) => type.overlapClass === 'elsewhere').map((type) => type.key),
);
const legalSteps = new Set(
  Object.entries(transitions).flatMap(([from, steps]) =>
    Object.values(steps).flatMap((byRole) => Object.values(byRole).map((to) => `${from} ${to}`)),
  ),
);

describe.each(dialects)('the log of absences on %s', (dialect) => {
  let world: World;
  let admin: PersonRow;
  let refusalCount = 0;
  let successCount = 0;
  beforeAll(async () => {
    world = await createWorld(dialect);
    const id = await world.hire({ firstName: 'Tom', lastName: 'Amt', role: 'company_admin', language: 'de' });
    admin = (await findPerson(world.db, id, allCompanies))!;
    await walk();
  });
  afterAll(() => world.close());

  /** 600 random steps, six at a time from two processes. What the tests read is the same whichever runs first. */
  async function walk(): Promise<void> {
    const stores = [world.db, (await world.replica()).db];
    let state = 20_261_121;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return Math.floor((state / 2_147_483_647) * below);
    };
    const pick = <T>(items: readonly T[]): T => items[random(items.length)]!;
    const ids: number[] = [];

    /** Everything random is drawn before anything runs, so that a run is the same each time but for who comes first. */
    function draw(): () => Promise<unknown> {
      const db = pick(stores);
      const personId = pick([world.people.ada, world.people.ben]);
      const leading = random(2) === 0;
      const extension = leading
        ? { id: world.souther.id, name: 'Leader', leading }
        : { id: world.planner.id, name: 'Planner', leading };
      const author: Author = pick<Author>([
        { kind: 'extension', extension },
        { kind: 'person', personId },
        { kind: 'admin', personId: admin.id },
      ]);
      const access: AbsenceAccess = pick<AbsenceAccess>([
        { by: 'extension', extensionId: extension.id, scope: { company: world.nord }, leading },
        { by: 'person', personId },
        { by: 'approver', scope: { company: world.nord } },
      ]);
      const start_date = addDays('2027-03-01', random(60));
      const length = random(4);
      const draft = draftOf({
        type: pick(kinds),
        start_date,
        end_date: addDays(start_date, length),
        half_day: length === 0 ? pick([null, 'morning', 'afternoon'] as const) : null,
        comment: pick([null, 'a', 'b']),
      });
      const externalId = random(3) === 0 ? `X${random(40)}` : undefined;
      const id = ids.length === 0 ? 1 : pick(ids);
      const at = world.now();
      const decision = pick(['approve', 'reject', 'grant_cancellation', 'decline_cancellation'] as const);
      const step = random(10);
      if (step < 4) {
        return async () => {
          const { absence } = await createStore(db).write({ actor: system, at }, (write) =>
            requestAbsence(write, {
              personId,
              companyId: world.nord,
              draft,
              author,
              ...(externalId === undefined ? {} : { externalId }),
            }),
          );
          if (!ids.includes(absence.id)) ids.push(absence.id);
        };
      }
      if (step < 6)
        return () =>
          createStore(db).write({ actor: system, at }, (write) => changeAbsence(write, { id, access, patch: draft }));
      if (step < 8)
        return () =>
          createStore(db).write({ actor: system, at }, (write) => withdrawOrCancelAbsence(write, { id, access }));
      return () =>
        createStore(db).write({ actor: system, at }, (write) => decideAbsence(write, { id, decision, decider: admin }));
    }

    for (let round = 0; round < 100; round++) {
      world.advance(1_000);
      await Promise.all(
        Array.from({ length: 6 }, draw).map((run) =>
          run().then(
            () => {
              successCount++;
            },
            (error) => {
              if (!(error instanceof Refusal)) throw error;
              refusalCount++;
            },
          ),
        ),
      );
    }
  }

  it('the log of absences contains steps that were taken and steps that were refused', () => {
    // A run in which nearly nothing happens, or nothing is refused, would prove nothing.
    expect(successCount).toBeGreaterThan(90);
    expect(refusalCount).toBeGreaterThan(100);
  });

  it('the log of absences has no half day twice, but for two kinds of working elsewhere', async () => {
    const typesByHalfDay = new Map<string, string[]>();
    for (const row of (await world.db.all<AbsenceRow>('SELECT * FROM absences ORDER BY id')).filter((row) =>
      isLive(row.status),
    )) {
      for (let date = row.start_date; date <= row.end_date; date = addDays(date, 1)) {
        for (const half of ['morning', 'afternoon'])
          if (row.half_day === null || row.half_day === half)
            typesByHalfDay.set(`${row.person_id} ${date} ${half}`, [
              ...(typesByHalfDay.get(`${row.person_id} ${date} ${half}`) ?? []),
              row.type,
            ]);
      }
    }
    const overlaps = [...typesByHalfDay.values()].filter((types) => types.length > 1);
    expect(typesByHalfDay.size).toBeGreaterThan(20);
    expect(
      overlaps.filter(
        (types) => new Set(types).size < types.length || !types.every((type) => elsewhereTypes.has(type)),
      ),
    ).toEqual([]);
  });

  it('an absence moves along the state table only, with one event and one audit entry a step', async () => {
    const events = (
      await world.db.all<EventRow>("SELECT * FROM events WHERE type LIKE 'leave.%' ORDER BY sequence")
    ).map(
      (row) =>
        presentEvent(row) as unknown as {
          type: string;
          data: { id: number; status: AbsenceStatus };
          changed?: string[];
        },
    );
    const status = new Map<number, AbsenceStatus>();
    for (const { data, type, changed: changes } of events) {
      const previousStatus = status.get(data.id);
      expect(
        previousStatus === undefined
          ? ['waiting', 'approved'].includes(data.status)
          : legalSteps.has(`${previousStatus} ${data.status}`),
      ).toBe(true);
      expect(type === 'leave.changed').toBe(changes !== undefined);
      status.set(data.id, data.status);
    }
    const rows = await world.db.all<AbsenceRow>('SELECT * FROM absences ORDER BY id');
    expect(rows.map((row) => [row.id, status.get(row.id)])).toEqual(rows.map((row) => [row.id, row.status]));
    expect(
      (await world.db.get<{ n: number }>("SELECT count(*) AS n FROM audit_entries WHERE action LIKE 'absence.%'"))!.n,
    ).toBe(events.length);
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
  });

  it('the lists show approvers exactly the pending absences, and counts match the approved ones', async () => {
    const rows = await world.db.all<AbsenceRow>('SELECT * FROM absences ORDER BY id');
    const approvals = await world.db.all<{ kind: string; subject_id: number; from_date: string; to_date: string }>(
      "SELECT kind, subject_id, from_date, to_date FROM approvals WHERE status = 'waiting' ORDER BY subject_id",
    );
    expect(approvals).toEqual(
      rows
        .filter((row) => row.status === 'waiting' || row.status === 'cancellation_requested')
        .map((row) => ({
          kind: row.status === 'waiting' ? 'absence' : 'absence_cancellation',
          subject_id: row.id,
          from_date: row.start_date,
          to_date: row.end_date,
        })),
    );
    const days = await approvedAbsenceDays(world.db, { companyId: world.nord, from: '2027-03-03', to: '2027-04-20' });
    const expectedDays = rows
      .filter((row) => counts(row.status))
      .reduce((sum, row) => {
        for (let date = row.start_date; date <= row.end_date; date = addDays(date, 1))
          if (date >= '2027-03-03' && date <= '2027-04-20') sum += row.half_day === null ? 1 : 0.5;
        return sum;
      }, 0);
    expect(days.reduce((sum, day) => sum + (day.half_day === null ? 1 : 0.5), 0)).toBe(expectedDays);
    expect(expectedDays).toBeGreaterThan(0);
  });
});

describe.each(dialects)('the lists of absences on %s', (dialect) => {
  it('the lists of absences find their rows by index, not by reading the table', async () => {
    const world = await createWorld(dialect);
    // Enough rows that reading them all would be the worse way.
    await world.db.write((tx) =>
      tx.run(
        `INSERT INTO absences (company_id, person_id, type, start_date, end_date, half_days, status, author_kind, created_at, updated_at, changed)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
       SELECT ${world.nord}, ${world.people.ada}, 'sickness', CAST(2000 + i % 50 AS TEXT) || '-0' || CAST(1 + i % 9 AS TEXT) || '-10', CAST(2000 + i % 50 AS TEXT) || '-0' || CAST(1 + i % 9 AS TEXT) || '-11', 2, 'approved', 'import', 0, 0, i FROM n`,
      ),
    );
    if (dialect === 'postgres') await world.db.write((tx) => tx.run('ANALYZE'));
    const statements = {
      period:
        "SELECT id FROM absences a WHERE a.company_id = 1 AND a.start_date >= '2026-01-01' AND a.start_date <= '2026-01-31' AND a.end_date >= '2026-01-05' AND (a.start_date, a.id) > ('2026-01-01', 0) ORDER BY a.start_date, a.id LIMIT 100",
      everyCompany:
        "SELECT id FROM absences a WHERE a.start_date >= '2026-01-01' AND a.start_date <= '2026-01-31' AND a.end_date >= '2026-01-05' AND (a.start_date, a.id) > ('2026-01-01', 0) ORDER BY a.start_date, a.id LIMIT 100",
      changes:
        'SELECT id FROM absences a WHERE a.changed > 19990 AND a.changed <= 20000 AND a.updated_at >= 0 ORDER BY a.changed LIMIT 100',
      overlap:
        "SELECT id FROM absences WHERE person_id = 1 AND start_date >= '2026-01-01' AND start_date <= '2026-01-31' AND end_date >= '2026-01-05' AND status IN ('waiting', 'approved', 'cancellation_requested') ORDER BY start_date, id",
      repeated: "SELECT id FROM absences a WHERE a.extension_id = 'ext_1' AND a.person_id = 1 AND a.external_id = 'X'",
    };
    const plans: Record<string, string> = {};
    for (const [name, sql] of Object.entries(statements))
      plans[name] = JSON.stringify(
        await world.db.all(`${dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} ${sql}`),
      );
    for (const [name, plan] of Object.entries(plans)) {
      expect([name, plan]).toEqual([
        name,
        expect.stringMatching(/absences_(by_company|by_start|by_change|by_person|external_id)/),
      ]);
      expect([name, plan]).not.toEqual([name, expect.stringMatching(/SCAN (a|absences)\b|Seq Scan/)]);
    }
    await world.close();
  });
});
