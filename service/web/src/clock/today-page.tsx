/** The start page: my clock state, its duration, the time until I may go, and the matters that wait for me. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { ask, client, Problem } from '../api/ask.js';
import type { Schemas, Session } from '../api/session.js';
import { type CalendarFormats, plusDays, useCalendar } from '../parts/calendar.js';
import { FindingLine, FindingNotice, Glyph } from '../parts/glyph.js';
import { withNames } from '../parts/names.js';
import { Page, QueryState } from '../parts/page.js';
import { sentenceOf } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords, type Words } from '../words/words.js';
import { counts, useEntries, useOverview, workedOf } from './entries.js';
import { SourceName } from './source-name.js';
import { OwnUnresolvedStamps } from './unresolved-stamp.js';

/** The view of the team makes its own requests and appears a moment after the clock. */
const TodayTeam = lazy(() => import('./today-team.js'));
/** The line requests its entries after the clock too. */
const TodayLine = lazy(() => import('./today-line.js'));

/** Few mornings need it, so it loads separately. */
const MissingClockOut = lazy(() => import('./missing-clock-out.js'));

/** After a stamp the buttons rest, in milliseconds: the second tap of a double tap would stamp the opposite. */
const restMs = 2_500;

type Overview = Schemas['Overview'];
type Action = 'in' | 'out' | 'break_start' | 'break_end';

/** The actions that can follow the stamp just recorded, the usual first. */
const actionsIn = {
  out: ['in'],
  in: ['out', 'break_start'],
  on_break: ['break_end', 'out'],
} satisfies Record<Overview['clock_state']['state'], Action[]>;

const stamps = {
  in: () => client.POST('/app/me/clock/in'),
  out: () => client.POST('/app/me/clock/out'),
  break_start: () => client.POST('/app/me/clock/break/start'),
  break_end: () => client.POST('/app/me/clock/break/end'),
} as const;

/** The pages of the person's own requests. */
const placesOfRequests = [
  { kind: 'absences', path: '/absences' },
  { kind: 'corrections', path: '/time/corrections' },
  { kind: 'stamps', path: '/time' },
] as const;

export function TodayPage({ session }: { readonly session: Session }): ReactNode {
  const words = useWords();
  const firstName = session.person.name.split(' ', 1)[0]!;
  const overview = useOverview();
  const calendar = useCalendar(useOwnZone());
  return (
    <Page
      title={words.home_title(firstName)}
      heading={withNames(words.home_title, firstName)}
      beside={<span className="muted today-date">{calendar.fullDay(calendar.today)}</span>}
    >
      <QueryState of={overview} rows={9}>
        {(data) => <Today overview={data} session={session} />}
      </QueryState>
    </Page>
  );
}

function Today({ overview, session }: { readonly overview: Overview; readonly session: Session }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const { month, vacation, warnings = [], waiting_requests: waiting, missing_clock_outs: missingEntries } = overview;
  // If the person has to clock out before a new day begins, nothing is asked and the warning alone is shown.
  const missingWarning =
    missingEntries.length > 0 ? undefined : warnings.find(({ code }) => code === 'clock_out_missing');
  const otherWarnings = [...(overview.today.warnings ?? []), ...warnings].filter(
    ({ code }) => code !== 'clock_out_missing',
  );
  const since = overview.clock_state.since;
  const forgottenDate = missingWarning !== undefined && since !== undefined ? calendar.dateOf(since) : undefined;
  return (
    <div className="today">
      <Clock overview={overview} />
      <div className="today-side">
        {missingEntries.length > 0 && (
          <Suspense>
            {missingEntries.map((missingEntry) => (
              <MissingClockOut key={missingEntry.time_entry.id} missing={missingEntry} />
            ))}
          </Suspense>
        )}
        {missingWarning !== undefined && (
          <div className="notice warn row">
            <Glyph name="warning" />
            <span>{missingWarning.message}</span>
            <Link
              className="button small"
              href={forgottenDate === undefined ? '/time' : `/time?day=${forgottenDate}&correct=1`}
            >
              {words.correct}
            </Link>
          </div>
        )}
        <OwnUnresolvedStamps waitingOnly />
        {otherWarnings.map((finding) => (
          <FindingNotice key={`${finding.code} ${finding.rule ?? ''}`} of={finding} />
        ))}
        <div className="tiles-of-two">
          <Link href="/time" className="card figure-card">
            <small>{words.balance}</small>
            <strong>{calendar.signed(month.balance_minutes)}</strong>
            <small>{balanceSpan(overview.tracked_from, calendar, words)}</small>
          </Link>
          <Link href="/absences" className="card figure-card">
            <small>{words.own_vacation_left}</small>
            <strong>{calendar.days(vacation.left_days)}</strong>
            <small>
              {vacation.waiting_days > 0
                ? words.own_vacation_waiting(calendar.days(vacation.waiting_days))
                : words.vacation_of(calendar.days(vacation.entitled_days + vacation.carried_over_days))}
            </small>
          </Link>
        </div>
        {placesOfRequests
          .filter(({ kind }) => waiting[kind] > 0)
          .map(({ kind, path }) => (
            <Link key={kind} href={path} className="card line-card">
              <span>{words.own_waiting[kind](waiting[kind])}</span>
              <span aria-hidden="true">›</span>
            </Link>
          ))}
        <Suspense>
          <TodayTeam session={session} />
        </Suspense>
      </div>
    </div>
  );
}

