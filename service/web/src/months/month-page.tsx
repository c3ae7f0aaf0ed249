/** A month, day by day: bars against the target, the running balance, and below an opened row what was recorded. */
import { useQuery } from '@tanstack/react-query';
import { Fragment, type KeyboardEvent, type ReactNode, useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { DayDetail } from '../clock/day-detail.js';
import type { DayRow } from '../clock/day-row.js';
import { useEntries, useOverview } from '../clock/entries.js';
import { type CalendarFormats, isWeekend, plusDays, plusMonths, useCalendar } from '../parts/calendar.js';
import { type BarPart, type BarWindow, DayBar, windowOf } from '../parts/day-bar.js';
import { Glyph } from '../parts/glyph.js';
import { Icon } from '../parts/icon.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords, type Words } from '../words/words.js';
import { rowsOf } from './month-rows.js';

export function MonthPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const [, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const overview = useOverview();
  const today = overview.data?.today.date ?? calendar.today;
  const day = search.get('day') ?? undefined;
  const month = search.get('month') ?? (day ?? today).slice(0, 7);
  const show = (wanted: Readonly<Record<string, string | undefined>>, replace = false) => {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(wanted)) if (value !== undefined) query.set(key, value);
    go(query.size === 0 ? '/time' : `/time?${query}`, { replace });
  };
  return (
    <Page
      title={calendar.month(month)}
      beside={
        <span className="period">
          <button
            type="button"
            className="button square"
            aria-label={words.month_before}
            onClick={() => show({ month: plusMonths(month, -1) })}
          >
            <Icon name="left" />
          </button>
          <button
            type="button"
            className="button square"
            aria-label={words.month_after}
            onClick={() => show({ month: plusMonths(month, 1) })}
          >
            <Icon name="right" />
          </button>
          {month !== today.slice(0, 7) && (
            <button type="button" className="button quiet" onClick={() => show({})}>
              {words.month_present}
            </button>
          )}
        </span>
      }
      action={
        <Link className="button" href={`/time/sheet?month=${month}`}>
          {words.sheet_title}
        </Link>
      }
    >
      <Month
        key={month}
        person={session.person.id}
        month={month}
        today={today}
        open={day}
        onOpen={(wanted) => show({ month, day: wanted }, true)}
        vacation={overview.data?.vacation}
      />
    </Page>
  );
}

function Month({
  person,
  month,
  today,
  open,
  onOpen,
  vacation,
}: {
  readonly person: number;
  readonly month: string;
  readonly today: string;
  readonly open: string | undefined;
  readonly onOpen: (day: string | undefined) => void;
  readonly vacation: Schemas['VacationAccount'] | undefined;
}): ReactNode {
  const calendar = useCalendar();
  const from = `${month}-01`;
  const to = plusDays(`${plusMonths(month, 1)}-01`, -1);
  const days = useQuery({
    queryKey: ['my-days', from, to],
    queryFn: () => ask(client.GET('/app/me/days', { params: { query: { from, to } } })),
  });
  const entries = useEntries(from, to);
  const year = Number(month.slice(0, 4));
  const months = useQuery({
    queryKey: ['my-months', year],
    queryFn: () => ask(client.GET('/app/me/months', { params: { query: { year } } })),
  });
  const corrections = useQuery({
    queryKey: ['my-corrections'],
    queryFn: () => ask(client.GET('/app/me/corrections', { params: { query: { limit: 200 } } })),
  });
  const present = months.data?.data.find((one) => one.month === month);
  const booked = present !== undefined && present.booked_minutes !== 0;
  const account = useQuery({
    queryKey: ['time-account', person, month],
    queryFn: () =>
      ask(
        client.GET('/app/people/{id}/time-account', {
          params: {
            path: { id: person },
            query: { from: `${month}-01`, to: plusDays(`${plusMonths(month, 1)}-01`, -1) },
          },
        }),
      ),
    enabled: booked,
  });
  const bookings = booked ? account.data?.lines.filter(({ kind }) => kind !== 'month') : none;
  const rows = useMemo(
    () =>
      rowsOf(
        {
          days: days.data?.data ?? [],
          entries: entries.data ?? [],
          corrections: corrections.data?.data ?? [],
          month: present,
          bookings,
        },
        today,
        calendar,
      ),
    [days.data, entries.data, corrections.data, present, bookings, today, calendar],
  );
  return (
    <>
      <ProblemNotice problem={months.error} />
      <Figures month={present} vacation={vacation} />
      <QueryState of={days} rows={16}>
        {() => (
          // A day says that nothing was recorded, and offers to add it, only once that is known.
          <QueryState of={entries} rows={16}>
            {() => (
              <QueryState of={corrections} rows={16}>
                {() => (
                  <MonthTable rows={rows} today={today} open={open} onOpen={onOpen} closed={present?.closed === true} />
                )}
              </QueryState>
            )}
          </QueryState>
        )}
      </QueryState>
    </>
  );
}

const none: readonly Schemas['TimeAccountLine'][] = [];

