/** The content of a month at its closing: the days of everyone, and their sums. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { lastDayOf, localDateAt } from '@clockproof/platform/time/local-date';
import type { CompanyRow } from '../people/rows.js';
import type { PersonId } from '../store/ids.js';
import type { Confidentiality } from '../working-time/special-rules.js';
import { sumMonth } from './calculated-days.js';
import type { ClosedDay, ClosedDays } from './closed-days.js';
import type { PersonMonth } from './company-month.js';
import { groupBy } from './grouping.js';
import { readCircumstancesOf, readDays } from './people-days.js';
import { listPeopleOfMonth, type PersonOfMonth } from './rows.js';
import { readPeriodFindings } from './sheets/period-findings.js';

export interface ClosingLine extends PersonMonth {
  readonly days: ClosedDays;
}

/** Everyone of the month, by id. Call it before the month counts as closed. */
export async function calculateClosingLines(
  reader: Reader,
  company: CompanyRow,
  month: string,
  at: Instant,
): Promise<ClosingLine[]> {
  const today = localDateAt(at, company.time_zone);
  const people = await listPeopleOfMonth(reader, company.id, month);
  const general = await calculateDays(reader, company, people, { month, at, confidentiality: 'general' });
  const hasMore = await confidentialPeople(reader, company, people);
  const special = people.filter(({ id }) => hasMore.has(id));
  const confidential = await calculateDays(reader, company, special, { month, at, confidentiality: 'confidential' });
  return people.map((person) => {
    const days = general.get(person.id)!;
    const confidentialDays = confidential.get(person.id);
    const trackedDays = days.filter(({ date }) => date >= person.tracking_start);
    return {
      person,
      sum: sumMonth(trackedDays, today),
      days: { general: days, confidential: confidentialDays },
    };
  });
}

/** People with confidential rules, which only the person and admins may know. */
async function confidentialPeople(
  reader: Reader,
  company: CompanyRow,
  people: readonly PersonOfMonth[],
): Promise<ReadonlySet<PersonId>> {
  if (people.length === 0) return new Set();
  const [confidential, general] = [
    await readCircumstancesOf(reader, company, people, 'confidential'),
    await readCircumstancesOf(reader, company, people, 'general'),
  ];
  return new Set(
    people
      .filter(({ id }) => confidential(id).specialRules.length > general(id).specialRules.length)
      .map(({ id }) => id),
  );
}

async function calculateDays(
  reader: Reader,
  company: CompanyRow,
  people: readonly PersonOfMonth[],
  {
    month,
    at,
    confidentiality,
  }: { readonly month: string; readonly at: Instant; readonly confidentiality: Confidentiality },
): Promise<ReadonlyMap<PersonId, readonly ClosedDay[]>> {
  const span = { from: `${month}-01`, to: lastDayOf(month) };
  const periods = await readPeriodFindings(reader, company, people, { month, at }, confidentiality);
  const closedDays = new Map<PersonId, readonly ClosedDay[]>();
  for await (const { person, days } of readDays(reader, company, people, span, { at, confidentiality })) {
    const findingsByDate = groupBy(periods.get(person.id) ?? [], ({ date }) => date);
    closedDays.set(
      person.id,
      days.map((day) => ({ ...day, periods: (findingsByDate.get(day.date) ?? []).map(({ finding }) => finding) })),
    );
  }
  return closedDays;
}
