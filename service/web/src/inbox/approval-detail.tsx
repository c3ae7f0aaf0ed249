/** One request: its subject and consequences, the other absences, and its history. */
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { type CalendarFormats, useCalendar, useDays } from '../parts/calendar.js';
import { Glyph, type GlyphName, Initials } from '../parts/glyph.js';
import { withNames } from '../parts/names.js';
import { type Zone, zoneOf } from '../parts/zone.js';
import { ZoneNote } from '../parts/zone-note.js';
import { useWords } from '../words/words.js';
import { type Approval, lineOf, workedIn } from './approval-words.js';
import { TeamStrip } from './team-strip.js';

const signs: Readonly<Record<Approval['status'], GlyphName>> = {
  waiting: 'out',
  approved: 'check',
  rejected: 'cross',
  withdrawn: 'cross',
};

/** @param seesPeople a substitute without a role sees the request, and nothing else of the person and the team */
export function ApprovalDetail({
  of: request,
  seesPeople,
}: {
  readonly of: Approval;
  readonly seesPeople: boolean;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(request));
  const { person, department, absence, correction, entry, status } = request;
  const day = correction === undefined ? entry?.date : dayOf(correction, calendar);
  return (
    <div className="detail">
      <header className="detail-head">
        <Initials name={person.name} large />
        <div className="grow">
          <h2>
            <bdi>{person.name}</bdi> · <bdi>{lineOf(request, words, calendar).what}</bdi>
          </h2>
          <p className="muted">
            {department !== undefined && (
              <>
                <bdi>{department.name}</bdi> ·{' '}
              </>
            )}
            {calendar.day(calendar.dateOf(request.requested_at))}, {calendar.clock(request.requested_at)}
          </p>
          <ZoneNote zone={zoneOf(request)} />
        </div>
        <span className="badge" data-tone={status === 'waiting' ? 'warn' : status === 'approved' ? 'ok' : 'plain'}>
          <Glyph name={signs[status]} /> {words.approvals_statuses[status]}
        </span>
      </header>
      {request.conflicts.map((conflict) => (
        <p className="note warn" key={conflict.code}>
          <Glyph name="warning" /> <span>{conflict.message}</span>
        </p>
      ))}
      {absence !== undefined && <AbsenceFacts request={request} absence={absence} seesPeople={seesPeople} />}
      {correction !== undefined && <CorrectionFacts correction={correction} zone={zoneOf(request)} />}
      {entry !== undefined && <StampFacts entry={entry} zone={zoneOf(request)} />}
      {seesPeople && day !== undefined && (
        <>
          {status === 'waiting' && <DayFacts person={person.id} date={day} />}
          <p>
            <Link className="link" href={`/team/people/${person.id}?day=${day}`}>
              {words.approvals_open_day} ›
            </Link>
          </p>
        </>
      )}
      <section>
        <h3>{words.approvals_history}</h3>
        <ol className="history">
          <li>
            <time>{calendar.recent(request.requested_at)}</time>
            <span>
              {withNames(
                words.approvals_requested,
                correction?.requested_by.name ?? absence?.created_by.name ?? person.name,
              )}
            </span>
          </li>
          {request.decided_at !== undefined && (
            <li>
              <time>{calendar.recent(request.decided_at)}</time>
              <span>
                {request.decided_by === undefined
                  ? words.approvals_decided[status]()
                  : withNames(words.approvals_decided[status], request.decided_by.name)}
                {request.decided_for !== undefined && (
                  <> {withNames(words.approvals_decided_for, request.decided_for.name)}</>
                )}
                {request.decision_comment !== undefined && (
                  <>
                    {' '}
                    <q>
                      <bdi>{request.decision_comment}</bdi>
                    </q>
                  </>
                )}
              </span>
            </li>
          )}
        </ol>
      </section>
    </div>
  );
}

function Figure({
  label,
  strong = false,
  minus = false,
  children,
}: {
  readonly label: string;
  readonly strong?: boolean;
  readonly minus?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="figure" data-strong={strong ? '' : undefined}>
      <dt>{label}</dt>
      <dd className={minus ? 'minus' : undefined}>{children}</dd>
    </div>
  );
}

