/** The memory, on a short log of a morning: nothing to say about the truth, and a word about each lie. */
import { describe, expect, it } from '@jest/globals';
import type { LieKind } from '../kit/memory/history.js';
import { type Call, call, did, instant, type Log, lies, page, source, start } from './log.js';

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
const refusedCard = (sequence: number, reason: string, second: number) => ({
  ...audited(sequence, 'card.refused', 'trm_1', second),
  actor: gate,
  reason,
});
const changed = {
  client_id: 'c1',
  scopes: ['read:clock_states'],
  updated_at: instant(90.1),
  keys: 1,
  text: 'Kit',
};
const gate = { kind: 'terminal', id: 'trm_1', name: 'Gate' };
const atTheGate = {
  ...entry(55, [{ action: 'in', at: instant(55), source: gate, proof: 'badge' }], {
    id: 91,
    start: instant(55),
    created_at: instant(55),
    proof: 'badge',
  }),
  source: gate,
};
const inAtTheGate = { ...state('in', 55), since: instant(55), source: gate };
const offlineStamps = [
  { number: 1, uid: '04AA', action: 'in', at: '2026-11-26T07:30:00Z' },
  { number: 2, uid: '04AA', action: 'out', at: '2026-11-26T07:40:00Z' },
];
const offlineEntry = {
  ...entry(70, [], {
    id: 92,
    start: offlineStamps[0]!.at,
    end: offlineStamps[1]!.at,
    status: 'pending',
    proof: 'none',
  }),
  source: { ...gate, kind: 'offline' },
};
const linkScopes = ['read:clock_states', 'write:clock'];
const tokens = (number: number) => ({
  access_token: `cpa_${number}`,
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: `cpr_${number}`,
  scope: linkScopes.join(' '),
  link_expires_at: instant(9_000_000),
});
const asTerminal = { headers: { 'service-terminal': 'trm_1' } };
const asApp = { headers: { authorization: `Basic ${Buffer.from('c3:cpk_4').toString('base64')}` } };
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const left = (requests: number) => ({ given: { ratelimit: `"terminal";r=${requests};t=60` } });
const status = (offlineLast: number) => ({
  confirmed: true,
  name: 'Gate',
  location: 'Kit',
  offers: { info: true, info_without_pin: false, badge_and_pin: false, repeat_lock_seconds: 60 },
  offline_last_number: offlineLast,
});
const indexed = (count: number, checkpoint: number, root: string) => ({
  state: 'ready',
  indexed_count: count,
  checkpoint,
  head_checkpoint: checkpoint,
  gap_repairs: 0,
  index_digest: { checkpoint, size: count, root },
});
const noStore = { given: { 'cache-control': 'no-store' }, headers: {} };
const user = (second: number) => ({
  id: 7,
  company_id: 3,
  first_name: 'Ada',
  last_name: 'Kit',
  display_name: 'Ada Kit',
  language: 'de',
  time_zone: 'Europe/Berlin',
  active: true,
  updated_at: instant(second),
});
const person = { company_id: 3, first_name: 'Ada', last_name: 'Kit', language: 'de' };
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
    call(24, 'listTimeEntries', '/api/v1/time/entries?updated_since=s1_1', page([], { next_updated_since: 's1_3' })),
    call(25, 'listTimeEntries', '/api/v1/time/entries?updated_since=s1_3', page([], { next_updated_since: 's1_3' })),
    call(30, 'createAbsence', '/api/v1/absences', absence, {
      status: 201,
      given: { location: '/api/v1/absences/50' },
      body: { user_id: 7, type: 'vacation', start_date: '2027-05-03', end_date: '2027-05-05', external_id: 'x-1' },
    }),
    call(31, 'getAbsence', '/api/v1/absences/50', absence, { given: { etag: '"v1"' } }),
    call(32, 'getAbsence', '/api/v1/absences/50', absence, { given: { etag: '"v1"' } }),
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
      {
        session: 'csn_1',
        result: 'proved',
        first_name: 'Ada',
        language: 'de',
        state: 'out',
        since: instant(20),
        actions: ['in'],
      },
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
  const me = () => ({
    ...user(1),
    absence_types: [{ key: 'vacation', half_day: true, requires_approval: true }],
    clock_state: inAtTheGate,
    link: {
      id: 'lnk_1',
      extension: { id: 'ext_3', name: 'App' },
      scopes: linkScopes,
      expires_at: instant(9_000_000),
    },
  });
  const info = { worked_today_minutes: 0, balance_minutes: -95, vacation_days_left: 2 };
  const asked = { ...asTerminal, body: '{"session":"csn_1","pin":"012345"}' };
  const newProof = { ...proof, tx: 'T2', checkpoint: 7, ledger_time: instant(95) };
  calls.push(
    call(38, 'getIndexerStatus', '/api/v1/status', indexed(1, 5, 'd1'), noStore),
    call(43, 'pairTerminal', '/api/v1/terminal/pair', { terminal_id: 'trm_1', fingerprint: 'AAAA' }, { status: 201 }),
    call(53, 'getTerminalInfo', '/api/v1/terminal/info', info, asked),
    call(
      53.5,
      'listTimeBalances',
      '/api/v1/time/balances?date=2026-11-25',
      page([
        {
          user_id: 7,
          date: '2026-11-25',
          carried_minutes: -95,
          target_minutes: 0,
          worked_minutes: 0,
          difference_minutes: 0,
          booked_minutes: 0,
          balance_minutes: -95,
        },
      ]),
    ),
    call(54, 'getTerminalInfo', '/api/v1/terminal/info', info, asked),
    call(
      55,
      'stampAtTerminal',
      '/api/v1/terminal/stamp',
      { action: 'in', state: 'in', since: instant(55), server_time: instant(55) },
      { ...asTerminal, body: '{"session":"csn_1","action":"in"}' },
    ),
    call(56, 'listTimeEntries', '/api/v1/time/entries?from=2026-11-26&to=2026-11-26', page([ended, atTheGate])),
    call(
      57,
      'openCardSession',
      '/api/v1/terminal/card',
      { session: 'csn_2', apdu: '00' },
      { ...asTerminal, body: '{"uid":"04AA"}' },
    ),
    call(
      58,
      'stepCardSession',
      '/api/v1/terminal/card/step',
      {
        session: 'csn_2',
        result: 'proved',
        first_name: 'Ada',
        language: 'de',
        state: 'in',
        since: instant(55),
        recorded: { action: 'in', at: instant(55) },
        actions: ['out'],
        pin_required: false,
      },
      { ...asTerminal, body: '{"session":"csn_2"}' },
    ),
    call(
      59,
      'stampAtTerminal',
      '/api/v1/terminal/stamp',
      { action: 'in', repeated: true, state: 'in', since: instant(55), server_time: instant(55) },
      { ...asTerminal, body: '{"session":"csn_2","action":"out"}' },
    ),
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((index) =>
      call(60 + index / 5, 'getTerminalStatus', '/api/v1/terminal/status', status(0), {
        ...asTerminal,
        ...left(9 - index),
      }),
    ),
    call(
      70,
      'uploadOfflineStamps',
      '/api/v1/terminal/offline',
      { results: [1, 2].map((number) => ({ number, result: 'accepted' })), last_number: 2 },
      { ...asTerminal, body: JSON.stringify({ stamps: offlineStamps }) },
    ),
    call(
      71,
      'uploadOfflineStamps',
      '/api/v1/terminal/offline',
      { results: [1, 2].map((number) => ({ number, result: 'duplicate' })), last_number: 2 },
      { ...asTerminal, body: JSON.stringify({ stamps: offlineStamps }) },
    ),
    call(72, 'getTerminalStatus', '/api/v1/terminal/status', status(2), asTerminal),
    call(
      73,
      'listTimeEntries',
      '/api/v1/time/entries?from=2026-11-26&to=2026-11-26',
      page([offlineEntry, ended, atTheGate]),
    ),
    // What was first seen after a position may have changed before it.
    call(71.5, 'listUsers', '/api/v1/users?updated_since=s1_3', page([], { next_updated_since: 's1_9' })),
    call(74, 'listTimeEntries', '/api/v1/time/entries?updated_since=s1_9', page([], { next_updated_since: 's1_9' })),
    call(78, 'exchangeToken', '/oauth/token', tokens(1), {
      ...asApp,
      body: { grant_type: 'authorization_code', code: 'k1' },
    }),
    call(79, 'getMe', '/api/v1/me', me(), bearer('cpa_1')),
    call(81, 'exchangeToken', '/oauth/token', tokens(2), {
      ...asApp,
      body: { grant_type: 'refresh_token', refresh_token: 'cpr_1' },
    }),
    call(82, 'getMe', '/api/v1/me', me(), bearer('cpa_2')),
    call(83, 'revokeToken', '/oauth/revoke', {}, { ...asApp, body: { token: 'cpr_2' } }),
    call(84, 'getMe', '/api/v1/me', { code: 'token_revoked' }, { ...bearer('cpa_1'), status: 401 }),
    call(
      86,
      'listEvents',
      '/api/v1/events',
      page([event(20, 'link.ended', 83, { id: 'lnk_1', user_id: 7, reason: 'revoked_by_app', ended_at: instant(83) })]),
      bearer('cpk_4'),
    ),
    call(91, 'listUsers', '/api/v1/users', { code: 'insufficient_scope' }, { status: 403 }),
    call(95, 'listCompanies', '/api/v1/companies', { code: 'token_revoked' }, { ...bearer('cpk_2'), status: 401 }),
    call(
      97,
      'verifyTransaction',
      '/api/v1/verify/T1',
      { tx: 'T1', verdict: 'indexed', verified: null, proofs: [proof] },
      { given: { etag: '"t1"' } },
    ),
    call(
      98,
      'verifyTransaction',
      '/api/v1/verify/T2',
      { tx: 'T2', verdict: 'indexed', verified: null, proofs: [newProof] },
      { given: { etag: '"t2"' } },
    ),
    ...[105, 110, 115].map((second) =>
      call(
        second,
        'getIndexerStatus',
        '/api/v1/status',
        { ...indexed(2, 7, 'd2'), last_proof_at: instant(95), last_index_time: instant(second - 1) },
        noStore,
      ),
    ),
    call(116, 'listProofs', '/api/v1/proofs', page([newProof, proof])),
    ...['04AA', '04FF'].map((uid, index) =>
      call(
        120 + index,
        'openCardSession',
        '/api/v1/terminal/card',
        { code: 'card_refused' },
        { ...asTerminal, status: 403, body: JSON.stringify({ uid }) },
      ),
    ),
    call(117, 'listProofs', '/api/v1/proofs?limit=2', page([newProof, proof])),
  );
  const doings = [
    did(0, 'createExtension', [settings], { id: 'ext_1', client_id: 'c1', key: 'cpk_1' }),
    did(0.5, 'createExtension', [{ ...settings, scopes: [] }], { id: 'ext_2', client_id: 'c2', key: 'cpk_2' }),
    did(0.7, 'createCompany', [{ time_zone: 'Europe/Berlin' }], { id: 3 }),
    did(1, 'createPerson', [person], { id: 7, name: 'Ada Kit' }),
    did(
      35,
      'listAuditEntries',
      [{ action: 'clock.' }],
      [audited(102, 'clock.out', '7', 20), audited(101, 'clock.in', '7', 10)],
    ),
    did(44, 'startIssuing', ['trm_1', 7], null),
    did(
      42,
      'createTerminal',
      [{ name: 'Gate', location: 'Kit', show_info: true, badge_and_pin: false, repeat_lock_seconds: 60 }],
      { id: 'trm_1' },
    ),
    did(43.5, 'showTerminal', ['trm_1'], { fingerprint: 'AAAA', offline_last_number: 0 }),
    did(0.8, 'createExtension', [{ ...settings, name: 'App', scopes: linkScopes, link_lifetime_days: 90 }], {
      id: 'ext_3',
      client_id: 'c3',
      key: 'cpk_4',
    }),
    did(75, 'signIn', [7], 'session 7'),
    did(
      76,
      'authorize',
      ['session 7', `/oauth/authorize?client_id=c3&scope=${encodeURIComponent(linkScopes.join(' '))}`],
      { question: 'q1' },
    ),
    did(76.5, 'showConsent', ['session 7', 'q1'], { app_name: 'App', scopes: linkScopes, lifetime_days: 90 }),
    did(77, 'decideConsent', ['session 7', 'q1', linkScopes], 'https://app.example/callback?code=k1'),
    did(75.5, 'listBadges', ['session 7'], [{ works: true, issued_at: 'Gate' }]),
    did(80, 'listLinks', ['session 7'], [{ id: 'lnk_1', scopes: linkScopes }]),
    did(88, 'approveAbsence', [{ id: 50, company_id: 3, user_id: 7 }], { absence, person_id: 7 }),
    did(90, 'changeExtension', ['ext_1', { scopes: ['read:clock_states'] }], changed),
    did(92, 'showExtension', ['ext_1'], { ...changed, last_used_at: instant(91) }),
    did(118, 'blockBadges', ['session 7'], null),
    did(
      122,
      'listAuditEntries',
      [{ action: 'card.' }],
      [refusedCard(104, 'unknown_card', 121), refusedCard(103, 'blocked_badge', 120)],
    ),
    did(
      123,
      'listAuditEntries',
      [{ action: 'badge.' }],
      [{ ...audited(105, 'badge.blocked', '7', 118), actor: { kind: 'person', id: '7', name: 'Ada Kit' } }],
    ),
    did(93, 'rotateKey', ['ext_2'], 'cpk_5'),
    did(94, 'endOldKey', ['ext_2'], null),
    did(60, 'listDeliveries', ['ext_1'], [{ event_id: events[0]!.id, attempts: [{ status: 204 }] }]),
  ];
  const arrived = start + 15_000;
  const arrivals = [{ extensionId: 'ext_1', event: events[0], status: 204, from: arrived, until: arrived }];
  return JSON.parse(JSON.stringify({ calls, doings, arrivals })) as Log;
}

