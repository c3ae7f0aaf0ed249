/**
 * Laws about everything that a run has read, independent of the product's rules. Each takes the exchanges in the
 * order in which they ended, and returns a sentence for each breach. Requests at the same time have no order, and a
 * request without an answer proves nothing.
 */
import type { Answer, Exchange } from './client.js';
import { at, isRecord } from './json.js';
import { ensure, isEqual } from './outcome.js';

type Row = Readonly<Record<string, unknown>>;
type RecordKind = 'person' | 'clock state' | 'time entry' | 'absence';
type Answered = Exchange & { readonly answer: Answer };

/** A record in an answer. */
export interface Sighting {
  readonly kind: RecordKind;
  readonly id: string;
  /** Its `updated_at`. */
  readonly version: string;
  readonly record: Row;
  readonly exchange: Answered;
  /** The answer speaks of now. Events and repeated answers speak of a moment before. */
  readonly current: boolean;
}

/** Places of records in the documents: lists with their single reads, and the answers to writes. */
const listKinds: Readonly<Record<string, RecordKind>> = {
  listUsers: 'person',
  listClockStates: 'clock state',
  listTimeEntries: 'time entry',
  listLeaves: 'absence',
};
const kindsOfReads: Readonly<Record<string, RecordKind>> = {
  getUser: 'person',
  getTimeEntry: 'time entry',
  getAbsence: 'absence',
  createAbsence: 'absence',
  updateAbsence: 'absence',
  deleteAbsence: 'absence',
};
const removalKinds: Readonly<Record<string, RecordKind>> = {
  listRemovedUsers: 'person',
  listRemovedTimeEntries: 'time entry',
  listRemovedLeaves: 'absence',
};
/** Members that differ with the reader, or follow another record. */
const followers = ['external_id', 'warnings', 'user_name', 'company_name'];
/** Clocks of several processes differ, and are set. Milliseconds. */
const tolerance = 2_000;

const successesOf = (exchanges: readonly Exchange[]): readonly Answered[] =>
  exchanges.filter((exchange): exchange is Answered => Math.floor((exchange.answer?.status ?? 0) / 100) === 2);
const rowsOf = ({ answer }: Answered): readonly Row[] => [answer.get('data')].flat().filter(isRecord);
const credentialOf = ({ headers }: Exchange): string => headers['authorization'] ?? headers['x-api-key'] ?? '';
const repeatable = ({ headers }: Exchange): boolean => headers['idempotency-key'] !== undefined;
const nameOf = ({ method, path }: Exchange): string => `${method} ${path.slice(0, 120)}`;
const brief = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200);

function sightingOf(kind: RecordKind, record: unknown, exchange: Answered, current: boolean): readonly Sighting[] {
  if (!isRecord(record)) return [];
  const id = String(record[kind === 'clock state' ? 'user_id' : 'id']);
  return [{ kind, id, version: String(record['updated_at'] ?? ''), record, exchange, current }];
}

/** Every record in these answers. */
export function sightingsIn(exchanges: readonly Exchange[]): readonly Sighting[] {
  return successesOf(exchanges).flatMap((exchange) => {
    const { operation = '', answer } = exchange;
    const isCurrent = !repeatable(exchange);
    if (operation === 'listEvents')
      return rowsOf(exchange).flatMap((event) => [
        ...sightingOf('clock state', at(event, 'data.clock_state'), exchange, false),
        ...sightingOf('time entry', at(event, 'data.time_entry'), exchange, false),
        ...(/^leave\.(?!removed)/.test(String(event['type']))
          ? sightingOf('absence', event['data'], exchange, false)
          : []),
      ]);
    const rows = listKinds[operation];
    const kind = kindsOfReads[operation];
    return [
      ...(rows === undefined ? [] : rowsOf(exchange).flatMap((row) => sightingOf(rows, row, exchange, isCurrent))),
      ...(kind === undefined ? [] : sightingOf(kind, answer.json, exchange, isCurrent)),
      ...sightingOf('clock state', answer.get('clock_state'), exchange, isCurrent),
      ...sightingOf('time entry', answer.get('time_entry'), exchange, isCurrent),
    ];
  });
}

/**
 * An ETag stands for one representation (RFC 9110, 8.8.1): a record that is read again is the same until its ETag
 * moves.
 */
export function changedReads(exchanges: readonly Exchange[]): readonly string[] {
  const firstReads = new Map<string, Answered>();
  return successesOf(exchanges).flatMap((exchange) => {
    const { method, path, operation, headers, answer } = exchange;
    const tag = answer.header('etag');
    if (method !== 'GET' || operation === undefined || tag === undefined) return [];
    const key = [credentialOf(exchange), headers['accept-language'], path, tag].join(' ');
    const firstRead = firstReads.get(key);
    firstReads.set(key, firstRead ?? exchange);
    return firstRead === undefined || isEqual(firstRead.answer.json, answer.json)
      ? []
      : [
          `${nameOf(exchange)}: the ETag ${tag} stood for ${brief(firstRead.answer.json)}, now for ${brief(answer.json)}`,
        ];
  });
}

/** A version of a record has the same members in lists, single reads, answers to writes and events. */
export function unequalVersions(exchanges: readonly Exchange[]): readonly string[] {
  const firstSightings = new Map<string, Sighting>();
  return sightingsIn(exchanges).flatMap((sighting) => {
    const { kind, id, version, record, exchange } = sighting;
    const key = `${kind} ${id} of ${version}`;
    const firstSighting = firstSightings.get(key);
    firstSightings.set(key, firstSighting ?? sighting);
    if (firstSighting === undefined) return [];
    return [...new Set([...Object.keys(firstSighting.record), ...Object.keys(record)])]
      .filter((name) => !followers.includes(name) && !isEqual(firstSighting.record[name], record[name]))
      .map((name) => {
        const values = [firstSighting.record[name], record[name]].map(brief);
        return `${key}: ${name} is ${values[0]} in ${nameOf(firstSighting.exchange)} and ${values[1]} in ${nameOf(exchange)}`;
      });
  });
}

