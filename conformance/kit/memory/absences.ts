/** Absences of the kit's people: what a request makes of one, and which lists hold it (openapi: Leave). */
import { at, isRecord } from '../json.js';
import { type AbsenceWrite, bodyOf, type Changes, personOf } from './changes.js';
import { brief, groupedBy, type History, type Lie, named, rowsOf, type Step, same } from './history.js';
import { isOf, isPage } from './pages.js';
import type { Sighting } from './sightings.js';

const told = ['type', 'start_date', 'end_date', 'half_day', 'comment', 'external_id'] as const;
export const live = new Set(['waiting', 'approved', 'cancellation_requested']);
/** Kinds that may stand beside others. */
const beside = new Set(['home_office', 'business_trip']);

export function liesAboutAbsences(history: History, changes: Changes, seen: readonly Sighting[]): readonly Lie[] {
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
      // Of two requests beside each other either may come first.
      if (step.status === 201 && before !== undefined && before.until < write.from)
        lie(step, `201 with the id of an absence that was there: ${id}`);
      for (const member of told)
        if (!same(record[member], trimmed(at(body, member))))
          lie(step, `${member} is ${brief(record[member])}, requested was ${brief(at(body, member))}`);
      if (step.status === 201 && !['waiting', 'approved'].includes(String(record['status'])))
        lie(step, `a new absence is ${String(record['status'])}`);
      if (
        step.status === 200 &&
        before === undefined &&
        !changes.absences.some((one) => one.id === id && one.step.status === 201 && one.from < write.until) &&
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
      // The name is that of today, which versions.ts judges.
      for (const member of ['id', 'user_id', 'company_id', 'company_name', 'created_by', 'created_at'])
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
  return [
    ...lies,
    ...overlaps(changes),
    ...ofNames(history, changes, seen),
    ...ofApproval(history, changes),
    ...ofRequests(history, changes),
    ...ofWaiting(history, changes),
    ...ofLastDays(history, changes),
  ];
}

/** An approver sees a request as it was written last. */
function ofRequests(history: History, changes: Changes): readonly Lie[] {
  const lies: Lie[] = [];
  for (const { given, result, from, until } of history.done('approveAbsence')) {
    const id = String(at(given[0], 'id'));
    const lie = (what: string) => lies.push({ kind: 'absence', what: `the request for absence ${id}: ${what}` });
    const shown = at(result, 'absence');
    const own = changes.absences.filter((one) => one.id === id && one.from <= until);
    const last = own.findLast((one) => one.until < from);
    if (!isRecord(shown) || last === undefined || own.some((one) => one.until >= from)) continue;
    if (at(result, 'person_id') !== last.personId)
      lie(`is of person ${brief(at(result, 'person_id'))}, not of ${last.personId}`);
    for (const member of ['type', 'start_date', 'end_date', 'half_day', 'comment'])
      if (!same(shown[member], last.record[member]))
        lie(`${member} is ${brief(shown[member])}, written was ${brief(last.record[member])}`);
  }
  return lies;
}

/** Approvers see every request of a person that waits. */
function ofWaiting(history: History, changes: Changes): readonly Lie[] {
  return history.steps.flatMap((step) => {
    const personId = Number(step.query.get('user_id') ?? Number.NaN);
    const whole =
      step.status === 200 && step.answer?.get('has_more') === false && !/[?&](cursor|kind)=/.test(step.path);
    if (!isOf(step, 'approvals') || !whole || step.query.get('state') !== 'waiting') return [];
    const listed = new Set(rowsOf(step).map((row) => String(at(row, 'absence.id'))));
    const own = changes.absences.filter((one) => one.personId === personId && one.from < step.until);
    return [...groupedBy(own, ({ id }) => id)].flatMap(([id, writes]) => {
      const { record, from, until } = writes.reduce((last, one) => (one.until > last.until ? one : last));
      const waits = ['waiting', 'cancellation_requested'].includes(String(record['status']));
      const alone = writes.every((one) => one.record === record || one.until < from);
      // The approval that reads the list is no change.
      const disturbed = changes.elsewhere.some(
        (one) =>
          (one.personId === undefined || one.personId === personId) &&
          one.until >= until &&
          one.from <= step.until &&
          !(one.from <= step.from && step.until <= one.until && Number.isFinite(one.until)),
      );
      return waits && alone && until < step.from && !disturbed && !listed.has(id)
        ? [
            {
              kind: 'absence' as const,
              what: `${named(step)}: absence ${id} is missing, which is ${String(record['status'])}`,
            },
          ]
        : [];
    });
  });
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

/** Whether two absences share a day, or half of one. */
export function meet(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  if (String(a['start_date']) > String(b['end_date']) || String(b['start_date']) > String(a['end_date'])) return false;
  const [first, second] = [a['half_day'], b['half_day']];
  return first === undefined || second === undefined || first === second;
}

/** An extension's own name of an absence: shown to it alone, and free for no other absence. */
function ofNames(history: History, changes: Changes, seen: readonly Sighting[]): readonly Lie[] {
  const lies: Lie[] = [];
  const makers = new Map<string, { readonly extensionId: string; readonly name: unknown }>();
  for (const { step, id } of changes.absences)
    if (step.operation === 'createAbsence' && step.status === 201 && step.caller !== undefined) {
      makers.set(id, { extensionId: step.caller.extensionId, name: trimmed(at(bodyOf(step), 'external_id')) });
      const place = step.answer?.header('location');
      if (!place?.endsWith(`/absences/${id}`))
        lies.push({ kind: 'absence', what: `${named(step)}: Location is ${String(place)}, the absence is ${id}` });
    }
  for (const { kind, id, record, where, step, fresh } of seen) {
    const maker = kind === 'absence' ? makers.get(id) : undefined;
    const page = step !== undefined && isPage(step);
    if (maker === undefined || step === undefined || (step.caller === undefined && !page) || !fresh) continue;
    const wanted = maker.extensionId === step.caller?.extensionId ? maker.name : undefined;
    if (!same(record['external_id'], wanted))
      lies.push({
        kind: 'absence',
        what: `absence ${id}: external_id is ${brief(record['external_id'])} in ${where} for ${step.caller?.name ?? 'a page'}, expected ${brief(wanted)}`,
      });
  }
  for (const step of history.of(['createAbsence'], 409)) {
    if (step.answer?.get('code') !== 'external_id_conflict') continue;
    const id = String(step.answer.get('id'));
    const maker = makers.get(id);
    if (
      maker === undefined ||
      maker.extensionId !== step.caller?.extensionId ||
      maker.name !== at(bodyOf(step), 'external_id')
    )
      lies.push({
        kind: 'absence',
        what: `${named(step)}: the external_id is said to be that of ${id}, which has ${brief(maker?.name)}`,
      });
  }
  return lies;
}

/** A request waits if its kind needs approval, unless what the extension requests is approved at once. */
function ofApproval(history: History, changes: Changes): readonly Lie[] {
  const lies: Lie[] = [];
  const needed = new Map<string, boolean>();
  const kinds: (readonly [number, unknown])[] = [
    ...history.done('listAbsenceTypes').map(({ given, result }) => [Number(given[0]), result] as const),
    ...history
      .of(['getMe'], 200)
      .map(({ answer }) => [Number(answer?.get('company_id')), answer?.get('absence_types')] as const),
  ];
  for (const [companyId, types] of kinds)
    for (const type of Array.isArray(types) ? types : []) {
      const key = `${companyId} ${String(at(type, 'key'))}`;
      const requires = at(type, 'requires_approval') === true;
      if (needed.has(key) && needed.get(key) !== requires)
        lies.push({ kind: 'absence', what: `the kind ${key} needs approval in one answer and none in another` });
      needed.set(key, requires);
    }
  for (const { step, record } of changes.absences) {
    if (step.operation !== 'createAbsence' || step.status !== 201 || step.caller === undefined) continue;
    const requires = needed.get(`${String(record['company_id'])} ${String(record['type'])}`);
    const wanted = step.caller.leading || requires === false ? 'approved' : requires === true ? 'waiting' : undefined;
    if (wanted !== undefined && record['status'] !== wanted)
      lies.push({
        kind: 'absence',
        what: `${named(step)}: the new ${String(record['type'])} is ${String(record['status'])}, expected ${wanted}`,
      });
  }
  return lies;
}

/** Who leaves keeps no absence after the last day: what waited is withdrawn, what was approved is cancelled. */
function ofLastDays(history: History, changes: Changes): readonly Lie[] {
  return history.steps.flatMap((step) => {
    const effects = at(step.answer?.json, 'employment_ended.absences');
    const last = String(at(bodyOf(step), 'employment_end'));
    if (!Array.isArray(effects) || step.status !== 200) return [];
    const personId = Number(/\/people\/(\d+)/.exec(step.path)?.[1]);
    const newest = new Map(changes.absences.filter(({ until }) => until < step.from).map((one) => [one.id, one]));
    const approved = new Set(history.done('approveAbsence').map(({ given }) => String(at(given[0], 'id'))));
    return [...newest.values()].flatMap(({ id, personId: owner, record }) => {
      if (owner !== personId || String(record['start_date']) <= last) return [];
      const status = record['status'] === 'waiting' && approved.has(id) ? 'approved' : String(record['status']);
      const wanted = { waiting: 'withdrawn', approved: 'cancelled', cancellation_requested: 'cancelled' }[status];
      const is = effects.find((one) => String(at(one, 'id')) === id);
      if (is !== undefined && at(is, 'end_date') !== undefined && at(is, 'end_date') !== record['end_date'])
        return [
          { kind: 'absence' as const, what: `${named(step)}: the absence ${id} ends ${brief(at(is, 'end_date'))}` },
        ];
      return wanted === at(is, 'outcome')
        ? []
        : [
            {
              kind: 'absence' as const,
              what: `${named(step)}: the ${status} absence ${id} is ${brief(at(is, 'outcome'))} after the last day, expected ${brief(wanted)}`,
            },
          ];
    });
  });
}
