/**
 * Events: each change of the kit makes one, the same on every way, in the order of its sequence and without a gap for
 * whoever may read it (asyncapi: the messages; openapi: listEvents).
 */
import { at } from '../json.js';
import type { Changes } from './changes.js';
import { brief, groupedBy, type History, type Lie, named, numberAt, rowsOf, same } from './history.js';
import { givenBy, reads, type Traversal } from './lists.js';
import { isPage } from './pages.js';
import { type EventSighting, eventSightings } from './sightings.js';
import type { Clock } from './time.js';

interface Expected {
  readonly type: string;
  readonly subject: string;
  readonly personId: number;
  /** `updated_at` of the record after the change, milliseconds since 1970. */
  readonly at: number;
  readonly from: number;
  readonly until: number;
  readonly data: unknown;
}
const leaveTypes: Readonly<Record<string, string>> = {
  withdrawn: 'leave.withdrawn',
  cancelled: 'leave.cancelled',
  cancellation_requested: 'leave.cancellation_requested',
};
const hidden = ['external_id', 'warnings', 'user_name', 'company_name', 'type_label', 'days'];

const subjectOf = (event: unknown): string =>
  String(at(event, 'type')).startsWith('clock.')
    ? `entry ${String(at(event, 'data.time_entry.id'))}`
    : `absence ${String(at(event, 'data.id'))}`;
const personOf = (event: unknown): number => Number(at(event, 'data.clock_state.user_id') ?? at(event, 'data.user_id'));
const changedAt = (event: unknown): number =>
  Date.parse(String(at(event, 'data.clock_state.updated_at') ?? at(event, 'data.updated_at')));

export function liesAboutEvents(
  history: History,
  changes: Changes,
  traversals: readonly Traversal[],
  clock: Clock,
): readonly Lie[] {
  const seen = eventSightings(history);
  const expected = expectedOf(changes);
  return [
    ...ofOneEvent(seen),
    ...ofDoubles(seen),
    ...ofRecords(history, seen, expected, changes, clock),
    ...missing(history, changes, traversals, expected),
    ...skipped(history, changes, traversals, seen),
    ...gaps(history, changes, seen),
    ...positions(traversals),
    ...ofApprovals(history, changes, traversals),
    ...ofNames(changes, seen),
  ];
}

function expectedOf(changes: Changes): readonly Expected[] {
  const stamps = changes.stamps
    .filter(({ entry }) => entry !== undefined)
    .map((stamp) => ({
      type: `clock.${stamp.action}`,
      subject: `entry ${String(stamp.entry!['id'])}`,
      personId: stamp.personId,
      at: stamp.at,
      from: stamp.from,
      until: stamp.until,
      data: { clock_state: stamp.state, time_entry: stamp.entry },
    }));
  const absences = changes.absences.flatMap(({ step, record, personId, from, until, id, changed }) => {
    if (!changed || (step.operation === 'createAbsence' && step.status !== 201)) return [];
    const status = String(record['status']);
    const created = status === 'approved' ? 'leave.approved' : 'leave.requested';
    const type =
      step.operation === 'createAbsence'
        ? created
        : step.operation === 'updateAbsence'
          ? 'leave.changed'
          : leaveTypes[status];
    return type === undefined
      ? []
      : [
          {
            type,
            subject: `absence ${id}`,
            personId,
            at: Date.parse(String(record['updated_at'])),
            from,
            until,
            data: record,
          },
        ];
  });
  return [...stamps, ...absences];
}

/** One event is one object, however it arrives. */
function ofOneEvent(seen: readonly EventSighting[]): readonly Lie[] {
  const lies: Lie[] = [];
  const first = new Map<string, EventSighting>();
  for (const one of seen) {
    const id = String(one.event['id']);
    const before = first.get(id);
    const place = numberAt(one.event, 'sequence').toString(16).padStart(14, '0');
    if (id !== `evt_${String(one.event['epoch'])}${place}`)
      lies.push({
        kind: 'event',
        what: `${one.where}: the event ${id} has the sequence ${String(one.event['sequence'])}`,
      });
    if (before === undefined) first.set(id, one);
    else if (!same(without(before.event), without(one.event)))
      lies.push({
        kind: 'event',
        what: `the event ${id} is ${brief(before.event)} in ${before.where} and ${brief(one.event)} in ${one.where}`,
      });
  }
  return lies;
}

