/** A supervisor: the people who are here, and the requests that wait for a decision. */
import type { ReactNode } from 'react';
import type { Scene, Supervisor as SupervisorScene } from '../../demo/stage/scene.js';
import { dayOf, Glyph, timeOf } from './parts.js';
import { words } from './words.js';

function aboutOf({ type, span }: NonNullable<SupervisorScene['request']>): string {
  const days = span && [...new Set([span.from, span.to])].map((date) => dayOf(date, 'UTC')).join(' – ');
  return [type, days].filter((part) => part !== undefined).join(' · ');
}

export function Supervisor({
  supervisor,
  timeZone,
  stamp,
  decide,
}: {
  readonly supervisor: SupervisorScene;
  readonly timeZone: string;
  readonly stamp: Scene['stamp'];
  decide(what: 'approve' | 'reject', id: string): void;
}): ReactNode {
  const { counts, people, request } = supervisor;
  return (
    <div className="card">
      <h2>
        {words.presence} <span className="live">{words.live}</span>
      </h2>
      <p className="counts">
        {(['in', 'on_break', 'out', 'away'] as const).map((state) => (
          <span key={state}>
            <Glyph state={state} /> <b>{counts[state]}</b> {words.counts[state]}
          </span>
        ))}
      </p>
      <ul className="people">
        {people.map(({ id, name, state, since, away_until: until }) => (
          <li key={id} className={stamp?.person_id === id && stamp.supervisor !== undefined ? 'new' : ''}>
            <Glyph state={until === undefined ? state : 'away'} />
            <bdi>{name}</bdi>
            <span>
              {until !== undefined
                ? `${words.awayUntil} ${dayOf(until, 'UTC')}`
                : state === 'out'
                  ? words.short.out
                  : `${words.short[state as keyof typeof words.short]} ${since === undefined ? '' : timeOf(since, timeZone)}`}
            </span>
          </li>
        ))}
      </ul>
      <h2>
        {words.approvals} <span className="count">{supervisor.waiting}</span>
      </h2>
      {request === undefined ? (
        <p className="muted">{words.nothingWaits}</p>
      ) : (
        <div className="request">
          <b>
            <bdi>{request.name}</bdi> · {words.kinds[request.kind] ?? request.kind}
          </b>
          <p className="muted">{aboutOf(request)}</p>
          {request.comment !== undefined && <blockquote>{request.comment}</blockquote>}
          <div className="actions">
            <button type="button" className="primary" onClick={() => decide('approve', request.id)}>
              {words.approve} <kbd>A</kbd>
            </button>
            <button type="button" onClick={() => decide('reject', request.id)}>
              {words.reject} <kbd>R</kbd>
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
