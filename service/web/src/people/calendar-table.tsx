/** People by days: names stay in sight, today has a line, and at the end stands how many are there. */
import { type CSSProperties, memo, type ReactNode, useMemo } from 'react';
import type { Schemas } from '../api/session.js';
import { type CalendarFormats, useCalendar } from '../parts/calendar.js';
import { Spacer, useVisibleRows } from '../parts/visible-rows.js';
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
  const { today } = calendar;
  const byPerson = useMemo(() => absencesByPerson(absences), [absences]);
  const here = useMemo(() => hereOn(days, people, byPerson), [days, people, byPerson]);
  const ground = useMemo(() => groundOf(days, holidays, today), [days, holidays, today]);
  const sight = useVisibleRows<HTMLTableSectionElement>(people.length, rowHeight);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways needs the keyboard
    <section className="panel team-scroll" tabIndex={0} aria-label={words.calendar_title}>
      <table
        className="strip team-calendar"
        style={{ '--ground': ground } as CSSProperties}
        aria-rowcount={people.length + (counted ? 2 : 1)}
      >
        <Head days={days} holidays={holidays} />
        <tbody ref={sight.box}>
          <Spacer height={sight.above} />
          {people.slice(sight.from, sight.to).map((one, index) => (
            <Row
              key={one.user_id}
              index={sight.from + index + 2}
              name={one.person.name}
              absences={byPerson.get(one.user_id) ?? none}
              days={days}
              calendar={calendar}
            />
          ))}
          <Spacer height={sight.below} />
        </tbody>
        <tfoot hidden={!counted}>
          <tr>
            <th scope="row">
              {words.calendar_here}, {people.length}
            </th>
            {days.map((day, index) => (
              <td key={day} data-free={freeOf(day, holidays)} data-today={day === today ? '' : undefined}>
                {freeOf(day, holidays) === undefined ? here[index] : ''}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

/** Drawn once, and not again with every step of scrolling. */
const Head = memo(function Head({
  days,
  holidays,
}: {
  readonly days: readonly string[];
  readonly holidays: Holidays;
}): ReactNode {
  const calendar = useCalendar();
  return (
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
              {day === days[0] || day.endsWith('-01') ? calendar.monthShort(day) : calendar.weekday(day)}
              <b>{Number(day.slice(8))}</b>
            </abbr>
          </th>
        ))}
      </tr>
    </thead>
  );
});

/** The colours of free days and the lines of today, behind every row: a cell for each day would be 43 times 2,000. */
function groundOf(days: readonly string[], holidays: Holidays, today: string): string {
  const stops = days.map((day, index) => {
    const free = freeOf(day, holidays);
    const colour = free === undefined ? 'transparent' : free === 'holiday' ? 'var(--holiday)' : 'var(--sunk)';
    const [left, right] = [index, index + 1].map((at) => `${(100 * at) / days.length}%`);
    if (day !== today) return `${colour} ${left} ${right}`;
    const line = 'var(--accent)';
    return (
      `${line} ${left} calc(${left} + 1px), ${colour} calc(${left} + 1px) calc(${right} - 1px), ` +
      `${line} calc(${right} - 1px) ${right}`
    );
  });
  return `linear-gradient(to right, ${stops.join(', ')})`;
}

const Row = memo(function Row({
  index,
  name,
  absences,
  days,
  calendar,
}: {
  readonly index: number;
  readonly name: string;
  readonly absences: readonly TeamAbsence[];
  readonly days: readonly string[];
  readonly calendar: CalendarFormats;
}): ReactNode {
  return (
    <tr data-row="" aria-rowindex={index}>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td colSpan={days.length} className="ground">
        {absences.map((absence) => (
          <Bar key={absence.id} of={absence} days={days} calendar={calendar} />
        ))}
      </td>
    </tr>
  );
});

/** The days of an absence that are shown. */
function Bar({
  of: absence,
  days,
  calendar,
}: {
  readonly of: TeamAbsence;
  readonly days: readonly string[];
  readonly calendar: CalendarFormats;
}): ReactNode {
  const words = useWords();
  const kind = absence.status === 'waiting' ? 'waiting' : absence.away === false ? 'elsewhere' : 'approved';
  const what = `${absence.type_label ?? words.calendar_away}, ${calendar.span(absence.start_date, absence.end_date)}${absence.status === 'waiting' ? `, ${words.calendar_waiting}` : ''}`;
  const shown = days.filter((day) => covers(absence, day));
  if (shown.length === 0) return null;
  const half = absence.half_day !== undefined;
  const percent = (count: number) => `${(100 * count) / days.length}%`;
  const start = days.indexOf(shown[0]!) + (absence.half_day === 'afternoon' ? 0.5 : 0);
  const isFirst = shown[0] === absence.start_date;
  const isLast = shown.at(-1) === absence.end_date;
  // Two pixels of air at its own ends.
  const air = 2 * (Number(isFirst) + Number(isLast));
  return (
    <span
      className="strip-bar"
      data-kind={kind}
      data-color={kind === 'waiting' ? undefined : absence.color}
      data-first={isFirst ? '' : undefined}
      data-last={isLast ? '' : undefined}
      style={{
        left: `calc(${percent(start)} + ${isFirst ? 2 : 0}px)`,
        width: `calc(${percent(half ? 0.5 : shown.length)} - ${air}px)`,
      }}
      title={what}
    >
      <span className="hidden">{what}</span>
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
