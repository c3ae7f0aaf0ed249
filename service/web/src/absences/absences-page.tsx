/** A year of absences: drag over the days, see their cost and the absences of others, and ask for them. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useOverview } from '../clock/entries.js';
import { monthIn } from '../parts/address-dates.js';
import { daysOf, isWeekend, plusDays, plusMonths, useCalendar, useDays } from '../parts/calendar.js';
import { Icon } from '../parts/icon.js';
import { Page } from '../parts/page.js';
import { whenReleased } from '../parts/press.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { Skeleton } from '../parts/skeleton.js';
import { useOwnZone } from '../parts/zone.js';
import { useHolidays } from '../people/holidays.js';
import { useWords } from '../words/words.js';
import { MyRequests } from './my-requests.js';
import { RequestForm } from './request-form.js';
import { VacationStatement } from './vacation-statement.js';
import { type DayMark, type Span, YearCalendar } from './year-calendar.js';

type Leave = Schemas['OwnAbsence'];
const phone = matchMedia('(max-width: 52rem)');
const live = ['waiting', 'approved', 'cancellation_requested'];

function followPhone(onChange: () => void): () => void {
  phone.addEventListener('change', onChange);
  return () => phone.removeEventListener('change', onChange);
}

export function AbsencesPage(): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const [, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const overview = useOverview();
  const today = overview.data?.today.date ?? calendar.today;
  const month = monthIn(search) ?? today.slice(0, 7);
  const year = Number(month.slice(0, 4));
  const isNarrow = useSyncExternalStore(followPhone, () => phone.matches);
  const [selection, setSelection] = useState<Span>();
  /** The waiting request that the form changes; without one it asks for new days. */
  const [editedRequest, setEditedRequest] = useState<Leave>();
  const form = useRef<HTMLFormElement>(null);
  const open = selection !== undefined;
  /** Whether the button opened the form. The button stands far above it, so the form takes the focus. */
  const takesFocus = useRef(false);
  useEffect(() => {
    if (open && (takesFocus.current || phone.matches)) whenReleased(() => bringIntoSight(form.current));
    if (open && takesFocus.current) takeFocus(form.current);
    takesFocus.current = false;
  }, [open]);
  const close = () => {
    const day = form.current?.closest('section')?.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]');
    leave();
    day?.focus({ preventScroll: true });
  };
  const leave = () => {
    setSelection(undefined);
    setEditedRequest(undefined);
  };
  const change = (request: Leave) => {
    takesFocus.current = selection === undefined;
    setEditedRequest(request);
    setSelection({ from: request.start_date, to: request.end_date });
    if (selection === undefined) return;
    bringIntoSight(form.current);
    takeFocus(form.current);
  };
  // Chosen days remain, so that an absence may go on in the next month or year.
  // With the form open the page stays the same, so no question about unsaved input is needed.
  const show = (shownMonth: string) => go(`/absences?month=${shownMonth}`, { replace: open });
  /** Days from the fields of the form. The calendar shows the one that has changed. */
  const choose = (span: Span) => {
    const day = span.from === selection?.from ? span.to : span.from;
    setSelection(span);
    if (day.slice(0, 4) !== String(year) || (isNarrow && !day.startsWith(month))) show(day.slice(0, 7));
  };
  const turn = (months: number) => show(plusMonths(month, isNarrow ? months : 12 * months));
  const absences = useQuery({
    queryKey: ['my-absences', year],
    queryFn: () =>
      ask(
        client.GET('/app/me/absences', {
          params: { query: { from: `${year}-01-01`, to: `${year}-12-31`, limit: 200 } },
        }),
      ),
  });
  const vacation = useQuery({
    queryKey: ['my-vacation', year],
    queryFn: () => ask(client.GET('/app/me/vacation', { params: { query: { year } } })),
  });
  const holidays = useHolidays(`${year}-01-01`, `${year}-12-31`);
  const leaves = absences.data?.data ?? [];
  const marks = new Map<string, DayMark>();
  for (const leave of leaves.filter(({ status }) => live.includes(status)))
    for (const date of daysOf(leave.start_date, leave.end_date))
      marks.set(date, {
        kind: leave.status === 'waiting' ? 'waiting' : 'approved',
        half: leave.half_day !== undefined,
        label: `${leave.type_label}, ${words.absence_states[leave.status]}`,
      });
  const nextWeekday =
    daysOf(today, plusDays(today, 6)).find((day) => !isWeekend(day) && holidays.get(day)?.half_day !== false) ?? today;
  return (
    <Page
      title={words.absences_title}
      beside={
        <span className="period">
          <button type="button" className="button square" aria-label={words.period_before} onClick={() => turn(-1)}>
            <Icon name="left" />
          </button>
          <b>{isNarrow ? calendar.month(month) : year}</b>
          <button type="button" className="button square" aria-label={words.period_after} onClick={() => turn(1)}>
            <Icon name="right" />
          </button>
        </span>
      }
      action={
        // It keeps its place while the form is open, so that the calendar does not move below a finger.
        <button
          type="button"
          className="button primary"
          onClick={() => {
            takesFocus.current = !open;
            if (!open) return setSelection({ from: nextWeekday, to: nextWeekday });
            bringIntoSight(form.current);
            takeFocus(form.current);
          }}
        >
          <Icon name="plus" />
          {words.absence_request}
        </button>
      }
    >
      <ProblemNotice problem={absences.error ?? vacation.error} onRetry={() => void absences.refetch()} />
      <Account vacation={vacation.data} />
      <Statement year={year} />
      <section className="card" aria-label={words.calendar_of(String(year))}>
        <p className="muted">{isNarrow ? words.calendar_touch : words.calendar_hint}</p>
        <YearCalendar
          year={year}
          month={isNarrow ? month : undefined}
          today={today}
          marks={marks}
          holidays={holidays}
          selection={selection}
          onChoose={(span) => (span === undefined ? leave() : setSelection(span))}
          onTurn={show}
          onGoOn={() => form.current?.querySelector<HTMLElement>('[type="submit"]')?.focus()}
        />
        <ul className="year-legend">
          {(['approved', 'waiting', 'holiday', 'today'] as const).map((kind) => (
            <li key={kind}>
              <i data-kind={kind} /> {words.calendar_legend[kind]}
            </li>
          ))}
        </ul>
        {selection !== undefined && (
          <RequestForm
            key={editedRequest?.id}
            ref={form}
            span={selection}
            editedRequest={editedRequest}
            onChange={choose}
            onClear={close}
          />
        )}
      </section>
      <h2>{words.absence_list}</h2>
      {absences.data === undefined ? (
        <Skeleton rows={4} />
      ) : (
        <MyRequests leaves={leaves} today={today} onChange={change} />
      )}
    </Page>
  );
}

