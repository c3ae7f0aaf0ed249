/**
 * The door screen as a state machine: pure, with time handed in. An event goes in, the next state and the effects
 * come out. States, transitions and times are those of the table in docs/guides/entrance-pc.md.
 */
import type { ClockStateName, PinChoice, Proof, Stamp, TerminalAction, TerminalInfo } from '../terminal-api.js';

export type Language = 'de' | 'en';

/** Conditions for everyone at the door. */
export interface Conditions {
  readonly pairing: 'starting' | 'unpaired' | 'confirming' | 'confirmed';
  /** Own key's fingerprint, for `confirming`. */
  readonly fingerprint: string;
  /** The code that was accepted, for `confirming`. */
  readonly code?: string | undefined;
  readonly online: boolean;
  /** The service takes no badges from this terminal. */
  readonly stopped: boolean;
  /** The instant at which the service was lost, as the machine counts. */
  readonly offlineSince?: number | undefined;
  readonly readerReady: boolean;
  /** The service takes offline stamps, and they can be sealed and numbered. */
  readonly recordsOffline: boolean;
  /** Offline stamps that wait for the service. */
  readonly waiting: number;
  /** True if balances can be shown; `infoWithoutPin` if even without the PIN. */
  readonly info: boolean;
  readonly infoWithoutPin: boolean;
  /** The terminal's name. */
  readonly place?: string | undefined;
  /** First name of the person whose badge is issued here now. */
  readonly issuing?: string | undefined;
}

export interface Settings {
  readonly language: Language;
  /** Milliseconds until the default action is made; undefined means never. */
  readonly countdown: number | undefined;
}

/** The person whose badge has proved itself. */
export interface Person {
  readonly uid: string;
  readonly session: string;
  readonly firstName: string;
  readonly state: ClockStateName;
  /** Since when, milliseconds since 1970; undefined if the service does not say. */
  readonly since: number | undefined;
  readonly actions: readonly TerminalAction[];
  readonly pinRequired: boolean;
  /** Still clocked in from an earlier working day. */
  readonly forgotten: boolean;
  readonly language: Language | undefined;
  /** The service's last answer: it waits so long again for the next request. */
  readonly answeredAt: number;
}

/** Reasons why nothing was stamped, other than the badge. */
export type Failure =
  | 'month_closed'
  | 'department_not_allowed'
  /** The clock state is another one meanwhile. */
  | 'changed'
  /** The service does not answer, and nothing was sent that it could have recorded. */
  | 'unreachable'
  /** The service answers, but has not decided in time: it limits requests, or a dialogue takes too long. */
  | 'busy'
  /** The offline stamp could not be written. */
  | 'not_written'
  | 'switched_off'
  /** The terminal is stopped. */
  | 'stopped'
  /** A PIN is needed, and the person has none. */
  | 'no_pin'
  | 'other';

/** `refused` is a reason other than the code, which the log says. */
export type PairingFailure = 'wrong' | 'unreachable' | 'refused';

type Purpose = { readonly kind: 'stamp'; readonly action: TerminalAction } | { readonly kind: 'account' };

