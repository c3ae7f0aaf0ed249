/** Keeps the days of absences when a month is closed. */
import { addDays, lastDayOf } from '@clockproof/platform/time/local-date';
import { type CompanyRow, listPeople } from '../people/rows.js';
import type { Writing } from '../store/tables.js';
import { type ClosedAbsenceRow, insertClosedAbsences } from './closed-absence-rows.js';
import { daysBetween, loadCompanyWorkdays } from './days.js';
import { listInPeriod, maxSpanDays } from './rows.js';
import { absenceTypesOf } from './types.js';

/** Above the number of people or absences of a company. */
const all = 1_000_000;

/** Call it when a month is closed, before it counts as closed. */
export async function storeClosedAbsences(write: Writing, company: CompanyRow, month: string): Promise<void> {
  const [first, last] = [`${month}-01`, lastDayOf(month)];
  const vacation = new Set(
    (await absenceTypesOf(write, company.id)).filter((type) => type.countsAsVacation).map(({ key }) => key),
  );
  const workdaysOf = await loadCompanyWorkdays(write, company, { from: first, to: last });
  const people = await listPeople(write, { company: company.id }, { active: undefined, afterId: 0, limit: all });
  const workdays = new Map(people.map((person) => [person.id, workdaysOf(person)]));
  const absences = await listInPeriod(
    write,
    { company: company.id },
    {
      states: 'counting',
      from: first,
      to: last,
      earliest: addDays(first, 1 - maxSpanDays),
      after: undefined,
      limit: all,
    },
  );
  const rows = absences.map((absence): ClosedAbsenceRow => {
    const { id, person_id, type, start_date, end_date } = absence;
    const halves = daysBetween(start_date < first ? first : start_date, end_date > last ? last : end_date).map(
      (date) => [date, workdays.get(person_id)!(date, absence)] as const,
    );
    return {
      company_id: company.id,
      month,
      absence_id: id,
      person_id,
      counts_as_vacation: vacation.has(type) ? 1 : 0,
      days: JSON.stringify(halves.filter(([, count]) => count > 0)),
    };
  });
  await insertClosedAbsences(write, rows);
}
