/** Time accounts: balances add up, agree with entries and bookings, and a closed month stays as it is (openapi: TimeBalance). */
import { at } from '../json.js';
import { type Changes, changedElsewhere } from './changes.js';
import { brief, type Doing, type History, type Lie, named, numberAt, rowsOf, type Step, same } from './history.js';
import { reads, type Traversal } from './lists.js';
import { isOf } from './pages.js';
import type { Sighting } from './sightings.js';
import { dayOf } from './time.js';

interface Balance {
  readonly row: Readonly<Record<string, unknown>>;
  readonly step: Step;
}

export function liesAboutAccounts(
  history: History,
  seen: readonly Sighting[],
  changes: Changes,
  traversals: readonly Traversal[],
): readonly Lie[] {
  const lies: Lie[] = [];
  const balances = new Map<string, Balance[]>();
  for (const step of history.of(['listTimeBalances'], 200))
    for (const row of rowsOf(step)) {
      const lie = (what: string) =>
        lies.push({ kind: 'record', what: `${named(step)}: the balance of ${String(row['user_id'])}: ${what}` });
      const [carried, difference, booked] = ['carried_minutes', 'difference_minutes', 'booked_minutes'].map((name) =>
        numberAt(row, name),
      );
      if (numberAt(row, 'balance_minutes') !== carried! + difference! + booked!) lie(`${brief(row)} does not add up`);
      if (difference !== numberAt(row, 'worked_minutes') - numberAt(row, 'target_minutes'))
        lie(`${brief(row)}: the difference is not work minus target`);
      const key = `${String(row['user_id'])} ${String(row['date'])}`;
      balances.set(key, [...(balances.get(key) ?? []), { row, step }]);
      lies.push(...ofClosing(history, row, step));
    }
  for (const [key, shown] of balances) {
    const [userId = '', date = ''] = key.split(' ');
    for (const [index, { row, step }] of shown.entries()) {
      const before = shown[index - 1];
      const lie = (what: string) =>
        lies.push({ kind: 'record', what: `${named(step)}: the balance of ${userId} on ${date}: ${what}` });
      if (before?.row['closed'] === true && before.step.until < step.from && !same(before.row, row))
        lie(`${brief(row)}, and the month was closed with ${brief(before.row)}`);
      if (
        before !== undefined &&
        !same(withoutCuts(before), withoutCuts({ row })) &&
        isStill(Number(userId), date, before, step)
      )
        lie(`${brief(row)}, and nothing has changed since ${brief(before.row)}`);
      // A month begins with what the one before ended with.
      const lastDay = new Date(Date.parse(`${date.slice(0, 7)}-01`) - 86_400_000).toISOString().slice(0, 10);
      const ended = balances.get(`${userId} ${lastDay}`) ?? [];
      if (ended.length > 0 && !ended.some((one) => one.row['balance_minutes'] === row['carried_minutes']))
        lie(
          `${brief(row['carried_minutes'])} minutes are carried over from a month that ended with ${brief(ended.map((one) => one.row['balance_minutes']))}`,
        );
    }
  }
  /** Whether nothing happened to a person whose month was over. */
  function isStill(personId: number, date: string, before: Balance, { until }: Step): boolean {
    const since = before.step.from;
    const person = history.people.get(personId);
    const booked = history.doings.filter(
      ({ operation, given }) => operation === 'addBooking' && Number(given[0]) === personId,
    );
    const own = [...changes.stamps, ...changes.absences].filter((one) => one.personId === personId);
    return (
      person !== undefined &&
      date.slice(0, 7) < dayOf(history, person.companyId, since + history.ahead - 2_000).slice(0, 7) &&
      ![...own, ...booked].some((one) => one.from <= until && one.until >= since) &&
      !changedElsewhere(changes, personId, since, until)
    );
  }
  return [
    ...lies,
    ...ofEverybody(history, changes, traversals),
    ...ofWork(history, seen, balances),
    ...ofBookings(history, balances),
  ];
}

/** What no limit cuts when a month is closed. */
const withoutCuts = ({ row }: Pick<Balance, 'row'>) =>
  ['carried_minutes', 'target_minutes', 'worked_minutes'].map((member) => row[member]);