export type State =
  /** Nobody is there. The screen depends on the conditions. */
  | { readonly at: 'home'; readonly pairing?: 'busy' | PairingFailure | undefined }
  | { readonly at: 'checking'; readonly uid: string; readonly shown: boolean; readonly from: number }
  | {
      readonly at: 'choice';
      readonly person: Person;
      readonly default: TerminalAction | undefined;
      /** The instant of the default stamp; undefined after a touch, or without a countdown. */
      readonly countdownEnd: number | undefined;
      readonly until: number;
    }
  | {
      readonly at: 'pin';
      readonly person: Person;
      readonly purpose: Purpose;
      /** A wrong PIN was entered; the number of tries left, if the service says. */
      readonly wrong: { readonly triesLeft: number | undefined } | undefined;
      readonly stamped: boolean;
      readonly until: number;
    }
  | {
      readonly at: 'saving';
      readonly person: Person;
      readonly purpose: Purpose;
      readonly stamped: boolean;
      /** True if the answer is late by now. */
      readonly late: boolean;
      readonly from: number;
    }
  | {
      readonly at: 'done';
      readonly person: Person;
      readonly action: TerminalAction;
      /** Nothing new: it was recorded before. */
      readonly repeat: boolean;
      readonly time: number;
      readonly warning: string | undefined;
      readonly from: number;
      readonly until: number;
    }
  | {
      readonly at: 'account';
      readonly person: Person;
      readonly info: TerminalInfo;
      readonly until: number;
    }
  /** The holder of a new badge chooses a PIN. */
  | {
      readonly at: 'choose_pin';
      readonly uid: string;
      readonly choice: PinChoice;
      /** Entered once; undefined before. Never in a frame. */
      readonly first: string | undefined;
      /** The two did not agree. */
      readonly differs: boolean;
      readonly until: number;
    }
  | { readonly at: 'saving_pin'; readonly choice: PinChoice; readonly from: number }
  | { readonly at: 'pin_chosen' | 'pin_not_chosen'; readonly until: number }
  | { readonly at: 'refused' | 'removed' | 'issued'; readonly until: number }
  | { readonly at: 'failed'; readonly why: Failure; readonly person: Person | undefined; readonly until: number }
  /** The balances cannot be shown; `stamped` if a stamp was recorded before. */
  | {
      readonly at: 'no_account';
      readonly person: Person;
      readonly stamped: boolean;
      readonly noPin: boolean;
      readonly until: number;
    }
  | {
      readonly at: 'locked';
      readonly person: Person;
      /** The end of the lock; undefined if the service does not say. */
      readonly lockEnd: number | undefined;
      readonly until: number;
    }
  | { readonly at: 'unsure'; readonly person: Person; readonly until: number }
  | { readonly at: 'offline_choice'; readonly uid: string; readonly until: number }
  | { readonly at: 'offline_saving'; readonly uid: string; readonly action: TerminalAction }
  | {
      readonly at: 'offline_saved';
      readonly action: TerminalAction;
      readonly time: number;
      readonly from: number;
      readonly until: number;
    };

export interface Door {
  readonly state: State;
  readonly conditions: Conditions;
  /** Counts people: events of an earlier visit are ignored. */
  readonly visit: number;
  /** The other language, chosen by hand, and the end of that choice while nobody is there. */
  readonly languageChoice: { readonly language: Language; readonly until: number } | undefined;
  /** Badges for which nothing happens without a touch, by UID, and until when: they were just stamped. */
  readonly recentlyStampedUids: ReadonlyMap<string, number>;
}

/** The end of a dialogue with a card without a proof. */
export type CardEnd =
  | 'refused'
  | 'removed'
  | 'issued'
  | 'unreachable'
  | 'busy'
  | 'department_not_allowed'
  | 'switched_off'
  | 'stopped';

/** Reasons why a stamp or the balances were not given. */
export type NotGiven =
  | { readonly why: 'pin_wrong'; readonly triesLeft: number | undefined }
  /** For so many milliseconds, if the service says. */
  | { readonly why: 'pin_locked'; readonly lockedFor: number | undefined }
  | { readonly why: 'pin_required' | 'card_refused' | 'unsure' }
  | { readonly why: 'failed'; readonly by: Failure };

export type Event =
  | { readonly kind: 'card'; readonly uid: string }
  /** A card that cannot be a badge: no UID, or a random one. */
  | { readonly kind: 'no_badge' }
  | { readonly kind: 'proved'; readonly visit: number; readonly proof: Proof; readonly uid: string }
  | { readonly kind: 'ended'; readonly visit: number; readonly how: CardEnd }
  | { readonly kind: 'choose_pin'; readonly visit: number; readonly uid: string; readonly choice: PinChoice }
  | { readonly kind: 'pin_saved' | 'pin_not_saved'; readonly visit: number }
  | { readonly kind: 'stamped'; readonly visit: number; readonly stamp: Stamp }
  | { readonly kind: 'info'; readonly visit: number; readonly info: TerminalInfo }
  | ({ readonly kind: 'not_given'; readonly visit: number } & NotGiven)
  | { readonly kind: 'recorded'; readonly visit: number; readonly time: number }
  | { readonly kind: 'not_recorded'; readonly visit: number }
  | { readonly kind: 'pairing_failed'; readonly how: PairingFailure }
  | { readonly kind: 'conditions'; readonly changes: Partial<Conditions> }
  | { readonly kind: 'time' }
  | ({ readonly visit: number } & Act);