/** `external_id` is shown only to the extension that set it. */
function without(event: Readonly<Record<string, unknown>>): unknown {
  const { external_id: _, ...data } = (event['data'] ?? {}) as Record<string, unknown>;
  return { ...event, data };
}

/** No change makes two events, and no event stands twice on one way. */
function ofDoubles(seen: readonly EventSighting[]): readonly Lie[] {
  const lies: Lie[] = [];
  const ids = new Map<string, string>();
  for (const { event, where } of seen) {
    if (!/^(clock|leave)\.(?!removed)/.test(String(event['type']))) continue;
    const change = `${String(event['type'])} ${subjectOf(event)} ${changedAt(event)}`;
    const before = ids.get(change);
    if (before !== undefined && before !== event['id'])
      lies.push({ kind: 'event', what: `${where}: ${change} made two events, ${before} and ${String(event['id'])}` });
    ids.set(change, String(event['id']));
  }
  const ways = groupedBy<unknown, EventSighting>(seen, ({ step, arrival }) => step ?? arrival?.connection);
  for (const own of ways.values())
    for (const [index, { event, where }] of own.entries()) {
      const before = own[index - 1];
      if (before !== undefined && numberAt(event, 'sequence') <= numberAt(before.event, 'sequence'))
        lies.push({
          kind: 'event',
          what: `${where}: the sequence ${String(event['sequence'])} comes after ${String(before.event['sequence'])}`,
        });
    }
  return lies;
}

/** An event shows the record as the change left it. */
function ofRecords(
  history: History,
  seen: readonly EventSighting[],
  expected: readonly Expected[],
  changes: Changes,
  clock: Clock,
): readonly Lie[] {
  const lies: Lie[] = [];
  const byChange = new Map(expected.map((one) => [`${one.subject} ${one.at}`, one]));
  const judged = new Set<unknown>();
  for (const { event, where } of seen) {
    const type = String(event['type']);
    const personId = personOf(event);
    const person = history.people.get(personId);
    if (person === undefined || judged.has(event) || !/^(clock|leave)\.(?!removed)/.test(type)) continue;
    judged.add(event);
    const lie = (what: string) =>
      lies.push({ kind: 'event', what: `${where}: ${type} ${String(event['id'])}: ${what}` });
    if (event['company_id'] !== person.companyId)
      lie(`its company is ${String(event['company_id'])}, the person's ${person.companyId}`);
    const change = byChange.get(`${subjectOf(event)} ${changedAt(event)}`);
    if (change === undefined) {
      const unseen = changes.elsewhere.some(
        (one) =>
          (one.personId === undefined || one.personId === personId) &&
          clock.within(changedAt(event), one.from, one.until),
      );
      const stamped = changes.stamps.some((stamp) => stamp.personId === personId && stamp.at === changedAt(event));
      if (!unseen && !stamped) lie(`nobody did it: ${subjectOf(event)} at ${new Date(changedAt(event)).toISOString()}`);
      continue;
    }
    if (change.type !== type) lie(`the change was ${change.type}`);
    if (!clock.within(Date.parse(String(event['timestamp'])), change.from, change.until))
      lie(`its time is ${String(event['timestamp'])}, the change was at ${new Date(change.at).toISOString()}`);
    if (!same(shown(event['data']), shown(change.data)))
      lie(`it shows ${brief(event['data'])}, the change was answered with ${brief(change.data)}`);
  }
  return lies;
}
const shown = (data: unknown): unknown =>
  Object.fromEntries(Object.entries((data ?? {}) as object).filter(([name]) => !hidden.includes(name)));

/** Every change after a position, and before the list was read, is in the list. */
function missing(
  history: History,
  changes: Changes,
  traversals: readonly Traversal[],
  expected: readonly Expected[],
): readonly Lie[] {
  const lies: Lie[] = [];
  for (const list of traversals) {
    const first = list.pages[0]!;
    const after = first.query.get('after');
    if (list.operation !== 'listEvents' || !list.complete || first.query.get('wait') !== null) continue;
    // Without a position it begins weeks ago; one that is not known may be anywhere.
    const since = after === null ? Number.NEGATIVE_INFINITY : givenBy(history, first, after)?.until;
    if (since === undefined) continue;
    const types = first.query.get('types')?.split(',');
    const present = new Set(
      list.rows.map((event) => `${String(event['type'])} ${subjectOf(event)} ${changedAt(event)}`),
    );
    for (const one of expected) {
      const person = history.people.get(one.personId);
      if (
        person === undefined ||
        one.from < since ||
        one.until > list.from ||
        !isSettled(history, list, one.until) ||
        // Erasure takes a person's events away.
        (history.erasedAt(person.id) ?? Number.POSITIVE_INFINITY) < list.until ||
        (types !== undefined && !types.includes(one.type))
      )
        continue;
      const needed = one.type.startsWith('clock.')
        ? ['read:clock_states', 'read:time_entries']
        : ['read:leave_entries'];
      if (!reads(changes, first, person, list.until) || !needed.every((scope) => first.caller?.scopes.includes(scope)))
        continue;
      if (!present.has(`${one.type} ${one.subject} ${one.at}`))
        lies.push({
          kind: 'event',
          what: `${named(first)}: ${one.type} of ${one.subject} at ${new Date(one.at).toISOString()} is missing`,
        });
    }
  }
  return lies;
}

