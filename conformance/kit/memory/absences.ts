/** Absences of the kit's people: what a request makes of one, and which lists hold it (openapi: Leave). */
import { at, isRecord } from '../json.js';
import { type AbsenceWrite, bodyOf, type Changes, personOf } from './changes.js';
import { brief, type Lie, named, type Step, same } from './history.js';

const told = ['type', 'start_date', 'end_date', 'half_day', 'comment', 'external_id'] as const;
const live = new Set(['waiting', 'approved', 'cancellation_requested']);
/** Kinds that may stand beside others. */
const beside = new Set(['home_office', 'business_trip']);

export function liesAboutAbsences(changes: Changes): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (step: Step, what: string) => lies.push({ kind: 'absence', what: `${named(step)}: ${what}` });
  const last = new Map<string, AbsenceWrite>();
  for (const write of changes.absences) {
    const { step, record, id } = write;
    const body = bodyOf(step);
    const before = last.get(id);
    const wanted = personOf(step);
    if (step.operation === 'createAbsence') {
      if (wanted !== undefined && wanted !== write.personId)
        lie(step, `is of person ${write.personId} instead of ${wanted}`);
      if (step.status === 201 && before !== undefined) lie(step, `201 with the id of an absence that was there: ${id}`);
      for (const member of told)
        if (!same(record[member], trimmed(at(body, member))))
          lie(step, `${member} is ${brief(record[member])}, requested was ${brief(at(body, member))}`);
      if (step.status === 201 && !['waiting', 'approved'].includes(String(record['status'])))
        lie(step, `a new absence is ${String(record['status'])}`);
      if (
        step.status === 200 &&
        before === undefined &&
        !changes.elsewhere.some((one) => one.until === Number.POSITIVE_INFINITY)
      )
        lie(step, '200 for an absence that nobody had created');
      const caller = step.caller;
      if (caller !== undefined && step.status === 201) {
        const kind = caller.personId === undefined ? 'extension' : 'personal_link';
        const author = record['created_by'];
        if (at(author, 'kind') !== kind || at(author, 'name') !== caller.name)
          lie(step, `its author is ${brief(author)}, not ${kind} ${caller.name}`);
        if (record['created_at'] !== record['updated_at'])
          lie(step, `created_at ${String(record['created_at'])} is not updated_at ${String(record['updated_at'])}`);
      }
    } else if (before !== undefined) {
      for (const member of ['id', 'user_id', 'user_name', 'company_id', 'company_name', 'created_by', 'created_at'])
        if (!same(record[member], before.record[member]))
          lie(step, `${member} was ${brief(before.record[member])} and is ${brief(record[member])}`);
      if (step.operation === 'updateAbsence' && isRecord(body))
        for (const member of told) {
          const value =
            member in body ? (body[member] === null ? undefined : trimmed(body[member])) : before.record[member];
          // Who changes the days of half a day makes it a whole one only by asking for it.
          if (!same(record[member], value))
            lie(step, `${member} is ${brief(record[member])}, expected ${brief(value)}`);
        }
      if (step.operation === 'deleteAbsence') {
        const statuses =
          before.record['status'] === 'waiting' ? ['withdrawn'] : ['cancellation_requested', 'cancelled'];
        const decided = changes.elsewhere.some((one) => one.until > before.from && one.from < write.until);
        if (!decided && !statuses.includes(String(record['status'])))
          lie(step, `is ${String(record['status'])} after ${String(before.record['status'])}`);
        for (const member of told)
          if (!same(record[member], before.record[member]))
            lie(step, `${member} was ${brief(before.record[member])} and is ${brief(record[member])}`);
      }
    }
    last.set(id, write);
  }
  return [...lies, ...overlaps(changes)];
}

const trimmed = (value: unknown) => (typeof value === 'string' ? value.trim() : value);

/** Two absences of one person on one day, of kinds that exclude each other. */
function overlaps(changes: Changes): readonly Lie[] {
  const lies: Lie[] = [];
  const now = new Map<string, AbsenceWrite>();
  for (const write of changes.absences) {
    if (
      write.step.operation === 'createAbsence' &&
      write.step.status === 201 &&
      !beside.has(String(write.record['type']))
    )
      for (const other of now.values())
        if (
          other.id !== write.id &&
          other.personId === write.personId &&
          live.has(String(other.record['status'])) &&
          other.until < write.from &&
          !beside.has(String(other.record['type'])) &&
          meet(other.record, write.record) &&
          !changes.elsewhere.some(
            (one) =>
              one.from < write.until &&
              one.until > other.from &&
              (one.personId === undefined || one.personId === write.personId),
          )
        )
          lies.push({
            kind: 'absence',
            what: `${named(write.step)}: created over absence ${other.id}, which is ${String(other.record['status'])}`,
          });
    now.set(write.id, write);
  }
  return lies;
}

function meet(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  if (String(a['start_date']) > String(b['end_date']) || String(b['start_date']) > String(a['end_date'])) return false;
  const [first, second] = [a['half_day'], b['half_day']];
  return first === undefined || second === undefined || first === second;
}
