import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Proof } from '../terminal-api.js';
import {
  type Act,
  type Conditions,
  type Door,
  deadlineOf,
  defaultAction,
  type Effect,
  type Event,
  languageOf,
  newDoor,
  type Settings,
  step,
  times,
} from './machine.js';
import { frameOf } from './view.js';

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
const start = Date.UTC(2026, 10, 23, 7);

/** A door that tells its effects. */
function door(changes: Partial<Conditions> = {}, doorSettings: Settings = settings) {
  let current = newDoor({ ...conditions, ...changes });
  let time = start;
  const effects: Effect[] = [];
  const self = {
    effects,
    get now() {
      return time;
    },
    get at() {
      return current.state.at;
    },
    get state() {
      return current.state;
    },
    get door(): Door {
      return current;
    },
    send(event: Event) {
      const next = step(current, event, time, doorSettings);
      current = next.door;
      effects.push(...next.effects);
      return self;
    },
    act: (act: Act) => self.send({ ...act, visit: current.visit }),
    /** Time passes; the door is woken whenever it asked for it. */
    pass(milliseconds: number) {
      const end = time + milliseconds;
      for (
        let deadline = deadlineOf(current);
        deadline !== undefined && deadline <= end;
        deadline = deadlineOf(current)
      ) {
        time = Math.max(time, deadline);
        const previous = current;
        self.send({ kind: 'time' });
        if (current === previous) throw new Error(`woken for nothing in ${current.state.at}`);
      }
      time = end;
      return self;
    },
    hold: (uid = 'jana') => self.send({ kind: 'card', uid }),
    prove(proof: Partial<Proof> = {}, uid = 'jana') {
      return self.send({ kind: 'proved', visit: current.visit, uid, proof: { ...janaProof, ...proof } });
    },
    end: (how: Extract<Event, { kind: 'ended' }>['how']) => self.send({ kind: 'ended', visit: current.visit, how }),
    stamped: (more: object = {}) =>
      self.send({
        kind: 'stamped',
        visit: current.visit,
        stamp: { state: 'out', server_time: '2026-11-23T07:00:05Z', warnings: [], ...more },
      }),
    notGiven: (reply: object) => self.send({ kind: 'not_given', visit: current.visit, ...reply } as Event),
    last: (kind: Effect['kind']) => effects.filter((effect) => effect.kind === kind).at(-1),
    text: () =>
      JSON.stringify(
        frameOf(
          current,
          doorSettings,
          { theme: 'light', reader: 'right', sound: 'off', timeZone: 'UTC', service: 'time.example.com' },
          { now: time, serviceNow: time, played: undefined },
        ),
      ),
  };
  return self;
}
const janaProof: Proof = {
  session: 'csn_1',
  firstName: 'Jana',
  state: 'in',
  actions: ['out', 'break_start'],
  pinRequired: false,
};
const atChoice = (proof: Partial<Proof> = {}, changes: Partial<Conditions> = {}) => door(changes).hold().prove(proof);
const atSaving = () => atChoice().act({ kind: 'act', action: 'out' });
const atDone = () => atSaving().stamped();

describe('a person who forgot to clock out', () => {
  const atForgotten = () => atChoice({ actions: ['in', 'out'], forgotten: true });

  it('chooses, and nothing is stamped by waiting or by holding the badge again', () => {
    const it = atForgotten();
    expect(it.state).toMatchObject({ at: 'choice', default: undefined, countdownEnd: undefined });
    it.hold().pass(times.person - 1);
    expect([it.at, it.effects.filter(({ kind }) => kind === 'stamp')]).toEqual(['choice', []]);
    it.pass(1);
    expect([it.at, it.effects.filter(({ kind }) => kind === 'stamp')]).toEqual(['home', []]);
  });

  it('a touch begins a new day for a person who forgot to clock out', () => {
    expect(atForgotten().act({ kind: 'act', action: 'in' }).effects.at(-1)).toMatchObject({
      kind: 'stamp',
      action: 'in',
    });
  });
});

