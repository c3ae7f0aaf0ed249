/** What entries of the audit log say beside who and when: numbers and codes, values, reasons, links, badges and cards. */
import { at } from '../json.js';
import { bodyOf, type Changes } from './changes.js';
import { terminalOf } from './doors.js';
import {
  brief,
  groupedBy,
  type History,
  jsonOf,
  type Lie,
  named,
  type Row,
  rowsOf,
  same,
  type Told,
} from './history.js';
import { type Link, linksOf } from './links.js';
import { isOf, isPage, terminalAt, verbOf } from './pages.js';
import type { Clock } from './time.js';

/** The value of a member after the change that an entry is about. */
export const newValue = (row: Row, member: string): unknown =>
  at(
    [row['changes'] ?? []].flat().find((change) => at(change, 'member') === member),
    'new',
  );

/** @returns what judges a page of the log: all its rows, those of the kit's companies, the action asked for, and when */
export function liesAboutDetails(history: History, changes: Changes, clock: Clock) {
  const links = linksOf(history);
  const blocked = blockedIn(history);
  const names = namesOf(history);
  const renamed = new Set(history.done('changePerson').map(({ given }) => String(given[0])));
  const places = new Map<string, string>();
  return (all: readonly Row[], rows: readonly Row[], action: string, read: number): readonly Lie[] => {
    const lies = [
      ...ofPlaces(all, places),
      ...ofChanges(history, rows, clock),
      ...ofLinks(links, rows, clock),
      ...ofSubjects(rows, names, renamed),
      ...ofErasure(changes, rows),
      ...ofCards(history, rows),
    ];
    // A full page ends in the middle of the log.
    if (all.length >= 500) return lies;
    return [
      ...lies,
      ...ofNamed(history, rows, action, read, clock),
      ...('badge.blocked'.startsWith(action) ? ofBlocked(rows, blocked, read) : []),
      ...('card.refused'.startsWith(action) ? ofRefusedCards(history, rows, blocked, read, clock) : []),
    ];
  };
}

/** Who is erased takes every absence along. */
const ofErasure = (changes: Changes, rows: readonly Row[]): readonly Lie[] =>
  rows.flatMap((row) => {
    const person = String(at(row, 'subject.id'));
    const known = new Set(changes.absences.filter(({ personId }) => String(personId) === person).map(({ id }) => id));
    const erased = newValue(row, 'absences');
    return row['action'] !== 'person.erased' || !/^\d+$/.test(String(erased)) || Number(erased) >= known.size
      ? []
      : [
          {
            kind: 'audit' as const,
            what: `${brief(erased)} absences of person ${person} were erased, ${known.size} had been made`,
          },
        ];
  });

/** A badge is of one kind of card. */
function ofCards(history: History, rows: readonly Row[]): readonly Lie[] {
  const kinds = new Map(
    history.steps
      .filter((step) => isOf(step, 'ownBadges'))
      .flatMap((step) => [...rowsOf(step), (step.answer?.json ?? {}) as Row])
      .map((badge) => [badge['id'], badge['card']]),
  );
  return rows.flatMap((row) => {
    const [kind, logged] = [kinds.get(at(row, 'subject.id')), newValue(row, 'family')];
    return row['action'] !== 'badge.issued' || kind === undefined || logged === undefined || kind === logged
      ? []
      : [
          {
            kind: 'audit' as const,
            what: `${brief(at(row, 'subject.id'))} is ${brief(kind)}, issued was ${brief(logged)}`,
          },
        ];
  });
}

/** Names that an extension has had. */
const namesOf = (history: History): ReadonlyMap<string, ReadonlySet<unknown>> =>
  new Map(
    history.done('createExtension').map(({ given, result }) => {
      const id = String(at(result, 'id'));
      const later = history.doings.filter((one) => one.operation === 'changeExtension' && one.given[0] === id);
      return [id, new Set([given[0], ...later.map((one) => one.given[1])].map((one) => at(one, 'name')))] as const;
    }),
  );

