/**
 * Records wherever an answer shows them, without knowing their schema: each is what was written, stays as it is until
 * somebody writes it, names who did it, and its instants lie between its beginning and now.
 */
import { at, isRecord } from '../json.js';
import { bodyOf } from './changes.js';
import {
  brief,
  groupedBy,
  type History,
  type KnownPerson,
  type Lie,
  named,
  numberAt,
  type Row,
  type Step,
  same,
} from './history.js';
import { isOf, isOwn, isPage, terminalAt, verbOf } from './pages.js';
import type { Clock } from './time.js';

interface Shown {
  readonly id: string;
  readonly record: Row;
  readonly step: Step;
}

/** Ids that name a record everywhere. Events and requests have ids of this form too, and are judged elsewhere. */
const recordId = /^(?!evt_|req_|con_|csn_)[a-z]{2,4}_\w+$/;

export function liesAboutResources(history: History, clock: Clock): readonly Lie[] {
  const steps = history.steps.filter(
    (step) =>
      step.status >= 200 &&
      step.status < 300 &&
      isRecord(step.answer?.json) &&
      !['listEvents', 'exchangeToken', 'authorize', 'revokeToken'].includes(step.operation ?? '') &&
      !isOf(step, 'audit') &&
      !isOf(step, 'deliveries'),
  );
  const shown = steps.flatMap((step) => shownIn(step.answer?.json, step));
  return [
    ...ofChanges(history, shown),
    ...steps.flatMap((step) => [...ofEcho(step), ...ofSubject(history, step), ...ofVerb(step), ...ofDurations(step)]),
    ...ofTimes(history, steps, clock),
    ...ofNames(history, steps),
    ...ofAuthors(history, steps, clock),
  ];
}

/** Every object with an id of its own, at any depth. */
function shownIn(value: unknown, step: Step): readonly Shown[] {
  if (Array.isArray(value)) return value.flatMap((one) => shownIn(one, step));
  if (!isRecord(value)) return [];
  const id = String(value['id'] ?? '');
  const own = recordId.test(id) ? [{ id, record: value, step }] : [];
  return [...own, ...Object.values(value).flatMap((one) => shownIn(one, step))];
}

/** Members that follow other records, or what the record is used for. */
const following =
  /^(kind|state|status|links|keys|delivery|stopped|locked|key_outdated|clash|conflicts|permissions|department|absence|entry|second_factor_needed|offline_last_number|scopes|last_.*)$/;
/** Somebody else's name may change; who it is may not. */
const identity = (value: unknown): unknown => (isRecord(value) && value['id'] !== undefined ? value['id'] : value);

/** A member changes only with a request that writes it. */
function ofChanges(history: History, shown: readonly Shown[]): readonly Lie[] {
  const lies: Lie[] = [];
  const writes = history.steps.filter(({ method, status }) => method !== 'GET' && (status < 300 || status >= 500));
  const renamed = history.doings.some(
    ({ operation, given }) => operation === 'changeExtension' && at(given[1], 'name') !== undefined,
  );
  for (const [id, own] of groupedBy(shown, (one) => one.id)) {
    const about = writes.filter(({ path, answer }) => path.includes(id) || answer?.text.includes(id) === true);
    const last = new Map<string, Shown>();
    for (const one of own)
      for (const [member, value] of Object.entries(one.record)) {
        const before = last.get(member);
        last.set(member, one);
        if (before === undefined || before.step.until > one.step.from || following.test(member)) continue;
        const [is, was] = [identity(value), identity(before.record[member])];
        // The service itself may change a record, and then it is newer.
        const newer = member === 'updated_at' && Date.parse(String(is)) > Date.parse(String(was));
        if (same(inOrder(is), inOrder(was)) || newer || (member === 'name' && renamed)) continue;
        if (!about.some((step) => step !== before.step && isBetween(step, before, one) && mayWrite(step, id, member)))
          lies.push({
            kind: 'record',
            what: `${named(one.step)}: ${member} of ${id} is ${brief(is)}, ${named(before.step)} says ${brief(was)}`,
          });
      }
  }
  return lies;
}
const isBetween = ({ from, until }: Step, before: Shown, after: Shown): boolean =>
  from <= after.step.until && until >= before.step.from;
/** A request to the record itself writes what it names; what else is done to it may write anything. */
const mayWrite = (step: Step, id: string, member: string): boolean => {
  const body = bodyOf(step);
  return !step.path.split('?')[0]!.endsWith(id) || member === 'updated_at' || (isRecord(body) && member in body);
};
const inOrder = (value: unknown): unknown =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? [...value].sort() : value;