/** Actions of people at the screen. */
export type Act =
  | { readonly kind: 'touch' | 'account' | 'cancel' | 'close' | 'language' }
  | { readonly kind: 'act'; readonly action: TerminalAction }
  | { readonly kind: 'pin'; readonly pin: string }
  | { readonly kind: 'code'; readonly code: string };

export type Effect =
  | { readonly kind: 'prove'; readonly visit: number; readonly uid: string }
  /** The dialogue with the card is of no use any more. */
  | { readonly kind: 'forget_card' }
  | {
      readonly kind: 'stamp';
      readonly visit: number;
      readonly session: string;
      readonly action: TerminalAction;
      readonly pin: string | undefined;
    }
  | { readonly kind: 'info'; readonly visit: number; readonly session: string; readonly pin: string | undefined }
  | { readonly kind: 'choose_pin'; readonly visit: number; readonly session: string; readonly pin: string }
  | { readonly kind: 'end'; readonly session: string }
  | { readonly kind: 'record'; readonly visit: number; readonly uid: string; readonly action: TerminalAction }
  | { readonly kind: 'pair'; readonly code: string }
  | { readonly kind: 'sound'; readonly sound: 'accept' | 'refuse' | 'offline' };

export interface Step {
  readonly door: Door;
  readonly effects: readonly Effect[];
}

/** Milliseconds. */
export const times = {
  /** Before "hold still" is shown. */
  still: 200,
  checking: 10_000,
  person: 30_000,
  /** The service waits a minute. */
  choosePin: 55_000,
  late: 1_000,
  saving: 10_000,
  done: 3_000,
  doneWithWarning: 6_000,
  account: 10_000,
  refused: 6_000,
  offlineSaved: 3_000,
  language: 60_000,
  afterStamp: 60_000,
  afterUnsure: 600_000,
} as const;

export function newDoor(conditions: Conditions): Door {
  return { state: { at: 'home' }, conditions, visit: 0, languageChoice: undefined, recentlyStampedUids: new Map() };
}

/** @param now milliseconds by a clock that nothing sets; deadlines count by it. */
export function step(door: Door, event: Event, now: number, settings: Settings): Step {
  switch (event.kind) {
    case 'conditions':
      return changeConditions(door, event.changes, now);
    case 'time':
      return passTime(door, now);
    case 'card':
      return holdCard(door, event.uid, now);
    case 'no_badge':
      return mayHold(door) ? refuse(leave(door), now) : { door, effects: [] };
    case 'pairing_failed':
      return door.state.at === 'home'
        ? { door: { ...door, state: { at: 'home', pairing: event.how } }, effects: [sound('refuse')] }
        : { door, effects: [] };
  }
  // Everything else belongs to one visit: a late answer or a late finger does not meet the next person.
  if (event.visit !== door.visit) return { door, effects: [] };
  switch (event.kind) {
    case 'proved':
    case 'ended':
      return hearDialogue(door, event, now, settings);
    case 'choose_pin':
      return letChoosePin(door, event, now);
    case 'pin_saved':
    case 'pin_not_saved':
      return hearPinSaved(door, event, now);
    case 'stamped':
    case 'info':
    case 'not_given':
      return hearAnswer(door, event, now);
    case 'recorded':
    case 'not_recorded':
      return hearJournal(door, event, now);
    default:
      return touch(door, event, now, settings);
  }
}

