/** The audit log: one entry for each write of the kit, with who, through what, about whom and when. */
import { at } from '../json.js';
import type { Changes } from './changes.js';
import { brief, type History, type Lie, same } from './history.js';
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
  for (const { given, result, from } of history.done('listAuditEntries')) {
    // Of the kit's own companies: what others do in the log is theirs.
    const rows = (result as readonly Record<string, unknown>[]).filter((row) => history.companies.has(Number(row['company_id'])));
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
    // A page of the log holds so many.
    if ((result as readonly unknown[]).length >= 500) continue;
    for (const one of expected) {
      if (!one.action.startsWith(action) || one.until > from) continue;
      const own = rows.filter((row) => nearest(row, expected) === one);
      const what = `${one.action} of ${one.subject} at ${new Date(one.at).toISOString()}`;
      if (own.length !== 1) lie(`${own.length} entries ${what}`);
      for (const row of own) {
        if (one.actor !== undefined && at(row, 'actor.id') !== one.actor)
          lie(`${what} was done by ${one.actor}, not ${brief(row['actor'])}`);
        if (row['company_id'] !== one.companyId)
          lie(`${what} was in company ${one.companyId}, not ${brief(row['company_id'])}`);
        if (!clock.within(Date.parse(String(row['at'])), one.from, one.until))
          lie(`${what} was not at ${brief(row['at'])}`);
      }
    }
  }
  return lies;
}

/**
 * Whether an entry is later than another. Writes beside each other may have their times the other way round, and what was
 * imported has an old time and a new sequence.
 */
function isLater(row: Record<string, unknown>, than: Record<string, unknown>): boolean {
  const ahead = Date.parse(String(row['at'])) - Date.parse(String(than['at']));
  return ahead > 2_000 || (ahead > 0 && Number(row['sequence']) > Number(than['sequence']));
}

/** A place is given a moment later, and names are those of today. */
function lasting({ place: _, ...row }: Record<string, unknown>): unknown {
  const [actor, subject] = [row['actor'], row['subject']].map((one) => ({ ...(one as object), name: undefined }));
  return { ...row, actor, subject };
}

interface Expected {
  readonly action: string;
  readonly subject: string;
  readonly actor: string | undefined;
  readonly companyId: number;
  readonly at: number;
  readonly from: number;
  readonly until: number;
}

function expectedOf(history: History, changes: Changes): readonly Expected[] {
  const stamps = changes.stamps.flatMap(({ action, personId, at: time, from, until, entry, step }) => {
    const companyId = history.people.get(personId)?.companyId;
    // Who stamps at a door or through a link is not who sent the request.
    const actor = entry === undefined || step.caller?.personId !== undefined ? undefined : step.caller?.extensionId;
    return companyId === undefined
      ? []
      : [{ action: `clock.${action}`, subject: String(personId), actor, companyId, at: time, from, until }];
  });
  const absences = changes.absences.flatMap(({ step, id, record, from, until }) => {
    if (step.caller === undefined || (step.operation === 'createAbsence' && step.status !== 201)) return [];
    const action =
      step.operation === 'createAbsence'
        ? 'absence.requested'
        : step.operation === 'updateAbsence'
          ? 'absence.changed'
          : absenceActions[String(record['status'])];
    const time = Date.parse(String(record['updated_at']));
    if (action === undefined) return [];
    return [
      {
        action,
        subject: id,
        actor: step.caller.personId === undefined ? step.caller.extensionId : undefined,
        companyId: Number(record['company_id']),
        at: time,
        from,
        until,
      },
    ];
  });
  return [...stamps, ...absences];
}
/** The change that an entry is about: of its kind, and the nearest in time. */
function nearest(row: unknown, expected: readonly Expected[]): Expected | undefined {
  const far = ({ at: time }: Expected) => Math.abs(Date.parse(String(at(row, 'at'))) - time);
  return expected
    .filter((one) => one.action === at(row, 'action') && one.subject === at(row, 'subject.id') && far(one) < 2_000)
    .reduce<Expected | undefined>((best, one) => (best === undefined || far(one) < far(best) ? one : best), undefined);
}
