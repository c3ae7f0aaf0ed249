/** Target and worked minutes without the rules of working time: the basis of balances. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, lastDayOf, localDateAt, nextMonth } from '@clockproof/platform/time/local-date';
import type { PersonId } from '../store/ids.js';
import { lastClosedMonth } from '../working-time/closed-month-rows.js';
import { type Minutes, noMinutes } from './calculated-days.js';
import { readClosedDays } from './closed-days.js';
import { groupBy } from './grouping.js';
import { previousMonth } from './months.js';
import { listOpenWork, listWork, sumStoredBefore } from './rows.js';
import { type CompanySettings, inGroups, pauseBefore, readTargets, type Span, type TrackedPerson } from './targets.js';
import { noTime, timeByDate, workSpanOf } from './work-of-day.js';

/**
 * The minutes of a span by person and month, from the entries, or as their month was closed. Days that are not over do
 * not count, nor do those before the tracking start date and those with an entry that has no end yet. A month without
 * any day that counts is absent.
 */
export async function readMinutes(
  reader: Reader,
  company: CompanySettings,
  people: readonly TrackedPerson[],
  { from, to }: Span,
  at: Instant,
): Promise<Map<PersonId, Map<string, Minutes>>> {
  const yesterday = addDays(localDateAt(at, company.time_zone), -1);
  const span = { from, to: to < yesterday ? to : yesterday };
  const minutes = new Map<PersonId, Map<string, Minutes>>();
  if (span.to < span.from || people.length === 0) return minutes;
  const targets = await readTargets(reader, company, people, span);
  const closedDay = await readClosedDays(reader, { companyId: company.id, people }, span, 'general');
  for (const group of inGroups(people, targets.calendar.length)) {
    const peopleOfCompany = { companyId: company.id, people: group };
    const [rows, openWork] = await Promise.all([
      listWork(reader, peopleOfCompany, workSpanOf(span)),
      listOpenWork(reader, peopleOfCompany),
    ]);
    const work = groupBy(rows, (row) => row.person_id);
    const incompleteDays = new Set(
      openWork.filter(({ status }) => status !== 'pending').map(({ person_id, date }) => `${person_id} ${date}`),
    );
    for (const [index, person] of group.entries()) {
      await pauseBefore(index);
      const targetOn = targets.of(person);
      const time = timeByDate(
        work.get(person.id) ?? [],
        openWork.find(({ person_id, status }) => person_id === person.id && status === 'open'),
      );
      const months = new Map<string, Minutes>();
      for (const day of targets.calendar) {
        if (day.date < person.tracking_start || incompleteDays.has(`${person.id} ${day.date}`)) continue;
        const month = day.date.slice(0, 7);
        const storedDay = closedDay(person.id, day.date);
        const { scheduledMinutes, creditedMinutes } = (storedDay ?? targetOn(day)).due;
        const dayMinutes = storedDay ?? time.get(day.date) ?? noTime;
        const monthMinutes = months.get(month) ?? noMinutes;
        const targetMinutes = monthMinutes.targetMinutes + scheduledMinutes - creditedMinutes;
        const workedMinutes = monthMinutes.workedMinutes + dayMinutes.workedMinutes;
        months.set(month, { targetMinutes, workedMinutes, differenceMinutes: workedMinutes - targetMinutes });
      }
      minutes.set(person.id, months);
    }
  }
  return minutes;
}

/** The differences of all months before one, by person: stored for closed months, calculated for open ones. */
export async function readDifferencesBefore(
  reader: Reader,
  company: CompanySettings,
  people: readonly TrackedPerson[],
  month: string,
  at: Instant,
): Promise<Map<PersonId, number>> {
  if (people.length === 0) return new Map();
  const [storedSums, lastClosed] = await Promise.all([
    sumStoredBefore(reader, { companyId: company.id, people }, month),
    lastClosedMonth(reader, company.id),
  ]);
  const differences = new Map(storedSums.map((row) => [row.person_id, Number(row.minutes)]));
  const first = people.reduce(
    (earliest, { tracking_start: from }) => (from < earliest ? from : earliest),
    `${month}-01`,
  );
  const firstOpenMonth =
    lastClosed === undefined || nextMonth(lastClosed) < first.slice(0, 7) ? first.slice(0, 7) : nextMonth(lastClosed);
  if (firstOpenMonth >= month) return differences;
  const span = { from: `${firstOpenMonth}-01`, to: lastDayOf(previousMonth(month)) };
  for (const [id, months] of await readMinutes(reader, company, people, span, at)) {
    const sum = [...months.values()].reduce((total, { differenceMinutes }) => total + differenceMinutes, 0);
    differences.set(id, (differences.get(id) ?? 0) + sum);
  }
  return differences;
}
