/** Stamps that a terminal recorded without a connection: each number once, each pair one entry. */
import { at, isRecord } from '../json.js';
import { bodyOf, type Changes } from './changes.js';
import { terminalOf, terminalsOf } from './doors.js';
import { brief, type History, type Lie, named, type Step } from './history.js';
import { reads, type Traversal } from './lists.js';
import { isOf } from './pages.js';
import { dayOf } from './time.js';

interface OfflineStamp {
  readonly number: number;
  readonly uid?: string;
  readonly action?: string;
  readonly at?: string;
}
/** Results that use their number up. */
const holding = ['accepted', 'duplicate', 'too_old', 'in_future', 'unknown_card', 'not_sealed', 'too_many'];

const stampsOf = (step: Step): readonly OfflineStamp[] => {
  const stamps = at(bodyOf(step), 'stamps');
  return Array.isArray(stamps) ? stamps.filter(isRecord).map((one) => one as unknown as OfflineStamp) : [];
};
const resultsOf = (step: Step): readonly unknown[] => {
  const results = step.answer?.get('results');
  return step.status === 200 && Array.isArray(results) ? results : [];
};
const resultOf = (step: Step, index: number) => String(at(resultsOf(step)[index], 'result'));
const contentOf = ({ uid, action, at: time }: OfflineStamp) =>
  typeof uid === 'string' ? `${uid.toLowerCase()} ${action} ${Date.parse(String(time))}` : undefined;

export function liesAboutOfflineStamps(
  history: History,
  changes: Changes,
  traversals: readonly Traversal[],
): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (step: Step, what: string) => lies.push({ kind: 'door', what: `${named(step)}: ${what}` });
  const uploads = history.of(['uploadOfflineStamps']);
  const keys = keysOf(history);
  for (const step of uploads.filter(({ status }) => status === 200)) {
    const sent = stampsOf(step);
    const numbers = resultsOf(step).map((one) => at(one, 'number'));
    if (numbers.join() !== sent.map(({ number }) => number).join())
      lie(step, `answers for ${brief(numbers)}, sent were ${brief(sent.map(({ number }) => number))}`);
    const earlier = uploads.filter((one) => one.until < step.from && terminalOf(one) === terminalOf(step));
    for (const [index, stamp] of sent.entries()) {
      const accepted = earlier.some((one) =>
        stampsOf(one).some(
          (before, place) =>
            resultOf(one, place) === 'accepted' &&
            contentOf(stamp) !== undefined &&
            contentOf(before) === contentOf(stamp),
        ),
      );
      const uid = stamp.uid?.toLowerCase() ?? '';
      const blocked = history.doings.some(({ operation, from }) => operation === 'blockBadges' && from < step.until);
      if (resultOf(step, index) === 'unknown_card' && history.badges.has(uid) && !blocked)
        lie(step, `does not know the card ${uid}, which was issued`);
      if (accepted && resultOf(step, index) === 'accepted')
        lie(step, `accepts number ${stamp.number}, which had been accepted before`);
      if (resultOf(step, index) === 'duplicate' && !wasSentBefore(step, index))
        lie(step, `has number ${stamp.number} already, which nobody had sent`);
    }
  }
  for (const step of history.of(['uploadOfflineStamps', 'getTerminalStatus'], 200)) {
    const key = keys(step);
    const member = step.operation === 'getTerminalStatus' ? 'offline_last_number' : 'last_number';
    if (key === undefined || (member !== 'last_number' && step.answer?.get('confirmed') !== true)) continue;
    const own = uploads.filter((one) => keys(one) === key && one.from < step.until);
    const held = own
      .filter((one) => one === step || one.until < step.from)
      .flatMap((one) => stampsOf(one).filter((_, index) => holding.includes(resultOf(one, index))));
    const possible = own.flatMap((one) =>
      stampsOf(one).filter((_, index) => one.status !== 200 || holding.includes(resultOf(one, index))),
    );
    const [low, high] = [held, possible].map((stamps) => Math.max(0, ...stamps.map(({ number }) => number)));
    const says = Number(step.answer?.get(member));
    if (says < low! || says > high!)
      lie(step, `${member} is ${says}, expected ${low === high ? low : `${low} to ${high}`}`);
  }
  return [...lies, ...ofEntries(history, changes, uploads, traversals)];

  /** Whether a stamp may have come before, in whatever batch and under whatever number. */
  function wasSentBefore(step: Step, index: number): boolean {
    const sent = stampsOf(step);
    const { number } = sent[index]!;
    const content = contentOf(sent[index]!);
    const batches = uploads.filter((one) => one !== step && one.from < step.until && one.status !== 400);
    return [...batches.flatMap(stampsOf), ...sent.slice(0, index)].some((one) => {
      const other = contentOf(one);
      // What a sealed stamp says is not known.
      return one.number === number || content === undefined || other === undefined || other === content;
    });
  }
}