/** Everybody whose months are tracked has a balance. */
function ofEverybody(history: History, changes: Changes, traversals: readonly Traversal[]): readonly Lie[] {
  const lies: Lie[] = [];
  for (const list of traversals) {
    const first = list.pages[0]!;
    const date = first.query.get('date');
    if (list.operation !== 'listTimeBalances' || !list.complete || date === null) continue;
    for (const person of history.people.values()) {
      const { trackedFrom, members, made, id } = person;
      if (
        trackedFrom === undefined ||
        trackedFrom > date ||
        String(members['employment_start']) > date ||
        members['employment_end'] !== undefined ||
        history.erasedAt(id) !== undefined ||
        made.until > list.from ||
        !reads(changes, first, person, list.until)
      )
        continue;
      if (!list.rows.some((row) => row['user_id'] === id))
        lies.push({
          kind: 'list',
          what: `${named(first)}: the balance of person ${id} is missing, tracked since ${trackedFrom}`,
        });
    }
  }
  return lies;
}

/** Whether a month is closed, where the kit closes the months of a company. */
function ofClosing(history: History, row: Readonly<Record<string, unknown>>, step: Step): readonly Lie[] {
  const person = history.people.get(numberAt(row, 'user_id'));
  if (person === undefined || !history.companies.has(person.companyId)) return [];
  const month = String(row['date']).slice(0, 7);
  const closing = history.doings.filter(
    ({ operation, given }) => operation === 'closeMonth' && given[0] === person.companyId,
  );
  const closed = closing.some(
    ({ given, result, until }) => result !== undefined && given[1] === month && until < step.from,
  );
  const open = !closing.some(({ given, from }) => given[1] === month && from <= step.until);
  if ((row['closed'] === true && open) || (row['closed'] !== true && closed))
    return [
      {
        kind: 'record',
        what: `${named(step)}: ${month} of person ${person.id} is ${row['closed'] === true ? 'closed' : 'open'}`,
      },
    ];
  return [];
}

/** The work of a month is that of its entries, where the kit knows all of them. */
function ofWork(
  history: History,
  seen: readonly Sighting[],
  balances: ReadonlyMap<string, readonly Balance[]>,
): readonly Lie[] {
  const lies: Lie[] = [];
  for (const [key, shown] of balances) {
    const [userId = '', date = ''] = key.split(' ');
    const person = history.people.get(Number(userId));
    if (person === undefined) continue;
    const own = seen.filter(({ kind, fresh, record }) => kind === 'entry' && fresh && record['user_id'] === person.id);
    const added = history.doings.filter(
      ({ operation, given }) => operation === 'addEntry' && Number(given[0]) === person.id,
    );
    for (const { row, step } of shown) {
      const lie = (what: string) =>
        lies.push({ kind: 'record', what: `${named(step)}: the balance of ${userId} on ${date}: ${what}` });
      if (person.trackedFrom?.slice(0, 7) === date.slice(0, 7) && row['carried_minutes'] !== 0)
        lie(`${brief(row['carried_minutes'])} minutes are carried over, and nothing came before`);
      const entries = new Map<string, Sighting>();
      for (const one of own) if (one.until < step.from) entries.set(one.id, one);
      const counting = [...entries.values()].filter(
        ({ record }) =>
          String(record['date']).startsWith(date.slice(0, 7)) &&
          String(record['date']) <= date &&
          ['recorded', 'approved'].includes(String(record['status'])),
      );
      const known = ({ given }: { readonly given: readonly unknown[] }) =>
        [...entries.values()].some(
          ({ record }) => Date.parse(String(record['start'])) === Date.parse(String(at(given[1], 'start'))),
        );
      if (added.some((one) => one.until > step.from || !known(one))) continue;
      const worked = counting.reduce((sum, { record }) => sum + numberAt(record, 'worked_minutes'), 0);
      if (worked !== numberAt(row, 'worked_minutes'))
        lie(`worked_minutes is ${brief(row['worked_minutes'])}, the entries say ${worked}`);
    }
  }
  return lies;
}

