import type { Outcome } from '../relay.js';
import type { State } from './machine.js';

/** The outcome of one card, for tools: undefined while it goes on. */
export function outcomeOf(before: State, after: State): Outcome | undefined {
  // A second refusal in a row is another one.
  if (before === after) return undefined;
  switch (after.at) {
    case 'done': {
      const { action, repeat, time, warning, person } = after;
      const { firstName } = person;
      if (repeat) return { kind: 'repeated', firstName, action };
      const state = ({ in: 'in', out: 'out', break_start: 'on_break', break_end: 'in' } as const)[action];
      const warnings = warning === undefined ? [] : [{ message: warning }];
      return {
        kind: 'stamped',
        firstName,
        action,
        stamp: { state, server_time: new Date(time).toISOString(), warnings },
      };
    }
    case 'issued':
    case 'removed':
      return { kind: after.at };
    case 'choose_pin':
      return before.at === 'choose_pin' ? undefined : { kind: 'issued' };
    case 'refused':
      return { kind: 'refused', code: 'card_refused', error: 'The card was refused.' };
    case 'locked':
      return { kind: 'refused', code: 'pin_locked', error: 'The PIN is locked.', firstName: after.person.firstName };
    case 'unsure':
      return { kind: 'uncertain', firstName: after.person.firstName };
    case 'failed':
      return after.why === 'unreachable'
        ? { kind: 'unreachable', reason: 'no answer' }
        : { kind: 'refused', code: after.why, error: 'Nothing was recorded.' };
    case 'no_account':
      return after.stamped ? undefined : { kind: 'nothing_chosen', firstName: after.person.firstName };
    case 'offline_saved':
      return { kind: 'recorded_offline', action: after.action };
    case 'home':
      return before.at === 'choice' || before.at === 'pin'
        ? { kind: 'nothing_chosen', firstName: before.person.firstName }
        : undefined;
    default:
      return undefined;
  }
}