/** Numbers count for a key: which pairing a request belongs to, if the memory knows. */
function keysOf(history: History): (step: Step) => Step | undefined {
  const pairings = history.of(['pairTerminal'], 201);
  return (step) => {
    const own = pairings.filter((one) => one.answer?.get('terminal_id') === terminalOf(step) && one.from < step.until);
    const last = own.at(-1);
    return last === undefined || last.until > step.from ? undefined : last;
  };
}

/** Coming and going of one card, with nothing of that card between, are one entry. */
function ofEntries(
  history: History,
  changes: Changes,
  uploads: readonly Step[],
  traversals: readonly Traversal[],
): readonly Lie[] {
  const lies: Lie[] = [];
  const terminals = terminalsOf(history);
  const byCard = new Map<string, { readonly stamp: OfflineStamp; readonly step: Step }[]>();
  for (const step of uploads)
    for (const [index, stamp] of stampsOf(step).entries()) {
      if (stamp.uid === undefined || resultOf(step, index) !== 'accepted') continue;
      const card = stamp.uid.toLowerCase();
      byCard.set(card, [...(byCard.get(card) ?? []), { stamp, step }]);
    }
  for (const [card, accepted] of byCard) {
    const person = history.people.get(history.badges.get(card) ?? 0);
    // An upload that was lost, or stamps in another order, may make other entries of them.
    const lost = uploads.some(
      (step) =>
        (step.status === 0 || step.status >= 500) &&
        stampsOf(step).some(({ uid }) => uid === undefined || uid.toLowerCase() === card),
    );
    const clear =
      !lost &&
      accepted.every(({ stamp }, index) => stamp.action === (index % 2 === 0 ? 'in' : 'out')) &&
      accepted.every(
        ({ stamp }, index) => index === 0 || Date.parse(stamp.at!) > Date.parse(accepted[index - 1]!.stamp.at!),
      );
    if (person === undefined || !clear) continue;
    for (let index = 0; index + 1 < accepted.length; index += 2) {
      const [came, left] = [accepted[index]!, accepted[index + 1]!];
      const [start, end] = [Date.parse(came.stamp.at!), Date.parse(left.stamp.at!)];
      const id = terminalOf(came.step);
      for (const list of traversals) {
        const first = list.pages[0]!;
        if (list.operation !== 'listTimeEntries' || !list.complete || list.from < left.step.until) continue;
        if (
          !reads(changes, first, person, list.until) ||
          !covers(first, dayOf(history, person.companyId, start), came.step.from)
        )
          continue;
        if ((history.erasedAt(person.id) ?? Number.POSITIVE_INFINITY) <= list.until) continue;
        const lie = (what: string) =>
          lies.push({ kind: 'door', what: `${named(first)}: the offline stamps of ${came.stamp.at} ${what}` });
        const own = list.rows.filter(
          (row) => row['user_id'] === person.id && Date.parse(String(row['start'])) === start,
        );
        if (own.length !== 1) lie(`have ${own.length} entries`);
        for (const entry of own) {
          const decided = history.steps.some(
            (one) => one.method === 'POST' && isOf(one, 'approvals') && one.from > left.step.from,
          );
          if (Date.parse(String(entry['end'])) !== end) lie(`end at ${brief(entry['end'])}, not ${left.stamp.at}`);
          if (!decided && entry['status'] !== 'pending') lie(`are ${brief(entry['status'])}`);
          if (entry['proof'] !== 'none') lie(`have the proof ${brief(entry['proof'])}`);
          const source = entry['source'];
          const name = terminals.get(id)?.['name'];
          if (
            at(source, 'kind') !== 'offline' ||
            at(source, 'id') !== id ||
            (name !== undefined && at(source, 'name') !== name)
          )
            lie(`have the source ${brief(source)}`);
        }
      }
    }
  }
  return lies;
}

/** Whether a list holds entries of that day which were recorded then. */
function covers({ query }: Step, day: string, recorded: number): boolean {
  const since = query.get('updated_since');
  if (since !== null) return Date.parse(since) < recorded - 5_000;
  return String(query.get('from')) <= day && day <= String(query.get('to'));
}