describe('nobody is there', () => {
  it('a badge begins a dialogue', () => {
    const it = door().hold();
    expect(it.at).toBe('checking');
    expect(it.effects).toEqual([{ kind: 'prove', visit: 1, uid: 'jana' }]);
  });

  it.each([
    { pairing: 'unpaired' },
    { pairing: 'confirming' },
    { pairing: 'starting' },
    { readerReady: false },
  ] as const)('a badge means nothing while %j', (changes) => {
    const it = door(changes).hold();
    expect(it.at).toBe('home');
    expect(it.effects).toEqual([]);
  });

  it('the other language holds for a minute, or until the next person has left', () => {
    const it = door().act({ kind: 'language' });
    expect(languageOf(it.door, settings)).toBe('en');
    it.pass(times.language);
    expect(languageOf(it.door, settings)).toBe('de');
    it.act({ kind: 'language' }).hold().prove();
    expect(languageOf(it.door, settings)).toBe('en');
    it.act({ kind: 'cancel' });
    expect(languageOf(it.door, settings)).toBe('de');
  });

  it('the language is the one chosen by hand, else that of the person, else that of the door', () => {
    expect(languageOf(door().hold().prove({ language: 'en' }).door, settings)).toBe('en');
    const german = door().act({ kind: 'language' }).hold().prove({ language: 'de' });
    expect(languageOf(german.door, settings)).toBe('en');
    german.act({ kind: 'cancel' });
    expect(languageOf(german.door, settings)).toBe('de');
  });

  it('a code is tried once at a time, and a wrong one says so', () => {
    const it = door({ pairing: 'unpaired' })
      .act({ kind: 'code', code: '7K3M-Q9XT' })
      .act({ kind: 'code', code: '7K3M-Q9XT' });
    expect(it.effects).toEqual([{ kind: 'pair', code: '7K3M-Q9XT' }]);
    it.send({ kind: 'pairing_failed', how: 'wrong' });
    expect(it.state).toEqual({ at: 'home', pairing: 'wrong' });
    it.act({ kind: 'code', code: '7K3M-Q9XT' });
    expect(it.effects.filter(({ kind }) => kind === 'pair')).toHaveLength(2);
  });

  it('pairing can be cancelled while nobody has confirmed', () => {
    const it = door({ pairing: 'confirming' }).act({ kind: 'cancel' });
    expect(it.door.conditions.pairing).toBe('unpaired');
  });

  it.each(['cancelled at the door', 'rejected by the admin', 'paired again'])(
    'an idle terminal takes the next code after one was %s',
    (how) => {
      const it = door({ pairing: 'unpaired' }).act({ kind: 'code', code: '7K3M-Q9XT' });
      it.send({ kind: 'conditions', changes: { pairing: 'confirming' } });
      if (how === 'cancelled at the door') it.act({ kind: 'cancel' });
      if (how === 'paired again') it.send({ kind: 'conditions', changes: { pairing: 'confirmed' } });
      it.send({ kind: 'conditions', changes: { pairing: 'unpaired' } });
      expect(it.text()).toContain('"busy":false');
      it.act({ kind: 'code', code: 'MJ6X-TV22' });
      expect(it.effects.at(-1)).toEqual({ kind: 'pair', code: 'MJ6X-TV22' });
    },
  );
});

