/** The days of a month: bars against the target, the running balance, and the records of a day below its opened row. */
import { Fragment, type KeyboardEvent, type ReactNode } from 'react';
import { DayDetail } from '../clock/day-detail.js';
import { changesOf, type DayRow } from '../clock/day-row.js';
import { stands } from '../clock/entries.js';
import { type CalendarFormats, isWeekend, useCalendar, useDays } from '../parts/calendar.js';
import { type BarPart, type BarWindow, DayBar, windowOf } from '../parts/day-bar.js';
import { Glyph } from '../parts/glyph.js';
import { Icon } from '../parts/icon.js';
import type { Zone } from '../parts/zone.js';
import { useWords, type Words } from '../words/words.js';

export function MonthTable({
  rows,
  zone,
  personId,
  today,
  open,
  isClosed,
  onOpen,
}: {
  readonly rows: readonly DayRow[];
  readonly zone: Zone;
  /** The person whose month it is; undefined for the signed-in person. */
  readonly personId: number | undefined;
  readonly today: string;
  readonly open: string | undefined;
  readonly isClosed: boolean;
  readonly onOpen: (day: string | undefined) => void;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const barWindow = windowOf(rows.flatMap(({ parts }) => parts));
  const flaggedRows = rows.filter((row) => row.flagged && row.corrections.every(({ status }) => status !== 'waiting'));
  // A free weekend without anything recorded takes one thin line.
  const isQuiet = (row: DayRow | undefined) =>
    row !== undefined &&
    isWeekend(row.date) &&
    row.entries.length === 0 &&
    row.target_minutes === 0 &&
    row.date !== open;
  return (
    <>
      {flaggedRows.length > 0 && (
        <div className="notice warn row">
          <Glyph name="warning" />
          <span>
            <b>
              {personId === undefined
                ? words.days_need_you(flaggedRows.length)
                : words.days_need_correction(flaggedRows.length)}
            </b>{' '}
            {words.day_without_clock_out(flaggedRows.map(({ date }) => calendar.day(date)).join(', '))}
          </span>
          <button type="button" className="button small" onClick={() => onOpen(flaggedRows[0]!.date)}>
            {words.correct}
          </button>
        </div>
      )}
      <div className="month-frame">
        <table className="month">
          <thead>
            <tr>
              <th scope="col">{words.day_word}</th>
              <th scope="col" className="bar-column">
                <span className="hidden">{words.time_word}</span>
                <Hours within={barWindow} />
              </th>
              <th scope="col">{words.worked}</th>
              <th scope="col" className="wide-only">
                {words.due}
              </th>
              <th scope="col">
                <span aria-hidden="true">±</span>
                <span className="hidden">{words.difference}</span>
              </th>
              <th scope="col" className="wide-only">
                {words.balance}
              </th>
              <th scope="col">
                <span className="hidden">{words.details}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => {
              if (isQuiet(row)) {
                if (isQuiet(rows[index - 1]) && new Date(`${row.date}T00:00:00Z`).getUTCDay() === 0) return null;
                const coversTwo = isQuiet(rows[index + 1]);
                return (
                  <tr key={row.date} className="weekend">
                    <th scope="row" colSpan={7}>
                      {coversTwo ? calendar.span(row.date, rows[index + 1]!.date) : calendar.day(row.date)}
                      {row.holiday !== undefined && ` · ${row.holiday}`}
                    </th>
                  </tr>
                );
              }
              return (
                <Fragment key={row.date}>
                  <Row
                    row={row}
                    zone={zone}
                    within={barWindow}
                    today={today}
                    open={row.date === open}
                    onOpen={() => onOpen(row.date === open ? undefined : row.date)}
                  />
                  {row.date === open && (
                    <tr className="opened">
                      <td colSpan={7} id={`day-${row.date}`}>
                        <DayDetail
                          row={row}
                          zone={zone}
                          personId={personId}
                          closed={isClosed}
                          today={today}
                          onClose={() => close(row.date, onOpen)}
                        />
                      </td>
                    </tr>
                  )}
                </Fragment>
              );
            })}
          </tbody>
        </table>
      </div>
      <p className="print-only signature">{words.signature}</p>
    </>
  );
}

function close(date: string, onOpen: (day: string | undefined) => void): void {
  onOpen(undefined);
  document.getElementById(`open-${date}`)?.focus();
}

