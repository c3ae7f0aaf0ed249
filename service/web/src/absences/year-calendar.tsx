/**
 * The days of a year as a grid: a row per month, aligned by weekday; on a phone one month. Days are chosen by dragging,
 * by touching the first and the last, or by the keys of the ARIA grid pattern: arrows move, Shift extends, Enter goes
 * on to the form, Escape clears.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { isWeekend, plusDays, plusMonths, useDays } from '../parts/calendar.js';
import type { NamedHolidays } from '../people/holidays.js';
import { useWords } from '../words/words.js';

export interface Span {
  readonly from: string;
  readonly to: string;
}
export interface DayMark {
  readonly kind: 'approved' | 'waiting';
  readonly half: boolean;
  readonly label: string;
}

interface YearCalendarProps {
  readonly year: number;
  /** The one month that a phone shows, such as `2026-11`. */
  readonly month: string | undefined;
  readonly today: string;
  readonly marks: ReadonlyMap<string, DayMark>;
  readonly holidays: NamedHolidays;
  readonly selection: Span | undefined;
  readonly onChoose: (span: Span | undefined) => void;
  /** Called with the month of a day that the keys move to, if it is not shown. */
  readonly onTurn: (month: string) => void;
  readonly onGoOn: () => void;
}

export function YearCalendar(props: YearCalendarProps): ReactNode {
  const { year, month, today, marks, holidays, selection, onChoose, onTurn, onGoOn } = props;
  const words = useWords();
  const calendar = useDays();
  const grid = useRef<HTMLTableElement>(null);
  const period = month ?? String(year);
  const first = today.startsWith(period) ? today : `${month ?? `${year}-01`}-01`;
  const [focusedDate, setFocusedDate] = useState(first);
  const active = focusedDate.startsWith(period) ? focusedDate : first;
  const anchor = useRef<string>(undefined);
  const dragging = useRef(false);
  /** Whether the mouse has chosen the days while its button was down; the click then chooses nothing. */
  const isPressed = useRef(false);
  /** Whether the keys turned the page, which then has to give the focus to the reached day. */
  const isTurning = useRef(false);
  useEffect(() => {
    if (!isTurning.current || !focusedDate.startsWith(period)) return;
    isTurning.current = false;
    grid.current?.querySelector<HTMLElement>(`[data-date="${focusedDate}"]`)?.focus();
  }, [focusedDate, period]);
  /** Days chosen before the page was turned are extended. */
  const isElsewhere =
    selection !== undefined &&
    (selection.to.slice(0, period.length) < period || period < selection.from.slice(0, period.length));
  useEffect(() => {
    const end = () => {
      dragging.current = false;
    };
    document.addEventListener('pointerup', end);
    return () => document.removeEventListener('pointerup', end);
  }, []);
  const choose = (to: string) => {
    const from = anchor.current ?? to;
    anchor.current = from;
    onChoose(from <= to ? { from, to } : { from: to, to: from });
  };
  const press = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, string>> = {
      ArrowLeft: plusDays(active, -1),
      ArrowRight: plusDays(active, 1),
      ArrowUp: plusDays(active, -7),
      ArrowDown: plusDays(active, 7),
      Home: `${active.slice(0, 7)}-01`,
      End: lastOf(active.slice(0, 7)),
      PageUp: sameDayIn(plusMonths(active.slice(0, 7), -1), active),
      PageDown: sameDayIn(plusMonths(active.slice(0, 7), 1), active),
    };
    const next = steps[event.key];
    if (next === undefined && !['Enter', ' ', 'Escape'].includes(event.key)) return;
    event.preventDefault();
    if (next !== undefined) {
      if (event.shiftKey) {
        anchor.current ??= isElsewhere ? selection.from : active;
        choose(next);
      } else anchor.current = undefined;
      setFocusedDate(next);
      isTurning.current = !next.startsWith(period);
      if (isTurning.current) onTurn(next.slice(0, 7));
      grid.current?.querySelector<HTMLElement>(`[data-date="${next}"]`)?.focus();
    } else if (event.key === 'Escape') {
      anchor.current = undefined;
      onChoose(undefined);
    } else {
      if (event.key === ' ' || selection === undefined) {
        anchor.current = isElsewhere ? selection.from : active;
        choose(active);
      }
      if (event.key === 'Enter') setTimeout(onGoOn);
    }
  };
  const cell = (date: string) => {
    const mark = marks.get(date);
    const holiday = holidays.get(date);
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the grid
      <td
        key={date}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the cell of an ARIA grid
        role="gridcell"
        tabIndex={date === active ? 0 : -1}
        data-date={date}
        data-mark={mark?.kind}
        data-half={mark?.half || undefined}
        data-holiday={holiday?.half_day === false || undefined}
        data-weekend={isWeekend(date) || undefined}
        data-today={date === today || undefined}
        aria-selected={selection !== undefined && selection.from <= date && date <= selection.to}
        aria-label={[calendar.fullDay(date), holiday?.name, mark?.label]
          .filter((part) => part !== undefined)
          .join(', ')}
        onFocus={() => setFocusedDate(date)}
        onPointerDown={(event) => {
          // A finger may be about to scroll the page, so touch chooses on click, not on press.
          isPressed.current = event.pointerType !== 'touch';
          if (event.button !== 0 || !isPressed.current) return;
          if (isElsewhere) anchor.current = selection.from;
          else if (!event.shiftKey) anchor.current = date;
          dragging.current = true;
          choose(date);
        }}
        onClick={(event) => {
          if (isPressed.current && event.detail > 0) return;
          // A second touch extends the selection of the first.
          anchor.current =
            selection !== undefined && (selection.from === selection.to || isElsewhere) ? selection.from : date;
          choose(date);
        }}
        onPointerEnter={() => {
          if (dragging.current) choose(date);
        }}
      >
        {Number(date.slice(8))}
      </td>
    );
  };
  const lines =
    month === undefined
      ? Array.from({ length: 12 }, (_, index) => plusMonths(`${year}-01`, index)).map((monthOfYear) => ({
          key: monthOfYear,
          label: calendar.month(monthOfYear).replace(/ \d+$/, ''),
          cells: cellsOf(monthOfYear, 37),
        }))
      : weeksOf(month).map((cells, index) => ({ key: `${month} ${index}`, label: undefined, cells }));
  const monday = '2026-11-23';
  return (
    <table
      ref={grid}
      className={month === undefined ? 'year' : 'year one-month'}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: an ARIA grid is a table that takes the keyboard
      role="grid"
      aria-label={words.calendar_of(month === undefined ? String(year) : calendar.month(month))}
      aria-multiselectable="true"
      onKeyDown={press}
    >
      <thead aria-hidden="true">
        <tr>
          {month === undefined && <td />}
          {Array.from({ length: month === undefined ? 37 : 7 }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their place
            <td key={index}>{calendar.weekday(plusDays(monday, index % 7))}</td>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map(({ key, label, cells }) => (
          <tr key={key}>
            {label !== undefined && (
              <th scope="row" data-present={today.startsWith(key) || undefined}>
                {label}
              </th>
            )}
            {cells.map((date, index) =>
              date === undefined ? (
                <td key={`${key} ${String(index)}`} data-weekend={index % 7 > 4 || undefined} />
              ) : (
                cell(date)
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** @returns the days of a month in columns that begin on a Monday */
function cellsOf(month: string, columns: number): (string | undefined)[] {
  const lead = (new Date(`${month}-01T00:00:00Z`).getUTCDay() + 6) % 7;
  return Array.from({ length: columns }, (_, index) => {
    const date = plusDays(`${month}-01`, index - lead);
    return date.startsWith(month) ? date : undefined;
  });
}

function weeksOf(month: string): (string | undefined)[][] {
  const cells = cellsOf(month, 42);
  return Array.from({ length: 6 }, (_, week) => cells.slice(week * 7, week * 7 + 7)).filter((week) =>
    week.some((date) => date !== undefined),
  );
}

function lastOf(month: string): string {
  return plusDays(`${plusMonths(month, 1)}-01`, -1);
}

function sameDayIn(month: string, date: string): string {
  const sameDay = `${month}-${date.slice(8)}`;
  return sameDay > lastOf(month) ? lastOf(month) : sameDay;
}
