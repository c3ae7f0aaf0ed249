/** A company's month as payroll needs it: hours by wage type and days of absence, by person and day. */
import type { Reader } from '@clockproof/platform/database/database';
import { minute } from '@clockproof/platform/time/instant';
import { type LocalDate, lastDayOf } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import { workOf } from '../../clock/time-entry.js';
import type { CompanyRow } from '../../people/rows.js';
import { piecesOf } from '../../working-time/clock-bands.js';
import type { Permit } from '../../working-time/evaluations.js';
import { continues, type Dated } from '../../working-time/working-days.js';
import { absentHalves } from '../calculated-days.js';
import { groupBy } from '../grouping.js';
import {
  listOpenWork,
  listPeopleOfMonth,
  listWork,
  type OpenWorkRow,
  type PersonOfMonth,
  type WorkRow,
} from '../rows.js';
import { inGroups, pauseBefore, readTargets, type Targets } from '../targets.js';
import { noTime, timeByDate, workSpanOf } from '../work-of-day.js';
import { type Piece, timeOfSurcharges, type WageType } from './surcharges.js';

export interface PayrollLine {
  readonly person: PersonOfMonth;
  /** Undefined in a line for the whole month. */
  readonly date: LocalDate | undefined;
  readonly type: WageType;
  /** The minutes of work and surcharges. */
  readonly minutes: number;
  /** The half days of absences. */
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

/** Lines with minutes or half days. */
export async function calculatePayrollDays(
  reader: Reader,
  company: CompanyRow,
  month: string,
  types: readonly WageType[],
): Promise<PayrollLine[]> {
  const span = { from: `${month}-01`, to: lastDayOf(month) };
  const people = await listPeopleOfMonth(reader, company.id, month);
  if (people.length === 0) return [];
  const targets = await readTargets(reader, company, people, span);
  const lines: PayrollLine[] = [];
  for (const group of inGroups(people, targets.calendar.length)) {
    const peopleOfCompany = { companyId: company.id, people: group };
    const [rows, openWork] = await Promise.all([
      listWork(reader, peopleOfCompany, workSpanOf(span)),
      listOpenWork(reader, peopleOfCompany),
    ]);
    const work = groupBy(rows, (row) => row.person_id);
    const openOf = new Map(openWork.filter(({ status }) => status === 'open').map((row) => [row.person_id, row]));
    for (const [index, person] of group.entries()) {
      await pauseBefore(index);
      const facts = {
        timeZone: company.time_zone,
        targets,
        work: work.get(person.id) ?? [],
        open: openOf.get(person.id),
      };
      lines.push(...linesOf(person, types, facts));
    }
  }
  return lines;
}

interface Facts {
  readonly timeZone: ZoneName;
  readonly targets: Targets;
  /** In order of time, from some days before the month until some after it. */
  readonly work: readonly WorkRow[];
  readonly open: OpenWorkRow | undefined;
}

function linesOf(
  person: PersonOfMonth,
  types: readonly WageType[],
  { timeZone, targets, work, open }: Facts,
): PayrollLine[] {
  const times = timeByDate(work, open);
  const shift: { current?: Dated } = {};
  const pieces = groupBy(
    work.flatMap((row) => piecesOfEntry(row, shift).map((piece) => ({ piece, date: row.date }))),
    ({ date }) => date,
  );
  const targetOn = targets.of(person);
  return targets.calendar.flatMap((day) => {
    const { date } = day;
    if (date < person.tracking_start) return [];
    const { workedMinutes } = times.get(date) ?? noTime;
    const workedPieces = (pieces.get(date) ?? []).map(({ piece }) => piece);
    const surcharges = timeOfSurcharges(types, workedPieces, { timeZone, holidays: targets.holidays });
    const { due, absences } = targetOn(day);
    return types.flatMap((type): PayrollLine[] => {
      const minutes =
        type.counts === 'absence'
          ? 0
          : type.counts === 'work'
            ? workedMinutes
            : Math.min(workedMinutes, Math.floor((surcharges.get(type.code) ?? 0) / minute));
      const ofType = absences.filter((absence) => type.counts === 'absence' && absence.type === type.absence_type);
      const halfDays = absentHalves(due, ofType);
      return minutes > 0 || halfDays > 0 ? [{ person, date, type, minutes, halfDays }] : [];
    });
  });
}

/** The days added up, by person and wage type. Pure. */
export function monthOf(days: readonly PayrollLine[], types: readonly WageType[]): PayrollLine[] {
  return [...groupBy(days, ({ person }) => person.id).values()].flatMap((lines) => {
    const byCode = groupBy(lines, ({ type }) => type.code);
    return types.flatMap((type): PayrollLine[] => {
      const linesOfType = byCode.get(type.code);
      return linesOfType === undefined
        ? []
        : [
            {
              person: linesOfType[0]!.person,
              date: undefined,
              type,
              minutes: linesOfType.reduce((sum, line) => sum + line.minutes, 0),
              halfDays: linesOfType.reduce((sum, line) => sum + line.halfDays, 0),
            },
          ];
    });
  });
}

/** @param shift the working day so far, which the entry continues or ends */
function piecesOfEntry(row: WorkRow, shift: { current?: Dated }): Piece[] {
  const last = shift.current;
  const { date, start_at } = last !== undefined && continues(last, row) ? last : row;
  shift.current = { date, start_at, end_at: row.end_at };
  return piecesOf(workOf(row, row.end_at)).map((piece) => ({ ...piece, begun: date }));
}