describe('checking', () => {
  it('the screen shows that it is checking after 200 ms only', () => {
    const it = door().hold().pass(199);
    expect(it.text()).toContain('"name":"idle"');
    it.pass(1);
    expect(it.text()).toContain('"name":"checking"');
  });

  it("checking ends after ten seconds without blaming the badge, and a late proof is nobody's", () => {
    const it = door().hold();
    const { visit } = it.door;
    it.pass(10_000);
    expect(it.state).toMatchObject({ at: 'failed', why: 'busy' });
    expect(it.last('forget_card')).toBeDefined();
    it.send({ kind: 'proved', visit, uid: 'jana', proof: janaProof });
    expect(it.at).toBe('failed');
    expect(it.text()).not.toContain('Jana');
  });

  it.each([
    ['refused', 'refused'],
    ['removed', 'removed'],
    ['issued', 'issued'],
    ['department_not_allowed', 'failed'],
    ['switched_off', 'failed'],
    ['busy', 'failed'],
  ] as const)('%s → %s, for six seconds, or until somebody closes it', (how, at) => {
    const it = door().hold().end(how);
    expect(it.at).toBe(at);
    expect(it.pass(5_999).at).toBe(at);
    expect(it.pass(1).at).toBe('home');
    expect(door().hold().end(how).act({ kind: 'close' }).at).toBe('home');
    expect(door().hold().end(how).hold('emil').at).toBe('checking');
  });

  it('checking does not blame the badge if the service is lost meanwhile', () => {
    const lose = (it: ReturnType<typeof door>) =>
      it
        .hold()
        .send({ kind: 'conditions', changes: { online: false } })
        .pass(times.checking);
    const it = lose(door());
    expect([it.at, it.last('forget_card')]).toEqual(['offline_choice', { kind: 'forget_card' }]);
    expect(lose(door({ recordsOffline: false })).state).toMatchObject({ at: 'failed', why: 'unreachable' });
  });

  it('every refusal of a badge looks, sounds and lasts the same', () => {
    const screens = [
      door().hold().end('refused'),
      door().send({ kind: 'no_badge' }),
      atSaving().notGiven({ why: 'card_refused' }),
    ].map((it) => {
      const sounds = it.effects.filter(({ kind }) => kind === 'sound');
      const { screen } = JSON.parse(it.text()) as { screen: object };
      return { screen, sounds, lasts: deadlineOf(it.door)! - it.now };
    });
    for (const screen of screens) expect(screen).toEqual(screens[0]);
    expect(screens[0]).toMatchObject({ screen: { name: 'refused' }, lasts: 6_000 });
  });

  it('checking goes on without the service where it does not answer: the badge need not be held again', () => {
    const it = door().hold().end('unreachable');
    expect(it.at).toBe('offline_choice');
    expect(it.door.conditions).toMatchObject({ online: false, offlineSince: start });
    const offlineDoor = door({ recordsOffline: false }).hold().end('unreachable');
    expect(offlineDoor.state).toMatchObject({ at: 'failed', why: 'unreachable' });
  });

  it('a stopped terminal says so, and offers what still works', () => {
    const it = door({ stopped: true }).hold();
    expect(it.at).toBe('offline_choice');
    expect(it.last('prove')).toBeUndefined();
    expect(door({ stopped: true }).text()).toContain('"stopped":true');
    const offlineDoor = door({ stopped: true, recordsOffline: false }).hold();
    expect(offlineDoor.state).toMatchObject({ at: 'failed', why: 'stopped' });
    // A badge is issued there all the same.
    expect(door({ stopped: true, issuing: 'Jana' }).hold().at).toBe('checking');
    // It was stopped since the last status.
    const stoppedDoor = door().hold().end('stopped');
    expect(stoppedDoor.at).toBe('offline_choice');
    expect(stoppedDoor.door.conditions).toMatchObject({ online: true, stopped: true });
    expect(door({ recordsOffline: false }).hold().end('stopped').state).toMatchObject({ at: 'failed', why: 'stopped' });
  });

  it('another badge starts over', () => {
    const it = door().hold('jana').hold('emil');
    expect(it.effects).toEqual([
      { kind: 'prove', visit: 1, uid: 'jana' },
      { kind: 'forget_card' },
      { kind: 'prove', visit: 2, uid: 'emil' },
    ]);
  });
});