/** The next instant at which time itself changes something; undefined if there is none. */
export function deadlineOf({ state, languageChoice }: Door): number | undefined {
  switch (state.at) {
    case 'home':
      return languageChoice?.until;
    case 'checking':
      return state.from + (state.shown ? times.checking : times.still);
    case 'choice':
      return Math.min(state.countdownEnd ?? state.until, state.until);
    case 'saving':
      return state.from + (state.late ? times.saving : times.late);
    case 'saving_pin':
      return state.from + times.saving;
    case 'offline_saving':
      return undefined;
    default:
      return state.until;
  }
}

/**
 * The action that is made without a choice: clock in or out, and back from a break; none after a forgotten clock-out,
 * where only the person knows whether work went on.
 */
export function defaultAction({
  state,
  actions,
  forgotten,
}: Pick<Person, 'state' | 'actions' | 'forgotten'>): TerminalAction | undefined {
  if (forgotten) return undefined;
  const defaultActions = { out: 'in', in: 'out', on_break: 'break_end' } as const;
  return actions.includes(defaultActions[state]) ? defaultActions[state] : undefined;
}

/** The language chosen by hand, else the person's own, else the door's. */
export function languageOf(door: Door, settings: Settings): Language {
  const { state, languageChoice } = door;
  const language = 'choice' in state ? state.choice.language : personOf(state)?.language;
  return languageChoice?.language ?? language ?? settings.language;
}

export function personOf(state: State): Person | undefined {
  return 'person' in state ? state.person : undefined;
}

/** A stay at this screen: nobody is in the middle of something that another badge would destroy. */
function mayHold({ state, conditions }: Door): boolean {
  if (conditions.pairing !== 'confirmed' || !conditions.readerReady) return false;
  return state.at !== 'saving' && state.at !== 'saving_pin' && state.at !== 'offline_saving';
}

/** True if a badge held there can prove itself; while one is being issued, a stopped terminal takes it. */
export function takesBadges({ online, stopped, issuing }: Conditions): boolean {
  return online && (!stopped || issuing !== undefined);
}

function holdCard(door: Door, uid: string, now: number): Step {
  const { state, conditions } = door;
  if (!mayHold(door)) return { door, effects: [] };
  if (state.at === 'choice' && state.person.uid === uid) {
    return state.default === undefined
      ? { door: stopCountdown(door, state), effects: [] }
      : choose(door, state.person, state.default, now);
  }
  if (state.at === 'pin' && state.person.uid === uid) return { door, effects: [] };
  if (state.at === 'choose_pin' && state.uid === uid) return { door, effects: [] };
  if (state.at === 'offline_choice' && state.uid === uid) return { door, effects: [] };
  const homeDoor = leave(door);
  const visit = door.visit + 1;
  if (takesBadges(conditions)) {
    const next: Door = { ...homeDoor.door, visit, state: { at: 'checking', uid, shown: false, from: now } };
    return { door: next, effects: [...homeDoor.effects, { kind: 'prove', visit, uid }] };
  }
  if (!conditions.recordsOffline)
    return fail({ ...homeDoor, door: { ...homeDoor.door, visit } }, conditions.online ? 'stopped' : 'unreachable', now);
  return { door: offerOffline({ ...homeDoor.door, visit }, uid, now), effects: homeDoor.effects };
}

function offerOffline(door: Door, uid: string, now: number): Door {
  return { ...door, state: { at: 'offline_choice', uid, until: now + times.person } };
}

