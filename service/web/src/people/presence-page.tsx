/** The people at work now: a count for each state, the lists behind them, and a list to print in an emergency. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useConnected } from '../api/live.js';
import { holds, type Session } from '../api/session.js';
import { useCalendar, useCalendars, useDays } from '../parts/calendar.js';
import { Glyph, type GlyphName } from '../parts/glyph.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { Spacer, useVisibleRows } from '../parts/visible-rows.js';
import { useOwnZone, zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { EvacuationList } from './evacuation-list.js';
import { HiddenFromColleaguesHint } from './not-shown.js';
import { NobodyFits, PeopleToolbar } from './people-toolbar.js';
import { departmentsOf, fetchTeam, isElsewhere, type PresenceState, stateOf, type TeamMember } from './team.js';

const states: readonly PresenceState[] = ['in', 'on_break', 'out', 'absent'];
const signs: Readonly<Record<PresenceState, GlyphName>> = {
  in: 'in',
  on_break: 'break',
  out: 'out',
  absent: 'absent',
};

export function PresencePage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const [, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const text = search.get('name') ?? '';
  const department = search.get('department') ?? '';
  const show = (name: string, value: string) => {
    if (value === '') search.delete(name);
    else search.set(name, value);
    go(`/team/presence${search.size === 0 ? '' : `?${search}`}`, { replace: name === 'name' });
  };
  const team = useQuery({ queryKey: ['presence', 'all'], queryFn: fetchTeam });
  const now = useMinute(team.dataUpdatedAt);
  const isUnreadable = team.data === undefined && team.error !== null;
  return (
    <Page
      title={words.presence_title}
      beside={isUnreadable ? undefined : <LiveSign at={now} readAt={team.dataUpdatedAt} />}
      action={
        holds(session, 'approver') && !isUnreadable ? (
          <Button className="no-print" onClick={() => window.print()}>
            {words.presence_print}
          </Button>
        ) : undefined
      }
    >
      <HiddenFromColleaguesHint session={session} unless={['absences_and_presence']} />
      <QueryState of={team}>
        {(people) => {
          const departments = departmentsOf(people);
          const searchText = text.trim().toLocaleLowerCase();
          const shownPeople = people.filter(
            (person) =>
              (department === '' || String(person.department?.id ?? 0) === department) &&
              person.person.name.toLocaleLowerCase().includes(searchText),
          );
          return (
            <>
              <PeopleToolbar
                label={words.presence_search}
                text={text}
                onTyped={(newText) => show('name', newText)}
                department={department}
                departments={[
                  ...departments,
                  ...(people.some((member) => member.department === undefined)
                    ? [{ id: 0, name: words.presence_department_none }]
                    : []),
                ]}
                onDepartment={(departmentId) => show('department', departmentId)}
              />
              {people.length === 0 ? (
                <p className="empty">{words.presence_none}</p>
              ) : (
                <>
                  <Counts people={shownPeople} now={now} />
                  {shownPeople.length === 0 && <NobodyFits onClear={() => go('/team/presence')} />}
                  <States people={shownPeople} now={now} session={session} />
                  {holds(session, 'approver') && (
                    <EvacuationList people={people} company={session.company.name} at={now} />
                  )}
                </>
              )}
            </>
          );
        }}
      </QueryState>
    </Page>
  );
}

interface StatesProps {
  readonly people: readonly TeamMember[];
  readonly now: number;
}

const inState = (people: readonly TeamMember[], state: PresenceState) =>
  people.filter((member) => stateOf(member) === state);

/** Shows whether the page follows changes live. */
function LiveSign({ at, readAt }: { readonly at: number; readonly readAt: number }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const isConnected = useConnected();
  return (
    <output className="live">
      {isConnected ? (
        <>
          <Glyph name="in" /> {words.presence_live(calendar.time(new Date(at).toISOString()))}
        </>
      ) : (
        <>
          <Glyph name="out" /> {words.presence_stale(calendar.time(new Date(readAt).toISOString()))}
        </>
      )}
    </output>
  );
}

