/** The month of everyone in a company. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, lastDayOf, localDateAt } from '@clockproof/platform/time/local-date';
import type { CompanyRow } from '../people/rows.js';
import type { PersonId } from '../store/ids.js';
import { findClosedMonth } from '../working-time/closed-month-rows.js';
import { type Finding, isViolation } from '../working-time/rules.js';
import type { Confidentiality } from '../working-time/special-rules.js';
import { bookedMinutes } from './accounts/booking-rows.js';
import { type MonthSum, sumMonth, sumOf } from './calculated-days.js';
import { readDifferencesBefore } from './minutes.js';
import { readDays } from './people-days.js';
import { listPeopleOfMonth, listPeopleOfStored, listStored, type PersonOfMonth } from './rows.js';

export interface PersonMonth {
  readonly person: PersonOfMonth;
  readonly sum: MonthSum;
}

export interface FoundOnDay {
  readonly person: PersonOfMonth;
  readonly date: LocalDate;
  readonly finding: Finding;
}

export interface CalculationOptions {
  /** Called in order of date and person. */
  readonly onFinding?: (found: FoundOnDay) => void;
  /** The reader's right to confidential findings; figures are those that everyone may know. */
  readonly confidentiality?: Confidentiality;
  /** Only these people; this costs less than everyone. */
  readonly personIds?: ReadonlySet<PersonId> | undefined;
}

/** Adds up the days of a month; those of a closed one are as they were closed. */
export async function calculateCompanyMonth(
  reader: Reader,
  company: CompanyRow,
  month: string,
  at: Instant,
  { onFinding = () => undefined, confidentiality = 'general', personIds }: CalculationOptions = {},
): Promise<PersonMonth[]> {
  const today = localDateAt(at, company.time_zone);
  const span = { from: `${month}-01`, to: lastDayOf(month) };
  const closedMonth = await findClosedMonth(reader, company.id, month);
  const listPeople = closedMonth === undefined ? listPeopleOfMonth : listPeopleOfStored;
  const people = (await listPeople(reader, company.id, month)).filter(({ id }) => personIds?.has(id) ?? true);
  const lines: PersonMonth[] = [];
  const foundFindings: FoundOnDay[] = [];
  for await (const { person, days } of readDays(reader, company, people, span, { at, confidentiality })) {
    const trackedDays = days.filter(({ date }) => date >= person.tracking_start);
    lines.push({ person, sum: sumMonth(trackedDays, today) });
    for (const { date, found: findings } of trackedDays)
      for (const finding of findings) if (isViolation(finding)) foundFindings.push({ person, date, finding });
  }
  foundFindings.sort((first, second) => (first.date < second.date ? -1 : first.date > second.date ? 1 : 0));
  for (const finding of foundFindings) onFinding(finding);
  return lines;
}

export interface PersonMonthBalance extends PersonMonth {
  /** Carried over from the previous month. */
  readonly carriedMinutes: number;
  /** Sum of the bookings in the account. */
  readonly bookedMinutes: number;
  readonly balanceMinutes: number;
}

export interface CompanyMonthReport {
  readonly closed: boolean;
  readonly lines: readonly PersonMonthBalance[];
}

/**
 * The report of a month: stored figures for closed months, calculated ones for open months.
 * @param personIds lines of these people
 */
export async function readCompanyMonth(
  reader: Reader,
  company: CompanyRow,
  month: string,
  at: Instant,
  personIds?: ReadonlySet<PersonId>,
): Promise<CompanyMonthReport> {
  const closedMonth = await findClosedMonth(reader, company.id, month);
  const lines =
    closedMonth !== undefined
      ? (await storedMonth(reader, company, month)).filter(({ person }) => personIds?.has(person.id) ?? true)
      : await calculateCompanyMonth(reader, company, month, at, { personIds });
  return { closed: closedMonth !== undefined, lines: await withBalances(reader, company, month, at, lines) };
}

/** Adds the minutes carried over from the months before, and the bookings. */
export async function withBalances(
  reader: Reader,
  company: CompanyRow,
  month: string,
  at: Instant,
  lines: readonly PersonMonth[],
): Promise<PersonMonthBalance[]> {
  const people = lines.map(({ person }) => person);
  if (people.length === 0) return [];
  const [differences, bookingsByPerson] = await Promise.all([
    readDifferencesBefore(reader, company, people, month, at),
    bookedMinutes(reader, { companyId: company.id, people }, { month, to: lastDayOf(month) }),
  ]);
  return lines.map(({ person, sum }) => {
    const { before, within } = bookingsByPerson.get(person.id) ?? { before: 0, within: 0 };
    const carriedMinutes = person.opening_minutes + (differences.get(person.id) ?? 0) + before;
    const balanceMinutes = carriedMinutes + sum.differenceMinutes + within;
    return { person, sum, carriedMinutes, bookedMinutes: within, balanceMinutes };
  });
}

/** The lines of a closed month as it was closed, even if the people have changed since. */
async function storedMonth(reader: Reader, company: CompanyRow, month: string): Promise<PersonMonth[]> {
  const sums = new Map((await listStored(reader, company.id, month)).map((row) => [row.person_id, sumOf(row)]));
  return (await listPeopleOfStored(reader, company.id, month)).flatMap((person) => {
    const sum = sums.get(person.id);
    // Erased between the two reads.
    return sum === undefined ? [] : [{ person, sum }];
  });
}