function hearDialogue(
  door: Door,
  event: Extract<Event, { kind: 'proved' | 'ended' }>,
  now: number,
  settings: Settings,
): Step {
  const { state, conditions } = door;
  if (state.at !== 'checking') return { door, effects: [] };
  const unchanged: Step = { door, effects: [] };
  if (event.kind === 'proved') {
    const { proof, uid } = event;
    const person: Person = {
      uid,
      session: proof.session,
      firstName: proof.firstName,
      state: proof.state,
      since: proof.since === undefined ? undefined : Date.parse(proof.since),
      actions: proof.actions,
      pinRequired: proof.pinRequired,
      forgotten: proof.forgotten === true,
      language: proof.language,
      answeredAt: now,
    };
    if (proof.recorded !== undefined) {
      const { action, at } = proof.recorded;
      const time = Date.parse(at);
      const until = now + times.done;
      const state: State = { at: 'done', person, action, repeat: true, time, warning: undefined, from: now, until };
      return { door: { ...door, state }, effects: [sound('accept')] };
    }
    const justStamped = (door.recentlyStampedUids.get(uid) ?? 0) > now;
    const preselected = justStamped ? undefined : defaultAction(person);
    const countdownEnd =
      preselected === undefined || settings.countdown === undefined ? undefined : now + settings.countdown;
    const until = now + times.person;
    return {
      door: { ...door, state: { at: 'choice', person, default: preselected, countdownEnd, until } },
      effects: [],
    };
  }
  switch (event.how) {
    case 'refused':
      return refuse(unchanged, now);
    case 'removed':
      return {
        door: { ...door, state: { at: 'removed', until: now + times.refused } },
        effects: [sound('refuse')],
      };
    case 'issued':
      return {
        door: {
          ...door,
          conditions: { ...conditions, issuing: undefined },
          state: { at: 'issued', until: now + times.refused },
        },
        effects: [sound('accept')],
      };
    case 'unreachable':
    case 'stopped': {
      const nextConditions = event.how === 'stopped' ? { ...conditions, stopped: true } : goOffline(conditions, now);
      return loseService({ door: { ...door, conditions: nextConditions }, effects: [] }, state.uid, event.how, now);
    }
    default:
      return fail(unchanged, event.how, now);
  }
}

/** The badge is ready; a PIN is missing. */
function letChoosePin(door: Door, { uid, choice }: Extract<Event, { kind: 'choose_pin' }>, now: number): Step {
  if (door.state.at !== 'checking') return { door, effects: [{ kind: 'end', session: choice.session }] };
  const state: State = {
    at: 'choose_pin',
    uid,
    choice,
    first: undefined,
    differs: false,
    until: now + times.choosePin,
  };
  const conditions = { ...door.conditions, issuing: undefined };
  return { door: { ...door, conditions, state }, effects: [sound('accept')] };
}

/** The first time it is kept, the second time compared. */
function takePin(door: Door, state: Extract<State, { at: 'choose_pin' }>, pin: string, now: number): Step {
  const { choice, first } = state;
  if (first === undefined) return { door: { ...door, state: { ...state, first: pin, differs: false } }, effects: [] };
  if (first !== pin)
    return {
      door: { ...door, state: { ...state, first: undefined, differs: true } },
      effects: [sound('refuse')],
    };
  return {
    door: { ...door, state: { at: 'saving_pin', choice, from: now } },
    effects: [{ kind: 'choose_pin', visit: door.visit, session: choice.session, pin }],
  };
}

function hearPinSaved(
  door: Door,
  { kind }: Extract<Event, { kind: 'pin_saved' | 'pin_not_saved' }>,
  now: number,
): Step {
  if (door.state.at !== 'saving_pin') return { door, effects: [] };
  return kind === 'pin_saved'
    ? { door: { ...door, state: { at: 'pin_chosen', until: now + times.refused } }, effects: [sound('accept')] }
    : failPin(door, now);
}

function failPin(door: Door, now: number): Step {
  return { door: { ...door, state: { at: 'pin_not_chosen', until: now + times.refused } }, effects: [sound('refuse')] };
}

