/** At a terminal: what it offers, whom it greets in which state, their balances and their PIN. */
import { at, isRecord } from '../json.js';
import { bodyOf, type Changes, changedElsewhere, type Stamp } from './changes.js';
import type { PossibleStates } from './clocks.js';
import { brief, type History, type Lie, named, rowsOf, type Step, same } from './history.js';
import { isOf } from './pages.js';
import type { Sighting } from './sightings.js';
import { dayOf } from './time.js';

const offered: Readonly<Record<string, readonly string[]>> = {
  out: ['in'],
  in: ['out', 'break_start'],
  on_break: ['out', 'break_end'],
};
export const terminalOf = (step: Step): string => step.headers['service-terminal'] ?? '';

export function liesAboutDoors(
  history: History,
  changes: Changes,
  states: PossibleStates,
  seen: readonly Sighting[],
): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (step: Step, what: string) => lies.push({ kind: 'door', what: `${named(step)}: ${what}` });
  const terminals = terminalsOf(history);
  const offers = new Map(
    history
      .of(['getTerminalStatus'], 200)
      .map((step) => [terminalOf(step), [at(step.answer?.json, 'offers.actions') ?? []].flat().map(String)] as const),
  );
  const steps = history.of(['openCardSession', 'stepCardSession', 'stampAtTerminal', 'getTerminalInfo']);
  for (const step of steps) {
    const personId = changes.sessions.get(sessionOf(step));
    const person = personId === undefined ? undefined : history.people.get(personId);
    const { answer } = step;
    if (person === undefined || step.status !== 200) continue;
    const stamp = step.operation === 'stampAtTerminal' ? answer?.json : answer?.get('stamp');
    const lock = terminals.get(terminalOf(step))?.['repeat_lock_seconds'];
    const tellsRecorded = (recorded: unknown, time: string) => {
      if (lock === 0) lie(step, `${brief(recorded)} was recorded before, and the terminal has no repeat lock`);
      const last = lastStamp(history, changes, person.id, step);
      if (last === undefined || last.state !== undefined) return;
      if (at(recorded, 'action') !== last.action || Date.parse(String(at(recorded, time))) !== last.at)
        lie(step, `${brief(recorded)} was recorded before; it was ${last.action} at ${timeOf(last.at)}`);
    };
    const isNotTold = (of: Step, personId: number, seconds: number) => {
      const last = lastStamp(history, changes, personId, of);
      if (last !== undefined && last.state === undefined && of.until + history.ahead < last.at + (seconds - 5) * 1_000)
        lie(of, `does not tell that ${last.action} was recorded at ${timeOf(last.at)}`);
    };
    if (answer?.get('result') === 'proved') {
      if (answer.get('first_name') !== person.firstName)
        lie(step, `greets ${brief(answer.get('first_name'))}, the badge is ${person.firstName}'s`);
      const language = person.members['language'];
      if (language !== undefined && answer.get('language') !== language)
        lie(step, `greets in ${brief(answer.get('language'))}, the person's language is ${brief(language)}`);
      const state = String(answer.get('state'));
      const possible = states(person.id, step.from, step.until);
      if (possible !== undefined && !possible.has(state))
        lie(step, `${person.firstName} is ${state}, expected ${[...possible].join(' or ')}`);
      const actions = answer.get('actions');
      const forgotten = answer.get('clock_out_missing') === true;
      if (Array.isArray(actions) && !forgotten && actions.some((one) => !offered[state]?.includes(String(one))))
        lie(step, `offers ${brief(actions)} to somebody who is ${state}`);
      const allowed = offers.get(terminalOf(step));
      const missing = (offered[state] ?? []).filter(
        (one) => allowed?.includes(one) && Array.isArray(actions) && !actions.includes(one),
      );
      if (!forgotten && missing.length > 0)
        lie(step, `does not offer ${missing.join(', ')} to somebody who is ${state}`);
      const since = beginOf(history, changes, person.id, step);
      if (!forgotten && stamp === undefined && since?.state === state && !isTime(answer.get('since'), since.at))
        lie(step, `is ${state} since ${brief(answer.get('since'))}, expected ${timeOf(since.at)}`);
      if (answer.get('recorded') !== undefined) tellsRecorded(answer.get('recorded'), 'at');
      else if (stamp === undefined && typeof lock === 'number') isNotTold(step, person.id, lock);
      // Who came for the first time today has no earlier working day.
      const begun = Math.min(...changes.stamps.filter((one) => one.personId === person.id).map((one) => one.at));
      if (
        forgotten &&
        step.until - begun < 3_600_000 &&
        !changedElsewhere(changes, person.id, person.made.until + 1, step.until)
      )
        lie(
          step,
          `says that the clock-out of an earlier day is missing, ${person.firstName} came first at ${timeOf(begun)}`,
        );
      const both = terminals.get(terminalOf(step))?.['badge_and_pin'];
      if (both !== undefined && answer.get('pin_required') !== both)
        lie(step, `pin_required is ${brief(answer.get('pin_required'))}, the terminal was told ${brief(both)}`);
    }
    if (!isRecord(stamp)) continue;
    const action = String(stamp['action']);
    const state = { in: 'in', out: 'out', break_start: 'on_break', break_end: 'in' }[action];
    if (stamp['state'] !== state) lie(step, `${action} leaves ${brief(stamp['state'])}`);
    if (stamp['repeated'] === true) {
      tellsRecorded(stamp, 'server_time');
      continue;
    }
    if (step.operation === 'stampAtTerminal' && action !== at(bodyOf(step), 'action'))
      lie(step, `stamped ${action} instead of ${brief(at(bodyOf(step), 'action'))}`);
    // The end of a break goes back to when the person came.
    const came = action === 'break_end' ? beginOf(history, changes, person.id, step, 'in')?.at : undefined;
    const since = action === 'break_end' ? came : Date.parse(String(stamp['server_time']));
    if (since !== undefined && !isTime(stamp['since'], since))
      lie(step, `is ${state} since ${brief(stamp['since'])}, expected ${timeOf(since)}`);
  }
  return [
    ...lies,
    ...ofTerminals(history, terminals),
    ...ofConfirmation(history),
    ...ofUse(history, changes),
    ...ofBadges(history, terminals),
    ...ofPins(history, changes),
    ...ofBalances(history, changes),
    ...ofSources(changes, terminals, seen),
  ];
}