function Figures({
  month,
  vacation,
}: {
  readonly month: Schemas['MonthBalance'] | undefined;
  readonly vacation: Schemas['VacationAccount'] | undefined;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const card = (label: string, value: ReactNode, hint: ReactNode) => (
    <div className="card figure-card">
      <small>{label}</small>
      <strong>{value}</strong>
      <small>{hint}</small>
    </div>
  );
  if (month === undefined) return null;
  return (
    <div className="figure-cards">
      {card(
        words.balance,
        calendar.signed(month.balance_minutes),
        month.booked_minutes === 0
          ? words.month_difference(calendar.signed(month.difference_minutes))
          : `${words.month_difference(calendar.signed(month.difference_minutes))}, ${words.month_booked(calendar.signed(month.booked_minutes))}`,
      )}
      {card(
        words.worked,
        calendar.duration(month.worked_minutes),
        words.month_due(calendar.duration(month.target_minutes)),
      )}
      {vacation !== undefined &&
        card(
          words.own_vacation_left,
          words.number_of_days(vacation.left_days, calendar.days(vacation.left_days)),
          vacation.waiting_days > 0
            ? words.own_vacation_waiting(calendar.days(vacation.waiting_days))
            : words.vacation_of(calendar.days(vacation.entitled_days + vacation.carried_over_days)),
        )}
      {card(
        words.month_state,
        month.closed ? words.month_closed_word : words.month_open_word,
        words.month_carried(calendar.signed(month.carried_minutes)),
      )}
    </div>
  );
}

function MonthTable({
  rows,
  today,
  open,
  closed,
  onOpen,
}: {
  readonly rows: readonly DayRow[];
  readonly today: string;
  readonly open: string | undefined;
  readonly closed: boolean;
  readonly onOpen: (day: string | undefined) => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const within = windowOf(rows.flatMap(({ parts }) => parts));
  const flagged = rows.filter((row) => row.flagged && row.corrections.every(({ status }) => status !== 'waiting'));
  // A free weekend without anything recorded takes one thin line.
  const quiet = (row: DayRow | undefined) =>
    row !== undefined &&
    isWeekend(row.date) &&
    row.entries.length === 0 &&
    row.target_minutes === 0 &&
    row.date !== open;
  return (
    <>
      {flagged.length > 0 && (
        <div className="notice warn row">
          <Glyph name="warning" />
          <span>
            <b>{words.days_need_you(flagged.length)}</b>{' '}
            {words.day_without_clock_out(flagged.map(({ date }) => calendar.day(date)).join(', '))}
          </span>
          <button type="button" className="button small" onClick={() => onOpen(flagged[0]!.date)}>
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
                <Hours within={within} />
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
              if (quiet(row)) {
                if (quiet(rows[index - 1]) && new Date(`${row.date}T00:00:00Z`).getUTCDay() === 0) return null;
                const both = quiet(rows[index + 1]);
                return (
                  <tr key={row.date} className="weekend">
                    <th scope="row" colSpan={7}>
                      {both ? calendar.span(row.date, rows[index + 1]!.date) : calendar.day(row.date)}
                      {row.holiday !== undefined && ` · ${row.holiday}`}
                    </th>
                  </tr>
                );
              }
              return (
                <Fragment key={row.date}>
                  <Row
                    row={row}
                    within={within}
                    today={today}
                    open={row.date === open}
                    onOpen={() => onOpen(row.date === open ? undefined : row.date)}
                  />
                  {row.date === open && (
                    <tr className="opened">
                      <td colSpan={7} id={`day-${row.date}`}>
                        <DayDetail row={row} closed={closed} today={today} onClose={() => close(row.date, onOpen)} />
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
  within,
  today,
  open,
  onOpen,
}: {
  readonly row: DayRow;
  readonly within: BarWindow;
  readonly today: string;
  readonly open: boolean;
  readonly onOpen: () => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const { date, worked_minutes: worked, target_minutes: due, difference_minutes: difference } = row;
  const future = date > today;
  const waiting = row.corrections.some(({ status }) => status === 'waiting');
  // On half a holiday work is due.
  const holiday = due === 0 ? row.holiday : undefined;
  const free = holiday ?? row.absence;
  const parts: readonly BarPart[] =
    row.parts.length === 0 && free !== undefined
      ? [{ kind: holiday === undefined ? 'absence' : 'holiday', from: within.from, to: within.to }]
      : row.parts;
  const dash = <span className="muted">–</span>;
  return (
    <tr
      className={open ? 'day open' : 'day'}
      data-future={future || undefined}
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
          word={row.parts.length === 0 ? (free ?? row.holiday) : undefined}
        />
      </td>
      <td className={row.flagged ? 'number flagged' : 'number'}>
        {row.flagged && <Glyph name="warning" />}{' '}
        {worked === 0 && row.entries.length === 0 ? dash : calendar.duration(worked)}
      </td>
      <td className="number muted wide-only">{due === 0 ? dash : calendar.duration(due)}</td>
      <td className="number" data-negative={(row.past && difference < 0) || undefined}>
        {row.past && (due !== 0 || worked !== 0) ? calendar.signed(difference) : dash}
      </td>
      <td className="number muted wide-only">{row.balance === undefined ? '' : calendar.signed(row.balance)}</td>
      <td className="opener">
        {waiting && (
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

function sentenceOf(row: DayRow, words: Words, calendar: CalendarFormats): string {
  if (row.entries.length === 0) return row.holiday ?? row.absence ?? words.nothing_recorded;
  return words.bar_sentence(
    row.entries
      .map(
        ({ start, end }) => `${calendar.time(start)} – ${end === undefined ? words.no_clock_out : calendar.time(end)}`,
      )
      .join(', '),
    row.break_minutes,
  );
}