function touch(door: Door, event: { readonly visit: number } & Act, now: number, settings: Settings): Step {
  const { state } = door;
  const unchanged: Step = { door, effects: [] };
  switch (state.at) {
    case 'home':
      return touchHome(door, event, now, settings);
    case 'choice':
      if (event.kind === 'act' && state.person.actions.includes(event.action))
        return choose(door, state.person, event.action, now);
      if (event.kind === 'account') return openAccount(door, state.person, false, now);
      if (event.kind === 'cancel') return leave(door);
      return { door: stopCountdown(door, state), effects: [] };
    case 'pin':
      if (event.kind === 'cancel') return leave(door);
      if (event.kind !== 'pin' || !/^[0-9]{6}$/.test(event.pin)) return unchanged;
      return ask(door, state, event.pin, now);
    case 'choose_pin':
      if (event.kind === 'cancel') return leave(door);
      if (event.kind !== 'pin' || !/^[0-9]{6}$/.test(event.pin)) return unchanged;
      return takePin(door, state, event.pin, now);
    case 'done':
      return event.kind === 'account' ? openAccount(door, state.person, true, now) : unchanged;
    case 'account':
    case 'pin_chosen':
    case 'pin_not_chosen':
    case 'refused':
    case 'removed':
    case 'issued':
    case 'failed':
    case 'no_account':
    case 'locked':
    case 'unsure':
      return event.kind === 'cancel' || event.kind === 'close' ? leave(door) : unchanged;
    case 'offline_choice':
      if (event.kind === 'cancel') return leave(door);
      if (event.kind !== 'act') return unchanged;
      return {
        door: { ...door, state: { at: 'offline_saving', uid: state.uid, action: event.action } },
        effects: [{ kind: 'record', visit: door.visit, uid: state.uid, action: event.action }],
      };
    default:
      return unchanged;
  }
}

function touchHome(door: Door, event: Act, now: number, settings: Settings): Step {
  const { pairing } = door.conditions;
  if (event.kind === 'language') {
    const language: Language = languageOf(door, settings) === 'de' ? 'en' : 'de';
    const choice = language === settings.language ? undefined : { language, until: now + times.language };
    return { door: { ...door, languageChoice: choice }, effects: [] };
  }
  if (event.kind === 'code' && pairing === 'unpaired' && !(door.state.at === 'home' && door.state.pairing === 'busy'))
    return {
      door: { ...door, state: { at: 'home', pairing: 'busy' } },
      effects: [{ kind: 'pair', code: event.code }],
    };
  if (event.kind === 'cancel' && pairing === 'confirming')
    return {
      door: {
        ...door,
        state: { at: 'home' },
        conditions: { ...door.conditions, pairing: 'unpaired', code: undefined },
      },
      effects: [],
    };
  return { door, effects: [] };
}

function stopCountdown(door: Door, state: Extract<State, { at: 'choice' }>): Door {
  return { ...door, state: { ...state, countdownEnd: undefined } };
}

function choose(door: Door, person: Person, action: TerminalAction, now: number): Step {
  const purpose: Purpose = { kind: 'stamp', action };
  return person.pinRequired
    ? { door: enterPin(door, person, purpose, false), effects: [] }
    : ask(door, { person, purpose, stamped: false }, undefined, now);
}

function openAccount(door: Door, person: Person, hasStamped: boolean, now: number): Step {
  if (!door.conditions.info) return { door, effects: [] };
  return door.conditions.infoWithoutPin
    ? ask(door, { person, purpose: { kind: 'account' }, stamped: hasStamped }, undefined, now)
    : { door: enterPin(door, person, { kind: 'account' }, hasStamped), effects: [] };
}

/** As long as the service waits: a PIN entered later would end in a refusal of the badge. */
function enterPin(door: Door, person: Person, purpose: Purpose, hasStamped: boolean): Door {
  const until = person.answeredAt + times.person;
  return { ...door, state: { at: 'pin', person, purpose, wrong: undefined, stamped: hasStamped, until } };
}

function ask(
  door: Door,
  { person, purpose, stamped }: { readonly person: Person; readonly purpose: Purpose; readonly stamped: boolean },
  pin: string | undefined,
  now: number,
): Step {
  const { visit } = door;
  const { session } = person;
  return {
    door: { ...door, state: { at: 'saving', person, purpose, stamped, late: false, from: now } },
    effects: [
      purpose.kind === 'stamp'
        ? { kind: 'stamp', visit, session, action: purpose.action, pin }
        : { kind: 'info', visit, session, pin },
    ],
  };
}