const sessionOf = (step: Step) => String(at(bodyOf(step), 'session') ?? step.answer?.get('session'));
const timeOf = (time: number | undefined) => (time === undefined ? 'never' : new Date(time).toISOString());
const isTime = (value: unknown, time: number | undefined) =>
  time === undefined ? value === undefined : Date.parse(String(value)) === time;

/** The person's last stamp before a request, if the memory is certain that none came after it. */
function lastStamp(history: History, changes: Changes, personId: number, step: Step): Stamp | undefined {
  const own = changes.stamps.filter((one) => one.personId === personId && one.step !== step && one.from < step.until);
  const last = own.reduce<Stamp | undefined>((latest, one) => (one.at >= (latest?.at ?? 0) ? one : latest), undefined);
  const since = last?.from ?? history.people.get(personId)!.made.until + 1;
  return own.some(({ until }) => until > step.from) || changedElsewhere(changes, personId, since, step.until)
    ? undefined
    : last;
}

/** The state before a request and since when, if the memory is certain of both. @param of this state, whatever is now */
function beginOf(history: History, changes: Changes, personId: number, step: Step, of?: 'in') {
  const last = lastStamp(history, changes, personId, step);
  if (last === undefined) return undefined;
  const isIn = of === 'in' || last.action === 'in' || last.action === 'break_end';
  if (!isIn) return { state: last.action === 'out' ? 'out' : 'on_break', at: last.at };
  const came = changes.stamps
    .filter((one) => one.personId === personId && one.action === 'in' && one.at <= last.at)
    .reduce<Stamp | undefined>((latest, one) => (one.at >= (latest?.at ?? 0) ? one : latest), undefined);
  if (came === undefined || changedElsewhere(changes, personId, came.from, step.until)) return undefined;
  return { state: 'in', at: came.at };
}

/** Settings of the terminals that the kit made. */
export function terminalsOf(history: History): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  return new Map(
    history
      .done('createTerminal')
      .map(({ given, result }) => [String(at(result, 'id')), given[0] as Record<string, unknown>]),
  );
}

