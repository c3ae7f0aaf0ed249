/**
 * Lists: a row stands once, fits the filters, comes in its order; what the caller may read is there, page by page and
 * change by change.
 */
import { at } from '../json.js';
import type { Changes } from './changes.js';
import {
  brief,
  groupedBy,
  type History,
  type KnownPerson,
  type Lie,
  named,
  numberAt,
  rowsOf,
  type Step,
} from './history.js';
import type { RecordKind, Sighting } from './sightings.js';
import { type Clock, dayOf } from './time.js';
import { personOf } from './versions.js';

/** Pages that follow each other by their cursors, from the first one on. */
export interface Traversal {
  readonly operation: string;
  readonly pages: readonly Step[];
  readonly rows: readonly Record<string, unknown>[];
  /** Whether the last page was read. */
  readonly complete: boolean;
  readonly from: number;
  readonly until: number;
}

export const listKinds: Readonly<Record<string, RecordKind>> = {
  listUsers: 'user',
  listClockStates: 'clock state',
  listTimeEntries: 'entry',
  listLeaves: 'absence',
};
const lists = [
  ...Object.keys(listKinds),
  ...[
    'listTimeBalances',
    'listTimeBookings',
    'listCompanies',
    'listEvents',
    'listRemovedUsers',
    'listRemovedTimeEntries',
    'listRemovedLeaves',
  ],
  ...['listProofs', 'listCompanyProofs'],
];
const idOf = (operation: string, row: Record<string, unknown>): string => {
  if (operation === 'listClockStates' || operation === 'listTimeBalances') return String(row['user_id']);
  return /Proofs$/.test(operation) ? `${row['tx']} ${row['event_sequence']}` : String(row['id']);
};

export function traversalsOf(history: History): readonly Traversal[] {
  const pages = history.of(lists, 200);
  const placeOf = ({ credential, operation }: Step, cursor: unknown) => `${credential} ${operation} ${String(cursor)}`;
  const byCursor = groupedBy(pages, (page) => {
    const cursor = page.query.get('cursor');
    return cursor === null ? undefined : placeOf(page, cursor);
  });
  return pages
    .filter(({ query }) => query.get('cursor') === null)
    .map((first) => {
      const found = [first];
      for (let page = first; at(page.answer?.json, 'has_more') === true; ) {
        // The same cursor is given again where the same rows stand before it.
        const after = byCursor.get(placeOf(page, page.answer?.get('next_cursor'))) ?? [];
        const next = after.find((one) => one.from >= page.until);
        if (next === undefined) break;
        found.push(next);
        page = next;
      }
      const last = found.at(-1)!;
      return {
        operation: first.operation!,
        pages: found,
        rows: found.flatMap(rowsOf),
        complete: at(last.answer?.json, 'has_more') === false,
        from: first.from,
        until: last.until,
      };
    });
}

export function liesAboutLists(
  history: History,
  traversals: readonly Traversal[],
  seen: readonly Sighting[],
  changes: Changes,
): readonly Lie[] {
  const lies: Lie[] = [];
  const known = versionsOf(seen);
  for (const list of traversals) {
    const first = list.pages[0]!;
    const lie = (what: string) =>
      lies.push({
        kind: 'list',
        what: `${named(first)}${list.pages.length > 1 ? ` and ${list.pages.length - 1} more pages` : ''}: ${what}`,
      });
    for (const page of list.pages) {
      const limit = Number(page.query.get('limit') ?? 100);
      if (rowsOf(page).length > limit) lie(`${rowsOf(page).length} rows on a page of ${limit}`);
      if ((page.answer?.get('next_cursor') !== null) !== (page.answer?.get('has_more') === true))
        lie('has_more and next_cursor contradict each other');
      if (page.answer?.get('has_more') === true && rowsOf(page).length === 0 && list.operation !== 'listEvents')
        lie('an empty page in the middle');
    }
    const ids = new Map<string, Record<string, unknown>>();
    for (const row of list.rows) {
      const id = idOf(list.operation, row);
      const before = ids.get(id);
      if (before !== undefined && before['updated_at'] === row['updated_at']) lie(`${id} stands there twice`);
      ids.set(id, row);
      if (list.operation === 'listLeaves' && row['warnings'] !== undefined)
        lie(`${id} has warnings, which belong to requests`);
      const wrong = misfit(first, row);
      if (wrong !== undefined) lie(`${id} does not belong there: ${wrong}`);
    }
    if (first.query.get('updated_since') === null && !inOrder(list)) lie('the rows are not in their order');
    if (list.operation === 'listTimeEntries' && list.complete) lies.push(...ofAdded(history, changes, list));
    const kind = listKinds[list.operation];
    if (!list.complete || kind === undefined) continue;
    for (const person of history.people.values())
      if (
        (kind === 'user' || kind === 'clock state') &&
        !ids.has(String(person.id)) &&
        wantsPerson(history, changes, list, person)
      )
        lie(`${kind} ${person.id} is missing, whom the kit had added`);
    for (const versions of known.values()) {
      const record = versions[0]!.kind !== kind || ids.has(versions[0]!.id) ? undefined : versionFor(versions, list);
      if (record === undefined || !wants(history, changes, list, record)) continue;
      lie(
        `${kind} ${record.id} is missing, which ${record.where} had shown with ${brief({ status: record.record['status'], updated_at: record.record['updated_at'] })}`,
      );
    }
  }
  return lies;
}