/** On a phone the form begins below the fold: with the calendar at the top of the screen both are seen. */
function bringIntoSight(form: HTMLElement | null): void {
  form?.closest('section')?.scrollIntoView({ block: phone.matches ? 'start' : 'nearest' });
}

function takeFocus(form: HTMLElement | null): void {
  form?.querySelector('select')?.focus({ preventScroll: true });
}

/**
 * The vacation account: additions, deductions and the rest. Until the figures have come, their labels keep the place,
 * so that the calendar below stays where it is.
 */
function Account({ vacation }: { readonly vacation: Schemas['VacationAccount'] | undefined }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const until = vacation?.carry_over_until;
  const bookedDays = vacation?.booked_days ?? 0;
  const expiredDays = vacation?.expired_days ?? 0;
  const figures: readonly (readonly [string, number | undefined, string])[] = [
    [words.entitled, vacation?.entitled_days, ''],
    [
      until === undefined ? words.carried_over : words.carried_until(calendar.day(until)),
      vacation?.carried_over_days,
      '+',
    ],
    ...(bookedDays === 0 ? [] : [[words.booked, Math.abs(bookedDays), bookedDays < 0 ? '−' : '+'] as const]),
    ...(expiredDays === 0 ? [] : [[words.expired, expiredDays, '−'] as const]),
    [words.taken, vacation?.taken_days, '−'],
    [words.planned, vacation?.planned_days, '−'],
    [words.own_vacation_left, vacation?.left_days, '='],
    [words.waiting_word, vacation?.waiting_days, ''],
  ];
  return (
    <dl className="card account-figures" aria-busy={vacation === undefined || undefined}>
      {figures.map(([label, days, sign]) => (
        <div key={label} data-strong={sign === '=' || undefined}>
          <dt>{label}</dt>
          <dd>
            {sign !== '' && <span aria-hidden="true">{sign} </span>}
            {days === undefined ? '\u00a0' : calendar.days(days)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Every line of the account, read when the person opens it. */
function Statement({ year }: { readonly year: number }): ReactNode {
  const words = useWords();
  const zone = useOwnZone();
  const [open, setOpen] = useState(false);
  const statement = useQuery({
    queryKey: ['my-vacation', year, 'statement'],
    queryFn: () => ask(client.GET('/app/me/vacation-statement', { params: { query: { year } } })),
    enabled: open,
  });
  return (
    <details className="card" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.statement_title}</summary>
      <ProblemNotice problem={statement.error} onRetry={() => void statement.refetch()} />
      {statement.data !== undefined && <VacationStatement of={statement.data} zone={zone} />}
    </details>
  );
}
