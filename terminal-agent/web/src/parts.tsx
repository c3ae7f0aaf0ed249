/** Shared parts of the door's screens. */
import type { ComponentChildren, JSX } from 'preact';
import type { Act } from '../../src/screen/machine.js';
import type { Countdown, Frame, Screen } from '../../src/screen/view.js';
import { clock, date } from './formats.js';
import { BadgeHint, Cross, Lock, Ring, Slashed, Tick } from './icons.js';
import type { Words } from './words.js';

export interface Door {
  readonly frame: Frame;
  readonly text: Words;
  /** The service's clock, milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since the frame arrived. */
  readonly elapsed: number;
  readonly send: (act: Act) => void;
}

/** The data of the screen of this name. */
export interface Of<Name extends Screen['name']> {
  readonly door: Door;
  readonly screen: Extract<Screen, { name: Name }>;
}

/** @param props.hint at the right of the state line; the time if absent. */
export function Layout(props: {
  readonly door: Door;
  readonly className?: string;
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { door, className = '', hint = <span>{clock(door.frame, door.now)}</span>, children } = props;
  const { frame, text } = door;
  const { line, place, service, offlineSince } = frame;
  const label = line === 'unpaired' || line === 'confirming' ? service : place;
  const state = {
    starting: text.starting,
    unpaired: text.not_paired,
    confirming: text.not_confirmed,
    online: text.online,
    offline: offlineSince === undefined ? text.offline : text.offline_since(clock(frame, offlineSince)),
  }[line];
  return (
    <div class={`screen ${frame.screen.name} ${className}`}>
      <main>{children}</main>
      <footer class={`line ${line}`}>
        {line === 'online' ? <Tick /> : line === 'offline' ? <Slashed /> : <Ring />}
        <strong>{state}</strong>
        {label !== undefined && <span class="where">{`· ${label}`}</span>}
        <span class="hint">{hint}</span>
      </footer>
    </div>
  );
}

export const Button = (props: JSX.IntrinsicElements['button']) => <button type="button" {...props} />;

export const CancelButton = ({ door: { text, send } }: { door: Door }) => (
  <Button class="plain" onClick={() => send({ kind: 'cancel' })} data-cancel="">
    <Cross />
    {text.cancel}
  </Button>
);

export const CloseButton = ({ door: { text, send } }: { door: Door }) => (
  <Button class="plain" onClick={() => send({ kind: 'close' })} data-cancel="">
    {text.close}
  </Button>
);

export const AccountButton = ({ door: { text, send } }: { door: Door }) => (
  <Button class="plain" onClick={() => send({ kind: 'account' })}>
    <Lock />
    {text.account}
  </Button>
);

const motionQuery = matchMedia('(prefers-reduced-motion: reduce)');

/** Milliseconds that are left, by whole seconds for people who want no motion. */
export function timeLeft({ elapsed }: Door, { left }: Countdown): number {
  const milliseconds = Math.max(0, left - elapsed);
  return motionQuery.matches ? Math.ceil(milliseconds / 1_000) * 1_000 : milliseconds;
}

/** Runs from full to empty; the bar of a screen that closes. */
export const Bar = ({ door, closes }: { door: Door; closes: Countdown }) => (
  <div class="bar" aria-hidden="true">
    <div class="filled" style={{ width: `${(100 * timeLeft(door, closes)) / closes.total}%` }} />
  </div>
);

export const Closing = ({ door, closes }: { door: Door; closes: Countdown }) => (
  <span>{door.text.closes(Math.max(1, Math.ceil(timeLeft(door, closes) / 1_000)))}</span>
);

export const Dots = () => (
  <span class="dots" aria-hidden="true">
    <i />
    <i />
    <i />
  </span>
);

export const BigClock = ({ door: { frame, now } }: { door: Door }) => (
  <>
    <div class="clock">{clock(frame, now)}</div>
    <div class="date">{date(frame, now)}</div>
  </>
);

/** The front of a screen that stands for hours, beside the way to the reader. */
export function Standing(props: {
  readonly door: Door;
  readonly way?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { door, way, children } = props;
  const { frame, text, now, send } = door;
  // Text that never moves burns into the display: every ten minutes it stands two pixels elsewhere.
  const turn = Math.floor(now / 600_000) % 4;
  const translate = `${turn === 1 || turn === 2 ? 2 : 0}px ${turn >= 2 ? 2 : 0}px`;
  return (
    <Layout door={door} hint={null}>
      <div class="front" style={{ translate }}>
        <BigClock door={door} />
        {children}
      </div>
      <div class="panel">
        {way ?? (
          <div class="way">
            <BadgeHint />
          </div>
        )}
        <Button
          class="plain language"
          onClick={() => send({ kind: 'language' })}
          lang={frame.language === 'de' ? 'en' : 'de'}
        >
          {text.other_language}
        </Button>
      </div>
    </Layout>
  );
}
