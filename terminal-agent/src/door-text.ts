import type { Outcome } from './relay.js';
import type { TerminalAction } from './terminal-api.js';

/** The text for the person at the terminal: one line, times in the terminal's zone. */
export function doorText(outcome: Outcome, timeZone: string): string {
  switch (outcome.kind) {
    case 'stamped': {
      const warnings = outcome.stamp.warnings.map(({ message }) => ` ${message}`).join('');
      return `${outcome.firstName ?? 'Recorded'}: ${pastTense[outcome.action]} at ${clock(outcome.stamp.server_time, timeZone)}${warnings === '' ? '' : `.${warnings}`}`;
    }
    case 'nothing_chosen':
      return `${outcome.firstName}: nothing was stamped`;
    case 'repeated':
      return `${outcome.firstName ?? 'Recorded'}: ${pastTense[outcome.action]} just now. Nothing more was stamped.`;
    case 'counted':
      return `${outcome.firstName}: ${pastTense[outcome.action]}. The earlier stamp counted.`;
    case 'recorded_offline':
      return `Saved: ${pastTense[outcome.action]}. The stamp counts once approved.`;
    case 'issued':
      return 'The badge is ready. Take it away and hold it here again to stamp.';
    case 'refused':
      return `${outcome.firstName === undefined ? '' : `${outcome.firstName}: `}${refusals[outcome.code] ?? outcome.error}`;
    case 'removed':
      return 'The badge was taken away too early. Hold it here until the answer comes.';
    case 'unreadable':
      return 'The card could not be read. Take other cards away and hold the badge flat and still.';
    case 'random_uid':
      return 'This is a phone, a watch or a card without a number of its own. Hold your badge here.';
    case 'unreachable':
      return `The service cannot be reached, nothing was stamped. Please try again. (${outcome.reason})`;
    case 'uncertain':
      return `${outcome.firstName === undefined ? 'T' : `${outcome.firstName}: t`}he connection broke while stamping. Hold your badge here again to see whether it counted.`;
    case 'fault':
      return `The terminal has a fault, nothing was stamped. (${outcome.reason})`;
  }
}

const pastTense: Readonly<Record<TerminalAction, string>> = {
  in: 'clocked in',
  out: 'clocked out',
  break_start: 'break started',
  break_end: 'break ended',
};

/** Refusals in words for people at a terminal; the others carry the service's own sentence. */
const refusals: Readonly<Record<string, string>> = {
  card_refused: 'This badge is not accepted. Please ask the administration.',
  card_unsupported: 'This card cannot be used as a badge.',
  terminal_stopped: 'This terminal takes no badges at the moment. Please use another one, or your phone.',
  department_not_allowed: 'You cannot stamp at this terminal.',
  already_clocked_in: 'already clocked in',
  not_clocked_in: 'not clocked in',
  already_on_break: 'already on a break',
  too_many_breaks: 'no more breaks can be recorded today',
  not_on_break: 'not on a break',
  month_closed: 'this month is closed',
  pin_required: 'a PIN is needed, and this terminal has no way to enter one',
  pin_wrong: 'the PIN is wrong',
  pin_locked: 'the PIN is locked for an hour',
  signature_invalid: 'This terminal is no longer registered. Please inform the administration.',
  terminal_not_confirmed: 'This terminal has not been confirmed yet.',
  feature_disabled: 'Stamping at terminals is switched off.',
};

function clock(instant: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(
    Date.parse(instant),
  );
}
