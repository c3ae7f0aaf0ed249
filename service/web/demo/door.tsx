/** The entrance: a screen, a reader, badges to drag, and cards to cheat with. */
import { type ReactNode, useState } from 'react';
import type { Door as DoorScene } from '../../demo/stage/scene.js';
import { Glyph, Tick, timeOf } from './parts.js';
import { words } from './words.js';

const stateAfter: Readonly<Record<string, string>> = { in: 'in', out: 'out', break_start: 'on_break', break_end: 'in' };

export function Door({
  door,
  timeZone,
  now,
  hold,
}: {
  readonly door: DoorScene;
  readonly timeZone: string;
  readonly now: string;
  hold(card: string, trick?: string): void;
}): ReactNode {
  const [isOver, setOver] = useState(false);
  const { last, held: cardAtReader } = door;
  const trick = door.tricks.find((sample) => sample.trick === last?.trick)?.trick;
  return (
    <div className="card door">
      <div
        className={`screen ${cardAtReader !== undefined ? 'checking' : (last?.outcome ?? 'idle')}`}
        role="status"
        aria-live="polite"
      >
        {cardAtReader !== undefined ? (
          <p className="prompt">{words.still}</p>
        ) : last === undefined ? (
          <>
            <p className="clock">{timeOf(now, timeZone)}</p>
            <p className="prompt">{words.idle}</p>
          </>
        ) : last.outcome === 'stamped' ? (
          <>
            <p className="who">
              <Tick /> {last.first_name} <span>{door.terminal}</span>
            </p>
            <p className="done">{words.actions[last.action as keyof typeof words.actions]}</p>
            <p className="clock">
              {timeOf(last.at, timeZone)} <Glyph state={stateAfter[last.action ?? ''] ?? 'in'} />
            </p>
          </>
        ) : last.outcome === 'nothing' ? (
          <p className="prompt">{last.text}</p>
        ) : (
          <>
            <p className="done">{words.refused}</p>
            <p className="prompt">{words.nothing}</p>
          </>
        )}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a place to drop on; the badges are buttons for the keyboard */}
      <div
        className={isOver ? 'reader over' : 'reader'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          hold(event.dataTransfer.getData('text/plain'));
        }}
      >
        <svg viewBox="0 0 60 40" aria-hidden="true">
          <path d="M40 12a12 12 0 0 0 0 16M33 7a19 19 0 0 0 0 26M26 2a26 26 0 0 0 0 36" />
        </svg>
        {words.reader}
      </div>
      <div className="badges">
        {door.badges.map(({ card, first_name: name }, index) => (
          <button
            type="button"
            key={card}
            className={cardAtReader === card ? 'badge held' : 'badge'}
            draggable
            disabled={cardAtReader !== undefined}
            onDragStart={(event) => event.dataTransfer.setData('text/plain', card)}
            onClick={() => hold(card)}
          >
            <i />
            <span className="initials">{name.slice(0, 2)}</span>
            {name}
            <kbd>{index + 1}</kbd>
          </button>
        ))}
      </div>
      {last !== undefined && (
        <p className="why">
          {last.outcome === 'stamped' ? (
            <>
              <Tick /> <b>{words.proven}</b> {trick === undefined ? words.provenWhy : words.trickWhy[trick]}
            </>
          ) : (
            trick !== undefined && words.trickWhy[trick]
          )}
        </p>
      )}
      <h3>{words.cheat}</h3>
      <div className="tricks">
        {door.tricks.map(({ card, trick: kind }) => (
          <button type="button" key={kind} disabled={cardAtReader !== undefined} onClick={() => hold(card, kind)}>
            {words.tricks[kind]}
          </button>
        ))}
      </div>
    </div>
  );
}