/** A version of a record, with the first answer that showed it. */
export type Version = Sighting;

/** What was recorded afterwards stands there with its times, which are said to be corrected. */
function ofAdded(history: History, changes: Changes, list: Traversal): readonly Lie[] {
  const first = list.pages[0]!;
  const [from, to] = [first.query.get('from'), first.query.get('to')];
  return history.done('addEntry').flatMap(({ given, until }) => {
    const [personId, { start, end }] = given as [number, Readonly<Record<'start' | 'end', string>>];
    const person = history.people.get(personId);
    const date = person === undefined ? '' : dayOf(history, person.companyId, Date.parse(start));
    const asked = from !== null && to !== null && from <= date && date <= to;
    if (person === undefined || until > list.from || !asked || !reads(changes, first, person, list.until)) return [];
    if (history.erasedAt(personId) !== undefined) return [];
    const row = list.rows.find(
      (one) =>
        one['user_id'] === personId &&
        Date.parse(String(one['start'])) === Date.parse(start) &&
        Date.parse(String(one['end'])) === Date.parse(end),
    );
    const lie = (what: string) => [
      { kind: 'list' as const, what: `${named(first)}: the entry of ${start} that was added ${what}` },
    ];
    if (row === undefined) return lie('is missing');
    if (row['status'] !== 'approved') return lie(`is ${brief(row['status'])}`);
    return [row['stamps'] ?? []].flat().every((one) => at(one, 'corrected') === true)
      ? []
      : lie('is not called corrected');
  });
}

/** Versions of each record, oldest first. */
export function versionsOf(seen: readonly Sighting[]): ReadonlyMap<string, readonly Version[]> {
  const byRecord = new Map<string, Map<string, Version>>();
  for (const one of seen) {
    const key = `${one.kind} ${one.id}`;
    const versions = byRecord.get(key) ?? new Map<string, Version>();
    byRecord.set(key, versions);
    const version = String(one.record['updated_at']);
    if ((versions.get(version)?.until ?? Number.POSITIVE_INFINITY) > one.until) versions.set(version, one);
  }
  const changedAt = ({ record }: Version) => Date.parse(String(record['updated_at']));
  return new Map(
    [...byRecord].map(([key, versions]) => [key, [...versions.values()].sort((a, b) => changedAt(a) - changedAt(b))]),
  );
}

/** The version that was shown before a list was asked for, if none came while it was answered. */
function versionFor(versions: readonly Version[], list: Traversal): Version | undefined {
  const index = versions.findLastIndex((one) => one.until < list.from);
  const next = versions[index + 1];
  return next !== undefined && next.from <= list.until ? undefined : versions[index];
}

/** Whether the list has to hold the record: the caller reads it, it fits, and nothing changed it meanwhile. */
function wants(history: History, changes: Changes, list: Traversal, record: Version): boolean {
  const first = list.pages[0]!;
  const personId = personOf(record);
  const person = personId === undefined ? undefined : history.people.get(personId);
  if (person === undefined || !reads(changes, first, person, list.until)) return false;
  const disturbed = changes.elsewhere.some(
    (one) =>
      (one.personId === undefined || one.personId === personId) &&
      one.from <= list.until &&
      one.until > record.from &&
      one.until > person.made.until,
  );
  if (disturbed || misfit(first, record.record) !== undefined) return false;
  const since = first.query.get('updated_since');
  if (since === null) return true;
  // A position is judged by what changed after it was given; an instant by the time of the change.
  if (since.startsWith('s1_')) {
    const given = givenBy(history, first, since);
    if (given === undefined) return false;
    // A person changes by the adapter, which shows no record. Of what others wrote only the service's clock tells when.
    const written = record.kind === 'user' ? person : windowOf(history, changes, first.operation ?? '', record.record);
    return written === undefined
      ? Date.parse(String(record.record['updated_at'])) - history.ahead > given.until + 4_000
      : given.until < written.from && written.until < list.from;
  }
  return Date.parse(String(record.record['updated_at'])) >= Date.parse(since);
}