/** Who is named twice is one and has one name, and a refusal has a reason. */
function ofSubjects(
  rows: readonly Row[],
  names: ReadonlyMap<string, ReadonlySet<unknown>>,
  renamed: ReadonlySet<string>,
): readonly Lie[] {
  const lies: Lie[] = [];
  /** Somebody has one name on a page, unless it was changed. */
  const people = new Map<string, unknown>();
  for (const row of rows) {
    const lie = (what: string) =>
      lies.push({ kind: 'audit', what: `${String(row['action'])} ${String(row['sequence'])} ${what}` });
    for (const [person, name] of [
      [at(row, 'actor.kind') === 'person' ? at(row, 'actor.id') : undefined, at(row, 'actor.name')],
      [at(row, 'subject.kind') === 'person' ? at(row, 'subject.id') : undefined, at(row, 'subject.name')],
    ]) {
      if (person === undefined || name === undefined || renamed.has(String(person))) continue;
      const before = people.get(String(person)) ?? name;
      if (before !== name) lie(`calls person ${String(person)} ${brief(name)} and ${brief(before)}`);
      people.set(String(person), before);
    }
    const { kind, id, person_id: person } = (row['subject'] ?? {}) as Row;
    const { kind: acts, id: actor, name: called } = (row['actor'] ?? {}) as Row;
    const about = newValue(row, 'person');
    if (about !== undefined && person !== undefined && String(about) !== String(person))
      lie(`is about person ${brief(person)} and ${brief(about)}`);
    if (kind === 'person' && person !== undefined && String(person) !== String(id))
      lie(`is about person ${brief(id)} and ${brief(person)}`);
    const told = acts === 'extension' ? names.get(String(actor)) : undefined;
    if (told !== undefined && called !== undefined && !told.has(called)) lie(`calls ${brief(actor)} ${brief(called)}`);
    if (row['action'] === 'terminal.paired' && actor !== id) lie(`was done by ${brief(row['actor'])}`);
    if (row['action'] === 'card.refused' && typeof row['reason'] !== 'string') lie('has no reason');
  }
  return lies;
}

/** What an entry was written with stays: its number and code name one entry, and a place that was given is kept. */
function ofPlaces(rows: readonly Row[], places: Map<string, string>): readonly Lie[] {
  const lies: Lie[] = [];
  for (const { sequence, place, mac } of rows)
    for (const [of, value] of [
      [`the number of ${String(mac)}`, mac === undefined ? undefined : sequence],
      [`the code of ${String(sequence)}`, mac],
      [`the number at ${String(place)}`, typeof place === 'number' ? sequence : undefined],
      [
        `the place of ${String(sequence)}`,
        place ?? (places.has(`the place of ${String(sequence)}`) ? null : undefined),
      ],
    ] as const) {
      const before = places.get(of);
      if (before !== undefined && before !== String(value))
        lies.push({ kind: 'audit', what: `${of} is ${brief(value)}, before ${before}` });
      if (value !== undefined) places.set(of, String(value));
    }
  return lies;
}

/** What was sent, or answered, is what an entry says was changed. */
function ofChanges(history: History, rows: readonly Row[], clock: Clock): readonly Lie[] {
  const writes = history.steps.filter((step) => step.method !== 'GET' && isPage(step) && step.status < 300);
  return rows.flatMap((row) => {
    const id = String(at(row, 'subject.id'));
    const time = Date.parse(String(row['at']));
    const about = new RegExp(`/${id}(/|$)`);
    // A consent stands beside the app, and is judged with its link.
    if (String(row['action']).startsWith('link.')) return [];
    const told = writes.filter(
      (step) =>
        clock.within(time, step.from, step.until) &&
        (about.test(step.path) || String(at(bodyOf(step), 'user_id')) === id || step.answer?.text.includes(`"${id}"`)),
    );
    return [row['changes'] ?? []].flat().flatMap((change) => {
      const lie = (what: string) => [{ kind: 'audit' as const, what: `${String(row['action'])} of ${id}: ${what}` }];
      const member = String(at(change, 'member'));
      const [was, is] = [at(change, 'old'), at(change, 'new')];
      if (was !== undefined && was === is) return lie(`${member} changed from ${brief(was)} to the same`);
      const values = told.flatMap((step) => {
        const sent = at(bodyOf(step), member) ?? (member === 'terminal' ? terminalAt(step) : undefined);
        return sent === undefined ? [] : [plain(sent)];
      });
      return values.length === 0 || values.includes(plain(jsonOf(is) ?? is))
        ? []
        : lie(`${member} is ${brief(is)}, written was ${values.join(' or ')}`);
    });
  });
}
/** As text, whatever a log makes of numbers, truths and lists. */
const plain = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : JSON.stringify(Array.isArray(value) ? [...value].sort() : value);