describe('choice', () => {
  it.each([
    ['out', ['in'], 'in'],
    ['in', ['out', 'break_start'], 'out'],
    ['on_break', ['break_end', 'out'], 'break_end'],
    ['on_break', ['out'], undefined],
    ['in', ['break_start'], undefined],
  ] as const)('of somebody who is %s and may %j has the default %s', (state, actions, expected) => {
    expect(defaultAction({ state, actions, forgotten: false })).toBe(expected);
  });

  it('the choice makes the default after six seconds', () => {
    const it = atChoice().pass(5_999);
    expect(it.at).toBe('choice');
    it.pass(1);
    expect(it.last('stamp')).toEqual({ kind: 'stamp', visit: 1, session: 'csn_1', action: 'out', pin: undefined });
  });

  it('never does so after a touch, and ends after thirty seconds', () => {
    const it = atChoice().pass(3_000).act({ kind: 'touch' }).pass(26_999);
    expect(it.at).toBe('choice');
    it.pass(1);
    expect(it.at).toBe('home');
    expect(it.last('stamp')).toBeUndefined();
    expect(it.last('end')).toEqual({ kind: 'end', session: 'csn_1' });
  });

  it('never does so where the countdown is off', () => {
    const it = door({}, { ...settings, countdown: undefined })
      .hold()
      .prove()
      .pass(29_999);
    expect(it.at).toBe('choice');
  });

  it('a second hold of the same badge acts at once, another badge starts over', () => {
    expect(atChoice().hold('jana').last('stamp')).toMatchObject({ action: 'out' });
    const successor = atChoice().hold('emil');
    expect(successor.at).toBe('checking');
    expect(successor.last('end')).toEqual({ kind: 'end', session: 'csn_1' });
    expect(successor.last('stamp')).toBeUndefined();
  });

  it('the choice makes only what is possible', () => {
    expect(atChoice().act({ kind: 'act', action: 'break_start' }).last('stamp')).toMatchObject({
      action: 'break_start',
    });
    expect(atChoice().act({ kind: 'act', action: 'in' }).at).toBe('choice');
  });

  it('the choice asks for the PIN first where it is needed, also after a countdown', () => {
    const it = atChoice({ pinRequired: true }).pass(6_000);
    expect(it.state).toMatchObject({ at: 'pin', purpose: { kind: 'stamp', action: 'out' } });
    it.act({ kind: 'pin', pin: '012345' });
    expect(it.last('stamp')).toMatchObject({ pin: '012345' });
  });

  it('the choice shows what was recorded a moment ago in place of the opposite', () => {
    const it = atChoice({ recorded: { action: 'in', at: '2026-11-23T06:59:40Z' } });
    expect(it.state).toMatchObject({ at: 'done', repeat: true, action: 'in', time: Date.UTC(2026, 10, 23, 6, 59, 40) });
    expect(it.pass(3_000).at).toBe('home');
  });

  it('the choice records nothing without a touch for a badge that was just stamped', () => {
    const it = atDone()
      .pass(3_000)
      .hold()
      .prove({ state: 'out', actions: ['in'] })
      .pass(29_000);
    expect(it.state).toMatchObject({ at: 'choice', default: undefined });
    it.act({ kind: 'cancel' }).pass(times.afterStamp).hold().prove();
    expect(it.state).toMatchObject({ at: 'choice', default: 'out' });
  });

  it('a finger that meant the person before does nothing', () => {
    const it = atChoice().act({ kind: 'cancel' }).hold('emil').prove({}, 'emil');
    it.send({ kind: 'act', action: 'out', visit: 1 });
    expect(it.at).toBe('choice');
  });
});

describe('choosing a PIN', () => {
  const choice = { session: 'csn_9', firstName: 'Jana', language: 'en' } as const;
  const atChoosing = () => {
    const it = door({ issuing: 'Jana' }).hold();
    return it.send({ kind: 'choose_pin', visit: it.door.visit, uid: 'jana', choice });
  };
  const type = (it: ReturnType<typeof door>, pin: string) => it.act({ kind: 'pin', pin });

  it('a new PIN is typed twice and sent once, and the screen says that it is set', () => {
    const it = type(atChoosing(), '406318');
    expect(it.state).toMatchObject({ at: 'choose_pin', differs: false });
    expect(it.last('choose_pin')).toBe(undefined);
    expect(it.text()).toContain('"again":true');
    expect(it.text()).not.toContain('406318');
    type(it, '406318');
    expect(it.last('choose_pin')).toMatchObject({ session: 'csn_9', pin: '406318' });
    expect(it.send({ kind: 'pin_saved', visit: it.door.visit }).at).toBe('pin_chosen');
    expect([it.text().includes('Jana'), it.effects.at(-1)]).toEqual([false, { kind: 'sound', sound: 'accept' }]);
  });

  it('choosing a PIN begins again where the two differ', () => {
    const it = type(type(atChoosing(), '406318'), '406319');
    expect(it.state).toMatchObject({ at: 'choose_pin', first: undefined, differs: true });
    expect(type(type(it, '271828'), '271828').last('choose_pin')).toMatchObject({ pin: '271828' });
  });

  it('a new PIN has six digits, and is asked for in the language of the person', () => {
    for (const pin of ['12345', '1234567', '12345a'])
      expect(type(atChoosing(), pin).state).toMatchObject({ first: undefined });
    expect(languageOf(atChoosing().door, settings)).toBe('en');
  });

  it('choosing a PIN ends with a cancel, with another badge and after 55 seconds; the same badge may lie there', () => {
    for (const leave of [
      (it: ReturnType<typeof door>) => it.act({ kind: 'cancel' }),
      (it: ReturnType<typeof door>) => it.hold('emil'),
      (it: ReturnType<typeof door>) => it.pass(55_000),
    ])
      expect(leave(atChoosing()).last('end')).toEqual({ kind: 'end', session: 'csn_9' });
    expect(atChoosing().hold('jana').pass(54_999).at).toBe('choose_pin');
  });

  it('the screen says that the badge is ready where the PIN could not be saved', () => {
    const it = type(type(atChoosing(), '406318'), '406318');
    expect(it.hold('emil').at).toBe('saving_pin');
    expect(it.send({ kind: 'pin_not_saved', visit: it.door.visit }).at).toBe('pin_not_chosen');
    expect(type(type(atChoosing(), '406318'), '406318').pass(times.saving).at).toBe('pin_not_chosen');
  });
});

