/**
 * The clocks of the kit's people: which stamps a state allows, and what each stamp makes of the state and of its entry
 * (openapi: ClockState, TimeEntry).
 */
import { at } from '../json.js';
import { actionOf, bodyOf, type Changes, changedElsewhere, personOf, type Stamp, stateAfter } from './changes.js';
import { brief, groupedBy, type History, type Lie, named, numberAt, rowsOf, type Step, same } from './history.js';

/** States that a person may have been in at some time of a request; undefined if the memory cannot tell. */
export type PossibleStates = (personId: number, from: number, until: number) => ReadonlySet<string> | undefined;

export function possibleStates(history: History, changes: Changes): PossibleStates {
  const byPerson = groupedBy(changes.stamps, ({ personId }) => personId);
  return (personId, from, until) => {
    const person = history.people.get(personId);
    if (person === undefined) return undefined;
    const stamps = byPerson.get(personId) ?? [];
    const before = stamps.filter((stamp) => stamp.until <= from);
    const last = before.reduce<Stamp | undefined>(
      (latest, one) => (latest === undefined || one.at >= latest.at ? one : latest),
      undefined,
    );
    const since = last?.from ?? person.made.until;
    // What happened at a door or on a page after the last stamp that the memory saw.
    const unseen = changes.elsewhere.some(
      (one) =>
        (one.personId === undefined || one.personId === personId) &&
        one.from <= until &&
        one.until > since &&
        one.from !== last?.from,
    );
    if (unseen && !(last === undefined && !changedElsewhere(changes, personId, person.made.until + 1, until)))
      return undefined;
    const beside = stamps.filter((stamp) => stamp.until > from && stamp.from < until);
    return new Set([
      last === undefined ? 'out' : stateAfter[last.action],
      ...beside.map(({ action }) => stateAfter[action]),
    ]);
  };
}

/** What each answer says about the state before it. */
export const refusals: Readonly<Record<string, readonly string[]>> = {
  already_clocked_in: ['in', 'on_break'],
  not_clocked_in: ['out'],
  already_on_break: ['on_break'],
  not_on_break: ['in', 'out'],
};
const allowed: Readonly<Record<string, readonly string[]>> = {
  in: ['out'],
  out: ['in', 'on_break'],
  break_start: ['in'],
  break_end: ['on_break'],
};

