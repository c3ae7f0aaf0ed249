/** The memory, on a short log of a morning: nothing to say about the truth, and a word about each lie. */
import { describe, expect, it } from '@jest/globals';
import { Answer } from '../kit/client.js';
import { type Arrival, type Doing, History, type LieKind, type Step } from '../kit/memory/history.js';
import { judge } from '../kit/memory/memory.js';

const start = Date.parse('2026-11-26T08:00:00.100Z');
const instant = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
const source = { kind: 'extension', id: 'ext_1', name: 'Kit' };
const contract = {
  operations: [{ id: 'listUsers', definition: { 'x-scope': 'read:users' } }] as never,
};

interface Call {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly second: number;
  body?: unknown;
  headers: Record<string, string>;
  status: number;
  answer: Record<string, unknown>;
  etag?: string;
  location?: string;
}
interface Log {
  readonly calls: Call[];
  readonly doings: Doing[];
  readonly arrivals: Arrival[];
}

const call = (second: number, operation: string, path: string, answer: object, more: Partial<Call> = {}): Call => ({
  operation,
  method: /^(list|get|verify)/.test(operation) ? 'GET' : 'POST',
  path,
  second,
  headers: { authorization: 'Bearer cpk_1' },
  status: 200,
  answer: answer as Record<string, unknown>,
  ...more,
});
const page = (data: readonly object[], more: object = {}) => ({ data, next_cursor: null, has_more: false, ...more });
const stampOf = (action: string, second: number) => ({ action, at: instant(second), source });

const state = (position: string, second: number, more: object = {}) => ({
  user_id: 7,
  company_id: 3,
  state: position,
  ...(position === 'out' ? {} : { since: instant(10) }),
  ...more,
  source,
  updated_at: instant(second),
});
const entry = (second: number, stamps: readonly object[], more: object = {}) => ({
  id: 90,
  user_id: 7,
  company_id: 3,
  date: '2026-11-26',
  start: instant(10),
  breaks: [],
  break_minutes: 0,
  status: 'open',
  source,
  stamps,
  created_at: instant(10),
  updated_at: instant(second),
  ...more,
});
const opened = entry(10, [stampOf('in', 10)]);
const ended = entry(20, [stampOf('in', 10), stampOf('out', 20)], {
  end: instant(20),
  worked_minutes: 0,
  status: 'recorded',
});
const absence = {
  id: 50,
  user_id: 7,
  user_name: 'Ada Kit',
  company_id: 3,
  company_name: 'Kit',
  type: 'vacation',
  type_label: 'Urlaub',
  start_date: '2027-05-03',
  end_date: '2027-05-05',
  days: 3,
  status: 'waiting',
  external_id: 'x-1',
  created_by: { kind: 'extension', name: 'Kit' },
  created_at: instant(30),
  updated_at: instant(30),
};
const event = (sequence: number, type: string, second: number, data: object) => ({
  id: `evt_3f9a7c21${sequence.toString(16).padStart(14, '0')}`,
  type,
  timestamp: instant(second),
  sequence,
  epoch: '3f9a7c21',
  company_id: 3,
  data,
});
const { external_id: _, ...shownAbsence } = absence;
const events = [
  event(11, 'clock.in', 10, { clock_state: state('in', 10), time_entry: opened }),
  event(12, 'clock.out', 20, { clock_state: state('out', 20), time_entry: ended }),
  event(13, 'leave.requested', 30, shownAbsence),
];
const proof = {
  tx: 'T1',
  event_sequence: 0,
  sender: '0x1',
  company_token: 'ct',
  period: '2026-10',
  merkle_root: 'aa',
  checkpoint: 5,
};
const audited = (sequence: number, action: string, subject: string, second: number) => ({
  sequence,
  at: instant(second),
  actor: { kind: 'extension', id: 'ext_1', name: 'Kit' },
  action,
  subject: { kind: 'person', id: subject },
  company_id: 3,
  place: sequence,
  mac: `sha256:${sequence}`,
  changes: [{ member: 'entry', new: '90' }],
});
const user = (second: number) => ({
  id: 7,
  company_id: 3,
  first_name: 'Ada',
  last_name: 'Kit',
  display_name: 'Ada Kit',
  active: true,
  updated_at: instant(second),
});
const person = { company_id: 3, first_name: 'Ada', last_name: 'Kit' };
const settings = {
  name: 'Kit',
  company_id: 3,
  scopes: ['read:users', 'read:clock_states', 'read:time_entries', 'read:leave_entries'],
};