function AbsenceFacts({
  request,
  absence,
  seesPeople,
}: {
  readonly request: Approval;
  readonly absence: Schemas['Leave'];
  readonly seesPeople: boolean;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const types = useQuery({
    queryKey: ['absence-types'],
    queryFn: () => ask(client.GET('/app/me/absence-types')),
    staleTime: 300_000,
  });
  const countsAsVacation = types.data?.data.find(({ key }) => key === absence.type)?.counts_as_vacation === true;
  // An absence over New Year takes from the accounts of both years.
  const years = [...new Set([absence.start_date, absence.end_date].map((date) => Number(date.slice(0, 4))))];
  // The account and the team are the present ones, which say nothing of an earlier decision.
  const showsPresent = seesPeople && request.status === 'waiting';
  const { data: accounts = [] } = useQuery({
    queryKey: ['vacation-of', request.person.id, absence.id, ...years],
    queryFn: () =>
      Promise.all(
        years.map((year) =>
          ask(
            client.GET('/app/people/{id}/vacation', {
              params: { path: { id: request.person.id }, query: { year, absence: absence.id } },
            }),
          ),
        ),
      ),
    enabled: countsAsVacation && showsPresent,
  });
  const isRequest = request.kind === 'absence';
  const otherWaitingDays = accounts.reduce(
    (sum, { waiting_days: waiting, absence_days: days = 0 }) => sum + waiting - (isRequest ? days : 0),
    0,
  );
  const inDays = (days: number) => words.approvals_days(calendar.days(days));
  return (
    <>
      <dl className="figures">
        <Figure label={words.approvals_period}>
          {calendar.span(absence.start_date, absence.end_date)}
          {absence.half_day !== undefined && `, ${words.approvals_half[absence.half_day]}`}
        </Figure>
        <Figure label={isRequest ? words.approvals_counts_as : words.approvals_back_days}>
          {inDays(absence.days)}
        </Figure>
        {accounts.map(({ year, left_days: left, absence_days: days = 0 }) => {
          const daysAfter = left + (isRequest ? -days : days);
          const inYear = accounts.length === 1 ? '' : ` ${year}`;
          return (
            <Fragment key={year}>
              <Figure label={`${words.approvals_left}${inYear}`}>{calendar.days(left)}</Figure>
              <Figure label={`${words.approvals_after}${inYear}`} strong minus={daysAfter < 0}>
                {inDays(daysAfter)}
              </Figure>
            </Fragment>
          );
        })}
      </dl>
      {accounts.length > 0 && (
        <p className="hint">
          {words.approvals_left_note(years.join(' / '))}{' '}
          {otherWaitingDays > 0 && words.approvals_more_waiting(inDays(otherWaitingDays))}
        </p>
      )}
      {absence.comment !== undefined && (
        <blockquote>
          <bdi>{absence.comment}</bdi>
        </blockquote>
      )}
      {request.clash?.fewest_left !== undefined && (
        <p className={request.clash.colleagues.length === 0 ? 'hint' : 'note'}>
          <Glyph name="absent" />{' '}
          <span>
            {words.absence_left_in_team(
              request.clash.fewest_left,
              request.clash.people,
              calendar.day(request.clash.fewest_left_on ?? absence.start_date),
            )}
          </span>
        </p>
      )}
      {showsPresent && <TeamStrip request={request} absence={absence} />}
    </>
  );
}

interface Work {
  readonly start: string;
  readonly end?: string | undefined;
  readonly breaks: readonly { readonly start: string; readonly end?: string }[];
}

/** The day that a correction is about. */
function dayOf({ entry, start }: Schemas['Correction'], calendar: CalendarFormats): string {
  return entry?.date ?? calendar.dateOf(start!);
}

function CorrectionFacts({
  correction,
  zone,
}: {
  readonly correction: Schemas['Correction'];
  readonly zone: Zone;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const { entry: oldEntry, present_entry: present, remove } = correction;
  const requestedWork = remove
    ? undefined
    : {
        start: correction.start ?? oldEntry!.start,
        end: correction.end ?? oldEntry?.end,
        breaks: correction.breaks ?? oldEntry?.breaks ?? [],
      };
  const date = dayOf(correction, calendar);
  const breaksOf = (breaks: Work['breaks']) =>
    breaks.length === 0
      ? words.approvals_no_breaks
      : breaks.map(({ start, end }) => calendar.times(start, end, '')).join(', ');
  const workedText = (work: Work) => {
    const minutes = workedIn(work);
    return minutes === undefined ? undefined : calendar.duration(minutes);
  };
  const column = (work: Work | undefined) =>
    work && [
      calendar.clock(work.start),
      work.end === undefined ? words.approvals_open : calendar.end(work.start, work.end),
      breaksOf(work.breaks),
      workedText(work),
    ];
  const [oldColumn, presentColumn, requestedColumn] = [column(oldEntry), column(present), column(requestedWork)];
  const labels = [words.approvals_start, words.approvals_end, words.approvals_break, words.approvals_worked];
  return (
    <>
      {(remove || oldEntry === undefined) && (
        <p className="hint">{remove ? words.approvals_strike : words.approvals_new_entry}</p>
      )}
      <table className="changes">
        <thead>
          <tr>
            <th scope="col">{calendar.day(date)}</th>
            {oldColumn !== undefined && <th scope="col">{words.approvals_was}</th>}
            {presentColumn !== undefined && <th scope="col">{words.correction_changed_since}</th>}
            {requestedColumn !== undefined && <th scope="col">{words.approvals_now}</th>}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, line) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {oldColumn !== undefined && (
                <td>{oldColumn[line] === requestedColumn?.[line] ? oldColumn[line] : <del>{oldColumn[line]}</del>}</td>
              )}
              {presentColumn !== undefined && <td>{presentColumn[line]}</td>}
              {requestedColumn !== undefined && (
                <td>
                  {oldColumn?.[line] === requestedColumn[line] ? (
                    requestedColumn[line]
                  ) : (
                    <ins>{requestedColumn[line]}</ins>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="hint">
        {words.approvals_worked}: {words.approvals_worked_hint}
      </p>
      <blockquote>
        <bdi>{correction.reason}</bdi>
      </blockquote>
    </>
  );
}

function StampFacts({ entry, zone }: { readonly entry: Schemas['TimeEntry']; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  return (
    <>
      <p className="stamp">
        <strong>{calendar.second(entry.start)}</strong>
        {entry.end !== undefined && <strong>– {calendar.second(entry.end)}</strong>}
        <span className="badge" data-tone="warn">
          <Glyph name="unproven" /> {words.approvals_unproven}
        </span>
      </p>
      <p className="hint">
        {entry.source.name !== undefined && (
          <>
            {words.approvals_at}: <bdi>{entry.source.name}</bdi>.{' '}
          </>
        )}
        {words.approvals_unproven_text}
      </p>
    </>
  );
}

/** The day and the month that a change of time falls into. */
function DayFacts({ person, date }: { readonly person: number; readonly date: string }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const days = useQuery({
    queryKey: ['days-of', person, date],
    queryFn: () =>
      ask(client.GET('/app/people/{id}/days', { params: { path: { id: person }, query: { from: date, to: date } } })),
  });
  const year = Number(date.slice(0, 4));
  const months = useQuery({
    queryKey: ['months-of', person, year],
    queryFn: () => ask(client.GET('/app/people/{id}/months', { params: { path: { id: person }, query: { year } } })),
  });
  const [day] = days.data?.data ?? [];
  const month = months.data?.data.find((row) => row.month === date.slice(0, 7));
  if (day === undefined) return null;
  return (
    <dl className="figures">
      <Figure label={words.approvals_target}>{calendar.duration(day.target_minutes)}</Figure>
      <Figure label={words.approvals_day_worked}>{calendar.duration(day.worked_minutes)}</Figure>
      {month !== undefined && <Figure label={words.approvals_balance}>{calendar.signed(month.balance_minutes)}</Figure>}
    </dl>
  );
}