/** The hours above the bars. */
function Hours({ within }: { readonly within: BarWindow }): ReactNode {
  const marks: number[] = [];
  for (let minute = Math.ceil(within.from / 180) * 180; minute <= within.to; minute += 180) marks.push(minute);
  const length = within.to - within.from;
  return (
    <svg width="100%" height="16" aria-hidden="true" className="hours">
      {marks.map((minute) => (
        <text
          key={minute}
          className={minute % 360 === 0 ? undefined : 'wide-only'}
          x={`${((minute - within.from) / length) * 100}%`}
          y="12"
          textAnchor={minute === within.from ? 'start' : minute === within.to ? 'end' : 'middle'}
        >
          {String((minute / 60) % 24).padStart(2, '0')}
        </text>
      ))}
    </svg>
  );
}

function Row({
  row,
  zone,
  within,
  today,
  open,
  onOpen,
}: {
  readonly row: DayRow;
  readonly zone: Zone;
  readonly within: BarWindow;
  readonly today: string;
  readonly open: boolean;
  readonly onOpen: () => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const { date, worked_minutes: workedMinutes, target_minutes: due, difference_minutes: difference } = row;
  const isFuture = date > today;
  const isWaiting = row.corrections.some(({ status }) => status === 'waiting');
  // On half a holiday work is due.
  const holiday = due === 0 ? row.holiday : undefined;
  const freeReason = holiday ?? row.absence;
  const parts: readonly BarPart[] =
    row.parts.length === 0 && freeReason !== undefined
      ? [{ kind: holiday === undefined ? 'absence' : 'holiday', from: within.from, to: within.to }]
      : row.parts;
  const dash = <span className="muted">–</span>;
  return (
    <tr
      className={open ? 'day open' : 'day'}
      data-future={isFuture || undefined}
      onClick={(event) => {
        if (!(event.target as Element).closest('button, a')) onOpen();
      }}
    >
      <th scope="row">
        <span className="nowrap">{calendar.dayOfMonth(date)}</span>
        {date === today && <span className="badge-today">{words.nav_today}</span>}
      </th>
      <td className="bar-column">
        <DayBar
          parts={parts}
          within={within}
          label={sentenceOf(row, words, calendar)}
          word={row.parts.length === 0 ? (freeReason ?? row.holiday) : undefined}
        />
      </td>
      <td className={row.flagged ? 'number flagged' : 'number'}>
        {row.flagged && <Glyph name="warning" />}{' '}
        {workedMinutes === 0 && !row.entries.some(stands) ? dash : calendar.duration(workedMinutes)}
      </td>
      <td className="number muted wide-only">{due === 0 ? dash : calendar.duration(due)}</td>
      <td className="number" data-negative={(row.past && difference < 0) || undefined}>
        {row.past && (due !== 0 || workedMinutes !== 0) ? calendar.signed(difference) : dash}
      </td>
      <td className="number muted wide-only">{row.balance === undefined ? '' : calendar.signed(row.balance)}</td>
      <td className="opener">
        <Changed row={row} />
        {isWaiting && (
          <span className="waiting-dot" title={words.correction_waiting}>
            <span className="hidden">{words.correction_waiting}</span>
          </span>
        )}
        <button
          id={`open-${date}`}
          type="button"
          className="row-button"
          aria-expanded={open}
          aria-controls={open ? `day-${date}` : undefined}
          aria-label={words.details_of(calendar.day(date))}
          onClick={onOpen}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key === 'Escape' && open) onOpen();
          }}
        >
          <Icon name={open ? 'down' : 'right'} />
        </button>
      </td>
    </tr>
  );
}

/** Names the person who changed a recorded day, and the reason. */
function Changed({ row }: { readonly row: DayRow }): ReactNode {
  const words = useWords();
  const changes = changesOf(row).map(({ by, change, reason }) => words.changed_by(words.changes[change], by, reason));
  if (changes.length === 0) return null;
  const sentence = changes.join('\n');
  return (
    <span className="changed-mark" title={sentence}>
      <Icon name="pencil" />
      <span className="hidden">{sentence}</span>
    </span>
  );
}

function sentenceOf(row: DayRow, words: Words, calendar: CalendarFormats): string {
  const entries = row.entries.filter(stands);
  if (entries.length === 0) return row.holiday ?? row.absence ?? words.nothing_recorded;
  return words.bar_sentence(
    entries.map(({ start, end }) => calendar.times(start, end, words.no_clock_out)).join(', '),
    row.break_minutes,
  );
}
