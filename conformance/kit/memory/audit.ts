/** The audit log: one entry for each write of the kit, with who, through what, about whom and when. */
import { at, isRecord } from '../json.js';
import { liesAboutDetails, newValue } from './audit-details.js';
import { bodyOf, type Changes, changedElsewhere } from './changes.js';
import { terminalsOf } from './doors.js';
import { brief, groupedBy, type History, jsonOf, type Lie, type Row, type Step, same, type Told } from './history.js';
import type { Clock } from './time.js';

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
  const details = liesAboutDetails(history, changes, clock);
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
      lies.push(...own.flatMap((row) => ofExpected(one, row, what, clock)));
    }
    if (all.length < 500) lies.push(...doneByAdmins(history, rows, action, { from, until }, clock));
    const text = JSON.stringify(all);
    for (const [credential, { name }] of history.callers)
      if (text.includes(credential)) lie(`the log holds a credential of ${name}`);
    lies.push(...details(all, rows, action, from));
  }
  return lies;
}

/** Who did what was expected, through what and when, and what the entry says of it. */
function ofExpected(one: Expected, row: Row, what: string, clock: Clock): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (wrong: string) => lies.push({ kind: 'audit', what: wrong });
  const actor = at(row, 'actor');
  if (one.actorId !== undefined && at(actor, 'id') !== one.actorId)
    lie(`${what} was done by ${one.actorId}, not ${brief(actor)}`);
  if (at(actor, 'kind') !== one.actorKind) lie(`${what} was done by a ${one.actorKind}, not ${brief(actor)}`);
  if (one.companyId !== undefined && row['company_id'] !== one.companyId)
    lie(`${what} was in company ${one.companyId}, not ${brief(row['company_id'])}`);
  if (!clock.within(Date.parse(String(row['at'])), one.from, one.until)) lie(`${what} was not at ${brief(row['at'])}`);
  const changed = jsonOf(newValue(row, 'changed'));
  if (
    one.changed !== undefined &&
    one.changed.length > 0 &&
    Array.isArray(changed) &&
    !changed.every((member) => one.changed!.includes(String(member)))
  )
    lie(`${what} changed ${brief(changed)}, written were ${one.changed.join(', ')}`);
  const proof = newValue(row, 'proof');
  if (one.proof !== undefined && proof !== undefined && proof !== one.proof)
    lie(`${what} has the proof ${brief(proof)}, not ${one.proof}`);
  const was = newValue(row, 'from');
  if (one.before !== undefined && was !== undefined && was !== one.before)
    lie(`${what} was ${brief(was)} before, not ${one.before}`);
  if (one.mentions !== undefined && !JSON.stringify(row['changes'] ?? []).includes(`"${one.mentions}"`))
    lie(`${what} does not say ${one.mentions}: ${brief(row['changes'])}`);
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
  /** How a stamp at a door was proved. */
  readonly proof?: string | undefined;
  readonly at: number;
  readonly from: number;
  readonly until: number;
}

function expectedOf(history: History, changes: Changes): readonly Expected[] {
  const terminals = terminalsOf(history);
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
    const both = terminals.get(String(step.headers['service-terminal']))?.['badge_and_pin'] === true;
    const alone = at(bodyOf(step), 'pin') === undefined ? 'badge' : undefined;
    const proof = entry !== undefined ? undefined : both ? 'badge_pin' : alone;
    return [
      {
        action: `clock.${action}`,
        subject: String(personId),
        actorKind,
        actorId,
        companyId,
        mentions,
        proof,
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
function doneByAdmins(
  history: History,
  rows: readonly Row[],
  action: string,
  read: Told,
  clock: Clock,
): readonly Lie[] {
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
    for (const { actor, at: time } of logged) {
      if (at(actor, 'kind') !== 'person')
        lies.push({ kind: 'audit', what: `${what} was done by a person, not ${brief(actor)}` });
      if (!own.some((one) => clock.within(Date.parse(String(time)), one.from, one.until)))
        lies.push({ kind: 'audit', what: `${what} is said to be of ${brief(time)}` });
    }
    return lies;
  });
}

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
