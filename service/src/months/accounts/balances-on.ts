/** Balances of several people at the end of a day. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, lastDayOf, localDateAt } from '@clockproof/platform/time/local-date';
import type { PersonRow } from '../../people/rows.js';
import { findClosedMonth } from '../../working-time/closed-month-rows.js';
import { type Minutes, noMinutes, sumOf } from '../calculated-days.js';
import { groupBy } from '../grouping.js';
import { readDifferencesBefore, readMinutes } from '../minutes.js';
import type { MonthOfPerson } from '../person-balance.js';
import { listStoredOf } from '../rows.js';
import { settingsFor } from '../targets.js';
import { bookedMinutes } from './booking-rows.js';

/** A person's month up to a day. */
export type BalanceOn = MonthOfPerson & { readonly person: PersonRow };

/**
 * The month of `date` up to that day, with the balance at its end: of today and later days, at the end of yesterday. On
 * the last day of a month it is the line of the month's report. Companies are calculated one after the other.
 * @param people with tracked time on the day
 * @returns in the same order
 */
export async function readBalancesOn(
  reader: Reader,
  people: readonly PersonRow[],
  date: LocalDate,
  at: Instant,
): Promise<BalanceOn[]> {
  const balances = new Map<number, BalanceOn>();
  for (const colleagues of groupBy(people, (person) => person.company_id).values()) {
    for (const balance of await balancesOfCompany(reader, colleagues, date, at))
      balances.set(balance.person.id, balance);
  }
  return people.map(({ id }) => balances.get(id)!);
}

/** @param people at least one, all of one company */
async function balancesOfCompany(
  reader: Reader,
  people: readonly PersonRow[],
  date: LocalDate,
  at: Instant,
): Promise<BalanceOn[]> {
  const company = settingsFor(people[0]!);
  const month = date.slice(0, 7);
  const [closedMonth, differences, bookingsByPerson] = await Promise.all([
    findClosedMonth(reader, company.id, month),
    readDifferencesBefore(reader, company, people, month, at),
    bookedMinutes(reader, { companyId: company.id, people }, { month, to: date }),
  ]);
  const isClosed = closedMonth !== undefined;
  const isWhole = date === lastDayOf(month) || date >= localDateAt(at, company.time_zone);
  const sums =
    isClosed && isWhole
      ? new Map<number, Minutes>(
          (await listStoredOf(reader, { companyId: company.id, people }, month)).map((row) => [
            row.person_id,
            sumOf(row),
          ]),
        )
      : await minutesUpTo(reader, people, date, at);
  return people.map((person) => {
    const sum = sums.get(person.id) ?? noMinutes;
    const { before, within: bookedWithin } = bookingsByPerson.get(person.id) ?? { before: 0, within: 0 };
    const carriedMinutes = person.opening_minutes + (differences.get(person.id) ?? 0) + before;
    const balanceMinutes = carriedMinutes + sum.differenceMinutes + bookedWithin;
    return { person, month, sum, carriedMinutes, bookedMinutes: bookedWithin, balanceMinutes, closed: isClosed };
  });
}

async function minutesUpTo(reader: Reader, people: readonly PersonRow[], date: LocalDate, at: Instant) {
  const month = date.slice(0, 7);
  const minutes = await readMinutes(reader, settingsFor(people[0]!), people, { from: `${month}-01`, to: date }, at);
  return new Map([...minutes].map(([id, months]) => [id, months.get(month) ?? noMinutes]));
}
