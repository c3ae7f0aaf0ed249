/** What reports remember of open months never differs from what the database says. */

import type { Reader } from '@clockproof/platform/database/database';
import { dialects } from '@clockproof/platform/testing/databases';
import { minute, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { requestAbsence } from '../src/absences/request-absence.js';
import { readCompanyMonth } from '../src/balances/company-month.js';
import { keepOpenMonths } from '../src/balances/keep-open-months.js';
import { correctEntry } from '../src/clocking/corrections.js';
import { addPerson } from '../src/people/people.js';
import { findCompany, findPerson } from '../src/people/rows.js';
import { allCompanies } from '../src/tenant/scope.js';
import { addSchedule } from '../src/working-time/change-schedule.js';
import type { Write } from '../src/write/write.js';
import { createWorld, type World } from './world.js';

const system = { kind: 'system' } as const;
const at = (text: string) => parseInstant(text)!;

describe.each(dialects)('the months that a report rests on, on %s', (dialect) => {
  let world: World;
  let adam: number;
  beforeEach(async () => {
    world = await createWorld(dialect);
    world.set(at('2027-03-10T08:00:00Z'));
    adam = await write((tx) =>
      addPerson(tx, {
        companyId: world.nord,
        firstName: 'Adam',
        lastName: 'Nord',
        role: 'company_admin',
        language: 'en',
        employmentStart: '2026-11-01',
      }),
    );
  });
  afterEach(() => world.close());

  const report = async (reader: Reader, month: string) => {
    const company = (await findCompany(world.db, world.nord))!;
    return (await readCompanyMonth(reader, company, month, world.now())).lines.map(
      ({ person, carriedMinutes, balanceMinutes }) => [person.id, carriedMinutes, balanceMinutes],
    );
  };
  /** A reader of which nothing is remembered, and which counts what is asked. */
  const counting = (reader: Reader = world.db) => {
    const asked = { statements: 0 };
    const count = <Answer>(answer: Answer) => {
      asked.statements += 1;
      return answer;
    };
    const counted: Reader = {
      dialect: reader.dialect,
      all: (sql, parameters) => count(reader.all(sql, parameters)),
      get: (sql, parameters) => count(reader.get(sql, parameters)),
    };
    return { asked, counted };
  };
  const write = <Result>(effect: (write: Write) => Promise<Result>) =>
    world.service.store.write({ actor: system, at: world.now() }, effect);
  const ada = () => findPerson(world.db, world.people.ada, allCompanies).then((row) => row!);
  const correct = async (day: string, entryId?: number) =>
    write(async (tx) =>
      correctEntry(tx, {
        person: await ada(),
        by: (await findPerson(tx, adam, allCompanies))!,
        draft: {
          entryId,
          times: { start: at(`${day}T07:00:00Z`), end: at(`${day}T07:00:00Z`) + 300 * minute, breaks: [] },
        },
        reason: 'Forgot',
      }),
    );

  it('are as in the database after every kind of change', async () => {
    const store = world.service.store;
    const changes: Record<string, () => Promise<unknown>> = {
      nothing: async () => undefined,
      'work on a day of an open month': () => correct('2026-12-07'),
      'a day that loses its work': async () => {
        const row = await world.db.get<{ id: number }>("SELECT id FROM time_entries WHERE date = '2026-12-07'");
        await correct('2027-03-08', row!.id);
      },
      'an absence': () =>
        write((tx) =>
          requestAbsence(tx, {
            personId: world.people.ada,
            companyId: world.nord,
            draft: { type: 'sickness', startDate: '2027-01-11', endDate: '2027-01-12', halfDay: null, comment: null },
            author: { kind: 'admin', personId: adam },
            returnsVacation: false,
          }),
        ),
      'a schedule of one person': () =>
        write((tx) =>
          addSchedule(tx, {
            companyId: world.nord,
            personId: world.people.ada,
            validFrom: '2027-02-01',
            week: [240, 240, 240, 240, 240, 0, 0],
          }),
        ),
      'the schedule of the company': () =>
        write((tx) =>
          addSchedule(tx, {
            companyId: world.nord,
            personId: null,
            validFrom: '2027-01-01',
            week: [420, 420, 420, 420, 420, 0, 0],
          }),
        ),
      'a new person': () =>
        write((tx) =>
          addPerson(tx, {
            companyId: world.nord,
            firstName: 'New',
            lastName: 'Comer',
            role: 'employee',
            language: 'en',
            employmentStart: '2027-01-04',
          }),
        ),
    };
    for (const [name, change] of Object.entries(changes)) {
      await change();
      for (const month of ['2027-02', '2027-03', '2027-05'])
        expect([name, month, await report(store, month)]).toEqual([
          name,
          month,
          await report(counting().counted, month),
        ]);
    }
  });

  it('cost nothing a second time', async () => {
    const { asked, counted } = counting();
    await report(counted, '2027-02');
    const first = asked.statements;
    await report(counted, '2027-02');
    const second = asked.statements - first;
    // November to January are open: their days are not read again.
    expect(first - second).toBeGreaterThanOrEqual(3 * 4);
    await correct('2026-12-07');
    asked.statements = 0;
    await report(counted, '2027-02');
    expect(asked.statements).toBeLessThan(first);
  });

  it('are kept in the database, so that a new process goes on from there', async () => {
    const { asked, counted } = counting();
    await report(counted, '2027-03');
    const cold = asked.statements;
    expect(await keepOpenMonths(world.service.store, world.now())).toBe(2);
    expect(await keepOpenMonths(world.service.store, world.now())).toBe(0);
    const fresh = counting();
    const before = await report(world.db, '2027-03');
    expect(await report(fresh.counted, '2027-03')).toEqual(before);
    expect(fresh.asked.statements).toBeLessThan(cold / 2);
    // Somebody's changes since count.
    await correct('2026-12-07');
    const later = counting();
    const changed = await report(later.counted, '2027-03');
    expect(changed).not.toEqual(before);
    expect(later.asked.statements).toBeLessThan(cold);
    // What another version calculated does not, and gives the same.
    await world.db.write((tx) => tx.run("UPDATE remembered_months SET settings = '[0]'"));
    const again = counting();
    expect(await report(again.counted, '2027-03')).toEqual(changed);
    expect(again.asked.statements).toBeGreaterThan(cold - 5);
  });
});