describe('pin', () => {
  const atPin = () => atChoice().act({ kind: 'account' });

  it('the right PIN opens the account', () => {
    const it = atPin().act({ kind: 'pin', pin: '012345' });
    expect(it.last('info')).toEqual({ kind: 'info', visit: 1, session: 'csn_1', pin: '012345' });
    const info = { worked_today_minutes: 192, balance_minutes: 760, vacation_days_left: 11.5 };
    it.send({ kind: 'info', visit: it.door.visit, info });
    expect(it.at).toBe('account');
    expect(it.last('end')).toBeDefined();
    expect(it.pass(9_999).at).toBe('account');
    expect(it.pass(1).at).toBe('home');
  });

  it('the PIN is not asked for where the terminal shows balances without it, nor offered where it shows none', () => {
    expect(atChoice({}, { infoWithoutPin: true }).act({ kind: 'account' }).last('info')).toMatchObject({
      pin: undefined,
    });
    expect(atChoice({}, { info: false }).act({ kind: 'account' }).at).toBe('choice');
  });

  it('a wrong one stays, and says how many tries are left', () => {
    const it = atPin().act({ kind: 'pin', pin: '999999' }).notGiven({ why: 'pin_wrong', triesLeft: 3 });
    expect(it.state).toMatchObject({ at: 'pin', wrong: { triesLeft: 3 } });
    expect(it.text()).not.toContain('999999');
  });

  it('a locked one says for how long, as far as the service does', () => {
    const locked = (lockedFor?: number) =>
      atPin().act({ kind: 'pin', pin: '999999' }).notGiven({ why: 'pin_locked', lockedFor }).pass(1_000).text();
    expect(locked(61_000)).toContain('"screen":{"name":"locked","firstName":"Jana","minutes":1}');
    expect(locked(61_001)).toContain('"minutes":2');
    expect(locked()).toContain('"screen":{"name":"locked","firstName":"Jana"}');
  });

  it.each(['12345', '1234567', '１２３４５６', '12345\n'])('%j is none', (pin) => {
    expect(atPin().act({ kind: 'pin', pin }).at).toBe('pin');
  });

  it('asking for the PIN ends with cancel or after thirty seconds', () => {
    expect(atPin().act({ kind: 'cancel' }).at).toBe('home');
    expect(atPin().pass(29_999).at).toBe('pin');
    expect(atPin().pass(30_000).at).toBe('home');
  });

  it('asking for the PIN ends when the service waits no longer, thirty seconds after its last answer', () => {
    const afterChoice = atChoice({ pinRequired: true }).act({ kind: 'touch' }).pass(20_000);
    expect(afterChoice.act({ kind: 'act', action: 'out' }).pass(9_999).at).toBe('pin');
    expect(afterChoice.pass(1).at).toBe('home');
    const afterStamp = atDone().pass(2_000).act({ kind: 'account' });
    expect([afterStamp.pass(27_999).at, afterStamp.pass(1).at]).toEqual(['pin', 'home']);
    const afterWrongPin = atPin().pass(25_000).act({ kind: 'pin', pin: '999999' }).notGiven({ why: 'pin_wrong' });
    expect([afterWrongPin.pass(29_999).at, afterWrongPin.pass(1).at]).toEqual(['pin', 'home']);
  });

  it.each([
    { why: 'card_refused' },
    { why: 'unsure' },
    { why: 'failed', by: 'unreachable' },
    { why: 'failed', by: 'switched_off' },
  ])('an account that cannot be shown does not deny the stamp before it: %j', (reply) => {
    const it = atDone().act({ kind: 'account' }).act({ kind: 'pin', pin: '012345' }).notGiven(reply);
    expect(it.state).toMatchObject({ at: 'no_account', stamped: true, noPin: false });
    expect(it.last('end')).toBeDefined();
    expect(it.pass(times.refused).at).toBe('home');
  });

  it('an account that does not come in time does not deny the stamp before it', () => {
    const it = atDone().act({ kind: 'account' }).act({ kind: 'pin', pin: '012345' }).pass(times.saving);
    expect(it.state).toMatchObject({ at: 'no_account', stamped: true });
  });

  it('a person without a PIN is not asked for it again', () => {
    const noPin = { why: 'failed', by: 'no_pin' };
    const stamping = atChoice({ pinRequired: true }).act({ kind: 'act', action: 'out' });
    expect(stamping.act({ kind: 'pin', pin: '012345' }).notGiven(noPin).state).toMatchObject({
      at: 'failed',
      why: 'no_pin',
    });
    expect(atPin().act({ kind: 'pin', pin: '012345' }).notGiven(noPin).state).toMatchObject({
      at: 'no_account',
      stamped: false,
      noPin: true,
    });
  });
});

