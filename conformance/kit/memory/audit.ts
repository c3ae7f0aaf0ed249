/** The audit log: one entry for each write of the kit, with who, through what, about whom and when. */
import { at, isRecord } from '../json.js';
import { bodyOf, type Changes, changedElsewhere } from './changes.js';
import { terminalOf } from './doors.js';
import { brief, groupedBy, type History, jsonOf, type Lie, named, type Step, same, type Told } from './history.js';
import { type Link, linksOf } from './links.js';
import { isOf, isPage, verbOf } from './pages.js';
import type { Clock } from './time.js';

type Row = Readonly<Record<string, unknown>>;

const absenceActions: Readonly<Record<string, string>> = {
  withdrawn: 'absence.withdrawn',
  cancelled: 'absence.cancelled',
  cancellation_requested: 'absence.cancellation_requested',
};

export function liesAboutTheAuditLog(history: History, changes: Changes, clock: Clock): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (what: string) => lies.push({ kind: 'audit', what });
  const entries = new Map<string, unknown>();
  const expected = expectedOf(history, changes);
  const byAbout = groupedBy(expected, ({ action, subject }) => aboutOf(action, subject));
  const blocked = blockedIn(history);
  const links = linksOf(history);
  const names = new Map(
    history.done('createExtension').map(({ given, result }) => {
      const id = String(at(result, 'id'));
      const later = history.doings.filter((one) => one.operation === 'changeExtension' && one.given[0] === id);
      return [id, new Set([given[0], ...later.map((one) => one.given[1])].map((one) => at(one, 'name')))] as const;
    }),
  );
  const places = new Map<string, string>();
  for (const { given, result, from, until } of history.done('listAuditEntries')) {
    // Of the kit's own companies: what others do in the log is theirs.
    const rows = (result as readonly Row[]).filter(
      (row) => row['company_id'] === undefined || history.companies.has(Number(row['company_id'])),
    );
    for (const [index, row] of rows.entries()) {
      const key = String(row['sequence']);
      const before = entries.get(key);
      const kept = lasting(row);
      // Erasure takes a person's data out of the log, too.
      if (history.erasedAt(Number(at(row, 'subject.person_id'))) !== undefined) continue;
      if (before !== undefined && !same(before, kept))
        lie(`the entry ${key} is ${brief(row)}, before ${brief(before)}`);
      entries.set(key, kept);
      const above = rows[index - 1];
      if (above !== undefined && isLater(row, above)) lie(`the entries are not in their order at ${key}`);
    }
    const action = String(at(given[0], 'action') ?? '');
    for (const member of ['place', 'sequence', 'mac']) {
      const values = (result as readonly Row[]).map((row) => row[member]).filter((value) => value !== null);
      if (new Set(values).size !== values.length)
        lie(`two entries have one ${member}, among those of ${action || 'all actions'}`);
    }
    // A full page ends in the middle of the log.
    const all = result as readonly Row[];
    const oldest = all.length < 500 ? Number.NEGATIVE_INFINITY : Date.parse(String(all.at(-1)!['at'])) + 5_000;
    const byChange = groupedBy(rows, (row) => nearest(row, byAbout));
    for (const one of expected) {
      if (!one.action.startsWith(action) || one.until > from || one.at < oldest) continue;
      const own = byChange.get(one) ?? [];
      const what = `${one.action} of ${one.subject} at ${new Date(one.at).toISOString()}`;
      if (own.length !== 1) lie(`${own.length} entries ${what}`);
      for (const row of own) {
        const actor = at(row, 'actor');
        if (one.actorId !== undefined && at(actor, 'id') !== one.actorId)
          lie(`${what} was done by ${one.actorId}, not ${brief(actor)}`);
        if (at(actor, 'kind') !== one.actorKind) lie(`${what} was done by a ${one.actorKind}, not ${brief(actor)}`);
        if (one.companyId !== undefined && row['company_id'] !== one.companyId)
          lie(`${what} was in company ${one.companyId}, not ${brief(row['company_id'])}`);
        if (!clock.within(Date.parse(String(row['at'])), one.from, one.until))
          lie(`${what} was not at ${brief(row['at'])}`);
        const changed = jsonOf(
          at(
            [row['changes'] ?? []].flat().find((change) => at(change, 'member') === 'changed'),
            'new',
          ),
        );
        if (
          one.changed !== undefined &&
          one.changed.length > 0 &&
          Array.isArray(changed) &&
          !changed.every((member) => one.changed!.includes(String(member)))
        )
          lie(`${what} changed ${brief(changed)}, written were ${one.changed.join(', ')}`);
        const was = at(
          [row['changes'] ?? []].flat().find((change) => at(change, 'member') === 'from'),
          'new',
        );
        if (one.before !== undefined && was !== undefined && was !== one.before)
          lie(`${what} was ${brief(was)} before, not ${one.before}`);
        if (one.mentions !== undefined && !JSON.stringify(row['changes'] ?? []).includes(`"${one.mentions}"`))
          lie(`${what} does not say ${one.mentions}: ${brief(row['changes'])}`);
      }
    }
    if (all.length < 500) lies.push(...doneByAdmins(history, rows, action, { from, until }));
    lies.push(...ofPlaces(all, places), ...ofChanges(history, rows, clock), ...ofLinks(links, rows));
    if (all.length < 500) lies.push(...ofNamed(history, rows, action, from));
    for (const row of rows) {
      const { kind, id, person_id: person } = (row['subject'] ?? {}) as Row;
      if (kind === 'person' && person !== undefined && String(person) !== String(id))
        lie(`${String(row['action'])} ${String(row['sequence'])} is about person ${brief(id)} and ${brief(person)}`);
      const { kind: acts, id: actor, name: called } = (row['actor'] ?? {}) as Row;
      const told = acts === 'extension' ? names.get(String(actor)) : undefined;
      if (told !== undefined && called !== undefined && !told.has(called))
        lie(`${brief(actor)} is called ${brief(called)}`);
      if (row['action'] === 'terminal.paired' && at(row, 'actor.id') !== id)
        lie(`the terminal ${brief(id)} was paired by ${brief(row['actor'])}`);
    }
    for (const row of rows)
      if (row['action'] === 'card.refused' && typeof row['reason'] !== 'string')
        lie(`card.refused ${String(row['sequence'])} has no reason`);
    const text = JSON.stringify(all);
    for (const [credential, { name }] of history.callers)
      if (text.includes(credential)) lie(`the log holds a credential of ${name}`);
    if (all.length < 500 && 'badge.blocked'.startsWith(action)) lies.push(...ofBlocked(rows, blocked, from));
    if (all.length < 500 && 'card.refused'.startsWith(action))
      lies.push(...ofRefusedCards(history, rows, blocked, from, clock));
  }
  return lies;
}