function hearAnswer(door: Door, event: Extract<Event, { kind: 'stamped' | 'info' | 'not_given' }>, now: number): Step {
  const { state } = door;
  if (state.at !== 'saving') return { door, effects: [] };
  const { purpose, stamped } = state;
  const person = { ...state.person, answeredAt: now };
  if (event.kind === 'stamped') {
    if (purpose.kind !== 'stamp') return { door, effects: [] };
    const { stamp } = event;
    const warning = stamp.warnings[0]?.message;
    const until = now + (warning === undefined ? times.done : times.doneWithWarning);
    const next: State = {
      at: 'done',
      person,
      action: stamp.action ?? purpose.action,
      repeat: stamp.repeated === true,
      time: Date.parse(stamp.server_time),
      warning,
      from: now,
      until,
    };
    return { door: remember({ ...door, state: next }, person.uid, now, times.afterStamp), effects: [sound('accept')] };
  }
  if (event.kind === 'info') {
    if (purpose.kind !== 'account') return { door, effects: [] };
    return {
      door: { ...door, state: { at: 'account', person, info: event.info, until: now + times.account } },
      effects: [{ kind: 'end', session: person.session }],
    };
  }
  const endStep: Step = { door, effects: [{ kind: 'end', session: person.session }] };
  switch (event.why) {
    case 'pin_wrong': {
      const next = enterPin(door, person, purpose, stamped);
      const wrong = { triesLeft: event.triesLeft };
      return {
        door: { ...next, state: { ...(next.state as Extract<State, { at: 'pin' }>), wrong } },
        effects: [sound('refuse')],
      };
    }
    case 'pin_required':
      return { door: enterPin(door, person, purpose, stamped), effects: [] };
    case 'pin_locked': {
      const lockEnd = event.lockedFor === undefined ? undefined : now + event.lockedFor;
      return {
        door: { ...door, state: { at: 'locked', person, lockEnd, until: now + times.refused } },
        effects: [...endStep.effects, sound('refuse')],
      };
    }
  }
  if (purpose.kind === 'account')
    return missAccount(endStep, state, now, event.why === 'failed' && event.by === 'no_pin');
  switch (event.why) {
    case 'card_refused':
      return refuse(endStep, now);
    case 'unsure':
      return beUnsure(endStep, person, now);
    case 'failed':
      return fail(endStep, event.by, now, person);
  }
}

/** Says nothing about stamps that is not true: one may have been recorded just before. */
function missAccount(
  { door, effects }: Step,
  { person, stamped }: Extract<State, { at: 'saving' }>,
  now: number,
  noPin: boolean,
): Step {
  return {
    door: { ...door, state: { at: 'no_account', person, stamped, noPin, until: now + times.refused } },
    effects: [...effects, sound('refuse')],
  };
}

function beUnsure({ door, effects }: Step, person: Person, now: number): Step {
  const next: Door = { ...door, state: { at: 'unsure', person, until: now + times.refused } };
  return { door: remember(next, person.uid, now, times.afterUnsure), effects: [...effects, sound('refuse')] };
}

function hearJournal(door: Door, event: Extract<Event, { kind: 'recorded' | 'not_recorded' }>, now: number): Step {
  const { state } = door;
  if (state.at !== 'offline_saving') return { door, effects: [] };
  if (event.kind === 'not_recorded') return fail({ door, effects: [] }, 'not_written', now);
  const { action } = state;
  const until = now + times.offlineSaved;
  return {
    door: { ...door, state: { at: 'offline_saved', action, time: event.time, from: now, until } },
    effects: [sound('offline')],
  };
}

function changeConditions(door: Door, changes: Partial<Conditions>, now: number): Step {
  const previous = door.conditions;
  const offlineSince = (changes.online ?? previous.online) ? undefined : (previous.offlineSince ?? now);
  const conditions: Conditions = { ...previous, ...changes, offlineSince };
  const next: Door = { ...door, conditions };
  if (conditions.pairing !== previous.pairing) {
    // The person at the door is at another terminal now.
    const homeDoor = leave(next);
    return conditions.pairing === 'confirmed' && previous.pairing === 'confirming'
      ? { ...homeDoor, effects: [...homeDoor.effects, sound('accept')] }
      : homeDoor;
  }
  return { door: next, effects: [] };
}

