/** People by days: names stay visible, today has a line, the last line counts the people present. */
import { type CSSProperties, memo, type ReactNode, useMemo } from 'react';
import type { Schemas } from '../api/session.js';
import { type CalendarFormats, useCalendar } from '../parts/calendar.js';
import { Spacer, useVisibleRows } from '../parts/visible-rows.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { freeOf, type useHolidays } from './holidays.js';

export type TeamAbsence = Schemas['TeamAbsence'];
export type CalendarPerson = Pick<Schemas['TeamClockState'], 'user_id' | 'person' | 'department'>;
type Holidays = ReturnType<typeof useHolidays>;
const rowHeight = 30;
const noAbsences: readonly TeamAbsence[] = [];

export interface CalendarTableProps {
  readonly people: readonly CalendarPerson[];
  readonly absences: readonly TeamAbsence[];
  readonly days: readonly string[];
  readonly holidays: Holidays;
  /** Whether the last line counts the people present. */
  readonly showsCount: boolean;
}

export function CalendarTable({ people, absences, days, holidays, showsCount }: CalendarTableProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const { today } = calendar;
  const byPerson = useMemo(() => absencesByPerson(absences), [absences]);
  const presentCounts = useMemo(() => countPresent(days, people, byPerson), [days, people, byPerson]);
  const background = useMemo(() => backgroundOf(days, holidays, today), [days, holidays, today]);
  const visibleRows = useVisibleRows<HTMLTableSectionElement>(people.length, rowHeight);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways needs the keyboard
    <section className="panel team-scroll" tabIndex={0} aria-label={words.calendar_title}>
      <table
        className="strip team-calendar"
        style={{ '--ground': background } as CSSProperties}
        aria-rowcount={people.length + (showsCount ? 2 : 1)}
      >
        <Head days={days} holidays={holidays} />
        <tbody ref={visibleRows.box}>
          <Spacer height={visibleRows.above} />
          {people.slice(visibleRows.from, visibleRows.to).map((person, index) => (
            <Row
              key={person.user_id}
              index={visibleRows.from + index + 2}
              name={person.person.name}
              absences={byPerson.get(person.user_id) ?? noAbsences}
              days={days}
              calendar={calendar}
            />
          ))}
          <Spacer height={visibleRows.below} />
        </tbody>
        <tfoot hidden={!showsCount}>
          <tr>
            <th scope="row">
              {words.calendar_here}, {people.length}
            </th>
            {days.map((day, index) => (
              <td key={day} data-free={freeOf(day, holidays)} data-today={day === today ? '' : undefined}>
                {freeOf(day, holidays) === undefined ? presentCounts[index] : ''}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

/** Memoised: scrolling does not render it again. */
const Head = memo(function Head({
  days,
  holidays,
}: {
  readonly days: readonly string[];
  readonly holidays: Holidays;
}): ReactNode {
  const calendar = useCalendar(useOwnZone());
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
            <abbr title={[calendar.fullDay(day), holidays.get(day)?.name].filter(Boolean).join(', ')}>
              {day === days[0] || day.endsWith('-01') ? calendar.monthShort(day) : calendar.weekday(day)}
              <b>{Number(day.slice(8))}</b>
            </abbr>
          </th>
        ))}
      </tr>
    </thead>
  );
});

/** The colours of free days and the lines of today, behind every row: a cell for each day would make 43 times 2,000. */
function backgroundOf(days: readonly string[], holidays: Holidays, today: string): string {
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

/** The shown days of an absence. */
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
  const label = `${absence.type_label ?? words.calendar_away}, ${calendar.span(absence.start_date, absence.end_date)}${absence.status === 'waiting' ? `, ${words.calendar_waiting}` : ''}`;
  const shownDays = days.filter((day) => covers(absence, day));
  if (shownDays.length === 0) return null;
  const half = absence.half_day !== undefined;
  const percent = (count: number) => `${(100 * count) / days.length}%`;
  const start = days.indexOf(shownDays[0]!) + (absence.half_day === 'afternoon' ? 0.5 : 0);
  const isFirst = shownDays[0] === absence.start_date;
  const isLast = shownDays.at(-1) === absence.end_date;
  // A gap of two pixels at each visible end of the absence.
  const gap = 2 * (Number(isFirst) + Number(isLast));
  return (
    <span
      className="strip-bar"
      data-kind={kind}
      data-color={kind === 'waiting' ? undefined : absence.color}
      data-first={isFirst ? '' : undefined}
      data-last={isLast ? '' : undefined}
      style={{
        left: `calc(${percent(start)} + ${isFirst ? 2 : 0}px)`,
        width: `calc(${percent(half ? 0.5 : shownDays.length)} - ${gap}px)`,
      }}
      title={label}
    >
      <span className="hidden">{label}</span>
    </span>
  );
}

function absencesByPerson(absences: readonly TeamAbsence[]): ReadonlyMap<number, readonly TeamAbsence[]> {
  const groups = new Map<number, TeamAbsence[]>();
  for (const absence of absences) {
    const group = groups.get(absence.person.id);
    if (group === undefined) groups.set(absence.person.id, [absence]);
    else group.push(absence);
  }
  return groups;
}

/** The number of people who are not away, for each day. */
function countPresent(
  days: readonly string[],
  people: readonly CalendarPerson[],
  byPerson: ReadonlyMap<number, readonly TeamAbsence[]>,
): number[] {
  const counts = days.map(() => people.length);
  for (const { user_id: id } of people) {
    const awayAbsences =
      byPerson.get(id)?.filter((absence) => absence.away !== false && absence.status !== 'waiting') ?? noAbsences;
    if (awayAbsences.length === 0) continue;
    for (const [index, day] of days.entries())
      if (awayAbsences.some((absence) => covers(absence, day))) counts[index]! -= 1;
  }
  return counts;
}

function covers({ start_date, end_date }: TeamAbsence, day: string): boolean {
  return start_date <= day && day <= end_date;
}