/** Tells new people from which day their account counts. */
function balanceSpan(from: string, calendar: CalendarFormats, words: Words): string {
  if (from >= calendar.today) return words.balance_from(calendar.day(from));
  return from.slice(0, 7) === calendar.today.slice(0, 7)
    ? words.balance_since(calendar.day(from))
    : words.balance_until_yesterday;
}

function Clock({ overview }: { readonly overview: Overview }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const queries = useQueryClient();
  const { clock_state: clock, today, actions, missing_clock_outs: missing } = overview;
  const mayHaveForgotten = actions[0] === 'in' && clock.state !== 'out';
  // The service's time; the clock of this device may be wrong.
  const [skew] = useState(() => Date.parse(overview.server_time) - Date.now());
  const now = useNow(clock.state !== 'out') + skew;
  const entries = useEntries(plusDays(today.date, -1), today.date);
  const stamping = useMutation({
    mutationFn: (action: Action) => ask(stamps[action]()),
    onSuccess: (result) => {
      queries.setQueryData<Overview>(['overview'], (current) =>
        current === undefined
          ? current
          : {
              ...current,
              clock_state: result.clock_state,
              actions: actionsIn[result.clock_state.state],
              server_time: result.server_time,
            },
      );
    },
    // Also after a refusal: the state was not the shown one.
    onSettled: (_, problem) => {
      if (isUnanswered(problem) && lastPress?.online === false) return undefined;
      return Promise.all(
        ['overview', 'my-entries', 'my-days', 'my-months'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
      );
    },
  });
  const isResting = useRest(stamping.data);
  /** What the page knew when a button was pressed. */
  const [lastPress, setLastPress] = useState<Press>();
  const missingIds = new Set(missing.map(({ time_entry }) => time_entry.id));
  const todayEntries = (entries.data ?? []).filter(
    (entry) => counts(entry) && !missingIds.has(entry.id) && (entry.date === today.date || entry.end === undefined),
  );
  // Breaks are deducted once the person is out: the break may still come.
  const deductedMinutes = clock.state === 'out' ? (today.deducted_break_minutes ?? 0) : 0;
  const workedMs = todayEntries.reduce((sum, entry) => sum + workedOf(entry, now), 0) - deductedMinutes * 60_000;
  const seconds = Math.floor(workedMs / 1000);
  const remainingMs = today.target_minutes * 60_000 - workedMs;
  const act = (action: Action, primary: boolean) => (
    <button
      key={primary ? 'primary' : 'other'}
      type="button"
      className={primary ? 'button primary clock-button' : 'button clock-button'}
      aria-disabled={stamping.isPending || undefined}
      onClick={() => {
        if (stamping.isPending) return;
        setLastPress({ overview, online: navigator.onLine });
        stamping.mutate(action);
      }}
    >
      {stamping.isPending && stamping.variables === action ? words.clock_sending : words.clock_actions[action]}
    </button>
  );
  const result = stamping.data;
  const outcome = stamping.error === null ? undefined : outcomeOf(stamping.error, lastPress, overview);
  const runningSince = lastPress?.overview.clock_state.since;
  return (
    <section className="card clock" aria-labelledby="clock-state">
      <p id="clock-state" className="clock-state">
        <Glyph name={clock.state === 'in' ? 'in' : clock.state === 'on_break' ? 'break' : 'out'} />
        {mayHaveForgotten && clock.since !== undefined && words.clock_forgotten(calendar.since(clock.since))}
        {!mayHaveForgotten &&
          clock.state === 'in' &&
          clock.since !== undefined &&
          words.clock_in_since(calendar.since(clock.since))}
        {!mayHaveForgotten &&
          clock.state === 'on_break' &&
          words.clock_break_since(calendar.since(clock.break_since ?? clock.updated_at))}
        {clock.state === 'out' && words.clock_out}
        {clock.state !== 'out' && clock.source !== undefined && <SourceName source={clock.source} />}
      </p>
      <p className="clock-time" role="timer" aria-live="off">
        <span>{calendar.duration(Math.floor(seconds / 60))}</span>
        <small>:{String(seconds % 60).padStart(2, '0')}</small>
      </p>
      <p className="clock-left">{timeLeft(overview, { left: remainingMs, now }, calendar, words)}</p>
      <svg className="progress" width="100%" height="8" aria-hidden="true">
        <rect className="rail" width="100%" height="8" rx="4" />
        <rect
          className="done"
          width={`${today.target_minutes === 0 ? 0 : Math.min(100, (workedMs / (today.target_minutes * 60_000)) * 100).toFixed(2)}%`}
          height="8"
          rx="4"
        />
      </svg>
      <div className="clock-buttons">
        {isResting && result !== undefined && stamping.variables !== undefined ? (
          <button key="primary" type="button" className="button primary clock-button" aria-disabled="true">
            {words.clock_done[stamping.variables](calendar.time(result.server_time))}
          </button>
        ) : (
          actions.toReversed().map((action) => act(action, action === actions[0]))
        )}
      </div>
      {outcome === 'nothing' && (
        <div className="notice bad" role="alert">
          <strong>{words.clock_nothing_recorded}</strong>
          <span>{sentenceOf(stamping.error, words)}</span>
        </div>
      )}
      {outcome === 'unsure' && (
        <div className="notice warn" role="alert">
          <strong>{words.clock_unsure}</strong>
          <span>{words.clock_unsure_text}</span>
        </div>
      )}
      <div role="status" className="clock-said">
        {stamping.error === null && result !== undefined && !stamping.isPending && (
          <Recorded
            result={result}
            // The day on which the ended entry began: a night shift ends on another one.
            day={stamping.variables === 'out' && runningSince !== undefined ? calendar.dateOf(runningSince) : undefined}
            asksForEnd={missing.length > 0}
          />
        )}
      </div>
      {todayEntries.length > 0 && (
        <Suspense>
          <TodayLine entries={todayEntries} now={now} workedMs={workedMs} />
        </Suspense>
      )}
    </section>
  );
}

interface Press {
  readonly overview: Overview;
  /** Whether the device had a connection: without one, nothing was sent. */
  readonly online: boolean;
}

/** No answer of the service came back. It may have recorded the stamp all the same. */
function isUnanswered(problem: unknown): boolean {
  return problem instanceof Problem && ['offline', 'unreadable'].includes(problem.code);
}

/** @returns what is known of a stamp that failed, until a newer state tells that it was recorded after all */
function outcomeOf(problem: unknown, press: Press | undefined, now: Overview): 'nothing' | 'unsure' | undefined {
  if (press === undefined || !press.online || !isUnanswered(problem)) return 'nothing';
  if (now === press.overview) return 'unsure';
  return now.clock_state.updated_at === press.overview.clock_state.updated_at ? 'nothing' : undefined;
}

/** @returns true for a moment after each result */
function useRest(result: Schemas['OwnStamp'] | undefined): boolean {
  const [lastResult, setLastResult] = useState<Schemas['OwnStamp']>();
  useEffect(() => {
    const timer = setTimeout(() => setLastResult(result), restMs);
    return () => clearTimeout(timer);
  }, [result]);
  return result !== lastResult;
}

/** The recorded stamp, and the findings of working-time law about it. */
function Recorded({
  result,
  day,
  asksForEnd,
}: {
  readonly result: Schemas['OwnStamp'];
  /** Day of the ended entry, which can be corrected now. */
  readonly day: string | undefined;
  /** Whether the card of the missing clock-out already asks for the time, or says that its correction waits. */
  readonly asksForEnd: boolean;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  return (
    <>
      <p>
        <Glyph name="check" /> {words.clock_recorded(calendar.second(result.server_time))}
        {day !== undefined && (
          <>
            {' · '}
            <Link href={`/time?day=${day}&correct=1`}>{words.correct}</Link>
          </>
        )}
      </p>
      {result.warnings
        .filter(({ code }) => !asksForEnd || code !== 'clock_out_missing')
        .map((finding) => (
          <FindingLine key={finding.code} of={finding} />
        ))}
    </>
  );
}

/** @param remainingMs milliseconds until the target is reached */
function timeLeft(
  { actions, today }: Overview,
  { left: remainingMs, now }: { readonly left: number; readonly now: number },
  calendar: CalendarFormats,
  words: Words,
): string {
  if (today.target_minutes === 0) return words.clock_no_target;
  if (remainingMs <= 0) return words.clock_over(calendar.signed(Math.floor(-remainingMs / 60_000)));
  const duration = calendar.duration(Math.ceil(remainingMs / 60_000));
  return actions[0] === 'out'
    ? words.clock_left(duration, calendar.time(new Date(now + remainingMs).toISOString()))
    : words.clock_left_out(duration);
}

/** The time of this device, each second while it matters and the page is seen. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    setNow(Date.now());
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
