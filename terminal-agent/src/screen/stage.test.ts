/** The screens keep their times, even if the clock of the PC is set. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { type TestClock, testClock } from '../../test/test-clock.js';
import type { Proof } from '../terminal-api.js';
import type { Conditions, Effect, Settings, State } from './machine.js';
import { times } from './machine.js';
import { openStage, type Stage } from './stage.js';

const settings: Settings = { language: 'de', countdown: 6_000 };
const conditions: Conditions = {
  pairing: 'confirmed',
  fingerprint: 'AS3N-N9TM-CD3M-R0M5',
  online: true,
  stopped: false,
  readerReady: true,
  recordsOffline: true,
  waiting: 0,
  info: true,
  infoWithoutPin: false,
};
const proof: Proof = {
  session: 'csn_1',
  firstName: 'Jana',
  state: 'in',
  actions: ['out', 'break_start'],
  pinRequired: false,
};
const offline: Partial<Conditions> = { online: false };

let clock: TestClock;
let stage: Stage;
let effects: Effect['kind'][];
afterEach(() => stage.stop());

function open(changes: Partial<Conditions> = {}): void {
  clock = testClock(Date.UTC(2026, 10, 23, 7, 0, 0, 684));
  effects = [];
  stage = openStage({
    conditions: { ...conditions, ...changes },
    settings,
    appearance: { theme: 'light', reader: 'right', sound: 'off', timeZone: 'UTC', service: 'time.example.com' },
    elapsed: clock.elapsed,
    serviceNow: clock.now,
    sleep: clock.sleep,
    perform: ({ kind }) => void effects.push(kind),
    show: () => undefined,
  });
}

const visit = () => stage.door().visit;
const hold = () => stage.send({ kind: 'card', uid: 'jana' });
const end = (how: 'refused' | 'removed' | 'issued') => {
  hold();
  stage.send({ kind: 'ended', visit: visit(), how });
};
const choice = (more: Partial<Proof> = {}) => {
  hold();
  stage.send({ kind: 'proved', visit: visit(), uid: 'jana', proof: { ...proof, ...more } });
};
const save = () => {
  choice();
  stage.act(visit(), { kind: 'act', action: 'out' });
};
const notGiven = (
  reply:
    | { readonly why: 'pin_locked'; readonly lockedFor: undefined }
    | { readonly why: 'unsure' }
    | { readonly why: 'failed'; readonly by: 'other' },
) => {
  save();
  stage.send({ kind: 'not_given', visit: visit(), ...reply });
};
const offlineChoice = () => {
  open(offline);
  hold();
};
const stamp = { state: 'out', server_time: '2026-11-23T07:00:05.684Z', warnings: [] } as const;

const choosePin = () => {
  hold();
  const choice = { session: 'csn_2', firstName: 'Jana' };
  stage.send({ kind: 'choose_pin', visit: visit(), uid: 'jana', choice });
};
const savePin = () => {
  choosePin();
  for (const pin of ['406318', '406318']) stage.act(visit(), { kind: 'pin', pin });
};
const answerPin = (kind: 'pin_saved' | 'pin_not_saved') => {
  savePin();
  stage.send({ kind, visit: visit() });
};

/** The way to each screen, its duration, and the next screen. */
const screens: Record<
  Exclude<State['at'], 'home' | 'offline_saving'>,
  { readonly reach: () => void; readonly stays: number; readonly next: State['at'] }