describe('saving', () => {
  it('admits after a second that it waits, and after ten that it does not know', () => {
    const it = atSaving().pass(999);
    expect(it.state).toMatchObject({ late: false });
    expect(it.pass(1).state).toMatchObject({ at: 'saving', late: true });
    expect(it.pass(8_999).at).toBe('saving');
    const { visit } = it.door;
    expect(it.pass(1).at).toBe('unsure');
    // An answer that comes now meets another screen.
    it.send({ kind: 'stamped', visit, stamp: { state: 'out', server_time: '2026-11-23T07:00:05Z', warnings: [] } });
    expect(it.at).toBe('unsure');
  });

  it('after an answer that never came the next visit does nothing by itself, for ten minutes', () => {
    const it = atSaving().notGiven({ why: 'unsure' }).pass(6_000).hold().prove();
    expect(it.state).toMatchObject({ at: 'choice', default: undefined, countdownEnd: undefined });
    it.hold('jana');
    expect(it.last('stamp')).toMatchObject({ visit: 1 });
    const laterDoor = atSaving().notGiven({ why: 'unsure' }).pass(times.afterUnsure).hold().prove();
    expect(laterDoor.state).toMatchObject({ default: 'out' });
  });

  it('the screen says what is recorded, for three seconds, or six with a warning', () => {
    expect(atDone().state).toMatchObject({ at: 'done', action: 'out', repeat: false });
    expect(atDone().pass(2_999).at).toBe('done');
    expect(atDone().pass(3_000).at).toBe('home');
    const warning = atSaving().stamped({ warnings: [{ message: 'Ruhezeit.' }, { message: 'Sonntag.' }] });
    expect(warning.state).toMatchObject({ warning: 'Ruhezeit.' });
    expect(warning.pass(5_999).at).toBe('done');
    expect(warning.pass(1).at).toBe('home');
  });

  it('the screen says what is recorded where that is another action', () => {
    expect(atSaving().stamped({ action: 'in', repeated: true }).state).toMatchObject({ action: 'in', repeat: true });
  });

  it('no badge gets in between', () => {
    expect(atSaving().hold('emil').at).toBe('saving');
  });

  it.each(['month_closed', 'changed', 'unreachable', 'switched_off', 'stopped', 'other'] as const)(
    'the screen says that nothing is recorded: %s',
    (by) => {
      expect(atSaving().notGiven({ why: 'failed', by }).state).toMatchObject({ at: 'failed', why: by });
    },
  );
});

describe('done', () => {
  it('the outcome gives way to the next badge at once, and its name with it', () => {
    const it = atDone().hold('emil');
    expect(it.at).toBe('checking');
    expect(it.text()).not.toContain('Jana');
    expect(it.last('end')).toEqual({ kind: 'end', session: 'csn_1' });
  });

  it('the outcome leads to the account within the same session', () => {
    const it = atDone().act({ kind: 'account' });
    expect(it.state).toMatchObject({ at: 'pin', purpose: { kind: 'account' } });
    expect(it.last('end')).toBeUndefined();
  });
});