/** The record that an answer is about: itself, or the one that it holds. */
function rootOf(step: Step): Row {
  const root = (step.answer?.json ?? {}) as Row;
  const inner = Object.values(root).find((one) => isRecord(one) && recordId.test(String(one['id'])));
  return root['id'] === undefined && isRecord(inner) ? inner : root;
}

/** What was sent to a page stands in its answer. */
function ofEcho(step: Step): readonly Lie[] {
  const body = bodyOf(step);
  if (step.method === 'GET' || !isPage(step) || !isRecord(body)) return [];
  const root = rootOf(step);
  const plain = (value: unknown) =>
    typeof value === 'string'
      ? /^\d{4}-\d\d-\d\dT/.test(value)
        ? Date.parse(value)
        : value.trim().toLowerCase()
      : inOrder(value);
  // What is sent as `department_id` is shown as `department`.
  const shownAs = (member: string) => root[member] ?? at(root, member.replace(/_id$/, '.id'));
  return Object.entries(body)
    .filter(([member, value]) => {
      const is = shownAs(member);
      return is !== undefined && value !== null && !same(plain(value), plain(is));
    })
    .map(([member, value]) => ({
      kind: 'record',
      what: `${named(step)}: ${member} is ${brief(shownAs(member))}, written was ${brief(value)}`,
    }));
}

/** Who is named in the path, the query or the body of a request is whom the answer is about. */
function ofSubject(history: History, step: Step): readonly Lie[] {
  const asked = /\/people\/(\d+)/.exec(step.path)?.[1] ?? step.query.get('user_id') ?? at(bodyOf(step), 'user_id');
  const terminal = terminalAt(step);
  const shownAt = step.answer?.get('terminal_id');
  if (terminal !== undefined && shownAt !== undefined && shownAt !== terminal)
    return [{ kind: 'record', what: `${named(step)}: is about ${brief(shownAt)}, asked was ${terminal}` }];
  if (asked === undefined || asked === null || !isPage(step)) return [];
  const rows = [step.answer?.get('data') ?? step.answer?.json].flat();
  return rows.flatMap((row) => {
    const id = at(row, 'person.id');
    const department = at(row, 'department.id');
    const known = history.people.get(Number(asked));
    const lie = (what: string) => [
      { kind: 'record' as const, what: `${named(step)}: person ${String(asked)} ${what}` },
    ];
    if (id === undefined) return [];
    if (Number(id) !== Number(asked)) return lie(`was asked for, it is about ${brief(id)}`);
    const told = known !== undefined && known.until < step.from ? known.departmentId : department;
    return department === undefined || department === told
      ? []
      : lie(`is in department ${brief(department)}, told was ${brief(told)}`);
  });
}

const verbs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  approve: { status: 'approved', 'absence.status': 'approved' },
  block: { state: 'blocked' },
  close: { state: 'closed', open_entries: 0 },
  confirmation: { state: 'confirmed' },
  deactivation: { active: false },
};
/** What was done is done in the answer. */
function ofVerb(step: Step): readonly Lie[] {
  const verb = verbOf(step);
  return Object.entries(verbs[verb] ?? {}).flatMap(([path, value]) => {
    const is = at(step.answer?.json, path);
    return is === undefined || is === value
      ? []
      : [{ kind: 'record' as const, what: `${named(step)}: ${path} is ${brief(is)} after ${verb}` }];
  });
}

/** What has an end, and after how many seconds (docs/guides/people.md, docs/protocols/terminal.md). */
function endOf(step: Step): readonly [member: string, seconds: number] | undefined {
  const hours = at(bodyOf(step), 'overlap_hours');
  switch (verbOf(step)) {
    case 'issuing':
      return ['expires_at', 120];
    case 'invitation':
      return ['expires_at', 7 * 86_400];
    case 'key':
      return typeof hours === 'number' ? ['previous_ends_at', hours * 3_600] : undefined;
    default:
      return undefined;
  }
}

function ofDurations(step: Step): readonly Lie[] {
  const [member = '', seconds = 0] = endOf(step) ?? [];
  const end = Date.parse(String(step.answer?.get(member)));
  const lasts = (end - (step.from + step.until) / 2) / 1_000;
  return Number.isNaN(end) || Math.abs(lasts - seconds) < 30 + (step.until - step.from) / 1_000
    ? []
    : [{ kind: 'record', what: `${named(step)}: ${member} is in ${lasts.toFixed(0)} s, expected ${seconds}` }];
}

const instants =
  /^(created|updated|issued|confirmed|requested|decided|blocked|closed|started|last_(used|seen|delivered))_at$/;

