/** Violations that remember what was answered before, which a row names by `lie`. */
import { at, isRecord } from '../kit/json.js';
import type { Message } from './functions.js';

/** What a row gives a lie. */
export interface Given {
  /** Which records. */
  readonly kind?: Kind;
  /** Which of their members; all of them unless given. */
  readonly members?: readonly string[];
  /** As it was first, or before its last change, which is the default. */
  readonly as?: 'first' | 'before';
  /** Path of a member of the whole answer. */
  readonly member?: string;
  /** Name of a header. */
  readonly header?: string;
  /** How often. */
  readonly times?: number;
}

/** A violation with a memory. It sees every answer as it was, and changes those that its row is about. */
export interface Lie {
  see?(answer: Message, request: Message): void;
  request?(request: Message): void;
  /** Changes an answer, a delivery or a message of the event connection. */
  change?(message: Message, request: Message): void;
}

type Json = Record<string, unknown>;

const isKind = {
  state: (one: Json) => 'state' in one && 'user_id' in one && 'updated_at' in one,
  entry: (one: Json) => 'break_minutes' in one && 'created_at' in one,
  absence: (one: Json) => 'start_date' in one && 'created_by' in one,
  person: (one: Json) => 'display_name' in one && 'time_zone' in one,
  extension: (one: Json) => 'client_id' in one && 'key_reads' in one,
  consent: (one: Json) => 'redirect_host' in one && 'lifetime_days' in one,
  company: (one: Json) => 'departments' in one && 'time_zone' in one,
  event: (one: Json) => 'epoch' in one && 'sequence' in one,
  delivery: (one: Json) => 'event_id' in one && 'attempts' in one,
  audit: (one: Json) => 'mac' in one && 'actor' in one,
  proved: (one: Json) => 'first_name' in one && 'actions' in one,
  proof: (one: Json) => 'merkle_root' in one && 'checkpoint' in one,
} as const;
export type Kind = keyof typeof isKind;

/** What tells one record of its kind from another. */
const keyOf = (one: Json): string =>
  String(one['id'] ?? one['event_id'] ?? one['sequence'] ?? one['user_id'] ?? one['first_name'] ?? one['tx']);

const bodyOf = ({ body }: Message): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

function recordsIn(json: unknown, kind: Kind): readonly Json[] {
  if (typeof json !== 'object' || json === null) return [];
  const inside = Object.values(json).flatMap((value) => recordsIn(value, kind));
  return isRecord(json) && isKind[kind](json) ? [json, ...inside] : inside;
}

/** Changes the JSON of a message, which stays as it was byte by byte if nothing changes. */
function rewrite(message: Message, change: (json: unknown) => void): void {
  const json = bodyOf(message);
  if (json === undefined) return;
  const before = JSON.stringify(json);
  change(json);
  const after = JSON.stringify(json);
  if (after !== before) message.body = after;
}

/** @param members those that are taken over; all that both may show unless given */
function takeOver(record: Json, other: Json, members: readonly string[] | undefined): void {
  const names = members ?? Object.keys({ ...record, ...other }).filter((name) => !/external_id|warnings/.test(name));
  for (const name of names)
    if (other[name] === undefined) delete record[name];
    else record[name] = structuredClone(other[name]);
}

const credentialOf = ({ headers }: Message): string =>
  String(headers['authorization'] ?? headers['x-api-key'] ?? headers['cookie'] ?? '');
const operationOf = ({ method, path }: Message): string => `${method} ${path.split('?')[0]}`;
const queryOf = ({ path }: Message): URLSearchParams => new URLSearchParams(path.split('?')[1]);

/** Every version of a record, first to last. */
class Versions {
  readonly #of = new Map<string, Json[]>();

  learn(record: Json): void {
    const known = this.#of.get(keyOf(record)) ?? [];
    if (known.some((one) => one['updated_at'] === record['updated_at'])) return;
    known.push(structuredClone(record));
    known.sort((a, b) => String(a['updated_at']).localeCompare(String(b['updated_at'])));
    this.#of.set(keyOf(record), known);
  }

  /** @returns an earlier version than this one */
  earlier(record: Json, as: Given['as']): Json | undefined {
    const older = (this.#of.get(keyOf(record)) ?? []).filter(
      (one) => String(one['updated_at']) < String(record['updated_at']),
    );
    return as === 'first' ? older[0] : older.at(-1);
  }
}

