/** On the start page: the requests that wait for a decision, and the people who are away today. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import { holds, type Session } from '../api/session.js';
import { useWaitingApprovals } from '../api/waiting-approvals.js';
import { useCalendar } from '../parts/calendar.js';
import { Glyph } from '../parts/glyph.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

export default function TodayTeam({ session }: { readonly session: Session }): ReactNode {
  return (
    <>
      <ToDecide session={session} />
      {(holds(session, 'approver') || session.company.colleagues_see !== 'nothing') && (
        <Colleagues ownId={session.person.id} />
      )}
    </>
  );
}

function ToDecide({ session }: { readonly session: Session }): ReactNode {
  const words = useWords();
  const count = useWaitingApprovals(session);
  if (count === undefined) return null;
  return (
    <Link href="/team/approvals" className="card line-card">
      <span>{words.to_decide(count)}</span>
      <span aria-hidden="true">›</span>
    </Link>
  );
}

/** The people of the department who are away today. */
function Colleagues({ ownId }: { readonly ownId: number }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const today = calendar.today;
  const absenceQuery = useQuery({
    queryKey: ['team-absences', today],
    queryFn: () => ask(client.GET('/app/team/absences', { params: { query: { from: today, to: today, limit: 100 } } })),
  });
  if (absenceQuery.data === undefined) return null;
  const people = absenceQuery.data.data.filter(
    ({ person, status, away: isAway }) => person.id !== ownId && status !== 'waiting' && isAway !== false,
  );
  const shownPeople = people.slice(0, 6);
  return (
    <section className="card away-card" aria-labelledby="away-today">
      <h2 id="away-today">{words.away_today}</h2>
      {people.length === 0 && <p className="muted">{words.away_nobody}</p>}
      <ul className="plain-lines">
        {shownPeople.map(({ id, person, type_label: label, end_date: until }) => (
          <li key={id}>
            <Glyph name="absent" /> <bdi>{person.name}</bdi>
            <span className="muted">
              {label !== undefined && ` · ${label}`}
              {until !== today && ` · ${words.until(calendar.day(until))}`}
            </span>
          </li>
        ))}
      </ul>
      {people.length > shownPeople.length && (
        <p className="muted">{words.away_more(people.length - shownPeople.length)}</p>
      )}
    </section>
  );
}