> = {
  checking: { reach: hold, stays: times.checking, next: 'failed' },
  choice: { reach: () => choice({ forgotten: true }), stays: times.person, next: 'home' },
  pin: {
    reach() {
      choice();
      stage.act(visit(), { kind: 'account' });
    },
    stays: times.person,
    next: 'home',
  },
  saving: { reach: save, stays: times.saving, next: 'unsure' },
  done: {
    reach() {
      save();
      stage.send({ kind: 'stamped', visit: visit(), stamp });
    },
    stays: times.done,
    next: 'home',
  },
  account: {
    reach() {
      open({ infoWithoutPin: true });
      choice();
      stage.act(visit(), { kind: 'account' });
      stage.send({
        kind: 'info',
        visit: visit(),
        info: { worked_today_minutes: 192, balance_minutes: 760, vacation_days_left: 11.5 },
      });
    },
    stays: times.account,
    next: 'home',
  },
  no_account: {
    reach() {
      open({ infoWithoutPin: true });
      choice();
      stage.act(visit(), { kind: 'account' });
      stage.send({ kind: 'not_given', visit: visit(), why: 'unsure' });
    },
    stays: times.refused,
    next: 'home',
  },
  choose_pin: { reach: choosePin, stays: times.choosePin, next: 'home' },
  saving_pin: { reach: savePin, stays: times.saving, next: 'pin_not_chosen' },
  pin_chosen: { reach: () => answerPin('pin_saved'), stays: times.refused, next: 'home' },
  pin_not_chosen: { reach: () => answerPin('pin_not_saved'), stays: times.refused, next: 'home' },
  refused: { reach: () => end('refused'), stays: times.refused, next: 'home' },
  removed: { reach: () => end('removed'), stays: times.refused, next: 'home' },
  issued: { reach: () => end('issued'), stays: times.refused, next: 'home' },
  failed: { reach: () => notGiven({ why: 'failed', by: 'other' }), stays: times.refused, next: 'home' },
  locked: { reach: () => notGiven({ why: 'pin_locked', lockedFor: undefined }), stays: times.refused, next: 'home' },
  unsure: { reach: () => notGiven({ why: 'unsure' }), stays: times.refused, next: 'home' },
  offline_choice: { reach: offlineChoice, stays: times.person, next: 'home' },
  offline_saved: {
    reach() {
      offlineChoice();
      stage.act(visit(), { kind: 'act', action: 'in' });
      stage.send({ kind: 'recorded', visit: visit(), time: clock.now() });
    },
    stays: times.offlineSaved,
    next: 'home',
  },
};

const hour = 3_600_000;
describe.each([-24 * hour, -hour, hour, 24 * hour])('when the clock of the PC is set by %d ms', (jump) => {
  it.each(Object.entries(screens))('the screen %s stays as long as without', async (at, { reach, stays, next }) => {
    open();
    reach();
    expect(stage.door().state.at).toBe(at);
    const previousEffects = [...effects];
    clock.set(jump);
    // Other events, such as the answer to a status, do not look at the clock either.
    stage.send({ kind: 'conditions', changes: {} });
    stage.send({ kind: 'time' });
    await clock.pass(stays - 1);
    expect([stage.door().state.at, effects]).toEqual([at, previousEffects]);
    await clock.pass(1);
    expect(stage.door().state.at).toBe(next);
    if (next === 'home') expect(JSON.stringify(stage.frame())).not.toContain('Jana');
  });

  it('the countdown makes the default after its six seconds', async () => {
    open();
    choice();
    clock.set(jump);
    stage.send({ kind: 'time' });
    await clock.pass(5_999);
    expect([stage.door().state.at, effects]).toEqual(['choice', ['prove']]);
    await clock.pass(1);
    expect(effects).toEqual(['prove', 'stamp']);
  });

  it('the other language goes after a minute, and a repeated badge does nothing within it', async () => {
    open();
    stage.act(visit(), { kind: 'language' });
    clock.set(jump);
    stage.send({ kind: 'time' });
    await clock.pass(times.language - 1);
    expect(stage.frame().language).toBe('en');
    await clock.pass(1);
    expect(stage.frame().language).toBe('de');
    screens.done.reach();
    clock.set(jump);
    choice();
    expect(stage.door().state).toMatchObject({ at: 'choice', default: undefined });
  });

  it('the line says since when the service is away by the clock as it is now', async () => {
    open();
    stage.send({ kind: 'conditions', changes: { online: false } });
    await clock.pass(60_000);
    clock.set(jump);
    expect(stage.frame().offlineSince).toBe(clock.now() - 60_000);
  });
});