/** Whether a list of people or of their clocks has to hold somebody whom nothing has changed since. */
function wantsPerson(history: History, changes: Changes, list: Traversal, person: KnownPerson): boolean {
  const first = list.pages[0]!;
  if (
    person.made.until > list.from ||
    history.erasedAt(person.id) !== undefined ||
    !reads(changes, first, person, list.until)
  )
    return false;
  if (first.query.get('state') !== null) return false;
  const { employment_start: start, employment_end: end } = person.members;
  const now = list.from;
  const employed =
    Date.parse(String(start)) < now - 2 * 86_400_000 &&
    (end === undefined || Date.parse(String(end)) > now + 2 * 86_400_000);
  if (!employed || first.query.get('active') === 'false') return false;
  const since = first.query.get('updated_since');
  if (since === null) return true;
  if (since.startsWith('s1_')) {
    const given = givenBy(history, first, since);
    return given !== undefined && given.until < person.from && person.until < list.from;
  }
  // The clocks of the service and of the kit may differ by some seconds.
  return Date.parse(since) < person.made.from - 10_000;
}

const givers = new WeakMap<History, Map<string, Step>>();
/** The answer that gave a position first. */
export function givenBy(history: History, reader: Step, position: string): Step | undefined {
  let known = givers.get(history);
  if (known === undefined) {
    known = new Map();
    for (const step of history.steps)
      for (const member of ['next_updated_since', 'next_since', 'next_after']) {
        const value = step.answer?.status === 200 ? step.answer.get(member) : undefined;
        if (typeof value === 'string')
          known.set(`${step.credential} ${value}`, known.get(`${step.credential} ${value}`) ?? step);
      }
    givers.set(history, known);
  }
  return known.get(`${reader.credential} ${position}`);
}

/** Whether a caller reads a person's records, as far as the kit knows. */
export function reads(changes: Changes, { caller, query }: Step, person: KnownPerson, until: number): boolean {
  if (caller === undefined) return false;
  for (const what of [caller.extensionId, `company ${person.companyId}`, '']) {
    const since = changes.unsettled.get(what);
    if (since !== undefined && since <= until) return false;
  }
  const company = query.get('company_id');
  if (company !== null && Number(company) !== person.companyId) return false;
  const asked = query.get('user_id');
  if (asked !== null && Number(asked) !== person.id) return false;
  if (caller.personId !== undefined) return caller.personId === person.id;
  return caller.everyone && caller.companyId === person.companyId;
}

/** @returns why a row does not fit the filters of a request */
function misfit({ query, operation }: Step, row: Readonly<Record<string, unknown>>): string | undefined {
  const asked = (name: string) => query.get(name);
  if (asked('user_id') !== null && numberAt(row, 'user_id') !== Number(asked('user_id')))
    return `it is of person ${brief(row['user_id'])}`;
  const company = asked('company_id');
  if (
    company !== null &&
    operation !== 'listCompanies' &&
    row['company_id'] !== undefined &&
    row['company_id'] !== Number(company)
  )
    return `it is of company ${brief(row['company_id'])}`;
  if (operation === 'listClockStates' && asked('state') !== null && row['state'] !== asked('state'))
    return `its state is ${brief(row['state'])}`;
  if (operation === 'listUsers' && asked('active') !== null && String(row['active']) !== asked('active'))
    return `active is ${brief(row['active'])}`;
  const [from, to] = [asked('from'), asked('to')];
  if (from !== null && to !== null) {
    if (operation === 'listTimeEntries' && (String(row['date']) < from || String(row['date']) > to))
      return `it is of ${brief(row['date'])}`;
    if (operation === 'listLeaves') {
      if (String(row['end_date']) < from || String(row['start_date']) > to)
        return `it lasts from ${brief(row['start_date'])} to ${brief(row['end_date'])}`;
      if (!['approved', 'cancellation_requested'].includes(String(row['status'])))
        return `it is ${brief(row['status'])}`;
    }
    if (operation === 'listTimeBookings' && (String(row['date']) < from || String(row['date']) > to))
      return `it is of ${brief(row['date'])}`;
  }
  if (operation === 'listTimeBalances' && asked('date') !== null && row['date'] !== asked('date'))
    return `it is of ${brief(row['date'])}`;
  const since = asked('updated_since');
  if (since !== null && !since.startsWith('s1_') && Date.parse(String(row['updated_at'])) < Date.parse(since))
    return `it changed at ${brief(row['updated_at'])}`;
  for (const [name, member] of [
    ['sender', 'sender'],
    ['company_token', 'company_token'],
    ['period', 'period'],
  ] as const)
    if (
      /^list.*Proofs$/.test(operation ?? '') &&
      asked(name) !== null &&
      String(row[member]).toLowerCase().replace(/^0x/, '') !== asked(name)!.toLowerCase().replace(/^0x/, '')
    )
      return `its ${member} is ${brief(row[member])}`;
  return undefined;
}

