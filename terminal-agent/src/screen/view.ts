/** The frame for the page at the door. A name is in it only while the screen shows it; a PIN never. */
import type { ClockStateName, TerminalAction, TerminalInfo } from '../terminal-api.js';
import {
  type Door,
  type Failure,
  type Language,
  languageOf,
  type PairingFailure,
  type Settings,
  type State,
  takesBadges,
  times,
} from './machine.js';

export interface Countdown {
  /** Milliseconds from now, and in all. */
  readonly left: number;
  readonly total: number;
}

export type Screen =
  | { readonly name: 'starting' | 'no_reader' | 'checking' | 'refused' | 'removed' | 'issued' | 'offline_choice' }
  | { readonly name: 'pin_chosen' | 'pin_not_chosen' }
  | {
      readonly name: 'choose_pin';
      readonly firstName: string;
      /** True if it was entered once. */
      readonly again: boolean;
      readonly differs: boolean;
    }
  | { readonly name: 'saving_pin'; readonly firstName: string }
  | { readonly name: 'unpaired'; readonly busy: boolean; readonly message: PairingFailure | undefined }
  | { readonly name: 'confirming'; readonly fingerprint: string; readonly code: string | undefined }
  | { readonly name: 'idle'; readonly issuing: string | undefined }
  /** No badge can prove itself, because the service is away or has stopped the terminal. */
  | { readonly name: 'offline'; readonly stopped: boolean; readonly records: boolean; readonly waiting: number }
  | {
      readonly name: 'choice';
      readonly firstName: string;
      readonly state: ClockStateName;
      /** Milliseconds since 1970. */
      readonly since: number | undefined;
      readonly actions: readonly TerminalAction[];
      readonly default: TerminalAction | undefined;
      readonly countdown: Countdown | undefined;
      readonly account: boolean;
    }
  | {
      readonly name: 'pin';
      readonly firstName: string;
      readonly purpose: TerminalAction | 'account';
      readonly wrong: { readonly triesLeft: number | undefined } | undefined;
    }
  | {
      readonly name: 'saving';
      readonly firstName: string;
      readonly purpose: TerminalAction | 'account';
      readonly late: boolean;
    }
  | {
      readonly name: 'done';
      readonly firstName: string;
      readonly action: TerminalAction;
      readonly repeat: boolean;
      readonly time: number;
      readonly warning: string | undefined;
      readonly account: boolean;
      readonly closes: Countdown;
    }
  | { readonly name: 'account'; readonly firstName: string; readonly info: TerminalInfo; readonly closes: Countdown }
  | { readonly name: 'failed'; readonly why: Failure }
  | { readonly name: 'no_account'; readonly stamped: boolean; readonly noPin: boolean }
  | {
      readonly name: 'locked';
      readonly firstName: string;
      /** Whole minutes until the end of the lock; undefined if the service does not say. */
      readonly minutes: number | undefined;
    }
  | { readonly name: 'unsure'; readonly firstName: string }
  | {
      readonly name: 'offline_saved';
      readonly action: TerminalAction;
      readonly time: number;
      readonly closes: Countdown;
    };

/** Settings that do not change while the program runs. */
export interface Appearance {
  readonly theme: 'light' | 'dark' | 'system';
  /** The place of the card reader, seen from the screen. */
  readonly reader: 'right' | 'left' | 'below';
  readonly sound: 'off' | 'quiet' | 'normal';
  /** IANA zone of the times shown. */
  readonly timeZone: string;
  /** Host of the service. */
  readonly service: string;
}

export interface Frame extends Appearance {
  /** Sent back with everything that is done at the screen. */
  readonly visit: number;
  readonly language: Language;
  /** The service's clock when this was made, milliseconds since 1970. */
  readonly now: number;
  readonly place: string | undefined;
  readonly line: 'starting' | 'unpaired' | 'confirming' | 'online' | 'offline';
  readonly offlineSince: number | undefined;
  /** Played once for each number. */
  readonly played: { readonly number: number; readonly sound: 'accept' | 'refuse' | 'offline' } | undefined;
  readonly screen: Screen;
}