/** Every event that was seen anywhere, and lies between two positions, is in the list from one to the other. */
function skipped(
  history: History,
  changes: Changes,
  traversals: readonly Traversal[],
  seen: readonly EventSighting[],
): readonly Lie[] {
  const lies: Lie[] = [];
  const owners = new Map(changes.absences.map(({ id: absence, personId }) => [absence, personId]));
  const known = new Map(seen.map((one) => [String(one.event['id']), one]));
  for (const list of traversals) {
    const first = list.pages[0]!;
    const [after, next] = [first.query.get('after'), list.pages.at(-1)!.answer?.get('next_after')];
    if (list.operation !== 'listEvents' || after === null || typeof next !== 'string' || first.query.has('types'))
      continue;
    const present = new Set(list.rows.map((event) => String(event['id'])));
    for (const [id, { event, where }] of known) {
      const type = String(event['type']);
      const person = history.people.get(
        type === 'leave.removed' ? (owners.get(String(at(event, 'data.id'))) ?? 0) : personOf(event),
      );
      const needed = type.startsWith('clock.') ? ['read:clock_states', 'read:time_entries'] : ['read:leave_entries'];
      const gone =
        type !== 'leave.removed' && (history.erasedAt(person?.id ?? 0) ?? Number.POSITIVE_INFINITY) < list.until;
      // Ids of one history are in the order of their events.
      if (!/^(clock|leave)\./.test(type) || id.slice(0, 12) !== next.slice(0, 12) || id <= after || id > next) continue;
      if (person === undefined || gone || present.has(id) || !reads(changes, first, person, list.until)) continue;
      if (needed.every((scope) => first.caller?.scopes.includes(scope)))
        lies.push({ kind: 'event', what: `${named(first)}: ${type} ${id} is missing, which ${where} has` });
    }
  }
  return lies;
}

/** What lies between two events that arrived has arrived, too: over a connection of everybody, in a webhook of one person. */
function gaps(history: History, changes: Changes, seen: readonly EventSighting[]): readonly Lie[] {
  const lies: Lie[] = [];
  const known = new Map<string, EventSighting>();
  for (const one of seen)
    if (/^(clock|leave)\.(?!removed)/.test(String(one.event['type']))) known.set(String(one.event['id']), one);
  const ways = groupedBy<unknown, EventSighting>(seen, ({ arrival, event }) =>
    arrival === undefined ? undefined : (arrival.connection ?? `${arrival.extensionId} ${personOf(event)}`),
  );
  for (const own of ways.values()) {
    const { arrival } = own[0]!;
    const caller = [...history.callers.values()].find(
      ({ extensionId, personId }) => extensionId === arrival?.extensionId && personId === undefined,
    );
    if (
      caller === undefined ||
      !caller.everyone ||
      [caller.extensionId, `company ${caller.companyId}`, ''].some((what) => changes.unsettled.has(what))
    )
      continue;
    const arrived = new Set(own.map(({ event }) => String(event['id'])));
    const wanted = (type: string) =>
      caller.eventTypes === undefined
        ? type.startsWith('clock.')
          ? caller.scopes.includes('read:clock_states') && caller.scopes.includes('read:time_entries')
          : caller.scopes.includes('read:leave_entries')
        : caller.eventTypes.includes(type);
    const sequences = own.map(({ event }) => numberAt(event, 'sequence'));
    const [low, high] = [Math.min(...sequences), Math.max(...sequences)];
    // Of one person a webhook comes after the one before it was accepted.
    const firsts = [...new Map([...own].reverse().map((one) => [String(one.event['id']), one])).values()].reverse();
    for (const [index, { event, where }] of firsts.entries())
      if (index > 0 && numberAt(event, 'sequence') < numberAt(firsts[index - 1]!.event, 'sequence'))
        lies.push({ kind: 'event', what: `${where}: ${String(event['id'])} came after a later one` });
    const only = arrival?.connection === undefined ? personOf(own[0]!.event) : undefined;
    for (const [id, { event }] of known) {
      const sequence = numberAt(event, 'sequence');
      if (sequence <= low || sequence >= high || arrived.has(id) || !wanted(String(event['type']))) continue;
      if (event['company_id'] !== caller.companyId || (only !== undefined && personOf(event) !== only)) continue;
      lies.push({
        kind: 'event',
        what: `${own[0]!.where}: ${String(event['type'])} ${id} never came, and later ones did`,
      });
    }
  }
  return lies;
}