/**
 * Whether an entry is later than another. Writes beside each other may have their times the other way round, and what was
 * imported has an old time and a new sequence.
 */
function isLater(row: Row, than: Row): boolean {
  const ahead = Date.parse(String(row['at'])) - Date.parse(String(than['at']));
  return ahead > 2_000 || (ahead > 0 && Number(row['sequence']) > Number(than['sequence']));
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
    const about = new RegExp(`[/"]${id}(["/]|$)`);
    // A consent stands beside the app, and is judged with its link.
    if (String(row['action']).startsWith('link.')) return [];
    const told = writes.filter(
      ({ path, answer, from, until }) =>
        clock.within(time, from, until) && (about.test(path) || about.test(answer?.text ?? '')),
    );
    return [row['changes'] ?? []].flat().flatMap((change) => {
      const lie = (what: string) => [{ kind: 'audit' as const, what: `${String(row['action'])} of ${id}: ${what}` }];
      const member = String(at(change, 'member'));
      const [was, is] = [at(change, 'old'), at(change, 'new')];
      if (was !== undefined && was === is) return lie(`${member} changed from ${brief(was)} to the same`);
      const values = told.flatMap((step) => {
        const sent = at(bodyOf(step), member);
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
function ofLinks(links: readonly Link[], rows: readonly Row[]): readonly Lie[] {
  const allowed = rows.flatMap((row) => {
    const own = links.filter(
      ({ extensionId, personId }) => extensionId === at(row, 'subject.id') && String(personId) === at(row, 'actor.id'),
    );
    const shown = [row['changes'] ?? []].flat().find((one) => at(one, 'member') === 'scopes');
    const scopes = jsonOf(at(shown, 'new'));
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
    const reason = String(row['reason']);
    if (['expired', ...Object.keys(enders)].includes(reason) && !link.ends.some((one) => one.reason === reason))
      return lie(`is ${reason}, it was ${link.ends.map((one) => one.reason).join(' or ')}`);
    const kind = enders[reason];
    return kind === undefined || at(row, 'actor.kind') === kind
      ? []
      : lie(`was done by ${brief(row['actor'])}, its reason is ${reason}`);
  });
  return [...allowed, ...ended];
}

const actionsOfPages: Readonly<Record<string, string>> = {
  invitation: 'person.invited',
  deactivation: 'person.deactivated',
  issuing: 'badge.issuing_started',
};
/** What the adapter did to something that has no id of its own: how often it stands in the log. */
function ofNamed(history: History, rows: readonly Row[], action: string, read: number): readonly Lie[] {
  const lies: Lie[] = [];
  const ofOne = (name: string, fits: (row: Row) => boolean, what: string) => {
    if (
      name.startsWith(action) &&
      !rows.some((row) => row['action'] === name && at(row, 'actor.kind') === 'person' && fits(row))
    )
      lies.push({ kind: 'audit', what: `nothing says ${name} of ${what}` });
  };
  for (const step of history.steps) {
    const { path, status, until } = step;
    const name = status < 300 && isOf(step, 'administration') ? actionsOfPages[verbOf(step)] : undefined;
    const id = /\/(\w+)\/\w+$/.exec(path)?.[1];
    if (name !== undefined && until < read)
      ofOne(
        name,
        (row) => [id, String(at(bodyOf(step), 'user_id'))].includes(String(at(row, 'subject.id'))),
        String(id),
      );
    const added = isOf(step, 'terminals') && status === 201 ? step.answer?.get('terminal.id') : undefined;
    if (added !== undefined && until < read)
      ofOne('terminal.pairing_code', (row) => at(row, 'subject.id') === added, brief(added));
  }
  for (const { operation, given, result, until } of history.doings) {
    if (result === undefined || until > read) continue;
    const [id, second] = [String(given[0]), String(given[1])];
    if (operation === 'closeMonth')
      ofOne(
        'month.closed',
        (row) => at(row, 'subject.id') === second && String(row['company_id']) === id,
        `${second} in company ${id}`,
      );
    if (operation === 'createDepartment')
      ofOne(
        'department.added',
        (row) => at(row, 'subject.name') === second && String(row['company_id']) === id,
        `${second} in company ${id}`,
      );
    if (operation === 'erasePerson') {
      const person = String(at(given[0], 'id'));
      const kept = (row: Row) =>
        typeof row['reason'] === 'string' ||
        ![row['changes'] ?? []].flat().some((one) => at(one, 'member') === 'retained_until');
      ofOne(
        'person.erased',
        (row) => at(row, 'subject.id') === person && kept(row),
        `person ${person}, with the reason for not waiting`,
      );
    }
  }
  return lies;
}

/** A place is given a moment later, and names are those of today. */
function lasting({ place: _, ...row }: Row): unknown {
  const [actor, subject] = [row['actor'], row['subject']].map((one) => ({ ...(one as object), name: undefined }));
  return { ...row, actor, subject };
}

interface Expected {
  readonly action: string;
  readonly subject: string;
  readonly actorKind: string;
  readonly actorId: string | undefined;
  readonly companyId: number | undefined;
  /** A value that stands among the changes. */
  readonly mentions: string | undefined;
  /** Members of an absence that its change may name. */
  readonly changed?: readonly string[];
  /** What an absence was before. */
  readonly before?: string | undefined;
  readonly at: number;
  readonly from: number;
  readonly until: number;
}

function expectedOf(history: History, changes: Changes): readonly Expected[] {
  const stamps = changes.stamps.flatMap(({ action, personId, at: time, from, until, entry, step }) => {
    const companyId = history.people.get(personId)?.companyId;
    if (companyId === undefined) return [];
    const { caller } = step;
    const actorKind = entry === undefined ? 'terminal' : caller?.personId === undefined ? 'extension' : 'personal_link';
    const actors: Readonly<Record<string, string | undefined>> = {
      terminal: step.headers['service-terminal'],
      extension: caller?.extensionId,
    };
    const actorId = actors[actorKind];
    const mentions = entry === undefined ? undefined : String(entry['id']);
    return [
      {
        action: `clock.${action}`,
        subject: String(personId),
        actorKind,
        actorId,
        companyId,
        mentions,
        at: time,
        from,
        until,
      },
    ];
  });
  const absences = changes.absences.flatMap(({ step, id, record, from, until, changed }) => {
    const { caller } = step;
    if (!changed || caller === undefined || (step.operation === 'createAbsence' && step.status !== 201)) return [];
    const written = { createAbsence: 'absence.requested', updateAbsence: 'absence.changed' }[String(step.operation)];
    const action = written ?? absenceActions[String(record['status'])];
    const actorKind = caller.personId === undefined ? 'extension' : 'personal_link';
    const actorId = caller.personId === undefined ? caller.extensionId : undefined;
    const time = Date.parse(String(record['updated_at']));
    const companyId = Number(record['company_id']);
    const mentions = String(record['status']);
    const last = changes.absences.findLast((one) => one.id === id && one.until < from);
    const decided = changedElsewhere(changes, Number(record['user_id']), last?.from ?? 0, until);
    const before = last === undefined || decided ? undefined : String(last.record['status']);
    return action === undefined
      ? []
      : [
          {
            action,
            subject: id,
            actorKind,
            actorId,
            companyId,
            mentions,
            before,
            changed: changedBy(step),
            at: time,
            from,
            until,
          },
        ];
  });
  return [...stamps, ...absences];
}

/** Which members a request to change an absence may have changed; days follow from the dates. */
const changedBy = (step: Step): readonly string[] => {
  const body = step.operation === 'updateAbsence' ? bodyOf(step) : undefined;
  return isRecord(body) ? [...Object.keys(body), 'days', 'half_day', 'status'] : [];
};

/** What the adapter did, where that is one action of one person about one subject. */
const actions: Readonly<
  Record<string, readonly [action: string, subjectOf: (given: readonly unknown[], result: unknown) => unknown]>
> = {
  createPerson: ['person.added', (_, result) => at(result, 'id')],
  createExtension: ['extension.added', (_, result) => at(result, 'id')],
  changeExtension: ['extension.changed', ([id]) => id],
  removeExtension: ['extension.deleted', ([id]) => id],
  rotateKey: ['extension.key_rotated', ([id]) => id],
  endOldKey: ['extension.previous_key_ended', ([id]) => id],
  createTerminal: ['terminal.added', (_, result) => at(result, 'id')],
  confirmTerminal: ['terminal.confirmed', ([id]) => id],
  createCompany: ['company.added', (_, result) => at(result, 'id')],
  approveAbsence: ['absence.approved', ([absence]) => at(absence, 'id')],
};

/** Each of them stands in the log once, by somebody. */
function doneByAdmins(history: History, rows: readonly Row[], action: string, read: Told): readonly Lie[] {
  const done = groupedBy(history.doings, ({ operation, given, result }) => {
    const known = actions[operation];
    return known === undefined || result === undefined ? undefined : `${known[0]} ${String(known[1](given, result))}`;
  });
  return [...done].flatMap(([what, own]) => {
    const [name = '', subject] = what.split(' ');
    // One beside the reading may be there or not.
    if (!name.startsWith(action) || own.some(({ until }) => until > read.from)) return [];
    const logged = rows.filter((row) => row['action'] === name && String(at(row, 'subject.id')) === subject);
    const lies: Lie[] = [];
    if (logged.length !== own.length)
      lies.push({ kind: 'audit', what: `${logged.length} entries ${what}, done were ${own.length}` });
    for (const { actor } of logged)
      if (at(actor, 'kind') !== 'person')
        lies.push({ kind: 'audit', what: `${what} was done by a person, not ${brief(actor)}` });
    return lies;
  });
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

const aboutOf = (action: unknown, subject: unknown) => `${String(action)} ${String(subject)}`;
/** The change that an entry is about: of its kind, and the nearest in time. */
function nearest(row: Row, expected: ReadonlyMap<string, readonly Expected[]>): Expected | undefined {
  const time = Date.parse(String(row['at']));
  const far = (one: Expected) => Math.abs(time - one.at);
  return expected
    .get(aboutOf(row['action'], at(row, 'subject.id')))
    ?.filter((one) => far(one) < 2_000)
    .sort((one, other) => far(one) - far(other))[0];
}
