/** A company's month as payroll needs it: hours by wage type and days of absence, by person and day. */
import type { Reader } from '@clockproof/platform/database/database';
import { minute } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import { approvedAbsenceDays } from '../../absences/days.js';
import { workOf } from '../../clock/time-entry.js';
import type { CompanyRow } from '../../people/rows.js';
import { piecesOf } from '../../working-time/clock-bands.js';
import type { Permit } from '../../working-time/evaluations.js';
import { readCompanySchedules, readHolidays } from '../../working-time/rows.js';
import { continues, type Dated } from '../../working-time/working-days.js';
import { absentHalves, calendarOf, dueOn } from '../calculated-days.js';
import { groupBy } from '../grouping.js';
import { datesOf } from '../months.js';
import { listCompanyWork, listPeopleOfMonth, type PersonOfMonth, type WorkRow } from '../rows.js';
import { pauseBefore } from '../targets.js';
import { minutesOf } from '../work-of-day.js';
import { type Piece, timeOfSurcharges, type WageType } from './surcharges.js';

export interface PayrollLine {
  readonly person: PersonOfMonth;
  /** Undefined where the line is that of the month. */
  readonly date: LocalDate | undefined;
  readonly type: WageType;
  /** Of work and surcharges. */
  readonly minutes: number;
  /** Of absences. */
  readonly halfDays: number;
}

/** The days of a month, by person, day and wage type: calculated, as long as it is open. */
export function readPayrollDays(
  reader: Reader,
  _permit: Permit<'payroll_export'>,
  company: CompanyRow,
  month: string,
  types: readonly WageType[],
): Promise<PayrollLine[]> {
  return calculatePayrollDays(reader, company, month, types);
}

/** Lines with something in them. */
export async function calculatePayrollDays(
  reader: Reader,
  company: CompanyRow,
  month: string,
  types: readonly WageType[],
): Promise<PayrollLine[]> {
  const { id: companyId, time_zone: timeZone } = company;
  const dates = datesOf(month);
  const holidays = await readHolidays(reader, company);
  const people = await listPeopleOfMonth(reader, companyId, month);
  const schedules = await readCompanySchedules(reader, companyId);
  const span = { companyId, from: dates[0]!, to: dates.at(-1)! };
  const absences = groupBy(await approvedAbsenceDays(reader, span), ({ person_id, date }) => `${person_id} ${date}`);
  const shifts = new Map<number, Dated>();
  for (const days of [-2, -1])
    for (const row of await listCompanyWork(reader, companyId, addDays(dates[0]!, days))) piecesOfEntry(row, shifts);

  const lines = new Map<number, PayrollLine[]>(people.map(({ id }) => [id, []]));
  for (const day of calendarOf(dates, holidays)) {
    const work = groupBy(await listCompanyWork(reader, companyId, day.date), (row) => row.person_id);
    for (const [index, person] of people.entries()) {
      await pauseBefore(index);
      const rows = work.get(person.id) ?? [];
      const pieces = rows.flatMap((row) => piecesOfEntry(row, shifts));
      if (day.date < person.tracking_start) continue;
      const { workedMinutes } = minutesOf(rows);
      const surcharges = timeOfSurcharges(types, pieces, { timeZone, holidays });
      const absent = (absences.get(`${person.id} ${day.date}`) ?? []).map((one) => ({ ...one, credited: true }));
      const due = dueOn(person, schedules.of(person.id), day, absent);
      for (const type of types) {
        const minutes =
          type.counts === 'absence'
            ? 0
            : type.counts === 'work'
              ? workedMinutes
              : Math.min(workedMinutes, Math.floor((surcharges.get(type.code) ?? 0) / minute));
        const halfDays =
          type.counts === 'absence'
            ? absentHalves(
                due,
                absent.filter((one) => one.type === type.absence_type),
              )
            : 0;
        if (minutes > 0 || halfDays > 0)
          lines.get(person.id)!.push({ person, date: day.date, type, minutes, halfDays });
      }
    }
  }
  return people.flatMap(({ id }) => lines.get(id)!);
}

/** The days added up, by person and wage type. Pure. */
export function monthOf(days: readonly PayrollLine[], types: readonly WageType[]): PayrollLine[] {
  return [...groupBy(days, ({ person }) => person.id).values()].flatMap((lines) => {
    const byCode = groupBy(lines, ({ type }) => type.code);
    return types.flatMap((type): PayrollLine[] => {
      const found = byCode.get(type.code);
      return found === undefined
        ? []
        : [
            {
              person: found[0]!.person,
              date: undefined,
              type,
              minutes: found.reduce((sum, line) => sum + line.minutes, 0),
              halfDays: found.reduce((sum, line) => sum + line.halfDays, 0),
            },
          ];
    });
  });
}

/** @param shifts the working day of each person so far, which the entry continues or ends */
function piecesOfEntry(row: WorkRow, shifts: Map<number, Dated>): Piece[] {
  const last = shifts.get(row.person_id);
  const { date, start_at } = last !== undefined && continues(last, row) ? last : row;
  shifts.set(row.person_id, { date, start_at, end_at: row.end_at });
  return piecesOf(workOf(row, row.end_at)).map((piece) => ({ ...piece, begun: date }));
}