const at = (log: Log, second: number) => log.calls.find((one) => one.second === second)!;
const rows = (log: Log, second: number) => at(log, second).answer['data'] as Record<string, unknown>[];
const audit = (log: Log, action = 'clock.') =>
  log.doings.find(({ operation, given }) => operation === 'listAuditEntries' && JSON.stringify(given).includes(action))!
    .result as Record<string, unknown>[];
const result = (log: Log, operation: string) =>
  log.doings.find((doing) => doing.operation === operation)!.result as Record<string, unknown>;
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
  [
    'repeat',
    'another ETag for the same version',
    (log) => void Object.assign(at(log, 32), { given: { etag: '"v2"' } }),
  ],
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

/** Changes members of the answer at a second. */
const say = (second: number, members: object) => (log: Log) => void Object.assign(at(log, second).answer, members);
const sayOf = (operation: string, members: object) => (log: Log) => void Object.assign(result(log, operation), members);
const badges = (log: Log) => result(log, 'listBadges') as unknown as object[];
const toldAtDoors: readonly (readonly [LieKind, string, (log: Log) => void])[] = [
  ['door', 'another language', say(46, { language: 'en' })],
  ['door', 'a state since another time', say(46, { since: instant(10) })],
  ['door', 'a stamp that began earlier', say(55, { since: instant(20) })],
  ['door', 'another stamp than the one recorded', say(58, { recorded: { action: 'out', at: instant(55) } })],
  ['door', 'a repeated stamp at another time', say(59, { server_time: instant(20) })],
  ['door', 'another stamp than the one asked for', say(55, { action: 'out', state: 'out' })],
  ['door', 'a PIN that nobody asked for', say(58, { pin_required: true })],
  ['door', 'work that nobody did', say(53, { worked_today_minutes: 30 })],
  ['door', 'a balance that changes by itself', say(54, { balance_minutes: -90 })],
  ['door', 'other vacation days', say(54, { vacation_days_left: 3 })],
  [
    'door',
    'a balance unlike the one of the list',
    (log) => void Object.assign(rows(log, 53.5)[0]!, { balance_minutes: 0 }),
  ],
  [
    'door',
    'a lock of two hours',
    (log) =>
      void Object.assign(at(log, 48), {
        status: 423,
        answer: { code: 'pin_locked' },
        given: { 'retry-after': '7200' },
      }),
  ],
  [
    'door',
    'a lock after two tries',
    (log) =>
      void Object.assign(at(log, 48), {
        status: 423,
        answer: { code: 'pin_locked' },
        given: { 'retry-after': '3600' },
      }),
  ],
  ['door', 'the name of another terminal', say(72, { name: 'Other' })],
  ['door', 'offers that nobody made', say(72, { offers: { ...status(0).offers, repeat_lock_seconds: 0 } })],
  ['door', 'another key of the terminal', sayOf('showTerminal', { fingerprint: 'BBBB' })],
  [
    'door',
    'an entry of another terminal',
    (log) => void Object.assign(rows(log, 56)[1]!, { source: { ...gate, id: 'trm_2' } }),
  ],
  [
    'door',
    'a stamp without its proof',
    (log) => void Object.assign((rows(log, 56)[1]!['stamps'] as object[])[0]!, { proof: 'none' }),
  ],
  ['door', 'results in another order', (log) => void (at(log, 70).answer['results'] as unknown[]).reverse()],
  ['door', 'a number that goes back', say(71, { last_number: 1 })],
  ['door', 'a status with another number', say(72, { offline_last_number: 0 })],
  ['door', 'a stamp that is taken twice', (log) => say(71, { results: at(log, 70).answer['results'] })(log)],
  ['door', 'an offline stamp that is lost', (log) => void rows(log, 73).shift()],
  ['door', 'two entries of one offline stamp', (log) => void rows(log, 73).push({ ...offlineEntry, id: 93 })],
  ['door', 'an offline stamp that counts', (log) => void Object.assign(rows(log, 73)[0]!, { status: 'recorded' })],
  ['door', 'an offline stamp with another end', (log) => void Object.assign(rows(log, 73)[0]!, { end: instant(0) })],
  ['door', 'an offline stamp that proves somebody', (log) => void Object.assign(rows(log, 73)[0]!, { proof: 'badge' })],
  [
    'access',
    'another link after renewing',
    (log) => void Object.assign(inside(at(log, 82).answer, 'link'), { id: 'lnk_2' }),
  ],
  [
    'access',
    'a link that lasts longer',
    (log) => void Object.assign(inside(at(log, 82).answer, 'link'), { expires_at: instant(9_999_999) }),
  ],
  ['access', 'a renewal that moves the end', say(81, { link_expires_at: instant(9_999_999) })],
  ['access', 'a token that lasts longer', say(81, { expires_in: 7200 })],
  ['access', 'a renewal with more permissions', say(81, { scope: `${linkScopes.join(' ')} write:absences` })],
  [
    'access',
    'an earlier token of a link that was revoked',
    (log) => void Object.assign(at(log, 84), { status: 200, answer: at(log, 82).answer }),
  ],
  [
    'access',
    'another reason',
    (log) => void Object.assign(inside(rows(log, 86)[0]!, 'data'), { reason: 'revoked_by_person' }),
  ],
  [
    'access',
    'a reason that cannot be',
    (log) => void Object.assign(inside(rows(log, 86)[0]!, 'data'), { reason: 'expired' }),
  ],
  [
    'access',
    'the end of the link of somebody else',
    (log) => void Object.assign(inside(rows(log, 86)[0]!, 'data'), { user_id: 8 }),
  ],
  ['access', 'the name of another app', sayOf('showConsent', { app_name: 'Other' })],
  [
    'access',
    'a permission that is not asked for',
    sayOf('showConsent', { scopes: [...linkScopes, 'read:time_entries'] }),
  ],
  ['access', 'a permission that is not shown', sayOf('showConsent', { scopes: ['write:clock'] })],
  [
    'access',
    'a permission that was taken away',
    (log) => void Object.assign(at(log, 91), { status: 200, answer: page([]) }),
  ],
  ['access', 'a change that shows what was before', sayOf('changeExtension', { scopes: settings.scopes })],
  ['access', 'a change of long ago', sayOf('changeExtension', { updated_at: instant(1) })],
  ['access', 'a key that was used before it was made', sayOf('showExtension', { last_used_at: instant(-86_400) })],
  ['access', 'a second key that nobody made', sayOf('showExtension', { keys: 2 })],
  ['access', 'a link that is not listed', (log) => void (result(log, 'listLinks') as unknown as unknown[]).pop()],
  [
    'access',
    'a link that may more',
    (log) => void Object.assign((result(log, 'listLinks') as unknown as object[])[0]!, { scopes: settings.scopes }),
  ],
  [
    'absence',
    'a request with other days',
    (log) => void Object.assign(result(log, 'approveAbsence')['absence'] as object, { end_date: '2027-05-06' }),
  ],
  ['absence', 'a request of somebody else', sayOf('approveAbsence', { person_id: 8 })],
  ['feed', 'a position that goes back', say(25, { next_updated_since: 's1_1' })],
  ['door', 'a badge that is said not to work', (log) => void Object.assign(badges(log)[0]!, { works: false })],
  ['door', 'a badge of another terminal', (log) => void Object.assign(badges(log)[0]!, { issued_at: 'Other' })],
  ['door', 'a stamp on the page of a terminal that nobody sent', sayOf('showTerminal', { offline_last_number: 5 })],
  ['audit', 'a key', (log) => void Object.assign(audit(log)[0]!, { reason: 'cpk_1' })],
  ['audit', 'a refused card that is lost', (log) => void audit(log, 'card.').pop()],
  ['audit', 'one reason for all', (log) => void Object.assign(audit(log, 'card.')[0]!, { reason: 'blocked_badge' })],
  ['audit', 'a blocked badge that is lost', (log) => void audit(log, 'badge.').pop()],
  ['access', 'settings of before', sayOf('showExtension', { scopes: settings.scopes })],
  ['access', 'a key that was ended', (log) => void Object.assign(at(log, 95), { status: 200, answer: page([]) })],
  [
    'access',
    'a limit that does not count',
    (log) => {
      for (const one of log.calls) if (one.second >= 60 && one.second < 62) one.given = left(9).given;
    },
  ],
  ['index', 'a digest that stands still', say(115, { index_digest: { checkpoint: 7, size: 2, root: 'd1' } })],
  ['index', 'a digest of another size', say(115, { index_digest: { checkpoint: 7, size: 1, root: 'd2' } })],
  ['index', 'a digest of long ago', say(115, { index_digest: indexed(1, 5, 'd1').index_digest })],
  ['index', 'a count without the new proof', say(115, { indexed_count: 1 })],
  ['index', 'a count of more than is listed', say(115, { indexed_count: 3 })],
  ['index', 'a checkpoint of long ago', say(115, { checkpoint: 5 })],
  ['index', 'a newest proof that is not the newest', say(115, { last_proof_at: instant(20) })],
  [
    'index',
    'polls that are not told',
    (log) => {
      for (const [second, head] of [
        [105, 7],
        [110, 8],
        [115, 9],
      ] as const)
        say(second, { head_checkpoint: head, last_index_time: instant(104) })(log);
    },
  ],
  ['index', 'a head of long ago', say(115, { head_checkpoint: 5 })],
  ['index', 'a status that may be kept', (log) => void Object.assign(at(log, 115), { given: {} })],
  ['index', 'proofs in another order', (log) => void rows(log, 117).reverse()],
  ['index', 'an ETag of two bodies', (log) => void Object.assign(at(log, 98), { given: { etag: '"t1"' } })],
];

describe('the memory of a run', () => {
  it('has nothing to say about the truth', () => expect(lies(morning())).toEqual([]));

  it.each([...told, ...toldAtDoors])('%s: notices %s', (kind, _what, tell) => {
    const log = morning();
    tell(log);
    expect(lies(log).filter((lie) => lie.startsWith(`${kind}: `))).not.toEqual([]);
  });

  it('accuses nobody of two requests beside each other, whichever came first', () => {
    const log = morning();
    log.calls.push({ ...at(log, 30), second: 29.98, status: 200 });
    expect(lies(log)).toEqual([]);
  });

  it('accuses nobody where a request had no answer: its stamp may have been recorded or not', () => {
    const log = morning();
    Object.assign(at(log, 12), { status: 503, answer: { code: 'unavailable' } });
    Object.assign(at(log, 13), { answer: page([]) });
    expect(lies(log).filter((lie) => lie.startsWith('clock'))).toEqual([]);
  });
});