/** Nothing happened to a record before it began, nor later than now. */
function ofTimes(history: History, steps: readonly Step[], clock: Clock): readonly Lie[] {
  const lies: Lie[] = [];
  const born = new Map<string, number>();
  for (const step of steps)
    if (step.method === 'POST' && step.status === 201) {
      const id = String(rootOf(step)['id'] ?? '');
      if (recordId.test(id) && !born.has(id)) born.set(id, step.from);
    }
  const made = new Map(
    history.done('createCompany').map(({ result, from }) => [numberAt(result, 'id'), from] as const),
  );
  const walk = (value: unknown, since: number, step: Step): void => {
    if (Array.isArray(value)) for (const one of value) walk(one, since, step);
    if (!isRecord(value)) return;
    const owner = history.people.get(Number(value['user_id'] ?? at(value, 'person.id')));
    const begun = Math.max(
      since,
      born.get(String(value['id'])) ?? 0,
      born.get(String(at(value, 'extension.id'))) ?? 0,
      owner?.made.from ?? 0,
      made.get(Number(value['company_id'])) ?? 0,
    );
    for (const [member, one] of Object.entries(value)) {
      if (instants.test(member) && typeof one === 'string' && !clock.within(Date.parse(one), begun, step.until))
        lies.push({
          kind: 'time',
          what: `${named(step)}: ${member} of ${brief(value['id'])} is ${one}${begun > 0 ? `, and it began at ${new Date(begun).toISOString()}` : ''}`,
        });
      walk(one, begun, step);
    }
  };
  for (const step of steps) {
    const company = /\/companies\/(\d+)\//.exec(step.path)?.[1];
    walk(step.answer?.json, made.get(Number(company)) ?? 0, step);
  }
  return lies;
}

/** People and companies have their names wherever they are named. */
function ofNames(history: History, steps: readonly Step[]): readonly Lie[] {
  const lies: Lie[] = [];
  const namesOf = ({ displayName, members }: KnownPerson) => [
    displayName,
    `${String(members['first_name'])} ${String(members['last_name'])}`,
  ];
  const walk = (value: unknown, step: Step): void => {
    if (Array.isArray(value)) for (const one of value) walk(one, step);
    if (!isRecord(value)) return;
    const lie = (what: string) => lies.push({ kind: 'record', what: `${named(step)}: ${what}` });
    const check = (id: unknown, name: unknown) => {
      const person = history.people.get(Number(id));
      if (person?.displayName !== undefined && typeof name === 'string' && !namesOf(person).includes(name))
        lie(`person ${person.id} is called ${brief(name)}, not ${person.displayName}`);
    };
    check(value['user_id'], value['user_name']);
    const told = history.companies.get(Number(value['company_id']))?.members['name'];
    const called = value['company_name'];
    if (told !== undefined && called !== undefined && called !== told)
      lie(`company ${brief(told)} is called ${brief(called)}`);
    for (const [member, one] of Object.entries(value)) {
      if (/^person$|_by$/.test(member)) check(at(one, 'id'), at(one, 'name'));
      walk(one, step);
    }
  };
  for (const step of steps) walk(step.answer?.json, step);
  return lies;
}

/** Who asks on their own pages sees themselves, and who acts is named as the one who did. */
function ofAuthors(history: History, steps: readonly Step[], clock: Clock): readonly Lie[] {
  const lies: Lie[] = [];
  const actors = new Map<string, { readonly id: unknown; readonly step: Step }>();
  for (const step of steps) {
    const lie = (what: string) => lies.push({ kind: 'access', what: `${named(step)}: ${what}` });
    const own = isOwn(step);
    const sessions = history.doings.filter(
      ({ given, from, until }) => own && history.signedIn.has(given[0]) && from <= step.from && step.until <= until,
    );
    const askers = new Set<unknown>(sessions.map(({ given }) => history.signedIn.get(given[0])));
    for (const row of [step.answer?.get('data') ?? step.answer?.json].flat()) {
      const id = at(row, 'person.id');
      if (askers.size > 0 && id !== undefined && !askers.has(id))
        lie(`shows person ${brief(id)}, asked has ${[...askers].join(' or ')}`);
    }
    if (step.method === 'GET') continue;
    const root = rootOf(step);
    for (const [member, who] of Object.entries(root)) {
      const [, verb] = /^(\w+)_by$/.exec(member) ?? [];
      const time = Date.parse(String(root[`${verb}_at`]));
      if (verb === undefined || !isRecord(who) || !clock.within(time, step.from, step.until)) continue;
      if (askers.size > 0 && !askers.has(who['id']))
        lie(`${member} is ${brief(who)}, it was ${[...askers].join(' or ')}`);
      const session = step.headers['cookie'];
      if (session === undefined) continue;
      const before = actors.get(session);
      if (before !== undefined && before.id !== who['id'])
        lie(`${member} is ${brief(who)}, in the same session it was ${brief(before.id)} (${named(before.step)})`);
      actors.set(session, before ?? { id: who['id'], step });
    }
  }
  return lies;
}