/** A terminal is called and offers what it was told, and its key is the one that was paired. */
function ofTerminals(
  history: History,
  terminals: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): readonly Lie[] {
  const lies: Lie[] = [];
  for (const step of history.of(['getTerminalStatus'], 200)) {
    const told = terminals.get(terminalOf(step)) ?? {};
    // What a company does not allow its terminals is not offered, whatever they were told.
    const info = at(step.answer?.json, 'offers.info') === false ? false : told['show_info'];
    const expected = { 'offers.info': info, ...inService(step, told), name: told['name'], location: told['location'] };
    const lie = (what: string) => lies.push({ kind: 'door', what: `${named(step)}: ${what}` });
    const id = terminalOf(step);
    const settled = !history.doings.some(
      ({ operation, given, until }) =>
        /^(renewPairingCode|removeTerminal|changeFeatures|setCompanyActive)$/.test(operation) &&
        (given[0] === id || !/Terminal|Code/.test(operation)) &&
        until > step.from,
    );
    const confirmed = history.done('confirmTerminal').some((one) => one.given[0] === id && one.until < step.from);
    const later = history.of(['openCardSession'], 200).some((one) => terminalOf(one) === id && one.from > step.until);
    if (step.answer?.get('confirmed') === false && confirmed && settled && later)
      lie('is not confirmed, and takes cards');
    if (step.answer?.get('stopped') !== undefined && settled && later)
      lie(`is stopped (${brief(step.answer?.get('stopped'))}), and takes cards`);
    const informs = history.of(['getTerminalInfo'], 200).some((one) => terminalOf(one) === id);
    if (at(step.answer?.json, 'offers.info') === false && informs && told['show_info'] === true)
      lie('offers no balances, and tells them');
    if (at(step.answer?.json, 'offers.offline') === false && step.answer?.get('seal_key') !== undefined)
      lie('offers no offline stamps, and has a key for them');
    for (const [path, value] of Object.entries(expected))
      if (value !== undefined && !same(at(step.answer?.json, path), value))
        lies.push({
          kind: 'door',
          what: `${named(step)}: ${path} is ${brief(at(step.answer?.json, path))}, the terminal was told ${brief(value)}`,
        });
  }
  const pairings = history.of(['pairTerminal'], 201);
  for (const { given, result, from, until } of history.done('showTerminal')) {
    const [id] = given;
    const own = pairings.filter((step) => step.answer?.get('terminal_id') === id && step.from < from);
    const last = own.at(-1);
    const renewed = history.doings.some(
      ({ operation, given: other, until }) =>
        operation === 'renewPairingCode' && other[0] === id && last !== undefined && until > last.from,
    );
    if (last === undefined || renewed || last.until > from) continue;
    const uploads = history.of(['uploadOfflineStamps']).filter((step) => terminalOf(step) === id);
    const uploaded =
      uploads.findLast((step) => step.status === 200 && step.until < from)?.answer?.get('last_number') ?? 0;
    const uncertain = uploads.some((step) => step.status !== 200 || (step.until >= from && step.from <= until));
    const shown = at(result, 'offline_last_number');
    if (shown !== undefined && !uncertain && shown !== uploaded)
      lies.push({
        kind: 'door',
        what: `the page of ${String(id)} says that stamp ${brief(shown)} was uploaded, it was ${brief(uploaded)}`,
      });
    if (at(result, 'fingerprint') !== last.answer?.get('fingerprint'))
      lies.push({
        kind: 'door',
        what: `the page of ${String(id)} shows the key ${brief(at(result, 'fingerprint'))}, paired was ${brief(last.answer?.get('fingerprint'))}`,
      });
  }
  return lies;
}

/** Who stamped with a badge has used it. */
function ofUse(history: History, changes: Changes): readonly Lie[] {
  return history.steps.flatMap((step) => {
    const rows = isOf(step, 'ownBadges') ? rowsOf(step) : [];
    return rows.flatMap((row) => {
      const stamped = changes.stamps.some(
        ({ state, personId, until }) => state === undefined && personId === at(row, 'person.id') && until < step.from,
      );
      return stamped && rows.length === 1 && row['last_used_at'] === undefined
        ? [{ kind: 'door' as const, what: `${named(step)}: the badge was never used, and it stamped` }]
        : [];
    });
  });
}

/** A terminal that was confirmed is shown as confirmed until it is paired again. */
function ofConfirmation(history: History): readonly Lie[] {
  return history.steps.flatMap((step) => {
    const id = step.answer?.get('id');
    const state = step.answer?.get('state');
    if (step.method !== 'GET' || !isOf(step, 'terminal') || state === undefined) return [];
    const confirmed = history.done('confirmTerminal').some((one) => one.given[0] === id && one.until < step.from);
    const again = history.doings.some(
      ({ operation, given }) => /^(renewPairingCode|removeTerminal)$/.test(operation) && given[0] === id,
    );
    return confirmed && !again && ['awaiting_pairing', 'awaiting_confirmation'].includes(String(state))
      ? [{ kind: 'door' as const, what: `${named(step)}: the terminal is ${brief(state)}, and was confirmed` }]
      : [];
  });
}

