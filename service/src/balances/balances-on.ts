/** Balances of several people at the end of a day. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import type { CompanyId } from '../ids.js';
import { findClosedMonth } from '../months/rows.js';
import { findCompany, type PersonRow } from '../people/rows.js';
import { bookedInCompany } from './booking-rows.js';
import { sumOf } from './calculated-days.js';
import { carriedInto } from './company-month.js';
import { groupBy } from './grouping.js';
import { lastDayOf } from './months.js';
import { type MonthOfPerson, readPersonMonths, sumOfDays } from './person-balance.js';
import { listFinalised } from './rows.js';

/** The month of a day, up to that day. */
export type BalanceOn = MonthOfPerson & { readonly person: PersonRow };

/** More people than this share what is read for their company. */
const fewPeople = 3;

/**
 * The month of `date` up to that day, with the balance at its end: of today and later days, at the end of yesterday. On
 * the last day of a month it is the line of the month's report.
 * @param people whose time is tracked on the day
 * @returns in the same order
 */
export async function readBalancesOn(
  reader: Reader,
  people: readonly PersonRow[],
  date: LocalDate,
  at: Instant,
): Promise<BalanceOn[]> {
  const found = new Map<number, BalanceOn>();
  for (const [companyId, some] of groupBy(people, (person) => person.company_id)) {
    const balances =
      some.length <= fewPeople
        ? await Promise.all(some.map((person) => ofPerson(reader, person, date, at)))
        : await ofCompany(reader, companyId, some, date, at);
    for (const balance of balances) found.set(balance.person.id, balance);
  }
  return people.map(({ id }) => found.get(id)!);
}

const isWhole = (person: PersonRow, date: LocalDate, at: Instant) =>
  date === lastDayOf(date.slice(0, 7)) || date >= localDateAt(at, person.time_zone);

async function ofPerson(reader: Reader, person: PersonRow, date: LocalDate, at: Instant): Promise<BalanceOn> {
  const month = date.slice(0, 7);
  const whole = (await readPersonMonths(reader, person, month, at)).at(-1)!;
  if (isWhole(person, date, at)) return { person, ...whole };
  const sum = await sumOfDays(reader, person, { from: `${month}-01`, to: date }, at);
  const booked = await bookedInCompany(reader, person.company_id, { month, to: date });
  return withSum(person, { ...whole, sum, bookedMinutes: booked.get(person.id)?.within ?? 0 });
}

function withSum(person: PersonRow, month: Omit<MonthOfPerson, 'balanceMinutes'>): BalanceOn {
  const balanceMinutes = month.carriedMinutes + month.sum.differenceMinutes + month.bookedMinutes;
  return { person, ...month, balanceMinutes };
}

/** What lies before the month is read once for all, as the month report does. */
async function ofCompany(
  reader: Reader,
  companyId: CompanyId,
  people: readonly PersonRow[],
  date: LocalDate,
  at: Instant,
): Promise<BalanceOn[]> {
  const month = date.slice(0, 7);
  const company = (await findCompany(reader, companyId))!;
  const closed = await findClosedMonth(reader, companyId, month);
  const stored = new Map(
    closed?.settled === 1
      ? (await listFinalised(reader, companyId, month)).map((row) => [row.person_id, sumOf(row)])
      : [],
  );
  const carried = await carriedInto(reader, company, month, at);
  const booked = await bookedInCompany(reader, companyId, { month, to: date });
  const balances: BalanceOn[] = [];
  for (const person of people) {
    const whole = isWhole(person, date, at) ? stored.get(person.id) : undefined;
    const sum = whole ?? (await sumOfDays(reader, person, { from: `${month}-01`, to: date }, at));
    const { before, within } = booked.get(person.id) ?? { before: 0, within: 0 };
    const carriedMinutes = person.opening_minutes + (carried.get(person.id) ?? 0) + before;
    balances.push(withSum(person, { month, sum, carriedMinutes, bookedMinutes: within, closed: closed !== undefined }));
  }
  return balances;
}