/** The truth, made anew for each test. */
function morning(): Log {
  const calls: Call[] = [
    call(3, 'listUsers', '/api/v1/users', page([user(1)])),
    call(4, 'listEvents', '/api/v1/events', page([], { next_after: 'evt_3f9a7c210000000000000a' })),
    call(
      5,
      'listClockStates',
      '/api/v1/clock/states?user_id=7',
      page([{ user_id: 7, company_id: 3, state: 'out', updated_at: instant(1) }]),
    ),
    call(
      6,
      'listTimeEntries',
      '/api/v1/time/entries?updated_since=2026-11-26',
      page([], { next_updated_since: 's1_0' }),
    ),
    call(
      10,
      'clockIn',
      '/api/v1/clock/in',
      { clock_state: state('in', 10), time_entry: opened, server_time: instant(10), warnings: [] },
      { body: { user_id: 7 }, headers: { authorization: 'Bearer cpk_1', 'idempotency-key': 'k1' } },
    ),
    call(
      11,
      'clockIn',
      '/api/v1/clock/in',
      { clock_state: state('in', 10), time_entry: opened, server_time: instant(10), warnings: [] },
      { body: { user_id: 7 }, headers: { authorization: 'Bearer cpk_1', 'idempotency-key': 'k1' } },
    ),
    call(12, 'clockIn', '/api/v1/clock/in', { code: 'already_clocked_in' }, { status: 409, body: { user_id: 7 } }),
    call(13, 'listClockStates', '/api/v1/clock/states?state=in', page([state('in', 10)])),
    call(14, 'listTimeEntries', '/api/v1/time/entries?from=2026-11-26&to=2026-11-26', page([opened])),
    call(
      20,
      'clockOut',
      '/api/v1/clock/out',
      { clock_state: state('out', 20), time_entry: ended, server_time: instant(20), warnings: [] },
      { body: { user_id: 7 } },
    ),
    call(21, 'listClockStates', '/api/v1/clock/states', page([state('out', 20)])),
    call(
      22,
      'listTimeEntries',
      '/api/v1/time/entries?updated_since=s1_0',
      page([ended], { next_updated_since: 's1_1' }),
    ),
    call(23, 'listTimeEntries', '/api/v1/time/entries?updated_since=s1_1', page([], { next_updated_since: 's1_1' })),
    call(30, 'createAbsence', '/api/v1/absences', absence, {
      status: 201,
      location: '/api/v1/absences/50',
      body: { user_id: 7, type: 'vacation', start_date: '2027-05-03', end_date: '2027-05-05', external_id: 'x-1' },
    }),
    call(31, 'getAbsence', '/api/v1/absences/50', absence, { etag: '"v1"' }),
    call(32, 'getAbsence', '/api/v1/absences/50', absence, { etag: '"v1"' }),
    call(
      33,
      'listLeaves',
      '/api/v1/time/leaves?updated_since=2026-11-26',
      page([absence], { next_updated_since: 's1_2' }),
    ),
    call(
      34,
      'listEvents',
      '/api/v1/events?after=evt_3f9a7c210000000000000a',
      page(events, { next_after: events[2]!.id }),
    ),
    call(40, 'listProofs', '/api/v1/proofs', page([proof])),
    call(41, 'listProofs', '/api/v1/proofs', page([proof])),
    call(42, 'verifyTransaction', '/api/v1/verify/T1?root=aa', {
      tx: 'T1',
      verdict: 'match',
      verified: true,
      expected_root: 'aa',
      proofs: [proof],
    }),
    call(
      45,
      'openCardSession',
      '/api/v1/terminal/card',
      { session: 'csn_1', apdu: '00' },
      { body: '{"uid":"04AA"}', headers: { 'service-terminal': 'trm_1' } },
    ),
    call(
      46,
      'stepCardSession',
      '/api/v1/terminal/card/step',
      { session: 'csn_1', result: 'proved', first_name: 'Ada', state: 'out', actions: ['in'] },
      { body: '{"session":"csn_1"}', headers: {} },
    ),
    call(
      47,
      'getTerminalInfo',
      '/api/v1/terminal/info',
      { code: 'pin_wrong', tries_left: 4 },
      { status: 403, body: '{"session":"csn_1","pin":"1"}', headers: {} },
    ),
    call(
      48,
      'getTerminalInfo',
      '/api/v1/terminal/info',
      { code: 'pin_wrong', tries_left: 3 },
      { status: 403, body: '{"session":"csn_1","pin":"2"}', headers: {} },
    ),
    call(
      50,
      'listUsers',
      '/api/v1/users',
      { code: 'insufficient_scope' },
      { status: 403, headers: { authorization: 'Bearer cpk_2' } },
    ),
    call(
      51,
      'listCompanies',
      '/api/v1/companies',
      { code: 'token_revoked' },
      { status: 401, headers: { authorization: 'Bearer cpk_3' } },
    ),
    call(
      52,
      'listCompanies',
      '/api/v1/companies',
      { code: 'token_revoked' },
      { status: 401, headers: { authorization: 'Bearer cpk_3' } },
    ),
  ];
  const did = (second: number, operation: string, given: readonly unknown[], result: unknown): Doing => {
    const from = start + second * 1_000;
    return { operation, given, result, from, until: from + 200 };
  };
  const doings = [
    did(0, 'createExtension', [settings], { id: 'ext_1', client_id: 'c1', key: 'cpk_1' }),
    did(0.5, 'createExtension', [{ ...settings, scopes: [] }], { id: 'ext_2', client_id: 'c2', key: 'cpk_2' }),
    did(0.7, 'createCompany', [{}], { id: 3 }),
    did(1, 'createPerson', [person], { id: 7, name: 'Ada Kit' }),
    did(
      35,
      'listAuditEntries',
      [{ action: 'clock.' }],
      [audited(102, 'clock.out', '7', 20), audited(101, 'clock.in', '7', 10)],
    ),
    did(44, 'startIssuing', ['trm_1', 7], null),
    did(60, 'listDeliveries', ['ext_1'], [{ event_id: events[0]!.id, attempts: [{ status: 204 }] }]),
  ];
  const arrived = start + 15_000;
  const arrivals = [{ extensionId: 'ext_1', event: events[0], status: 204, from: arrived, until: arrived }];
  return JSON.parse(JSON.stringify({ calls, doings, arrivals })) as Log;
}