/**
 * @param now by the clock by which the machine counts.
 * @param serviceNow by the service's clock.
 */
export function frameOf(
  door: Door,
  settings: Settings,
  appearance: Appearance,
  { now, serviceNow, played }: { readonly now: number; readonly serviceNow: number; readonly played: Frame['played'] },
): Frame {
  const { conditions, visit } = door;
  const { pairing, online, offlineSince, place } = conditions;
  return {
    ...appearance,
    visit,
    language: languageOf(door, settings),
    now: serviceNow,
    place,
    line: pairing !== 'confirmed' ? pairing : online ? 'online' : 'offline',
    offlineSince: offlineSince === undefined ? undefined : offlineSince + (serviceNow - now),
    played,
    screen: screenOf(door, settings, now),
  };
}

function screenOf(door: Door, settings: Settings, now: number): Screen {
  const { state, conditions } = door;
  switch (state.at) {
    case 'home':
      return home(door, state);
    case 'checking':
      return state.shown ? { name: 'checking' } : home(door, { at: 'home' });
    case 'choice': {
      const { person, countdownEnd } = state;
      const countdown =
        countdownEnd === undefined ? undefined : { left: countdownEnd - now, total: settings.countdown ?? 0 };
      const { firstName, since, actions } = person;
      const account = conditions.info;
      return {
        name: 'choice',
        firstName,
        state: person.state,
        since,
        actions,
        default: state.default,
        countdown,
        account,
      };
    }
    case 'pin':
      return {
        name: 'pin',
        firstName: state.person.firstName,
        purpose: state.purpose.kind === 'stamp' ? state.purpose.action : 'account',
        wrong: state.wrong,
      };
    case 'choose_pin':
      return {
        name: 'choose_pin',
        firstName: state.choice.firstName,
        again: state.first !== undefined,
        differs: state.differs,
      };
    case 'saving_pin':
      return { name: 'saving_pin', firstName: state.choice.firstName };
    case 'saving':
      return {
        name: 'saving',
        firstName: state.person.firstName,
        purpose: state.purpose.kind === 'stamp' ? state.purpose.action : 'account',
        late: state.late,
      };
    case 'done': {
      const { person, action, repeat, time, warning, from, until } = state;
      const closes = { left: until - now, total: until - from };
      return {
        name: 'done',
        firstName: person.firstName,
        action,
        repeat,
        time,
        warning,
        account: conditions.info,
        closes,
      };
    }
    case 'account':
      return {
        name: 'account',
        firstName: state.person.firstName,
        info: state.info,
        closes: { left: state.until - now, total: times.account },
      };
    case 'failed':
      return { name: 'failed', why: state.why };
    case 'no_account':
      return { name: 'no_account', stamped: state.stamped, noPin: state.noPin };
    case 'locked': {
      const { person, lockEnd } = state;
      const minutes = lockEnd === undefined ? undefined : Math.max(1, Math.ceil((lockEnd - now) / 60_000));
      return { name: 'locked', firstName: person.firstName, minutes };
    }
    case 'unsure':
      return { name: 'unsure', firstName: state.person.firstName };
    case 'offline_saving':
      return { name: 'offline_choice' };
    case 'offline_saved': {
      const { action, time, from, until } = state;
      return { name: 'offline_saved', action, time, closes: { left: until - now, total: until - from } };
    }
    default:
      return { name: state.at };
  }
}

function home({ conditions }: Door, state: Extract<State, { at: 'home' }>): Screen {
  const { pairing, online, readerReady, recordsOffline, waiting, issuing, fingerprint, code } = conditions;
  if (pairing === 'starting') return { name: 'starting' };
  if (pairing === 'unpaired')
    return {
      name: 'unpaired',
      busy: state.pairing === 'busy',
      message: state.pairing === 'busy' ? undefined : state.pairing,
    };
  if (pairing === 'confirming') return { name: 'confirming', fingerprint, code };
  if (!readerReady) return { name: 'no_reader' };
  return takesBadges(conditions)
    ? { name: 'idle', issuing }
    : { name: 'offline', stopped: online, records: recordsOffline, waiting };
}