/** A list ends before the first change that anybody is still writing: what is after it may come a moment later. */
const isSettled = ({ ahead }: History, list: Traversal, until: number): boolean =>
  list.from - 5_000 > until || list.rows.some((event) => Date.parse(String(event['timestamp'])) - ahead > until);

/** Nobody else learns an extension's own name of an absence. */
function ofNames(changes: Changes, seen: readonly EventSighting[]): readonly Lie[] {
  const makers = new Map(
    changes.absences.flatMap(({ step, id }) =>
      step.operation === 'createAbsence' && step.status === 201 && step.caller !== undefined
        ? [[id, step.caller.extensionId] as const]
        : [],
    ),
  );
  return seen.flatMap(({ event, where, step, arrival }) => {
    const name = at(event, 'data.external_id');
    const reader = step?.caller?.extensionId ?? arrival?.extensionId;
    const maker = makers.get(String(at(event, 'data.id')));
    return name === undefined || reader === undefined || maker === undefined || maker === reader
      ? []
      : [
          {
            kind: 'event' as const,
            what: `${where}: ${String(event['id'])} tells ${reader} the external_id ${brief(name)} of ${maker}`,
          },
        ];
  });
}

/** Deliveries that are listed have arrived, and those that arrived are listed. */
export function liesAboutDeliveries(history: History): readonly Lie[] {
  const lies: Lie[] = [];
  for (const { given, result, from, until } of history.done('listDeliveries')) {
    const [extensionId] = given;
    const rows = Array.isArray(result) ? (result as readonly unknown[]) : [];
    const lie = (what: string) =>
      lies.push({ kind: 'event', what: `the deliveries of ${String(extensionId)}: ${what}` });
    const arrived = history.arrivals.filter((one) => one.extensionId === extensionId && one.connection === undefined);
    const ids = rows.map((row) => at(row, 'event_id'));
    for (const [index, id] of ids.entries()) if (ids.indexOf(id) !== index) lie(`${String(id)} stands there twice`);
    for (const row of rows) {
      const own = arrived.filter(({ event }) => at(event, 'id') === at(row, 'event_id'));
      const attempts = (at(row, 'attempts') ?? []) as readonly unknown[];
      if (own.length === 0) lie(`${String(at(row, 'event_id'))} is listed as delivered and never arrived`);
      else {
        const [first] = own;
        for (const member of ['type', 'sequence'])
          if (at(row, member) !== undefined && at(row, member) !== at(first!.event, member))
            lie(
              `${String(at(row, 'event_id'))}: ${member} is ${brief(at(row, member))}, delivered was ${brief(at(first!.event, member))}`,
            );
        const before = own.filter(({ until }) => until < from - 2_000);
        const name = String(at(row, 'event_id'));
        if (attempts.length < before.length || attempts.length > own.length)
          lie(`${name} has ${attempts.length} attempts, ${own.length} arrived`);
        else if (own.every(({ until }) => until < from)) {
          const statuses = attempts.map((one) => at(one, 'status'));
          if (
            !same(
              statuses,
              own.map(({ status }) => status),
            )
          )
            lie(
              `${name}: the attempts were answered ${brief(own.map(({ status }) => status))}, listed are ${brief(statuses)}`,
            );
          for (const [index, { from: arrived }] of own.entries()) {
            const tried = Date.parse(String(at(attempts[index], 'at')));
            const took = Number(at(attempts[index], 'duration_milliseconds'));
            if (tried + took > until + history.ahead + 2_000)
              lie(`${name}: an attempt took ${took} ms, and is not over`);
            if (!Number.isNaN(tried) && Math.abs(tried - history.ahead - arrived) > 20_000)
              lie(
                `${name}: an attempt that arrived at ${new Date(arrived).toISOString()} is listed at ${new Date(tried).toISOString()}`,
              );
          }
        }
        for (const one of attempts) {
          const [outcome, status] = [at(one, 'outcome'), Number(at(one, 'status'))];
          if (outcome !== undefined && (outcome === 'delivered') !== (status >= 200 && status < 300))
            lie(`${name}: an attempt that was answered ${status} is ${brief(outcome)}`);
        }
        if (
          before.some(({ status = 0 }) => status >= 200 && status < 300) &&
          at(row, 'state') !== undefined &&
          at(row, 'state') !== 'delivered'
        )
          lie(`${name} was accepted and is ${brief(at(row, 'state'))}`);
        const made = Date.parse(String(at(row, 'created_at')));
        const told = Date.parse(String(at(first!.event, 'timestamp')));
        if (!Number.isNaN(made) && Math.abs(made - told) > 20_000)
          lie(`${name} of ${new Date(told).toISOString()} is listed as of ${new Date(made).toISOString()}`);
      }
    }
    if (rows.length < 100)
      for (const { event, status = 0, until } of arrived)
        if (
          status >= 200 &&
          status < 300 &&
          until < from - 2_000 &&
          !ids.includes(at(event, 'id')) &&
          // Erasure takes a person's deliveries away, too.
          history.erasedAt(personOf(event)) === undefined
        )
          lie(`${String(at(event, 'id'))} arrived and is not listed`);
  }
  for (const step of history.steps) {
    const state = isPage(step) ? step.answer?.get('delivery.state') : undefined;
    const arrived = history.arrivals.filter(
      ({ extensionId, status, until }) =>
        extensionId === step.answer?.get('id') && status !== undefined && until < step.from,
    );
    const accepted = arrived.some(({ status = 0, until }) => status < 300 && until < step.from - 2_000);
    if (state !== undefined && accepted && at(step.answer?.json, 'delivery.last_delivered_at') === undefined)
      lies.push({ kind: 'event', what: `${named(step)}: nothing was delivered, and it arrived` });
    if (
      ['failing', 'disabled'].includes(String(state)) &&
      arrived.length > 0 &&
      arrived.every(({ status = 0 }) => status < 300)
    )
      lies.push({
        kind: 'event',
        what: `${named(step)}: deliveries are ${brief(state)}, and all that arrived were accepted`,
      });
  }
  return lies;
}