function lies({ calls, doings, arrivals }: Log): readonly string[] {
  const steps = calls.map(({ second, operation, method, path, body, headers, status, answer, etag, location }) => ({
    operation,
    method,
    path,
    body,
    headers,
    answer: new Answer(path, status, { etag, location }, JSON.stringify(answer)),
    from: start + second * 1_000 - 50,
    until: start + second * 1_000 + 50,
  }));
  return judge(new History(steps as unknown as Step[], doings, arrivals), contract).map(
    ({ kind, what }) => `${kind}: ${what}`,
  );
}

const at = (log: Log, second: number) => log.calls.find((one) => one.second === second)!;
const rows = (log: Log, second: number) => at(log, second).answer['data'] as Record<string, unknown>[];
const audit = (log: Log) =>
  log.doings.find(({ operation }) => operation === 'listAuditEntries')!.result as Record<string, unknown>[];
const inside = (value: unknown, name: string) => (value as Record<string, Record<string, unknown>>)[name]!;

const told: readonly (readonly [LieKind, string, (log: Log) => void])[] = [
  [
    'record',
    'a member that differs in one list',
    (log) => void Object.assign(rows(log, 22)[0]!, { source: { kind: 'web' } }),
  ],
  ['record', 'an older version after a newer one', (log) => void rows(log, 22).splice(0, 1, { ...opened })],
  ['record', 'a name that nobody gave', (log) => void Object.assign(rows(log, 3)[0]!, { last_name: 'Other' })],
  ['clock', 'a change that nobody made', (log) => void rows(log, 21).splice(0, 1, state('out', 20.5))],
  [
    'clock',
    'a second clock-in',
    (log) =>
      void Object.assign(at(log, 12), { status: 200, answer: { ...at(log, 10).answer, server_time: instant(12) } }),
  ],
  [
    'clock',
    'a state that is not the one after the stamp',
    (log) => void Object.assign(rows(log, 13)[0]!, { state: 'on_break' }),
  ],
  [
    'clock',
    'an entry of another length',
    (log) => void Object.assign(inside(at(log, 20).answer, 'time_entry'), { worked_minutes: 9 }),
  ],
  [
    'clock',
    'a stamp that vanishes',
    (log) => void Object.assign(inside(at(log, 20).answer, 'time_entry'), { stamps: [stampOf('out', 20)] }),
  ],
  [
    'clock',
    'the name of another extension',
    (log) => void Object.assign(inside(at(log, 20).answer, 'clock_state'), { source: { ...source, name: 'Other' } }),
  ],
  ['absence', 'other days than requested', (log) => void Object.assign(at(log, 30).answer, { end_date: '2027-05-06' })],
  [
    'absence',
    'another author',
    (log) => void Object.assign(at(log, 30).answer, { created_by: { kind: 'person', name: 'Ada Kit' } }),
  ],
  ['list', 'an entry that is missing', (log) => void rows(log, 14).pop()],
  ['list', 'a row that stands twice', (log) => void rows(log, 14).push({ ...opened })],
  ['list', 'a row that the filter leaves out', (log) => void rows(log, 13).push({ ...state('out', 10), user_id: 8 })],
  ['list', 'a change that a position skips', (log) => void rows(log, 22).pop()],
  [
    'feed',
    'a change that comes again and again',
    (log) => void (at(log, 23).second === 23 && rows(log, 23).push({ ...ended, updated_at: instant(20) })),
  ],
  ['event', 'an event that is missing', (log) => void rows(log, 34).splice(1, 1)],
  [
    'event',
    'the record before the change',
    (log) => void Object.assign(inside(rows(log, 34)[1], 'data'), { time_entry: opened }),
  ],
  [
    'event',
    'another event over a webhook',
    (log) => void Object.assign(inside(log.arrivals[0]!.event, 'data'), { clock_state: state('out', 10) }),
  ],
  ['event', 'a sequence that goes back', (log) => void rows(log, 34).reverse()],
  [
    'event',
    'a delivery that is not listed',
    (log) => void (log.doings.find(({ operation }) => operation === 'listDeliveries')!.result as unknown[]).pop(),
  ],
  ['audit', 'a write without an entry', (log) => void audit(log).pop()],
  [
    'audit',
    'another actor',
    (log) => void Object.assign(audit(log)[0]!, { actor: { kind: 'extension', id: 'ext_9', name: 'Other' } }),
  ],
  ['audit', 'an entry that stands twice', (log) => void audit(log).unshift({ ...audit(log)[0]!, sequence: 103 })],
  [
    'repeat',
    'another answer to the same key',
    (log) => void Object.assign(at(log, 11).answer, { warnings: [{ code: 'sunday_work' }] }),
  ],
  ['repeat', 'another ETag for the same version', (log) => void Object.assign(at(log, 32), { etag: '"v2"' })],
  ['time', 'a time that is not now', (log) => void Object.assign(at(log, 20).answer, { server_time: instant(80) })],
  ['door', 'the name of somebody else', (log) => void Object.assign(at(log, 46).answer, { first_name: 'Eve' })],
  [
    'door',
    'a state that is not theirs',
    (log) => void Object.assign(at(log, 46).answer, { state: 'in', actions: ['out'] }),
  ],
  ['door', 'tries that do not get fewer', (log) => void Object.assign(at(log, 48).answer, { tries_left: 4 })],
  [
    'access',
    'an answer without the permission',
    (log) => void Object.assign(at(log, 50), { status: 200, answer: page([]) }),
  ],
  ['access', 'a key that works again', (log) => void Object.assign(at(log, 52), { status: 200, answer: page([]) })],
  ['index', 'a proof that is gone', (log) => void rows(log, 41).pop()],
  ['index', 'a proof that changed', (log) => void Object.assign(rows(log, 41)[0]!, { merkle_root: 'bb' })],
  [
    'index',
    'a verdict against the proofs',
    (log) => void Object.assign(at(log, 42).answer, { verdict: 'mismatch', verified: false }),
  ],
];

describe('the memory of a run', () => {
  it('has nothing to say about the truth', () => expect(lies(morning())).toEqual([]));

  it.each(told)('%s: notices %s', (kind, _what, tell) => {
    const log = morning();
    tell(log);
    expect(lies(log).filter((lie) => lie.startsWith(`${kind}: `))).not.toEqual([]);
  });

  it('accuses nobody where a request had no answer: its stamp may have been recorded or not', () => {
    const log = morning();
    Object.assign(at(log, 12), { status: 503, answer: { code: 'unavailable' } });
    Object.assign(at(log, 13), { answer: page([]) });
    expect(lies(log).filter((lie) => lie.startsWith('clock'))).toEqual([]);
  });
});
