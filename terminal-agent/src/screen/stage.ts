import type { Sleep } from '../sleep.js';
import {
  type Act,
  type Conditions,
  type Door,
  deadlineOf,
  type Effect,
  type Event,
  newDoor,
  type Settings,
  step,
} from './machine.js';
import { type Appearance, type Frame, frameOf } from './view.js';

/** The door's state machine in motion: events go in, frames and effects come out, and time passes. */
export interface Stage {
  readonly door: () => Door;
  frame(): Frame;
  send(event: Event): void;
  /** Takes a person's action at the screen, which showed `visit`. */
  act(visit: number, act: Act): void;
  stop(): void;
}

export interface StageOptions {
  readonly conditions: Conditions;
  readonly settings: Settings;
  readonly appearance: Appearance;
  /** Milliseconds by a clock that nothing sets: no name stays, and nothing is stamped, because a clock was set. */
  readonly elapsed: () => number;
  /** Milliseconds since 1970, by the service's clock. */
  readonly serviceNow: () => number;
  readonly sleep: Sleep;
  readonly perform: (effect: Exclude<Effect, { kind: 'sound' }>) => void;
  readonly show: (frame: Frame) => void;
  /** Called after every step with the state before it. */
  readonly onStep?: (before: Door, after: Door) => void;
}

export function openStage(options: StageOptions): Stage {
  const { settings, appearance, elapsed, serviceNow, sleep, perform, show } = options;
  let door = newDoor(options.conditions);
  let playedSound: Frame['played'];
  let timer = new AbortController();
  let isStopped = false;

  const frame = (): Frame =>
    frameOf(door, settings, appearance, { now: elapsed(), serviceNow: serviceNow(), played: playedSound });

  const wake = (): void => {
    timer.abort();
    timer = new AbortController();
    const { signal } = timer;
    const deadline = deadlineOf(door);
    if (deadline === undefined || isStopped) return;
    void sleep(Math.max(0, deadline - elapsed()), signal).then(() => {
      if (!signal.aborted) send({ kind: 'time' });
    });
  };

  const send = (event: Event): void => {
    if (isStopped) return;
    const previousDoor = door;
    const { door: nextDoor, effects } = step(door, event, elapsed(), settings);
    door = nextDoor;
    for (const effect of effects)
      if (effect.kind === 'sound') playedSound = { number: (playedSound?.number ?? 0) + 1, sound: effect.sound };
    if (nextDoor !== previousDoor || effects.length > 0) show(frame());
    wake();
    for (const effect of effects) if (effect.kind !== 'sound') perform(effect);
    if (nextDoor !== previousDoor) options.onStep?.(previousDoor, nextDoor);
  };

  return {
    door: () => door,
    frame,
    send,
    act: (visit, act) => send({ ...act, visit }),
    stop() {
      isStopped = true;
      timer.abort();
    },
  };
}