/** What is booked in a month is the sum of its bookings, where they were read in full after the balance. */
function ofBookings(history: History, balances: ReadonlyMap<string, readonly Balance[]>): readonly Lie[] {
  const lies: Lie[] = [];
  const kept = new Map<string, { readonly row: unknown; readonly step: Step }>();
  for (const step of history.of(['listTimeBookings'], 200))
    for (const row of rowsOf(step)) {
      const before = kept.get(String(row['id']));
      if (before !== undefined && !same(before.row, row))
        lies.push({
          kind: 'record',
          what: `${named(step)}: the booking ${brief(row)} was ${brief(before.row)} before`,
        });
      kept.set(String(row['id']), { row, step });
    }
  const ids = new Map<Doing, unknown>();
  for (const doing of history.done('addBooking')) {
    const made = history.steps.find(
      (step) => isOf(step, 'bookings') && step.status === 201 && step.from >= doing.from && step.until <= doing.until,
    );
    if (made === undefined) continue;
    ids.set(doing, made.answer?.get('id'));
    lies.push(...ofBooked(history, doing, made, balances));
  }
  for (const doing of history.done('addBooking')) {
    const [personId, booking] = doing.given as [number, Record<string, unknown>];
    const lists = history
      .of(['listTimeBookings'], 200)
      .filter(
        ({ query, from }) =>
          from > doing.until &&
          String(query.get('from')) <= String(booking['date']) &&
          String(query.get('to')) >= String(booking['date']) &&
          query.get('cursor') === null,
      );
    for (const step of lists) {
      if (
        step.answer?.get('has_more') === true ||
        (query(step, 'user_id') !== undefined && query(step, 'user_id') !== personId) ||
        step.caller?.companyId !== history.people.get(personId)?.companyId
      )
        continue;
      const own = rowsOf(step).filter(
        (row) =>
          row['user_id'] === personId && row['date'] === booking['date'] && row['minutes'] === booking['minutes'],
      );
      if (own.length !== 1)
        lies.push({
          kind: 'list',
          what: `${named(step)}: ${own.length} bookings of ${brief(booking)} for ${personId}`,
        });
      for (const row of own)
        for (const [member, value] of Object.entries({
          reason: booking['reason'],
          kind: 'payout',
          id: ids.get(doing) ?? row['id'],
        }))
          if (row[member] !== value)
            lies.push({
              kind: 'record',
              what: `${named(step)}: ${member} of a booking is ${brief(row[member])}, not ${brief(value)}`,
            });
      if (own.length === 1) ids.set(doing, own[0]!['id']);
    }
    for (const [key, shown] of balances) {
      const [userId, date = ''] = key.split(' ');
      for (const { row, step } of shown) {
        if (
          Number(userId) !== personId ||
          step.from < doing.until ||
          String(booking['date']) > date ||
          !String(booking['date']).startsWith(date.slice(0, 7))
        )
          continue;
        const all = history.doings.filter(
          ({ operation, given }) => operation === 'addBooking' && given[0] === personId,
        );
        if (all.some(({ until }) => until > step.from)) continue;
        const sum = all
          .map(({ given }) => given[1] as Record<string, unknown>)
          .filter((one) => String(one['date']) <= date && String(one['date']).startsWith(date.slice(0, 7)))
          .reduce((total, one) => total + Number(one['minutes']), 0);
        if (sum !== numberAt(row, 'booked_minutes'))
          lies.push({
            kind: 'record',
            what: `${named(step)}: booked_minutes of ${personId} is ${brief(row['booked_minutes'])}, booked were ${sum}`,
          });
      }
    }
  }
  return lies;
}

/** A booking is answered with the balance at the end of yesterday: that of the list, as long as nobody writes. */
function ofBooked(
  history: History,
  { given: [personId] }: Doing,
  made: Step,
  balances: ReadonlyMap<string, readonly Balance[]>,
): readonly Lie[] {
  const person = history.people.get(Number(personId));
  const answered = made.answer?.get('balance_minutes');
  if (person === undefined || answered === undefined) return [];
  const yesterday = (time: number) => dayOf(history, person.companyId, time + history.ahead - 86_400_000);
  const date = yesterday(made.from - 2_000);
  const after = (balances.get(`${person.id} ${date}`) ?? []).find(({ step }) => step.from > made.until);
  if (after === undefined || yesterday(after.step.until + 2_000) !== date) return [];
  const isWritten = history.steps.some(
    (one) => one !== made && one.method !== 'GET' && one.from < after.step.until && one.until > made.from,
  );
  return isWritten || after.row['balance_minutes'] === answered
    ? []
    : [
        {
          kind: 'record',
          what: `${named(made)}: the balance is ${brief(answered)}, ${named(after.step)} says ${brief(after.row['balance_minutes'])}`,
        },
      ];
}

const query = (step: Step, name: string): number | undefined => {
  const value = step.query.get(name);
  return value === null ? undefined : Number(value);
};
