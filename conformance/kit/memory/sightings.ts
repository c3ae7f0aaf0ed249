/** Records, wherever an answer or an event shows one. */
import { at, isRecord } from '../json.js';
import { type Arrival, type History, rowsOf, type Step, type Told } from './history.js';
import { isOf } from './pages.js';

export type RecordKind = 'user' | 'clock state' | 'entry' | 'absence' | 'company' | 'proof';

export interface Sighting {
  readonly kind: RecordKind;
  readonly id: string;
  readonly record: Readonly<Record<string, unknown>>;
  readonly where: string;
  readonly from: number;
  readonly until: number;
  /** Shows the record as it is now. Events and repeated answers show it as it was. */
  readonly fresh: boolean;
  readonly step: Step | undefined;
}

const rows: Readonly<Record<string, RecordKind>> = {
  listUsers: 'user',
  listClockStates: 'clock state',
  listTimeEntries: 'entry',
  listLeaves: 'absence',
  listCompanies: 'company',
  listProofs: 'proof',
  listCompanyProofs: 'proof',
};
const single: Readonly<Record<string, RecordKind>> = {
  getUser: 'user',
  getTimeEntry: 'entry',
  createAbsence: 'absence',
  getAbsence: 'absence',
  updateAbsence: 'absence',
  deleteAbsence: 'absence',
};
const idOf = (kind: RecordKind, record: Readonly<Record<string, unknown>>): string => {
  if (kind === 'clock state') return String(record['user_id']);
  return kind === 'proof' ? `${record['tx']} ${record['event_sequence']}` : String(record['id']);
};
const membersOfMe = new Set(['absence_types', 'link', 'clock_state']);

/** Of every answer and event. @param repeated answers that repeat an earlier one because of their Idempotency-Key */
export function sightings(history: History, repeated: ReadonlySet<Step>): readonly Sighting[] {
  const found: Sighting[] = [];
  const see = (kind: RecordKind, record: unknown, of: Omit<Sighting, 'kind' | 'id' | 'record'>) => {
    if (isRecord(record)) found.push({ kind, id: idOf(kind, record), record, ...of });
  };
  for (const step of history.steps) {
    const { operation = '', status, answer } = step;
    if (answer === undefined || status < 200 || status > 202) continue;
    const of = {
      where: `${step.method} ${step.path.slice(0, 120)}`,
      from: step.from,
      until: step.until,
      fresh: !repeated.has(step),
      step,
    };
    for (const row of rows[operation] === undefined ? [] : rowsOf(step)) see(rows[operation]!, row, of);
    if (single[operation] !== undefined) see(single[operation]!, answer.json, of);
    // Not what a page of events holds: they are judged one by one.
    if (operation === 'getMe' && isRecord(answer.json))
      see('user', Object.fromEntries(Object.entries(answer.json).filter(([name]) => !membersOfMe.has(name))), of);
    if (operation === 'verifyTransaction' || operation === 'getProof')
      for (const proof of [answer.get('proofs')].flat()) see('proof', proof, of);
    for (const [kind, record] of onPages(step)) see(kind, record, of);
    see('clock state', answer.get('clock_state'), of);
    see('entry', answer.get('time_entry'), of);
  }
  for (const { event, where, from, until } of eventSightings(history)) {
    const of = { where, from, until, fresh: false, step: undefined };
    see('clock state', at(event, 'data.clock_state'), of);
    see('entry', at(event, 'data.time_entry'), of);
    if (/^leave\.(?!removed)/.test(String(at(event, 'type')))) see('absence', at(event, 'data'), of);
  }
  return found;
}

/** Pages show the same records, people with more about them. */
function onPages(step: Step): readonly (readonly [RecordKind, unknown])[] {
  const { answer } = step;
  if (isOf(step, 'people')) {
    const record = isRecord(answer?.json) ? answer.json : {};
    return [['user', Object.fromEntries(Object.entries(record).filter(([name]) => membersOfUser.has(name)))]];
  }
  if (isOf(step, 'corrections')) return [['entry', answer?.get('entry')]];
  if (!isOf(step, 'approvals')) return [];
  return [answer?.get('data') ?? answer?.json].flat().map((row) => ['absence', at(row, 'absence')] as const);
}
const membersOfUser = new Set(
  'id company_id first_name last_name display_name email department time_zone language active employment_start employment_end updated_at'.split(
    ' ',
  ),
);

export interface EventSighting extends Told {
  readonly event: Readonly<Record<string, unknown>>;
  readonly where: string;
  readonly step: Step | undefined;
  readonly arrival: Arrival | undefined;
}

/** Every event that was pulled, delivered or sent over a connection. */
export function eventSightings(history: History): readonly EventSighting[] {
  const pulled = history.of(['listEvents'], 200).flatMap((step) =>
    rowsOf(step).map((event) => ({
      event,
      where: `GET ${step.path.slice(0, 120)}`,
      from: step.from,
      until: step.until,
      step,
      arrival: undefined,
    })),
  );
  const arrived = history.arrivals.flatMap((arrival) => {
    const { event, from, until, extensionId } = arrival;
    const where = `${arrival.connection === undefined ? 'a webhook to' : 'the connection of'} ${extensionId}`;
    return isRecord(event) ? [{ event, where, from, until, step: undefined, arrival }] : [];
  });
  return [...pulled, ...arrived];
}