/** `next_after` lies behind the events of its page, and moves with them. */
function positions(traversals: readonly Traversal[]): readonly Lie[] {
  return traversals.flatMap((list) =>
    list.operation !== 'listEvents'
      ? []
      : list.pages.flatMap((page) => {
          const next = String(page.answer?.get('next_after'));
          const last = rowsOf(page).at(-1);
          const place = (id: unknown) => String(id).slice(-14);
          return last !== undefined && place(next) < place(last['id'])
            ? [
                {
                  kind: 'event' as const,
                  what: `${named(page)}: next_after ${next} lies before ${String(last['id'])}, which the page shows`,
                },
              ]
            : [];
        }),
  );
}

/** Who approves an absence makes one event `leave.approved` of it. */
function ofApprovals(history: History, changes: Changes, traversals: readonly Traversal[]): readonly Lie[] {
  const lies: Lie[] = [];
  for (const { given, from, until } of history.done('approveAbsence')) {
    const id = String(at(given[0], 'id'));
    const person = history.people.get(numberAt(given[0], 'user_id'));
    for (const list of traversals) {
      const first = list.pages[0]!;
      const after = first.query.get('after');
      const since = after === null ? undefined : givenBy(history, first, after);
      if (
        list.operation !== 'listEvents' ||
        !list.complete ||
        since === undefined ||
        since.until > from ||
        until > list.from ||
        first.query.get('types') !== null
      )
        continue;
      if (
        person === undefined ||
        !reads(changes, first, person, list.until) ||
        first.caller?.scopes.includes('read:leave_entries') !== true
      )
        continue;
      if ((history.erasedAt(person.id) ?? Number.POSITIVE_INFINITY) < list.until) continue;
      const own = list.rows.filter(
        (event) => event['type'] === 'leave.approved' && String(at(event, 'data.id')) === id,
      );
      if (own.length !== 1)
        lies.push({ kind: 'event', what: `${named(first)}: ${own.length} events leave.approved of absence ${id}` });
    }
  }
  return lies;
}