/** A request that repeats another by its Idempotency-Key has the answer of that one. */
export function unequalRepeats(exchanges: readonly Exchange[]): readonly string[] {
  const firstAnswers = new Map<string, Answered>();
  return successesOf(exchanges)
    .filter(repeatable)
    .flatMap((exchange) => {
      const { operation, headers, body, answer } = exchange;
      const key = [credentialOf(exchange), operation, headers['idempotency-key'], JSON.stringify(body)].join(' ');
      const firstExchange = firstAnswers.get(key);
      firstAnswers.set(key, firstExchange ?? exchange);
      if (firstExchange === undefined) return [];
      const [repeatedAnswer, firstAnswer] = [answer, firstExchange.answer].map(({ status, json }) => ({
        status,
        json,
      }));
      return isEqual(repeatedAnswer, firstAnswer)
        ? []
        : [`${nameOf(exchange)} was answered with ${brief(firstAnswer)}, repeated with ${brief(repeatedAnswer)}`];
    });
}

/** A value of an answer that never becomes less. */
interface Reading {
  readonly subject: string;
  readonly value: number;
  readonly exchange: Answered;
  /** A decrease that is no breach. */
  readonly slack: number;
}

/** The clocks of the deployment, versions of records and sequences of events go forward. */
export function backwardTimes(exchanges: readonly Exchange[]): readonly string[] {
  const answers = successesOf(exchanges).filter(
    (exchange) => exchange.operation !== undefined && !repeatable(exchange),
  );
  const sightings = sightingsIn(exchanges);
  const clocks = answers
    .filter(({ answer }) => answer.get('repeated') !== true && answer.header('age') === undefined)
    .flatMap((exchange): readonly Reading[] => {
      const { answer, document } = exchange;
      return [
        {
          subject: `server_time of the ${document}`,
          value: timeOf(answer.get('server_time')),
          exchange,
          slack: tolerance,
        },
        { subject: `Date of the ${document}`, value: timeOf(answer.header('date')), exchange, slack: tolerance },
      ];
    });
  const versions = sightings
    .filter(({ current }) => current)
    .map(({ kind, id, version, exchange }) => ({
      subject: `updated_at of ${kind} ${id}`,
      value: timeOf(version),
      exchange,
      slack: 0,
    }));
  return [
    ...decreases([...clocks, ...versions].filter(({ value }) => !Number.isNaN(value))),
    ...sightings
      .filter(({ record }) => timeOf(record['created_at']) > timeOf(record['updated_at']))
      .map(({ kind, id, exchange }) => `${nameOf(exchange)}: ${kind} ${id} was changed before it was created`),
    ...answers
      .filter(({ operation }) => operation === 'listEvents')
      .flatMap((exchange) =>
        rowsOf(exchange)
          .filter(
            (event, index, events) => index > 0 && Number(event['sequence']) <= Number(events[index - 1]!['sequence']),
          )
          .map((event) => `${nameOf(exchange)}: sequence ${brief(event['sequence'])} follows a later one`),
      ),
  ];
}

const timeOf = (value: unknown): number => Date.parse(String(value));

/** @returns a sentence for each reading below one that had ended before its request began */
function decreases(readings: readonly Reading[]): readonly string[] {
  /** For everything that is read: when a reading ended, with the highest one until then. */
  const highest = new Map<string, { readonly until: number; readonly top: Reading }[]>();
  return readings.flatMap((reading) => {
    const { subject, value, exchange, slack } = reading;
    const readings = highest.get(subject) ?? [];
    highest.set(subject, readings);
    const previousTop = readings.findLast(({ until }) => until <= exchange.from)?.top;
    const top = readings.at(-1)?.top ?? reading;
    readings.push({ until: exchange.until, top: value > top.value ? reading : top });
    if (previousTop === undefined || value >= previousTop.value - slack) return [];
    const [previousTime, laterTime] = [previousTop.value, value].map((time) => new Date(time).toISOString());
    return [
      `${subject} was ${previousTime} in ${nameOf(previousTop.exchange)} and later ${laterTime} in ${nameOf(exchange)}`,
    ];
  });
}

/** A record that a list of removals names is in no later answer. */
export function returnedRecords(exchanges: readonly Exchange[]): readonly string[] {
  const removals = new Map<string, Answered>();
  for (const exchange of successesOf(exchanges)) {
    const kind = removalKinds[exchange.operation ?? ''];
    if (kind === undefined) continue;
    for (const row of rowsOf(exchange)) {
      const key = `${kind} ${String(row['id'])}`;
      removals.set(key, removals.get(key) ?? exchange);
    }
  }
  return sightingsIn(exchanges).flatMap(({ kind, id, exchange, current }) => {
    const removal = removals.get(`${kind} ${id}`);
    return current && removal !== undefined && removal.until <= exchange.from
      ? [`${nameOf(exchange)} shows ${kind} ${id}, which ${nameOf(removal)} called removed`]
      : [];
  });
}

/** @throws Breach with the first breaches */
export function ensureNone(breaches: readonly string[]): void {
  const remainder = breaches.length > 5 ? `; and ${breaches.length - 5} more` : '';
  ensure(breaches.length === 0, `${breaches.slice(0, 5).join('; ')}${remainder}`);
}