/** A person's badges work until they are blocked, and name the terminal where they were issued. */
function ofBadges(history: History, terminals: ReadonlyMap<string, Readonly<Record<string, unknown>>>): readonly Lie[] {
  const lies: Lie[] = [];
  for (const { given, result, from, until } of history.done('listBadges')) {
    const personId = history.signedIn.get(given[0]);
    const lie = (what: string) => lies.push({ kind: 'door', what: `the badges of person ${personId}: ${what}` });
    const issued = history
      .done('startIssuing')
      .filter((one) => Number(one.given[1]) === personId && one.until < from)
      .map((one) => terminals.get(String(one.given[0]))?.['name']);
    const blocked = history.doings.some(
      (one) => one.operation === 'blockBadges' && one.given[0] === given[0] && one.from < until,
    );
    for (const badge of result as readonly { readonly works: boolean; readonly issued_at: unknown }[]) {
      if (!badge.works && !blocked) lie('one does not work, and nobody blocked it');
      if (!issued.includes(badge.issued_at))
        lie(`one was issued at ${brief(badge.issued_at)}, not at ${brief(issued)}`);
    }
  }
  return lies;
}

/** What is offered only once the terminal is confirmed. */
const inService = (step: Step, told: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  step.answer?.get('confirmed') === true
    ? Object.fromEntries(
        ['info_without_pin', 'badge_and_pin', 'repeat_lock_seconds'].map((name) => [`offers.${name}`, told[name]]),
      )
    : {};

interface Tries {
  /** Undefined where the memory cannot tell. */
  left: number | undefined;
  /** When the lock ends. */
  end: number | undefined;
  until: number;
}

/** Wrong PINs are counted for each badge: four times fewer tries, then an hour without. */
function ofPins(history: History, changes: Changes): readonly Lie[] {
  const lies: Lie[] = [];
  const cards = new Map(
    history
      .of(['openCardSession'], 200)
      .map((step) => [String(step.answer?.get('session')), String(at(bodyOf(step), 'uid')).toLowerCase()]),
  );
  const badges = new Map<string, Tries>();
  const steps = history.steps.filter(
    (step) =>
      ['stampAtTerminal', 'getTerminalInfo', 'chooseTerminalPin'].includes(step.operation ?? '') ||
      (step.method !== 'GET' && isOf(step, 'pin')),
  );
  for (const step of [...steps].sort((a, b) => a.until - b.until)) {
    const lie = (what: string) => lies.push({ kind: 'door', what: `${named(step)}: ${what}` });
    const card = cards.get(sessionOf(step));
    // A new PIN may be anybody's.
    if (!/^(stamp|get)/.test(step.operation ?? '')) {
      for (const tries of badges.values()) tries.left = tries.end = undefined;
      continue;
    }
    const pin = at(bodyOf(step), 'pin');
    if (card === undefined || pin === undefined || !changes.sessions.has(sessionOf(step))) continue;
    const before = badges.get(card) ?? { left: 5, end: undefined, until: 0 };
    const code = step.answer?.get('code');
    const certain = before.until < step.from;
    const { left, end } = certain ? before : { left: undefined, end: undefined };
    const now: Tries = { left: undefined, end: undefined, until: Math.max(step.until, before.until) };
    const stillLocked = end !== undefined && step.until < end - 5_000;
    if (code === 'pin_wrong') {
      const says = Number(step.answer?.get('tries_left'));
      if (left !== undefined && says !== left - 1) lie(`${says} tries are left, before there were ${left}`);
      if (stillLocked) lie('the PIN was locked, and is tried again');
      now.left = says;
    } else if (code === 'pin_locked') {
      const wait = Number(step.answer?.header('retry-after'));
      if (!(wait >= 1 && wait <= 3_600)) lie(`Retry-After is ${String(wait)}, and the lock lasts an hour`);
      now.end = step.until + wait * 1_000;
      if (left !== undefined && left > 1) lie(`the PIN is locked with ${left} tries left`);
      if (left === 1 && wait < 3_590) lie(`Retry-After is ${wait} as the lock of an hour begins`);
      if (end !== undefined && Math.abs(end - now.end) > 5_000 + (step.until - step.from))
        lie(`Retry-After ends the lock at ${timeOf(now.end)}, before at ${timeOf(end)}`);
    } else if (step.status === 0 || step.status >= 500) now.until = Number.POSITIVE_INFINITY;
    else if (step.status === 200) {
      if (stillLocked) lie('the PIN was locked, and is taken');
      // Where no PIN is asked for, none is checked.
      now.left = step.operation === 'getTerminalInfo' ? 5 : undefined;
    } else if (step.status !== 409) {
      now.left = before.left;
      now.end = before.end;
    }
    badges.set(card, now);
  }
  return lies;
}

/** Balances: today's minutes follow from the stamps, the others change only with what changes them. */
function ofBalances(history: History, changes: Changes): readonly Lie[] {
  const lies: Lie[] = [];
  const before = new Map<number, Step>();
  const balances = history.of(['listTimeBalances'], 200);
  for (const step of history.of(['getTerminalInfo'], 200)) {
    const lie = (what: string) => lies.push({ kind: 'door', what: `${named(step)}: ${what}` });
    const person = history.people.get(changes.sessions.get(sessionOf(step)) ?? 0);
    if (person === undefined) continue;
    const today = dayOf(history, person.companyId, step.from);
    const known = (from: number, until: number) =>
      today === dayOf(history, person.companyId, from) && !changedElsewhere(changes, person.id, from, until);
    const untouched = (from: number, until: number) =>
      known(from, until) &&
      !changes.absences.some((one) => one.personId === person.id && one.from <= until && one.until >= from);
    const worked = minutesOf(changes, person.id, step);
    const said = Number(step.answer?.get('worked_today_minutes'));
    if (worked !== undefined && known(person.made.until + 1, step.until) && Math.abs(said - worked) > 2)
      lie(`${said} minutes worked today, expected ${worked.toFixed(0)}`);
    const last = before.get(person.id);
    if (last !== undefined && untouched(last.from, step.until))
      for (const member of ['balance_minutes', 'vacation_days_left'])
        if (step.answer?.get(member) !== last.answer?.get(member))
          lie(`${member} is ${brief(step.answer?.get(member))}, before ${brief(last.answer?.get(member))}`);
    before.set(person.id, step);
    const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
    for (const list of balances) {
      const row = rowsOf(list).find((one) => one['user_id'] === person.id && one['date'] === yesterday);
      if (row === undefined || !untouched(Math.min(list.from, step.from), Math.max(list.until, step.until))) continue;
      if (row['balance_minutes'] !== step.answer?.get('balance_minutes'))
        lie(
          `balance_minutes is ${brief(step.answer?.get('balance_minutes'))}, ${named(list)} says ${brief(row['balance_minutes'])}`,
        );
    }
  }
  return lies;
}

/** Minutes between the stamps of a person before a request; undefined where one may lie beside it. */
function minutesOf(changes: Changes, personId: number, step: Step): number | undefined {
  const own = changes.stamps.filter((one) => one.personId === personId && one.from < step.until);
  if (own.some(({ until }) => until > step.from)) return undefined;
  let minutes = 0;
  let since: number | undefined;
  for (const { action, at: time } of [...own].sort((a, b) => a.at - b.at)) {
    if (since !== undefined) minutes += (time - since) / 60_000;
    since = action === 'in' || action === 'break_end' ? time : undefined;
  }
  return since === undefined ? minutes : minutes + (step.until - since) / 60_000;
}

/** What a stamp at a terminal shows of where it was made, in states and entries. */
function ofSources(
  changes: Changes,
  terminals: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  seen: readonly Sighting[],
): readonly Lie[] {
  const lies: Lie[] = [];
  for (const stamp of changes.stamps) {
    if (stamp.state !== undefined) continue;
    const id = terminalOf(stamp.step);
    const terminal = terminals.get(id);
    if (terminal === undefined) continue;
    const both = terminal['badge_and_pin'] === true;
    const proof = both ? 'badge_pin' : at(bodyOf(stamp.step), 'pin') === undefined ? 'badge' : undefined;
    for (const { kind, record, where } of seen) {
      if (record['user_id'] !== stamp.personId) continue;
      const of = (what: string, shown: unknown, proved: boolean) => {
        const source = at(shown, 'source');
        const lie = (said: string) => lies.push({ kind: 'door', what: `${where}: ${what} at ${id} has ${said}` });
        if (at(source, 'kind') !== 'terminal' || at(source, 'id') !== id || at(source, 'name') !== terminal['name'])
          lie(`the source ${brief(source)}, not ${id} ${brief(terminal['name'])}`);
        if (proved && proof !== undefined && at(shown, 'proof') !== proof)
          lie(`the proof ${brief(at(shown, 'proof'))}, expected ${proof}`);
      };
      if (kind === 'clock state' && Date.parse(String(record['updated_at'])) === stamp.at) of('a state', record, false);
      if (kind !== 'entry') continue;
      const own = [record['stamps'] ?? []]
        .flat()
        .find((one) => at(one, 'action') === stamp.action && Date.parse(String(at(one, 'at'))) === stamp.at);
      if (own !== undefined && at(own, 'corrected') !== true) of('a stamp', own, true);
      if (stamp.action === 'in' && Date.parse(String(record['start'])) === stamp.at) of('an entry', record, true);
    }
  }
  return lies;
}