const enders: Readonly<Record<string, string>> = {
  revoked_by_app: 'extension',
  revoked_by_person: 'person',
  extension_deleted: 'person',
};
/** What was allowed to an app, who ended a link, and why. */
function ofLinks(links: readonly Link[], rows: readonly Row[], clock: Clock): readonly Lie[] {
  const lasting = rows.flatMap((row) => {
    const link = row['action'] === 'link.consented' ? linkOf(links, row, clock) : undefined;
    const end = Date.parse(String(link?.grants[0]?.step.answer?.get('link_expires_at')));
    const [days, lasts] = [Number(newValue(row, 'days')), (end - Date.parse(String(row['at']))) / 86_400_000];
    return Number.isNaN(days - lasts) || Math.abs(days - lasts) < 0.5
      ? []
      : [
          {
            kind: 'audit' as const,
            what: `the consent of person ${link?.personId} is said to last ${days} days, its tokens end in ${lasts.toFixed(1)}`,
          },
        ];
  });
  const allowed = rows.flatMap((row) => {
    const own = links.filter(
      ({ extensionId, personId }) => extensionId === at(row, 'subject.id') && String(personId) === at(row, 'actor.id'),
    );
    const scopes = jsonOf(newValue(row, 'scopes'));
    return row['action'] !== 'link.consented' ||
      own.length === 0 ||
      !Array.isArray(scopes) ||
      own.some((link) => same([...link.scopes].sort(), [...scopes].sort()))
      ? []
      : [
          {
            kind: 'audit' as const,
            what: `person ${String(own[0]!.personId)} is said to have allowed ${brief(scopes)}`,
          },
        ];
  });
  const ended = rows.flatMap((row) => {
    const link = row['action'] === 'link.ended' ? links.find(({ id }) => id === at(row, 'subject.id')) : undefined;
    if (link === undefined || link.ends.length === 0) return [];
    const lie = (what: string) => [{ kind: 'audit' as const, what: `the end of the link ${link.id} ${what}` }];
    const extension = newValue(row, 'extension');
    if (extension !== undefined && extension !== link.extensionId)
      return lie(`is one of ${brief(extension)}, it was of ${link.extensionId}`);
    const reason = String(row['reason']);
    if (['expired', ...Object.keys(enders)].includes(reason) && !link.ends.some((one) => one.reason === reason))
      return lie(`is ${reason}, it was ${link.ends.map((one) => one.reason).join(' or ')}`);
    const kind = enders[reason];
    return kind === undefined || at(row, 'actor.kind') === kind
      ? []
      : lie(`was done by ${brief(row['actor'])}, its reason is ${reason}`);
  });
  const opened = rows.flatMap((row) => {
    const link = row['action'] === 'link.opened' ? links.find(({ id }) => id === at(row, 'actor.id')) : undefined;
    const [said, given] = [newValue(row, 'expires_at'), link?.grants[0]?.step.answer?.get('link_expires_at')];
    return said === undefined || given === undefined || Date.parse(String(said)) === Date.parse(String(given))
      ? []
      : [
          {
            kind: 'audit' as const,
            what: `the link ${link?.id} is said to end at ${brief(said)}, its tokens were given until ${brief(given)}`,
          },
        ];
  });
  return [...allowed, ...lasting, ...opened, ...ended];
}

/** The link that came of the consent of an entry. */
const linkOf = (links: readonly Link[], row: Row, clock: Clock): Link | undefined =>
  links.find(
    ({ extensionId, personId, consent: { from, until } }) =>
      extensionId === at(row, 'subject.id') &&
      String(personId) === at(row, 'actor.id') &&
      clock.within(Date.parse(String(row['at'])), from, until),
  );