/** Orders that the documents promise. */
function inOrder({ operation, rows }: Traversal): boolean {
  const by = {
    listUsers: (row: Record<string, unknown>) => [Number(row['id'])],
    listTimeBalances: (row: Record<string, unknown>) => [Number(row['user_id'])],
    listTimeBookings: (row: Record<string, unknown>) => [String(row['date'])],
    listEvents: (row: Record<string, unknown>) => [Number(row['sequence'])],
    listProofs: (row: Record<string, unknown>) => [-Number(row['checkpoint'])],
    listCompanyProofs: (row: Record<string, unknown>) => [-Number(row['checkpoint'])],
  }[operation as 'listUsers'];
  if (by === undefined) return true;
  return rows.every((row, index) => index === 0 || by(rows[index - 1]!)[0]! <= by(row)[0]!);
}

/** Between when the kit made the change that a row of a feed shows. */
function windowOf(
  history: History,
  changes: Changes,
  operation: string,
  row: Readonly<Record<string, unknown>>,
): { readonly from: number; readonly until: number } | undefined {
  const changed = Date.parse(String(row['updated_at']));
  if (operation === 'listUsers') {
    const person = history.people.get(numberAt(row, 'id'));
    // Which of several changes made it what it is does not show.
    const sure =
      person !== undefined &&
      changed < person.made.until + 2_000 &&
      (person.from === person.made.from || person.from > person.made.until + 4_000);
    return sure ? person.made : undefined;
  }
  if (operation === 'listTimeEntries')
    return changes.stamps.find(({ entry, at: time }) => entry?.['id'] === row['id'] && time === changed);
  if (operation === 'listLeaves')
    return changes.absences.find(
      ({ id, record, changed: really }) =>
        really && id === String(row['id']) && record['updated_at'] === row['updated_at'],
    );
  return undefined;
}

/** Feeds: the order of changes, and positions that go forward. */
export function liesAboutFeeds(history: History, traversals: readonly Traversal[], changes: Changes): readonly Lie[] {
  const lies: Lie[] = [];
  const delivered = new Map<string, { readonly row: string; readonly list: Traversal }[]>();
  for (const list of traversals) {
    const first = list.pages[0]!;
    const since = first.query.get('updated_since') ?? first.query.get('since');
    if (since === null) continue;
    const lie = (what: string) => lies.push({ kind: 'feed', what: `${named(first)}: ${what}` });
    const times = list.rows.map(
      (row) => [String(row['user_id'] ?? row['id']), String(row['updated_at'] ?? row['removed_at'])] as const,
    );
    const windows = list.rows.map((row) => windowOf(history, changes, list.operation, row));
    for (const [index, window] of windows.entries()) {
      const before = windows
        .slice(0, index)
        .find((other) => window !== undefined && other !== undefined && other.from > window.until);
      if (before !== undefined) lie(`${brief(list.rows[index])} stands after a change that came later`);
    }
    // Changes of one person are committed one after the other.
    for (const [index, [who, time]] of times.entries()) {
      const before = times.slice(0, index).findLast(([other]) => other === who);
      if (before !== undefined && Date.parse(before[1]) > Date.parse(time))
        lie(`the change of ${time} comes after that of ${before[1]}`);
    }
    const next = list.complete
      ? (list.pages.at(-1)!.answer?.get('next_updated_since') ?? list.pages.at(-1)!.answer?.get('next_since'))
      : undefined;
    if (list.complete && typeof next !== 'string') lie('the last page has no position for the next time');
    const place = (position: unknown) =>
      `${first.credential} ${first.operation} ${first.query.get('user_id')} ${first.query.get('company_id')} ${String(position)}`;
    const before = delivered.get(place(since)) ?? [];
    for (const row of list.rows) {
      const version = `${String(row['id'])} ${String(row['updated_at'] ?? row['removed_at'])}`;
      const again = before.find((one) => one.row === version && one.list.until < list.from && old(row, one.list));
      if (again !== undefined)
        lie(`${version} had been delivered before ${since} was given (${named(again.list.pages[0]!)})`);
    }
    if (typeof next === 'string')
      delivered.set(place(next), [
        ...before,
        ...list.rows.map((row) => ({
          row: `${String(row['id'])} ${String(row['updated_at'] ?? row['removed_at'])}`,
          list,
        })),
      ]);
    const given = typeof next === 'string' ? givenBy(history, first, next) : undefined;
    const asked = givenBy(history, first, since);
    if (given !== undefined && asked !== undefined && next !== since && given.until < asked.from)
      lie('the position goes back: it was given before the one that was asked from');
    // Clocks differ by less than some seconds.
    const later = list.rows.findIndex(
      (row) =>
        given !== undefined &&
        Date.parse(String(row['updated_at'] ?? row['removed_at'])) - history.ahead > given.until + 4_000,
    );
    if (later >= 0)
      lie(`the position was given before the change of ${brief(list.rows[later]!['id'])}, which it is said to include`);
    if (typeof next === 'string' && next === since && list.rows.length > 0) lie('rows, and the position does not move');
  }
  return lies;

  /** Long before it was delivered: what changes at that moment may come twice. */
  function old(row: Record<string, unknown>, list: Traversal): boolean {
    return Date.parse(String(row['updated_at'] ?? row['removed_at'])) < list.from - 5_000;
  }
}

