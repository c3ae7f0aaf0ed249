/** At a terminal: the card's person, their state and their PIN. */
import { at } from '../json.js';
import { bodyOf, type Changes } from './changes.js';
import type { PossibleStates } from './clocks.js';
import { brief, type History, type Lie, named, type Step, same } from './history.js';

const offered: Readonly<Record<string, readonly string[]>> = {
  out: ['in'],
  in: ['out', 'break_start'],
  on_break: ['out', 'break_end'],
};

export function liesAboutDoors(history: History, changes: Changes, states: PossibleStates): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (step: Step, what: string) => lies.push({ kind: 'door', what: `${named(step)}: ${what}` });
  const tries = new Map<number, number>();
  const infos = new Map<string, Step>();
  const steps = history.of(['openCardSession', 'stepCardSession', 'stampAtTerminal', 'getTerminalInfo']);
  for (const step of [...steps].sort((a, b) => a.until - b.until)) {
    const session = String(at(bodyOf(step), 'session') ?? step.answer?.get('session'));
    const personId = changes.sessions.get(session);
    const person = personId === undefined ? undefined : history.people.get(personId);
    if (person === undefined || personId === undefined) continue;
    const answer = step.answer;
    if (step.status === 200 && answer?.get('result') === 'proved') {
      if (answer.get('first_name') !== person.firstName)
        lie(step, `greets ${brief(answer.get('first_name'))}, the badge is ${person.firstName}'s`);
      const state = String(answer.get('state'));
      const possible = states(personId, step.from, step.until);
      if (possible !== undefined && !possible.has(state))
        lie(step, `${person.firstName} is ${state}, expected ${[...possible].join(' or ')}`);
      const actions = answer.get('actions');
      if (
        Array.isArray(actions) &&
        answer.get('clock_out_missing') !== true &&
        actions.some((one) => !offered[state]?.includes(String(one)))
      )
        lie(step, `offers ${brief(actions)} to somebody who is ${state}`);
    }
    if (step.operation === 'stampAtTerminal' && step.status === 200) {
      const action = String(answer?.get('action') ?? at(bodyOf(step), 'action'));
      const state = { in: 'in', out: 'out', break_start: 'on_break', break_end: 'in' }[action];
      if (answer?.get('state') !== state) lie(step, `${action} leaves ${brief(answer?.get('state'))}`);
    }
    if (step.operation === 'getTerminalInfo' && step.status === 200) {
      const before = infos.get(session);
      if (
        before !== undefined &&
        before.until < step.from &&
        step.until - before.from < 20_000 &&
        !same(before.answer?.json, answer?.json) &&
        Math.abs(Number(before.answer?.get('worked_today_minutes')) - Number(answer?.get('worked_today_minutes'))) > 1
      )
        lie(step, `${brief(answer?.json)}, before ${brief(before.answer?.json)}`);
      infos.set(session, step);
    }
    const code = answer?.get('code');
    if (code === 'pin_wrong') {
      const left = Number(answer?.get('tries_left'));
      const before = tries.get(personId);
      if (before !== undefined && left !== before - 1) lie(step, `${left} tries are left, before there were ${before}`);
      if (before === undefined && left !== 4) lie(step, `${left} tries are left after the first wrong PIN`);
      tries.set(personId, left);
    } else if (code === 'pin_locked') tries.delete(personId);
    else if (step.status === 200 && at(bodyOf(step), 'pin') !== undefined) tries.delete(personId);
  }
  return lies;
}