const actionsOfPages: Readonly<Record<string, string>> = {
  invitation: 'person.invited',
  deactivation: 'person.deactivated',
  issuing: 'badge.issuing_started',
};
/** What the adapter did to a month, a department or an invitation stands in the log, with its time. */
function ofNamed(history: History, rows: readonly Row[], action: string, read: number, clock: Clock): readonly Lie[] {
  const lies: Lie[] = [];
  const ofOne = (name: string, { from, until }: Told, fits: (row: Row) => boolean, what: string) => {
    if (
      name.startsWith(action) &&
      !rows.some(
        (row) =>
          row['action'] === name &&
          at(row, 'actor.kind') === 'person' &&
          clock.within(Date.parse(String(row['at'])), from, until) &&
          fits(row),
      )
    )
      lies.push({ kind: 'audit', what: `nothing says ${name} of ${what} at its time` });
  };
  for (const step of history.steps) {
    const { path, status, until } = step;
    const name = status < 300 && isOf(step, 'administration') ? actionsOfPages[verbOf(step)] : undefined;
    const id = /\/(\w+)\/\w+$/.exec(path)?.[1];
    if (name !== undefined && until < read)
      ofOne(
        name,
        step,
        (row) => [id, String(at(bodyOf(step), 'user_id'))].includes(String(at(row, 'subject.id'))),
        String(id),
      );
    const added = isOf(step, 'terminals') && status === 201 ? step.answer?.get('terminal.id') : undefined;
    if (added !== undefined && until < read)
      ofOne('terminal.pairing_code', step, (row) => at(row, 'subject.id') === added, brief(added));
  }
  for (const doing of history.doings) {
    const { operation, given, result, until } = doing;
    if (result === undefined || until > read) continue;
    const [id, second] = [String(given[0]), String(given[1])];
    if (operation === 'closeMonth')
      ofOne(
        'month.closed',
        doing,
        (row) => at(row, 'subject.id') === second && String(row['company_id']) === id,
        `${second} in company ${id}`,
      );
    if (operation === 'createDepartment')
      ofOne(
        'department.added',
        doing,
        (row) => at(row, 'subject.name') === second && String(row['company_id']) === id,
        `${second} in company ${id}`,
      );
    if (operation === 'erasePerson') {
      const person = String(at(given[0], 'id'));
      const kept = (row: Row) => typeof row['reason'] === 'string' || newValue(row, 'retained_until') === undefined;
      ofOne(
        'person.erased',
        doing,
        (row) => at(row, 'subject.id') === person && kept(row),
        `person ${person}, with the reason for not waiting`,
      );
    }
  }
  return lies;
}

interface Blocked {
  readonly personId: number;
  readonly cards: readonly string[];
  readonly until: number;
}

/** Whose badges were blocked through their pages, and when. */
const blockedIn = (history: History): readonly Blocked[] =>
  history.done('blockBadges').flatMap(({ given, until }) => {
    const personId = history.signedIn.get(given[0]);
    const cards = [...history.badges].filter(([, holder]) => holder === personId).map(([uid]) => uid);
    return personId === undefined || cards.length === 0 ? [] : [{ personId, cards, until }];
  });

function ofBlocked(rows: readonly Row[], blocked: readonly Blocked[], read: number): readonly Lie[] {
  const stands = ({ personId }: Blocked) =>
    rows.some(
      (row) =>
        row['action'] === 'badge.blocked' && isAbout(row, personId) && String(at(row, 'actor.id')) === String(personId),
    );
  return blocked
    .filter((one) => one.until < read && !stands(one))
    .map(({ personId }) => ({ kind: 'audit', what: `nothing says that person ${personId} blocked their badge` }));
}

/** What was refused at a door stands in the log, with the reason that the door does not tell. */
function ofRefusedCards(
  history: History,
  rows: readonly Row[],
  blocked: readonly Blocked[],
  read: number,
  clock: Clock,
): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (what: string) => lies.push({ kind: 'audit', what });
  const reasons = { unknown: new Set<unknown>(), blocked: new Set<unknown>() };
  const refused = history
    .of(['openCardSession'], 403)
    .filter(({ answer, until }) => answer?.get('code') === 'card_refused' && until < read);
  for (const [terminal, steps] of groupedBy(refused, terminalOf)) {
    const entries = rows
      .filter((row) => row['action'] === 'card.refused' && at(row, 'actor.id') === terminal)
      .sort((one, other) => Number(one['sequence']) - Number(other['sequence']));
    if (entries.length < steps.length)
      lie(`${entries.length} entries say why cards were refused at ${terminal}, ${steps.length} were`);
    if (entries.length !== steps.length) continue;
    for (const [index, step] of steps.entries()) {
      const { at: time, reason } = entries[index]!;
      if (!clock.within(Date.parse(String(time)), step.from, step.until))
        lie(`${named(step)} was not refused at ${brief(time)}`);
      const uid = String(at(bodyOf(step), 'uid')).toLowerCase();
      if (blocked.some(({ cards, until }) => cards.includes(uid) && until < step.from)) reasons.blocked.add(reason);
      if (!history.badges.has(uid)) reasons.unknown.add(reason);
    }
  }
  const both = [...reasons.unknown].filter((reason) => reasons.blocked.has(reason));
  if (both.length > 0) lie(`an unknown card and a blocked badge were refused for one reason: ${brief(both)}`);
  return lies;
}
const isAbout = (row: unknown, personId: number): boolean =>
  ['subject.person_id', 'subject.id', 'person.id'].some((path) => String(at(row, path)) === String(personId));