export function liesAboutClocks(
  history: History,
  changes: Changes,
  states: PossibleStates,
  repeated: ReadonlySet<Step>,
): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (step: Step, what: string) => lies.push({ kind: 'clock', what: `${named(step)}: ${what}` });
  const entries = new Map<string, Stamp>();
  for (const step of history.of(Object.keys(actionOf))) {
    if (repeated.has(step)) continue;
    const action = actionOf[step.operation!]!;
    const personId = personOf(step);
    const code = String(step.answer?.get('code'));
    const needed = step.status === 200 ? allowed[action] : step.status === 409 ? refusals[code] : undefined;
    if (personId === undefined || needed === undefined) continue;
    const possible = states(personId, step.from, step.until);
    // The stamp itself is one of those beside the request.
    const others = possible === undefined ? undefined : withoutOwn(step, possible, changes, states, personId);
    if (others !== undefined && !needed.some((state) => others.has(state)))
      lie(
        step,
        `answered ${step.status === 200 ? 'as done' : code} while person ${personId} was ${[...others].join(' or ')}`,
      );
  }
  for (const stamp of [...changes.stamps].sort((a, b) => a.at - b.at)) {
    const { step, state, entry } = stamp;
    if (state === undefined || entry === undefined) {
      // A door shows no entry: what the next stamp leaves as it was is not known.
      entries.delete(String(stamp.personId));
      continue;
    }
    if (
      at(entries.get(String(stamp.personId))?.state, 'updated_at') === state['updated_at'] &&
      entries.get(String(stamp.personId))?.action === stamp.action
    )
      lie(step, `answers with the stamp of ${String(state['updated_at'])}, which another request had made`);
    const wanted = personOf(step);
    if (wanted !== undefined && wanted !== stamp.personId)
      lie(step, `stamped person ${stamp.personId} instead of ${wanted}`);
    if (numberAt(entry, 'user_id') !== stamp.personId)
      lie(step, `shows an entry of person ${String(entry['user_id'])}`);
    const before = entries.get(String(stamp.personId));
    for (const [path, value] of expectedOf(stamp, before)) {
      const [root, ...rest] = path.split('.');
      const is = at(root === 'state' ? state : entry, rest.join('.'));
      if (!same(is, value)) lie(step, `${path} is ${brief(is)}, expected ${brief(value)}`);
    }
    lies.push(...minutesOf(stamp));
    entries.set(String(stamp.personId), stamp);
    const caller = step.caller;
    if (caller !== undefined) {
      const kind = caller.personId === undefined ? 'extension' : 'personal_link';
      const source = at(state, 'source');
      if (at(source, 'kind') !== kind) lie(step, `the source of the state is ${brief(source)}, not ${kind}`);
      if (kind === 'extension' && (at(source, 'id') !== caller.extensionId || at(source, 'name') !== caller.name))
        lie(step, `the source of the state is ${brief(source)}, not ${caller.extensionId} ${caller.name}`);
      const made = (entry['stamps'] as readonly unknown[] | undefined)?.findLast(
        (one) => at(one, 'action') === stamp.action,
      );
      if (!same(at(made, 'source'), source))
        lie(step, `the source of the stamp is ${brief(at(made, 'source'))}, of the state ${brief(source)}`);
      if (stamp.action === 'in' && !same(entry['source'], source))
        lie(step, `the source of the entry is ${brief(entry['source'])}, of its stamp ${brief(source)}`);
    }
  }
  lies.push(...ofLimits(history, changes));
  for (const step of history.of(['listClockStates'], 200))
    for (const row of rowsOf(step)) {
      const possible = states(numberAt(row, 'user_id'), step.from, step.until);
      if (possible !== undefined && !possible.has(String(row['state'])))
        lie(
          step,
          `person ${String(row['user_id'])} is ${String(row['state'])}, expected ${[...possible].join(' or ')}`,
        );
    }
  return lies;
}

/** Nobody has worked longer than they exist, nor rested too shortly before their first day. */
function ofLimits(history: History, changes: Changes): readonly Lie[] {
  return history.of([...Object.keys(actionOf), 'stampAtTerminal'], 200).flatMap((step) => {
    const atDoor = changes.sessions.get(String(at(bodyOf(step), 'session')));
    const person = history.people.get(atDoor ?? numberAt(step.answer?.json, 'clock_state.user_id'));
    const more = history.doings.some(({ operation, given }) => operation === 'addEntry' && given[0] === person?.id);
    if (person === undefined || more) return [];
    const exists = (step.until - person.made.from) / 60_000;
    const impossible = (one: unknown) =>
      at(one, 'code') === 'rest_period_short' ? exists < 600 : numberAt(one, 'actual_minutes') > exists;
    return [step.answer?.get('warnings') ?? []]
      .flat()
      .filter(impossible)
      .map((one) => ({
        kind: 'clock' as const,
        what: `${named(step)}: warns of ${brief(one)}, person ${person.id} is ${exists.toFixed(0)} minutes old`,
      }));
  });
}

function withoutOwn(
  step: Step,
  possible: ReadonlySet<string>,
  changes: Changes,
  states: PossibleStates,
  personId: number,
): ReadonlySet<string> | undefined {
  const own = changes.stamps.find((stamp) => stamp.step === step);
  if (own === undefined) return possible;
  const beside = changes.stamps.filter(
    (stamp) => stamp.personId === personId && stamp !== own && stamp.until > step.from && stamp.from < step.until,
  );
  const before = states(personId, step.from, step.from);
  if (before === undefined) return undefined;
  return new Set([...before, ...beside.map(({ action }) => stateAfter[action])]);
}

