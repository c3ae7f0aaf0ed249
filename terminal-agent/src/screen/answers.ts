/** The meaning of the service's answers at the screen. */
import type { DialogueEnd } from '../dialogue.js';
import { PairingFailed } from '../pair.js';
import type { Refused } from '../request.js';
import { type CallResult, type TerminalStatus, triesLeft } from '../terminal-api.js';
import type { CardEnd, Conditions, NotGiven, PairingFailure } from './machine.js';

const endOf = {
  removed: 'removed',
  issued: 'issued',
  busy: 'busy',
  useless: 'unreachable',
  lost: 'unreachable',
  // Only with a stamp named beforehand, and here the person chooses.
  recorded: 'unreachable',
  unsure: 'unreachable',
} as const;

/** The changes of the terminal's conditions in an answer to `status`. */
export function changesBy(reply: CallResult<TerminalStatus>, before: Conditions): Partial<Conditions> {
  if (reply.kind === 'unanswered') return { online: false, issuing: undefined };
  if (reply.kind === 'refused') {
    const unknown = reply.code === 'signature_invalid' || reply.code === 'terminal_unknown';
    // Terminals are switched off: stamps recorded here would wait until somebody switches them on.
    if (reply.code === 'feature_disabled')
      return { online: true, stopped: true, recordsOffline: false, issuing: undefined };
    if (reply.code === 'rate_limited') return { online: true };
    return unknown ? { pairing: 'unpaired', online: true, code: undefined } : { online: false, issuing: undefined };
  }
  const { confirmed, stopped, issuing } = reply.body;
  // After a cancel at the door the administrator may still confirm.
  const waiting = before.pairing === 'unpaired' ? 'unpaired' : 'confirming';
  return {
    pairing: confirmed ? 'confirmed' : waiting,
    code: confirmed ? undefined : before.code,
    online: true,
    stopped: stopped !== undefined,
    issuing: issuing?.person_first_name,
  };
}

/** The reason why a code did not pair this PC. A new code helps only against a wrong one. */
export function pairingFailure(error: unknown): PairingFailure {
  const code = error instanceof PairingFailed ? error.code : undefined;
  if (code === undefined) return 'unreachable';
  return code === 'pairing_code_invalid' ? 'wrong' : 'refused';
}

/** The end of a dialogue without a proof. */
export function cardEnd(end: Exclude<DialogueEnd, { next: 'proved' }>): CardEnd {
  return end.next === 'refused' ? refusalEnd(end.refusal) : endOf[end.next];
}

function refusalEnd({ code }: Refused): CardEnd {
  if (code === 'department_not_allowed') return 'department_not_allowed';
  if (code === 'terminal_stopped') return 'stopped';
  return code === 'feature_disabled' || code === 'terminal_not_confirmed' || code === 'signature_invalid'
    ? 'switched_off'
    : 'refused';
}

/** @param pin sent with the request: if one is still required, the person has none */
export function notGiven(reply: Exclude<CallResult<unknown>, { kind: 'answered' }>, pin: string | undefined): NotGiven {
  if (reply.kind === 'unanswered') return { why: 'unsure' };
  switch (reply.code) {
    case 'pin_wrong':
      return { why: 'pin_wrong', triesLeft: triesLeft(reply) };
    case 'pin_required':
      return pin === undefined ? { why: 'pin_required' } : { why: 'failed', by: 'no_pin' };
    case 'pin_locked':
      return { why: 'pin_locked', lockedFor: reply.retryAfter };
    case 'card_refused':
    case 'employment_ended':
      return { why: 'card_refused' };
    case 'month_closed':
    case 'department_not_allowed':
      return { why: 'failed', by: reply.code };
    case 'already_clocked_in':
    case 'not_clocked_in':
    case 'already_on_break':
    case 'not_on_break':
      return { why: 'failed', by: 'changed' };
    case 'rate_limited':
      return { why: 'failed', by: 'busy' };
    case 'unavailable':
      return { why: 'failed', by: 'unreachable' };
    case 'feature_disabled':
    case 'terminal_not_confirmed':
    case 'signature_invalid':
      return { why: 'failed', by: 'switched_off' };
    case 'terminal_stopped':
      return { why: 'failed', by: 'stopped' };
    default:
      return { why: 'failed', by: 'other' };
  }
}