describe('without the service', () => {
  const offline = () => door().send({ kind: 'conditions', changes: { online: false } });

  it('the screen knows since when the service is away', () => {
    const it = offline()
      .pass(60_000)
      .send({ kind: 'conditions', changes: { online: false } });
    expect(it.door.conditions.offlineSince).toBe(start);
    expect(it.send({ kind: 'conditions', changes: { online: true } }).door.conditions.offlineSince).toBeUndefined();
  });

  it('offers all four, makes none by itself, and says saved only when it is', () => {
    const it = offline().hold();
    expect(it.at).toBe('offline_choice');
    expect(it.pass(29_999).at).toBe('offline_choice');
    it.act({ kind: 'act', action: 'break_end' });
    expect(it.last('record')).toEqual({ kind: 'record', visit: it.door.visit, uid: 'jana', action: 'break_end' });
    expect(it.at).toBe('offline_saving');
    it.send({ kind: 'recorded', visit: it.door.visit, time: start });
    expect(it.at).toBe('offline_saved');
    expect(it.last('sound')).toEqual({ kind: 'sound', sound: 'offline' });
    expect(it.pass(3_000).at).toBe('home');
  });

  it('the screen says that nothing was saved where the disk did not take it', () => {
    const it = offline().hold().act({ kind: 'act', action: 'in' });
    it.send({ kind: 'not_recorded', visit: it.door.visit });
    expect(it.state).toMatchObject({ at: 'failed', why: 'not_written' });
  });

  it('a choice without the service ends with cancel or after thirty seconds', () => {
    expect(offline().hold().act({ kind: 'cancel' }).at).toBe('home');
    expect(offline().hold().pass(30_000).at).toBe('home');
  });

  it('the terminal records nothing where the service would not take it', () => {
    const it = offline()
      .send({ kind: 'conditions', changes: { recordsOffline: false } })
      .hold();
    expect(it.state).toMatchObject({ at: 'failed', why: 'unreachable' });
  });
});

it('the machine shows a name only while that person is there, and is never stuck', () => {
  const uid = fc.constantFrom('jana', 'emil');
  const event = fc.oneof(
    fc.record({ do: fc.constant('hold' as const), uid }),
    fc.record({ do: fc.constant('prove' as const), pinRequired: fc.boolean() }),
    fc.record({
      do: fc.constant('end' as const),
      how: fc.constantFrom('refused' as const, 'removed' as const, 'unreachable' as const),
    }),
    fc.record({ do: fc.constant('stamped' as const) }),
    fc.record({
      do: fc.constant('not_given' as const),
      why: fc.constantFrom('pin_wrong', 'pin_locked', 'card_refused', 'unsure'),
    }),
    fc.record({
      do: fc.constant('act' as const),
      kind: fc.constantFrom('touch' as const, 'account' as const, 'cancel' as const, 'close' as const),
    }),
    fc.record({
      do: fc.constant('choose' as const),
      action: fc.constantFrom('in' as const, 'out' as const, 'break_start' as const),
    }),
    fc.record({ do: fc.constant('conditions' as const), online: fc.boolean(), readerReady: fc.boolean() }),
    fc.record({ do: fc.constant('recorded' as const) }),
    fc.record({ do: fc.constant('pass' as const), milliseconds: fc.nat(12_000) }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const it = door();
      for (const event of events) {
        if (event.do === 'hold') it.hold(event.uid);
        else if (event.do === 'prove') it.prove({ pinRequired: event.pinRequired });
        else if (event.do === 'end') it.end(event.how);
        else if (event.do === 'stamped') it.stamped();
        else if (event.do === 'not_given') it.notGiven({ why: event.why, triesLeft: 2 });
        else if (event.do === 'act') it.act({ kind: event.kind });
        else if (event.do === 'choose') it.act({ kind: 'act', action: event.action });
        else if (event.do === 'conditions')
          it.send({ kind: 'conditions', changes: { online: event.online, readerReady: event.readerReady } });
        else if (event.do === 'recorded') it.send({ kind: 'recorded', visit: it.door.visit, time: start });
        else it.pass(event.milliseconds);
        const isPersonal = ['choice', 'pin', 'saving', 'done', 'account', 'locked', 'unsure'].includes(it.at);
        expect(it.text().includes('Jana')).toBe(isPersonal);
      }
      // After every sequence: when nobody does anything, no person's screen stays.
      if (it.at === 'offline_saving') it.send({ kind: 'not_recorded', visit: it.door.visit });
      it.pass(60_000);
      expect(it.at).toBe('home');
      expect(it.effects.filter(({ kind }) => kind === 'stamp').length).toBeLessThanOrEqual(events.length);
    }),
    { seed: 20261122, numRuns: 500 },
  );
});