const removedKinds: Readonly<Record<string, RecordKind>> = {
  listRemovedUsers: 'user',
  listRemovedTimeEntries: 'entry',
  listRemovedLeaves: 'absence',
};

/** Who was erased is in the lists of what was removed, with everything of theirs, and in no other answer any more. */
export function liesAboutRemovals(
  history: History,
  traversals: readonly Traversal[],
  seen: readonly Sighting[],
  changes: Changes,
  clock: Clock,
): readonly Lie[] {
  const lies: Lie[] = [];
  const erased = history.doings.flatMap(({ operation, given, result, from, until }) => {
    const person =
      operation === 'erasePerson' && result !== undefined ? history.people.get(numberAt(given[0], 'id')) : undefined;
    return person === undefined ? [] : [{ person, from, until }];
  });
  for (const one of seen) {
    const gone = erased.find(({ person, until }) => person.id === personOf(one) && until < one.from);
    if (one.fresh && gone !== undefined)
      lies.push({
        kind: 'record',
        what: `${one.kind} ${one.id}: ${one.where} shows it, and person ${gone.person.id} was erased before`,
      });
  }
  const versions = versionsOf(seen);
  for (const list of traversals) {
    const kind = removedKinds[list.operation];
    if (kind === undefined) continue;
    const first = list.pages[0]!;
    const lie = (what: string) => lies.push({ kind: 'feed', what: `${named(first)}: ${what}` });
    const since = first.query.get('since') ?? '';
    const given = Number.isNaN(Date.parse(since)) ? givenBy(history, first, since)?.until : Date.parse(since);
    for (const { person, from, until } of erased) {
      if (
        given === undefined ||
        given > from ||
        until > list.from ||
        !list.complete ||
        !reads(changes, first, person, list.until)
      )
        continue;
      for (const [record] of versions.values()) {
        // Erasing somebody may withdraw what waits: the record was there if any version was.
        if (record === undefined || record.kind !== kind || personOf(record) !== person.id || record.until > from)
          continue;
        const row = list.rows.find((one) => String(one['id']) === record.id);
        if (row === undefined) lie(`${kind} ${record.id} of person ${person.id} is missing`);
        else if (!clock.within(Date.parse(String(row['removed_at'])), from, until))
          lie(`${kind} ${record.id} was not removed at ${brief(row['removed_at'])}`);
        else if (row['company_id'] !== person.companyId)
          lie(`${kind} ${record.id} was of company ${person.companyId}, not ${brief(row['company_id'])}`);
      }
    }
    for (const row of list.rows) {
      const alive = versions.get(`${kind} ${String(row['id'])}`)?.at(-1);
      const owner = alive === undefined ? undefined : personOf(alive);
      if (
        alive !== undefined &&
        owner !== undefined &&
        history.people.has(owner) &&
        !erased.some(({ person, from }) => person.id === owner && from < list.until) &&
        alive.from > list.until
      )
        lie(`${kind} ${alive.id} is called removed, and ${alive.where} showed it later`);
    }
  }
  return lies;
}