function passTime(door: Door, now: number): Step {
  const { state, languageChoice } = door;
  const deadline = deadlineOf(door);
  if (deadline === undefined || now < deadline) return { door, effects: [] };
  const unchanged: Step = { door, effects: [] };
  switch (state.at) {
    case 'home':
      return languageChoice === undefined ? unchanged : { door: { ...door, languageChoice: undefined }, effects: [] };
    case 'checking':
      if (now < state.from + times.checking)
        return { door: { ...door, state: { ...state, shown: true } }, effects: [] };
      return giveUpChecking(door, state.uid, now);
    case 'choice':
      return state.countdownEnd !== undefined && now >= state.countdownEnd && state.default !== undefined
        ? choose(door, state.person, state.default, now)
        : leave(door);
    case 'saving':
      if (now < state.from + times.saving) return { door: { ...door, state: { ...state, late: true } }, effects: [] };
      return state.purpose.kind === 'stamp'
        ? beUnsure({ door: { ...door, visit: door.visit + 1 }, effects: [] }, state.person, now)
        : missAccount({ door: { ...door, visit: door.visit + 1 }, effects: [] }, state, now, false);
    case 'saving_pin':
      return failPin({ ...door, visit: door.visit + 1 }, now);
    default:
      return leave(door);
  }
}

/** The badge is not to blame: the service refuses one at once. */
function giveUpChecking(door: Door, uid: string, now: number): Step {
  const next: Step = { door: { ...door, visit: door.visit + 1 }, effects: [{ kind: 'forget_card' }] };
  return door.conditions.online ? fail(next, 'busy', now) : loseService(next, uid, 'unreachable', now);
}

/** The badge was just held there: nobody has to hold it again. */
function loseService({ door, effects }: Step, uid: string, why: 'unreachable' | 'stopped', now: number): Step {
  return door.conditions.recordsOffline
    ? { door: offerOffline(door, uid, now), effects }
    : fail({ door, effects }, why, now);
}

/** The person is gone: their name, their session and their language with them. */
function leave(door: Door): Step {
  const { state } = door;
  const effects: Effect[] = [];
  if (state.at === 'checking') effects.push({ kind: 'forget_card' });
  if (state.at === 'choice' || state.at === 'pin' || state.at === 'done')
    effects.push({ kind: 'end', session: state.person.session });
  if (state.at === 'choose_pin') effects.push({ kind: 'end', session: state.choice.session });
  // An attempt with a code ends with the pairing that came of it.
  if (state.at === 'home') return { door: { ...door, state: { at: 'home' } }, effects };
  return { door: { ...door, state: { at: 'home' }, visit: door.visit + 1, languageChoice: undefined }, effects };
}

/** Every refusal of a badge looks, sounds and lasts the same. */
function refuse({ door, effects }: Step, now: number): Step {
  return {
    door: { ...door, state: { at: 'refused', until: now + times.refused } },
    effects: [...effects, sound('refuse')],
  };
}

function fail({ door, effects }: Step, why: Failure, now: number, person?: Person): Step {
  return {
    door: { ...door, state: { at: 'failed', why, person, until: now + times.refused } },
    effects: [...effects, sound('refuse')],
  };
}

function goOffline(conditions: Conditions, now: number): Conditions {
  return { ...conditions, online: false, offlineSince: conditions.offlineSince ?? now };
}

function remember(door: Door, uid: string, now: number, duration: number): Door {
  const careful = new Map([...door.recentlyStampedUids].filter(([, until]) => until > now));
  return { ...door, recentlyStampedUids: careful.set(uid, now + duration) };
}

function sound(name: 'accept' | 'refuse' | 'offline'): Effect {
  return { kind: 'sound', sound: name };
}
