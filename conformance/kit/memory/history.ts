/**
 * Everything that the kit and its peers did and were told, in the order in which it began. Nothing is judged while a run
 * goes on: which answers are possible is only known once the requests beside them have ended, too.
 */
import type { Exchange } from '../client.js';
import { at, isRecord } from '../json.js';

/** An operation of the adapter, as it ended. */
export interface Doing extends Told {
  readonly operation: string;
  readonly given: readonly unknown[];
  /** Undefined if it failed, too. */
  readonly result: unknown;
}
/** A webhook that arrived, or a message of an event connection. */
export interface Arrival extends Told {
  readonly extensionId: string;
  /** The connection; undefined for a webhook. */
  readonly connection?: object;
  readonly event: unknown;
  /** What a webhook was answered with. */
  readonly status?: number;
}
export interface Told {
  /** By the clock of this machine, milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** Somebody whom the kit made. */
export interface KnownPerson extends Told {
  readonly id: number;
  readonly companyId: number;
  readonly firstName: string;
  /** Members as the API has to show them, after the last change, which ended at `until`. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly departmentId: number | undefined;
  /** The day from which months are tracked, with nothing carried over. */
  readonly trackedFrom: string | undefined;
  /** As the service answered when the person was made; undefined once the name was changed. */
  readonly displayName: string | undefined;
  readonly made: Told;
}
/** A company that the kit made. */
export interface KnownCompany {
  /** Members as the API has to show them. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly departments: readonly { readonly id: unknown; readonly name: string }[];
  /** The last change ended then, and whether it is all known. */
  readonly until: number;
  readonly settled: boolean;
}
/** An object of an answer. */
export type Row = Readonly<Record<string, unknown>>;
/** Whom a credential stands for. */
export interface Caller {
  readonly extensionId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Undefined for a link, and for a key that is bound to no company. */
  readonly companyId: number | undefined;
  /** The person of a link. */
  readonly personId: number | undefined;
  /** Whether it reads everyone of the company. */
  readonly everyone: boolean;
  /** What it requests is approved at once. */
  readonly leading: boolean;
  /** Events that its endpoint gets; undefined for all that its permissions allow. */
  readonly eventTypes: readonly string[] | undefined;
}

/** A request, with what it was about. */
export interface Step extends Exchange {
  /** 0 if no answer came. */
  readonly status: number;
  readonly query: URLSearchParams;
  readonly credential: string;
  /** What the kit knows of the credential. */
  readonly caller: Caller | undefined;
}

/** One lie: what the deployment said, and what the memory has. */
export interface Lie {
  readonly kind: LieKind;
  readonly what: string;
}
export const lieKinds = [
  'record',
  'clock',
  'absence',
  'list',
  'feed',
  'event',
  'audit',
  'repeat',
  'time',
  'door',
  'access',
  'index',
  'refusal',
] as const;
export type LieKind = (typeof lieKinds)[number];

export class History {
  readonly steps: readonly Step[];
  readonly doings: readonly Doing[];
  readonly arrivals: readonly Arrival[];
  readonly people: ReadonlyMap<number, KnownPerson>;
  /** Those that the kit made, as it told them. */
  readonly companies: ReadonlyMap<number, KnownCompany>;
  /** Whose a card is, by its UID in lower case. */
  readonly badges: ReadonlyMap<string, number>;
  /** Whom each session of the adapter belongs to. */
  readonly signedIn: ReadonlyMap<unknown, number>;
  /** Each key of an extension and each access token. */
  readonly callers: ReadonlyMap<string, Caller>;

  constructor(exchanges: readonly Exchange[], doings: readonly Doing[], arrivals: readonly Arrival[]) {
    const ordered = [...exchanges].sort((a, b) => a.from - b.from);
    this.doings = doings;
    this.arrivals = arrivals;
    this.people = peopleOf(doings);
    this.companies = companiesOf(doings);
    this.badges = badgesOf(ordered, doings);
    this.signedIn = new Map(this.done('signIn').map(({ given, result }) => [result, Number(given[0])]));
    this.callers = callersOf(ordered, doings);
    this.steps = ordered.map((exchange) => {
      const credential = credentialOf(exchange.headers);
      return {
        ...exchange,
        status: exchange.answer?.status ?? 0,
        query: new URLSearchParams(exchange.path.split('?')[1] ?? ''),
        credential,
        caller: this.callers.get(credential),
      };
    });
  }