/** The members that a stamp decides, and those that it leaves as they were. Paths begin with `state` or `entry`. */
function expectedOf(stamp: Stamp, before: Stamp | undefined): readonly (readonly [string, unknown])[] {
  const now = String(stamp.step.answer?.get('server_time'));
  const { action, entry = {} } = stamp;
  const breaks = (entry['breaks'] ?? []) as readonly unknown[];
  const stamps = (entry['stamps'] ?? []) as readonly unknown[];
  const expected: [string, unknown][] = [
    ['state.state', stateAfter[action]],
    ['state.updated_at', now],
    ['state.company_id', entry['company_id']],
    ['entry.updated_at', now],
    ['entry.status', action === 'out' ? 'recorded' : 'open'],
    ['entry.end', action === 'out' ? now : undefined],
    ['state.since', action === 'out' ? undefined : entry['start']],
    ['state.break_since', action === 'break_start' ? now : undefined],
    [`entry.stamps.${stamps.length - 1}.action`, action],
    [`entry.stamps.${stamps.length - 1}.at`, now],
  ];
  if (action === 'in')
    expected.push(['entry.start', now], ['entry.created_at', now], ['entry.breaks', []], ['entry.break_minutes', 0]);
  if (action === 'break_start') expected.push([`entry.breaks.${breaks.length - 1}`, { start: now }]);
  if (action === 'break_end') expected.push([`entry.breaks.${breaks.length - 1}.end`, now]);
  if (action === 'out' && at(before?.state, 'state') === 'on_break')
    expected.push([`entry.breaks.${breaks.length - 1}.end`, now]);
  const last = before?.entry;
  if (action !== 'in' && last !== undefined && last['id'] === entry['id']) {
    for (const member of ['start', 'date', 'company_id', 'source', 'proof', 'created_at', 'comment'])
      expected.push([`entry.${member}`, last[member]]);
    const kept = (last['stamps'] ?? []) as readonly unknown[];
    expected.push(['entry.stamps', [...kept, stamps.at(-1)]]);
    const ended = ((last['breaks'] ?? []) as readonly unknown[]).filter((one) => at(one, 'end') !== undefined);
    for (const [index, one] of ended.entries()) expected.push([`entry.breaks.${index}`, one]);
    const more = action === 'break_start' ? 1 : 0;
    expected.push(['entry.breaks.length', ((last['breaks'] ?? []) as readonly unknown[]).length + more]);
  }
  if (action === 'in' && last !== undefined && last['id'] === entry['id']) expected.push(['entry.id', 'a new one']);
  return expected;
}

/** Whole minutes of breaks and of work; what single breaks lose to rounding adds up. */
function minutesOf({ step, entry = {} }: Stamp): readonly Lie[] {
  const breaks = (entry['breaks'] ?? []) as readonly unknown[];
  const length = (from: unknown, to: unknown) => (Date.parse(String(to)) - Date.parse(String(from))) / 60_000;
  const ended = breaks.filter((one) => at(one, 'end') !== undefined);
  const rested =
    ended.reduce<number>((sum, one) => sum + length(at(one, 'start'), at(one, 'end')), 0) +
    Number(entry['deducted_break_minutes'] ?? 0);
  const slack = 1 + ended.length;
  const lies: Lie[] = [];
  if (Math.abs(Number(entry['break_minutes']) - rested) > slack)
    lies.push({
      kind: 'clock',
      what: `${named(step)}: break_minutes is ${String(entry['break_minutes'])}, the breaks last ${rested.toFixed(1)} minutes`,
    });
  const worked = entry['end'] === undefined ? undefined : length(entry['start'], entry['end']) - rested;
  const said = entry['worked_minutes'];
  if (
    (worked === undefined) !== (said === undefined) ||
    (worked !== undefined && Math.abs(Number(said) - worked) > slack)
  )
    lies.push({
      kind: 'clock',
      what: `${named(step)}: worked_minutes is ${String(said)}, expected ${worked?.toFixed(1) ?? 'none'}`,
    });
  return lies;
}
