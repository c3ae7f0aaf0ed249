/** The same person's phone: state, running time, today's stamps. */
import type { ReactNode } from 'react';
import type { Phone as PhoneScene, Scene } from '../../demo/stage/scene.js';
import { duration, Glyph, timeOf } from './parts.js';
import { words } from './words.js';

const actionsOf: Readonly<Record<string, readonly (keyof typeof words.do)[]>> = {
  in: ['out', 'break_start'],
  on_break: ['out', 'break_end'],
  out: ['in'],
};

export function Phone({
  phone,
  timeZone,
  now,
  stamp,
  act,
}: {
  readonly phone: PhoneScene;
  readonly timeZone: string;
  readonly now: string;
  readonly stamp: Scene['stamp'];
  act(action: string): void;
}): ReactNode {
  const state = phone.state as keyof typeof words.states;
  const runningMs = phone.since === undefined ? 0 : Math.max(0, Date.parse(now) - Date.parse(phone.since));
  const remainingMinutes = phone.target_minutes - phone.worked_minutes;
  return (
    <div className="handset">
      <h2>{phone.name}</h2>
      <div className="clockCard">
        <p className="state">
          <Glyph state={phone.state} /> {words.states[state]} {phone.since && timeOf(phone.since, timeZone)}
        </p>
        <p className="running">
          {duration(runningMs / 60_000)}
          <small>:{String(Math.floor(runningMs / 1_000) % 60).padStart(2, '0')}</small>
        </p>
        <p className="muted">
          {words.worked} {duration(phone.worked_minutes)}
          {remainingMinutes > 0 && phone.target_minutes > 0 && ` · ${duration(remainingMinutes)} ${words.left}`}
        </p>
        <progress max={Math.max(phone.target_minutes, 1)} value={phone.worked_minutes} aria-label={words.worked} />
        <div className="actions">
          {(actionsOf[phone.state] ?? []).map((action, index, offeredActions) => (
            <button
              type="button"
              key={action}
              className={index === offeredActions.length - 1 ? 'primary' : ''}
              onClick={() => act(action)}
            >
              {words.do[action]}
            </button>
          ))}
        </div>
      </div>
      <div className="list">
        <h3>{words.today}</h3>
        {phone.stamps.map((entry, index) => (
          <p key={`${entry.at} ${entry.action}`} className={index === 0 && stamp !== undefined ? 'row new' : 'row'}>
            <b>{timeOf(entry.at, timeZone)}</b>
            <span>
              {words.actions[entry.action as keyof typeof words.actions]}
              <small>
                {entry.where === 'web' ? words.web : entry.where}
                {entry.proven && ` · ${words.badgeProven} ✓`}
              </small>
            </span>
            {index === 0 && stamp?.sequence !== undefined && <em>#{stamp.sequence}</em>}
          </p>
        ))}
      </div>
      <div className="figures">
        <p>
          <small>{words.balance}</small>
          <b>{duration(phone.balance_minutes, true)}</b>
        </p>
        <p>
          <small>{words.vacation}</small>
          <b>
            {phone.vacation_days} {words.days}
          </b>
        </p>
      </div>
    </div>
  );
}
