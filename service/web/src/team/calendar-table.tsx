/** People by days: names stay in sight, today has a line, and at the end stands how many are there. */
import { memo, type ReactNode, useMemo } from 'react';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { Room, useRowsInSight } from '../parts/rows-in-sight.js';
import { useWords } from '../words/words.js';
import { freeOf, type useHolidays } from './holidays.js';

export type TeamAbsence = Schemas['TeamAbsence'];
export type Listed = Pick<Schemas['TeamClockState'], 'user_id' | 'person' | 'department'>;
type Holidays = ReturnType<typeof useHolidays>;
const rowHeight = 30;
const none: readonly TeamAbsence[] = [];

export interface CalendarTableProps {
  readonly people: readonly Listed[];
  readonly absences: readonly TeamAbsence[];
  readonly days: readonly string[];
  readonly holidays: Holidays;
  /** Whether the last line says how many are there. */
  readonly counted: boolean;
}

export function CalendarTable({ people, absences, days, holidays, counted }: CalendarTableProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const from = days[0]!;
  const byPerson = useMemo(() => absencesByPerson(absences), [absences]);
  const here = useMemo(() => hereOn(days, people, byPerson), [days, people, byPerson]);
  const sight = useRowsInSight<HTMLTableSectionElement>(people.length, rowHeight);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways needs the keyboard
    <section className="panel team-scroll" tabIndex={0} aria-label={words.calendar_title}>
      <table className="strip team-calendar" aria-rowcount={people.length + (counted ? 2 : 1)}>
        <thead>
          <tr>
            <td />
            {days.map((day) => (
              <th
                key={day}
                scope="col"
                data-free={freeOf(day, holidays)}
                data-today={day === calendar.today ? '' : undefined}
                aria-current={day === calendar.today ? 'date' : undefined}
              >
                <abbr title={[calendar.fullDay(day), holidays.get(day)].filter(Boolean).join(', ')}>
                  {day === from || day.endsWith('-01') ? calendar.monthShort(day) : calendar.weekday(day)}
                  <b>{Number(day.slice(8))}</b>
                </abbr>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={sight.box}>
          <Room height={sight.above} />
          {people.slice(sight.from, sight.to).map((one, index) => (
            <Row
              key={one.user_id}
              index={sight.from + index + 2}
              name={one.person.name}
              absences={byPerson.get(one.user_id) ?? none}
              days={days}
              holidays={holidays}
              today={calendar.today}
            />
          ))}
          <Room height={sight.below} />
        </tbody>
        <tfoot hidden={!counted}>
          <tr>
            <th scope="row">
              {words.calendar_here}, {people.length}
            </th>
            {days.map((day, index) => (
              <td key={day} data-free={freeOf(day, holidays)} data-today={day === calendar.today ? '' : undefined}>
                {freeOf(day, holidays) === undefined ? here[index] : ''}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

const Row = memo(function Row({
  index,
  name,
  absences,
  days,
  holidays,
  today,
}: {
  readonly index: number;
  readonly name: string;
  readonly absences: readonly TeamAbsence[];
  readonly days: readonly string[];
  readonly holidays: Holidays;
  readonly today: string;
}): ReactNode {
  return (
    <tr data-row="" aria-rowindex={index}>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      {days.map((day) => {
        const found = absences.find((absence) => covers(absence, day));
        return (
          <td key={day} data-free={freeOf(day, holidays)} data-today={day === today ? '' : undefined}>
            {found !== undefined && <Bar of={found} day={day} from={days[0]!} />}
          </td>
        );
      })}
    </tr>
  );
});

/** One day of an absence; its words stand on the first day that is shown. */
function Bar({ of: absence, day, from }: { of: TeamAbsence; day: string; from: string }): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const kind = absence.status === 'waiting' ? 'waiting' : absence.away === false ? 'elsewhere' : 'approved';
  const what = `${absence.type_label ?? words.calendar_away}, ${calendar.span(absence.start_date, absence.end_date)}${absence.status === 'waiting' ? `, ${words.calendar_waiting}` : ''}`;
  return (
    <span
      className="strip-bar"
      data-kind={kind}
      data-color={kind === 'waiting' ? undefined : absence.color}
      data-first={day === absence.start_date ? '' : undefined}
      data-last={day === absence.end_date ? '' : undefined}
      data-half={absence.half_day}
      title={what}
    >
      {(day === absence.start_date || day === from) && <span className="hidden">{what}</span>}
    </span>
  );
}

function absencesByPerson(absences: readonly TeamAbsence[]): ReadonlyMap<number, readonly TeamAbsence[]> {
  const found = new Map<number, TeamAbsence[]>();
  for (const absence of absences) {
    const others = found.get(absence.person.id);
    if (others === undefined) found.set(absence.person.id, [absence]);
    else others.push(absence);
  }
  return found;
}

/** How many of the people are not away on each of the days. */
function hereOn(
  days: readonly string[],
  people: readonly Listed[],
  byPerson: ReadonlyMap<number, readonly TeamAbsence[]>,
): number[] {
  const left = days.map(() => people.length);
  for (const { user_id: id } of people) {
    const away = byPerson.get(id)?.filter((one) => one.away !== false && one.status !== 'waiting') ?? none;
    if (away.length === 0) continue;
    for (const [index, day] of days.entries()) if (away.some((one) => covers(one, day))) left[index]! -= 1;
  }
  return left;
}

function covers({ start_date, end_date }: TeamAbsence, day: string): boolean {
  return start_date <= day && day <= end_date;
}