export const lies: Readonly<Record<string, (given: Given) => Lie>> = {
  /** Shows a record, or some of its members, as it was. */
  older({ kind, members, as }) {
    const versions = new Versions();
    return {
      see(answer) {
        for (const record of recordsIn(bodyOf(answer), kind!)) versions.learn(record);
      },
      change: (message) =>
        rewrite(message, (json) => {
          for (const record of recordsIn(json, kind!)) {
            const earlier = versions.earlier(record, as);
            if (earlier !== undefined) takeOver(record, earlier, members);
          }
        }),
    };
  },

  /** Shows members of another record, the one that was seen last. */
  borrowed({ kind, members }) {
    const seen = new Map<string, Json>();
    return {
      see(answer) {
        for (const record of recordsIn(bodyOf(answer), kind!)) {
          seen.delete(keyOf(record));
          seen.set(keyOf(record), structuredClone(record));
        }
      },
      change: (message) =>
        rewrite(message, (json) => {
          for (const record of recordsIn(json, kind!)) {
            const other = [...seen.values()].findLast((one) =>
              members!.some((name) => JSON.stringify(one[name]) !== JSON.stringify(record[name])),
            );
            if (other !== undefined) takeOver(record, other, members);
          }
        }),
    };
  },

  /** Lists a record of another person beside those that were asked for. */
  foreign({ kind }) {
    const seen = new Map<string, Json>();
    return {
      see(answer) {
        for (const record of recordsIn(bodyOf(answer), kind!)) seen.set(String(record['user_id']), record);
      },
      change: (answer, request) =>
        rewrite(answer, (json) => {
          const wanted = queryOf(request).get('user_id');
          const list = at(json, 'data');
          const other = [...seen].findLast(([person]) => person !== wanted);
          if (Array.isArray(list) && wanted !== null && other !== undefined) list.push(structuredClone(other[1]));
        }),
    };
  },

  /** Leaves a record out of the first list that should show it. */
  late({ kind }) {
    const listed = new Set<string>();
    return {
      change: (answer) =>
        rewrite(answer, (json) => {
          const list = at(json, 'data');
          if (!Array.isArray(list)) return;
          for (const record of recordsIn(list, kind!)) {
            const place = list.indexOf(record);
            if (place >= 0 && !listed.has(keyOf(record))) list.splice(place, 1);
            listed.add(keyOf(record));
          }
        }),
    };
  },

  /** Answers a member or header of an operation as it was the first time, or the time before. */
  frozen({ member, header, as = 'first' }) {
    const known = new Map<string, unknown>();
    return {
      change(answer, request) {
        const key = operationOf(request);
        const keep = (value: unknown): unknown => {
          const kept = known.get(key);
          if (value !== undefined && (as === 'before' || !known.has(key))) known.set(key, value);
          return value === undefined ? undefined : (kept ?? value);
        };
        if (header !== undefined) {
          const value = keep(answer.headers[header]);
          if (value !== undefined) answer.headers[header] = value as string;
        }
        if (member !== undefined)
          rewrite(answer, (json) => {
            const [, place = '', name = ''] = /^(?:(.*)\.)?([^.]+)$/.exec(member) ?? [];
            const holder = at(json, place);
            if (isRecord(holder)) holder[name] = keep(holder[name]);
          });
      },
    };
  },

  /** Begins a page with the last row of the page before. */
  repeatedRow() {
    const last = new Map<string, unknown>();
    return {
      change: (answer, request) =>
        rewrite(answer, (json) => {
          const list = at(json, 'data');
          if (!Array.isArray(list)) return;
          const key = operationOf(request) + credentialOf(request);
          const row = last.get(key);
          last.set(key, list.at(-1));
          if (row !== undefined && queryOf(request).has('cursor')) list.unshift(row);
        }),
    };
  },

  /** Takes the idempotency key of one caller for that of another. */
  sharedIdempotency() {
    const callers = new Map<string, string>();
    return {
      request(request) {
        const key = `${operationOf(request)} ${String(request.headers['idempotency-key'])}`;
        const first = callers.get(key);
        if (first === undefined) callers.set(key, String(request.headers['authorization']));
        else request.headers['authorization'] = first;
      },
    };
  },

  /** Goes on answering when a credential has ended or may do less. */
  lingering({ times = 1 }) {
    const answers = new Map<string, Message>();
    const counts = new Map<string, number>();
    const keyFor = (request: Message) => `${operationOf(request)} ${credentialOf(request)}`;
    return {
      see(answer, request) {
        if (answer.status === 200) answers.set(keyFor(request), { ...answer, headers: { ...answer.headers } });
      },
      change(answer, request) {
        const before = answers.get(keyFor(request));
        const count = (counts.get(keyFor(request)) ?? 0) + 1;
        counts.set(keyFor(request), count);
        if (answer.status < 400 || before === undefined || count > times) return;
        Object.assign(answer, { status: 200, body: before.body, headers: { ...before.headers } });
      },
    };
  },

  /** Answers with what the same question of anybody was answered before, every second time. */
  cached() {
    const answers = new Map<string, Pick<Message, 'status' | 'body'>>();
    return {
      change(answer, request) {
        const key = [request.method, request.path, request.body].join(' ');
        const before = answers.get(key);
        if (before === undefined) answers.set(key, { status: answer.status, body: answer.body });
        else {
          answers.delete(key);
          Object.assign(answer, before);
        }
      },
    };
  },
};