function Counts({ people, now }: StatesProps): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const of = (state: PresenceState) => inState(people, state);
  const longest = Math.max(0, ...of('on_break').map((member) => minutesSince(member.break_since, now)));
  const hints: Readonly<Record<PresenceState, string>> = {
    in: [
      of('in').some(isElsewhere) ? words.presence_home(of('in').filter(isElsewhere).length) : '',
      of('in').some(hasLeft) ? words.presence_left_count(of('in').filter(hasLeft).length) : '',
    ]
      .filter((hint) => hint !== '')
      .join(', '),
    on_break: longest > 0 ? words.presence_longest(calendar.duration(longest)) : '',
    out: '',
    absent: '',
  };
  return (
    <dl className="counts no-print">
      {states.map((state) => (
        <div key={state} className="panel count-card">
          <dt>
            <Glyph name={signs[state]} /> {words.presence_states[state]}
          </dt>
          <dd>
            <strong>{calendar.count(of(state).length)}</strong> <small>{hints[state]}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ListProps extends StatesProps {
  readonly session: Session;
}

function States({ people, now, session }: ListProps): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const of = (state: PresenceState) => inState(people, state);
  return (
    <div className="presence no-print">
      <AtWork people={of('in')} now={now} session={session} />
      <div className="presence-rest">
        {(['on_break', 'out', 'absent'] as const).map((state) => (
          <section key={state} className="panel" aria-label={words.presence_states[state]}>
            <h2 className="panel-head">
              <Glyph name={signs[state]} /> {words.presence_states[state]}
              <span className="push">{calendar.count(of(state).length)}</span>
            </h2>
            {of(state).length === 0 && <p className="panel-empty">{words.presence_nobody}</p>}
            <StateRows state={state} people={of(state)} now={now} session={session} />
          </section>
        ))}
      </div>
    </div>
  );
}

function StateRows({ state, people, now, session }: ListProps & { readonly state: PresenceState }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const calendarOf = useCalendars();
  const sight = useVisibleRows<HTMLUListElement>(people.length, 45);
  return (
    <ul className="rows" ref={sight.box} style={{ paddingTop: sight.above, paddingBottom: sight.below }}>
      {people.slice(sight.from, sight.to).map((member) => (
        <li key={member.user_id} data-row="">
          <span className="grow">
            <strong>
              <Name of={member} session={session} />
            </strong>{' '}
            <ProbablyLeft of={member} />{' '}
            <small>
              <bdi>{member.department?.name}</bdi>
            </small>
          </span>
          {state === 'on_break' && member.break_since !== undefined && (
            <>
              <span>{words.presence_since_time(calendarOf(zoneOf(member)).since(member.break_since))}</span>
              <small className="figure-column">{calendar.duration(minutesSince(member.break_since, now))}</small>
            </>
          )}
          {state === 'absent' && member.absence !== undefined && (
            <>
              <span>
                <bdi>{member.absence.type_label}</bdi>
              </span>
              <small>{words.presence_until(calendar.day(member.absence.end_date))}</small>
            </>
          )}
          {state === 'out' && member.absence !== undefined && (
            <small>
              <bdi>{member.absence.type_label}</bdi>
            </small>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Links approvers to the person's time. */
function Name({ of: { person }, session }: { readonly of: TeamMember; readonly session: Session }): ReactNode {
  const name = <bdi>{person.name}</bdi>;
  if (!holds(session, 'approver')) return name;
  return (
    <Link className="name-link" href={person.id === session.person.id ? '/time' : `/team/people/${person.id}`}>
      {name}
    </Link>
  );
}

function AtWork({ people, now, session }: ListProps): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const calendarOf = useCalendars();
  const sight = useVisibleRows<HTMLTableSectionElement>(people.length, 36);
  return (
    <section className="panel" aria-label={words.presence_states.in}>
      <h2 className="panel-head">
        <Glyph name="in" /> {words.presence_states.in}
        <span className="push">{calendar.count(people.length)}</span>
      </h2>
      {people.length === 0 ? (
        <p className="panel-empty">{words.presence_nobody}</p>
      ) : (
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">{words.presence_person}</th>
              <th scope="col">{words.presence_department}</th>
              <th scope="col" className="number">
                {words.presence_since}
              </th>
              <th scope="col" className="number">
                {words.presence_for}
              </th>
              <th scope="col">{words.presence_where}</th>
            </tr>
          </thead>
          <tbody ref={sight.box}>
            <Spacer height={sight.above} />
            {people.slice(sight.from, sight.to).map((member) => (
              <tr key={member.user_id} data-row="">
                <th scope="row">
                  <Glyph name="in" /> <Name of={member} session={session} /> <ProbablyLeft of={member} />
                </th>
                <td className="quiet" data-label={words.presence_department}>
                  <bdi>{member.department?.name}</bdi>
                </td>
                <td className="number" data-label={words.presence_since}>
                  {member.since !== undefined && calendarOf(zoneOf(member)).since(member.since)}
                </td>
                <td className="number" data-label={words.presence_for}>
                  {calendar.duration(minutesSince(member.since, now))}
                </td>
                <td data-label={words.presence_where}>
                  <bdi>
                    {isElsewhere(member)
                      ? member.absence?.type_label
                      : (member.source?.name ??
                        (member.source === undefined ? '' : sourceWord(words, member.source.kind)))}
                  </bdi>
                </td>
              </tr>
            ))}
            <Spacer height={sight.below} />
          </tbody>
        </table>
      )}
    </section>
  );
}

const hasLeft = ({ probably_left: left }: TeamMember) => left;

/** The members who have been clocked in for so long that they have probably forgotten to clock out. */
function ProbablyLeft({ of: member }: { readonly of: TeamMember }): ReactNode {
  const words = useWords();
  return (
    hasLeft(member) && (
      <span className="badge" data-tone="warn">
        {words.presence_left}
      </span>
    )
  );
}

function sourceWord({ presence_sources: sourceWords }: ReturnType<typeof useWords>, kind: string): string {
  return (sourceWords as Readonly<Record<string, string | undefined>>)[kind] ?? kind;
}

function minutesSince(instant: string | undefined, now: number): number {
  return instant === undefined ? 0 : Math.max(0, Math.floor((now - Date.parse(instant)) / 60_000));
}

/**
 * The present half minute, so that durations go on. @param updatedAt instant of the answer: the result is never before
 * it
 */
function useMinute(updatedAt: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(now, updatedAt);
}