  /** Operations of the adapter that succeeded. */
  done(...operations: readonly string[]): readonly Doing[] {
    return this.doings.filter(({ operation, result }) => operations.includes(operation) && result !== undefined);
  }

  /** Milliseconds by which the service's clock is ahead, in the median: one answer that lies does not move it. */
  get ahead(): number {
    this.#ahead ??= median(
      this.steps.flatMap(({ answer, from, until }) => {
        const time = Date.parse(String(answer?.get('server_time')));
        return Number.isNaN(time) ? [] : [time - (from + until) / 2];
      }),
    );
    return this.#ahead;
  }
  #ahead: number | undefined;

  /** When the erasure of a person began, if anybody asked for it. */
  erasedAt(personId: number): number | undefined {
    return this.doings.find(
      ({ operation, given }) => operation === 'erasePerson' && numberAt(given[0], 'id') === personId,
    )?.from;
  }

  /** Steps of these operations with these statuses; all if none is given. */
  of(operations: readonly string[], ...statuses: readonly number[]): readonly Step[] {
    return this.steps.filter(
      ({ operation, status }) =>
        operation !== undefined &&
        operations.includes(operation) &&
        (statuses.length === 0 || statuses.includes(status)),
    );
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function peopleOf(doings: readonly Doing[]): ReadonlyMap<number, KnownPerson> {
  const people = new Map<number, KnownPerson>();
  for (const { operation, given, result, from, until } of doings) {
    if (operation === 'createPerson' && isRecord(result)) {
      const {
        company_id: companyId,
        department_id: departmentId,
        tracked_from: trackedFrom,
        ...members
      } = given[0] as Record<string, unknown>;
      const id = Number(result['id']);
      people.set(id, {
        id,
        companyId: Number(companyId),
        firstName: String(members['first_name']),
        members,
        departmentId: departmentId as number | undefined,
        displayName: String(result['name']),
        trackedFrom: trackedFrom as string | undefined,
        made: { from, until },
        from,
        until,
      });
    }
    const changed = operation === 'changePerson' ? people.get(Number(given[0])) : undefined;
    if (changed !== undefined) {
      const { department_id: departmentId = changed.departmentId, ...members } = given[1] as {
        readonly department_id?: number;
      };
      people.set(changed.id, {
        ...changed,
        members: { ...changed.members, ...members },
        departmentId,
        displayName: undefined,
        from,
        until,
      });
    }
  }
  return people;
}

function companiesOf(doings: readonly Doing[]): ReadonlyMap<number, KnownCompany> {
  const companies = new Map<number, KnownCompany>();
  for (const { operation, given, result, until } of doings) {
    if (operation === 'createCompany' && isRecord(result)) {
      const { departments: names, ...members } = given[0] as Record<string, unknown>;
      const ids = result['departments'] as readonly unknown[];
      const departments = ((names ?? []) as readonly string[]).map((name, index) => ({ id: ids[index], name }));
      companies.set(Number(result['id']), { members, departments, until, settled: true });
    }
    const known = companies.get(Number(given[0]));
    // Of a new department only the name is known, and of a company that was switched off and on what it was before.
    if (
      known !== undefined &&
      ((operation === 'createDepartment' && result !== undefined) || operation === 'setCompanyActive')
    )
      companies.set(Number(given[0]), {
        ...known,
        departments:
          operation === 'createDepartment'
            ? [...known.departments, { id: undefined, name: String(given[1]) }]
            : known.departments,
        until,
        settled: operation === 'createDepartment' && known.settled,
      });
  }
  return companies;
}

/** A card that was held where a badge was issued is that person's. */
function badgesOf(steps: readonly Exchange[], doings: readonly Doing[]): ReadonlyMap<string, number> {
  const badges = new Map<string, number>();
  for (const { operation, given, until } of doings) {
    if (operation !== 'startIssuing') continue;
    const held = steps.find(
      (step) =>
        step.operation === 'openCardSession' && step.headers['service-terminal'] === given[0] && step.from >= until,
    );
    const uid = at(jsonOf(held?.body), 'uid');
    if (typeof uid === 'string') badges.set(uid.toLowerCase(), Number(given[1]));
  }
  return badges;
}

function callersOf(steps: readonly Exchange[], doings: readonly Doing[]): ReadonlyMap<string, Caller> {
  const callers = new Map<string, Caller>();
  const extensions = new Map<string, Caller>();
  const sessions = new Map<unknown, number>();
  /** Who consented, by the codes and refresh tokens that came of it. */
  const consents = new Map<string, number>();
  for (const { operation, given, result } of doings) {
    if (operation === 'createExtension' && isRecord(result)) {
      const settings = given[0] as Record<string, unknown>;
      const caller = {
        extensionId: String(result['id']),
        name: String(settings['name']),
        scopes: settings['scopes'] as readonly string[],
        companyId: settings['company_id'] as number | undefined,
        leading: settings['absences_count_as_approved'] === true,
        eventTypes: settings['event_types'] as readonly string[] | undefined,
        personId: undefined,
        everyone:
          (settings['key_reads'] ?? (settings['linking'] === true ? 'linked_people' : 'everyone')) === 'everyone',
      };
      callers.set(String(result['key']), caller);
      extensions.set(String(result['client_id']), caller);
    }
    // Both keys work until the older one ends.
    if (operation === 'rotateKey' && typeof result === 'string') {
      const owner = [...extensions.values()].find(({ extensionId }) => extensionId === given[0]);
      if (owner !== undefined) callers.set(result, owner);
    }
    if (operation === 'signIn' && result !== undefined) sessions.set(result, Number(given[0]));
    if (operation === 'decideConsent' && typeof result === 'string') {
      const code = /[?&]code=([^&]+)/.exec(result)?.[1];
      const personId = sessions.get(given[0]);
      if (code !== undefined && personId !== undefined) consents.set(decodeURIComponent(code), personId);
    }
  }
  for (const { operation, body, headers, answer } of steps) {
    if (operation !== 'exchangeToken' || answer?.status !== 200 || !isRecord(body)) continue;
    const personId = consents.get(String(body['code'] ?? body['refresh_token']));
    const basic = Buffer.from((headers['authorization'] ?? '').replace(/^basic /i, ''), 'base64').toString();
    const extension = extensions.get(basic.split(':')[0] ?? '');
    if (personId === undefined || extension === undefined) continue;
    consents.set(String(answer.get('refresh_token')), personId);
    const scopes = String(answer.get('scope')).split(' ');
    callers.set(String(answer.get('access_token')), {
      ...extension,
      scopes,
      personId,
      companyId: undefined,
      everyone: false,
    });
  }
  return callers;
}

/** A body as JSON, however it was sent. */
export function jsonOf(body: unknown): unknown {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return body;
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}

export const credentialOf = (headers: Readonly<Record<string, string>>): string =>
  /^bearer\s+(\S+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? headers['x-api-key'] ?? '';

export const rowsOf = (step: Step): readonly Record<string, unknown>[] => {
  const data = step.answer?.get('data');
  return Array.isArray(data) ? data.filter(isRecord) : [];
};

export const numberAt = (value: unknown, path: string): number => Number(at(value, path));
export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b) || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** What has the same key, in order; what has none is left out. */
export function groupedBy<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key | undefined): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** With members in one order: JSON gives them none. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}

/** How a step is named in a sentence. */
export const named = ({ method, path, answer }: Step): string =>
  `${method} ${path.slice(0, 160)} (${answer?.header('x-request-id') ?? 'no id'})`;
export const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};
