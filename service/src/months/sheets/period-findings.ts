/** The findings of a person's month that look at many days. */
import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { approvedAbsenceDays, daysBetween } from '../../absences/days.js';
import { workOf } from '../../clock/time-entry.js';
import type { PersonRow } from '../../people/rows.js';
import { minutesInBand, nightTime, piecesOf } from '../../working-time/clock-bands.js';
import { holidaysIn } from '../../working-time/holidays.js';
import {
  evaluatePeriods,
  longestPeriodDays,
  type PeriodDay,
  type PeriodFinding,
  periodRulesOf,
} from '../../working-time/period-rules.js';
import { readCircumstances, readSchedules } from '../../working-time/rows.js';
import { weekdayOf, weekOn } from '../../working-time/schedule.js';
import { type Confidentiality, ruleOn } from '../../working-time/special-rules.js';
import { restsBetween } from '../../working-time/working-days.js';
import { creditedTypes } from '../credited-types.js';
import { groupBy } from '../grouping.js';
import { lastDayOf } from '../months.js';
import { listPersonWork } from '../rows.js';

export async function readPeriodFindings(
  reader: Reader,
  person: PersonRow,
  month: string,
  at: Instant,
  confidentiality: Confidentiality,
): Promise<PeriodFinding[]> {
  const versions = periodRulesOf(person.country);
  if (versions.length === 0) return [];
  const { time_zone: timeZone } = person;
  const [from, to] = [`${month}-01`, lastDayOf(month)];
  const yesterday = addDays(localDateAt(at, timeZone), -1);
  const first = earlier(`${month.slice(0, 4)}-01-01`, addDays(to, 1 - longestPeriodDays));
  const upTo = earlier(yesterday, to);
  if (upTo < from) return [];
  const holidays = holidaysIn(person.country, person.region);
  const work = await listPersonWork(reader, person.id, addDays(first, -1), upTo);
  const byDate = groupBy(work, (row) => row.date);
  const touched = new Set(
    work
      .flatMap((row) => piecesOf(workOf(row, row.end_at)))
      .flatMap((piece) => daysBetween(localDateAt(piece.start, timeZone), localDateAt(piece.end - 1, timeZone))),
  );
  const credited = await creditedTypes(reader, person.company_id);
  const absences = await approvedAbsenceDays(reader, {
    companyId: person.company_id,
    personId: person.id,
    from: first,
    to: upTo,
  });
  const absent = new Set(absences.filter(({ type }) => credited.has(type)).map(({ date }) => date));
  const circumstances = await readCircumstances(reader, person, confidentiality);
  const schedules = await readSchedules(reader, person);
  const rests = new Map(restsBetween(work).map((rest) => [rest.date, Math.floor((rest.to - rest.from) / minute)]));
  const days = daysBetween(first, upTo).map((date): PeriodDay => {
    const holiday = holidays.on(date) !== undefined;
    const young = ruleOn(circumstances, 'young', date) !== undefined;
    const expectant = ruleOn(circumstances, 'expectant_or_nursing', date) !== undefined;
    const pieces = (byDate.get(date) ?? []).flatMap((row) => piecesOf(workOf(row, row.end_at)));
    return {
      date,
      workedMinutes: Math.floor(pieces.reduce((sum, { start, end }) => sum + end - start, 0) / minute),
      nightMinutes: minutesInBand(pieces, nightTime, timeZone),
      touched: touched.has(date),
      holiday,
      absent: absent.has(date),
      restMinutes: rests.get(date),
      holidayMinutes: holiday && !touched.has(date) ? weekOn(schedules, date)[weekdayOf(date)] : 0,
      young,
      expectant,
      shortRest: circumstances.shortRestBranch !== null && !young && !expectant,
    };
  });
  return evaluatePeriods(versions, days, { from, to: upTo, tracked: person.tracking_start });
}

const earlier = (one: LocalDate, other: LocalDate) => (one < other ? one : other);
