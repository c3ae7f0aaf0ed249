/** The findings of a month that look at many days. */
import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, lastDayOf, localDateAt } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import { workOf } from '../../clock/time-entry.js';
import type { PersonId } from '../../store/ids.js';
import { boundsOf, minutesInBand, nightTime, piecesOf } from '../../working-time/clock-bands.js';
import {
  evaluatePeriods,
  longestPeriodDays,
  type PeriodDay,
  type PeriodFinding,
  periodRulesOf,
} from '../../working-time/period-rules.js';
import { weekOn } from '../../working-time/schedule.js';
import { type Circumstances, type Confidentiality, ruleOn } from '../../working-time/special-rules.js';
import { workingDaysOf } from '../../working-time/working-days.js';
import { groupBy } from '../grouping.js';
import { readCircumstancesOf } from '../people-days.js';
import { listWork, type WorkRow } from '../rows.js';
import {
  type CompanySettings,
  inGroups,
  pauseBefore,
  readTargets,
  type Targets,
  type TrackedPerson,
} from '../targets.js';

/** @param people of the company, by id */
export async function readPeriodFindings(
  reader: Reader,
  company: CompanySettings,
  people: readonly TrackedPerson[],
  { month, at }: { readonly month: string; readonly at: Instant },
  confidentiality: Confidentiality,
): Promise<ReadonlyMap<PersonId, readonly PeriodFinding[]>> {
  const findingsByPerson = new Map<PersonId, readonly PeriodFinding[]>();
  const versions = periodRulesOf(company.country);
  const [from, last] = [`${month}-01`, lastDayOf(month)];
  const to = earlierDate(addDays(localDateAt(at, company.time_zone), -1), last);
  if (versions.length === 0 || people.length === 0 || to < from) return findingsByPerson;
  const first = earlierDate(`${month.slice(0, 4)}-01-01`, addDays(last, 1 - longestPeriodDays));
  const targets = await readTargets(reader, company, people, { from: first, to });
  const circumstancesFor = await readCircumstancesOf(reader, company, people, confidentiality);
  for (const group of inGroups(people, targets.calendar.length)) {
    // Working days that began before the span or go on after it.
    const span = { from: addDays(first, -2), to: addDays(to, 2) };
    const work = await listWork(reader, { companyId: company.id, people: group }, span);
    const workOfPerson = groupBy(work, (row) => row.person_id);
    for (const [index, person] of group.entries()) {
      await pauseBefore(index);
      const facts = { targets, circumstances: circumstancesFor(person.id), timeZone: company.time_zone };
      const days = periodDays(person, workOfPerson.get(person.id) ?? [], facts);
      findingsByPerson.set(
        person.id,
        evaluatePeriods(versions, days, { from, to, trackedFrom: person.tracking_start }),
      );
    }
  }
  return findingsByPerson;
}

interface Facts {
  readonly targets: Targets;
  readonly circumstances: Circumstances;
  readonly timeZone: ZoneName;
}

function periodDays(
  person: TrackedPerson,
  work: readonly WorkRow[],
  { targets, circumstances, timeZone }: Facts,
): PeriodDay[] {
  const workingDaysByDate = groupBy(workingDaysOf(work), ({ date }) => date);
  const piecesOfRows = new Map(work.map((row) => [row, piecesOf(workOf(row, row.end_at))]));
  const workDates = new Set<LocalDate>();
  for (const [row, pieces] of piecesOfRows)
    for (const piece of pieces)
      for (let date = row.date; ; ) {
        const { from, to, next } = boundsOf(date, timeZone);
        if (from >= piece.end) break;
        if (to > piece.start) workDates.add(date);
        date = next;
      }
  const targetOn = targets.of(person);
  const schedules = targets.schedulesOf(person.id);
  return targets.calendar.map((day): PeriodDay => {
    const { date, weekday } = day;
    const holiday = day.holiday?.public === true;
    const young = ruleOn(circumstances, 'young', date) !== undefined;
    const expectant = ruleOn(circumstances, 'expectant_or_nursing', date) !== undefined;
    const workingDays = (workingDaysByDate.get(date) ?? []).map(({ rows, previousEnd }) => ({
      pieces: rows.flatMap((row) => piecesOfRows.get(row)!),
      rest: previousEnd === undefined ? [] : [Math.floor((rows[0]!.start_at - previousEnd) / minute)],
    }));
    const workPieces = workingDays.flatMap(({ pieces }) => pieces);
    return {
      date,
      workedMinutes: Math.floor(workPieces.reduce((sum, { start, end }) => sum + end - start, 0) / minute),
      nightMinutes: workingDays.map(({ pieces }) => minutesInBand(pieces, nightTime, timeZone)),
      hasWork: workDates.has(date),
      holiday,
      absent: targetOn(day).absences.some(({ credited: isCredited }) => isCredited),
      restMinutes: workingDays.flatMap(({ rest }) => rest),
      holidayMinutes: holiday && !workDates.has(date) ? weekOn(schedules, date)[weekday]! : 0,
      young,
      expectant,
      shortRest: circumstances.shortRestBranch !== null && !young && !expectant,
    };
  });
}

const earlierDate = (first: LocalDate, second: LocalDate) => (first < second ? first : second);
