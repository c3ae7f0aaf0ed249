/** The memory, on a short log of what administrators and people did on pages, and of what was refused. */
import { describe, expect, it } from '@jest/globals';
import type { LieKind } from '../kit/memory/history.js';
import { call, did, instant, type Log, lies, page } from './log.js';

const scopes = ['read:users', 'read:time_entries', 'read:leave_entries', 'write:absences'];
const ada = { id: 7, name: 'Ada Kit' };
const admin = { id: 1, name: 'An Admin' };
const byAdmin = { headers: { cookie: 'session=a' } };
const byAda = { headers: { cookie: 'session=b' } };
const key = (number: number, more: object = {}) => ({
  prefix: `cpk_${number}`,
  current: true,
  created_at: instant(10),
  ...more,
});
const shop = (second: number, more: object = {}) => ({
  id: 'ext_9',
  name: 'Shop',
  mode: 'api',
  scopes,
  company_id: 3,
  link_lifetime_days: 90,
  keys: [key(9)],
  links: 0,
  created_at: instant(10),
  updated_at: instant(second),
  ...more,
});
const shopSettings = { name: 'Shop', mode: 'api', scopes, company_id: 3 };
const badge = {
  id: 'bdg_1',
  card: 'ntag424',
  person: ada,
  state: 'active',
  issued_at: instant(21),
  last_used_at: instant(22),
};
const gate = {
  id: 'trm_1',
  name: 'Gate',
  location: 'Hall',
  state: 'confirmed',
  confirmed_at: instant(20),
  created_at: instant(19),
};
const stay = {
  id: 50,
  user_id: 7,
  user_name: 'Ada Kit',
  company_id: 3,
  company_name: 'Mill',
  type: 'vacation',
  start_date: '2027-05-03',
  end_date: '2027-05-05',
  status: 'waiting',
  created_by: { kind: 'extension', name: 'Kit' },
  created_at: instant(30),
  updated_at: instant(30),
};
const request = {
  id: 'apr_1',
  status: 'waiting',
  person: ada,
  department: { id: 5, name: 'North' },
  requested_at: instant(30),
  absence: stay,
};
const written = { body: { user_id: 7, type: 'vacation', start_date: '2027-05-03', end_date: '2027-05-05' } };
const user = {
  id: 7,
  company_id: 3,
  first_name: 'Ada',
  last_name: 'Kit',
  display_name: 'Ada Kit',
  active: true,
  time_zone: 'Europe/Berlin',
  department: { id: 5, name: 'North' },
  updated_at: instant(2),
};
const asked = {
  state: 'of the app',
  redirect_uri: 'https://app.example/callback',
  client_id: 'c8',
  scope: 'read:time_entries',
};
const mill = {
  id: 3,
  name: 'Mill',
  time_zone: 'Europe/Berlin',
  active: true,
  departments: [
    { id: 5, name: 'North' },
    { id: 6, name: 'South' },
  ],
};
const kinds = [
  { key: 'vacation', half_day: true, requires_approval: true },
  { key: 'sickness', half_day: true, requires_approval: false },
];
const booking = {
  id: 1,
  user_id: 7,
  date: '2026-11-25',
  minutes: -30,
  kind: 'payout',
  reason: 'Paid out',
  created_at: instant(44),
};
const balance = {
  user_id: 7,
  user_name: 'Ada Kit',
  company_name: 'Mill',
  company_id: 3,
  date: '2026-11-25',
  carried_minutes: 0,
  target_minutes: 0,
  worked_minutes: 240,
  difference_minutes: 240,
  booked_minutes: 0,
  balance_minutes: 240,
  closed: false,
};
const october = { ...balance, date: '2026-10-31', worked_minutes: 0, difference_minutes: 0, balance_minutes: 0 };
const added = {
  id: 90,
  user_id: 7,
  company_id: 3,
  date: '2026-11-25',
  start: '2026-11-25T08:00:00Z',
  end: '2026-11-25T12:00:00Z',
  breaks: [],
  break_minutes: 0,
  worked_minutes: 240,
  status: 'approved',
  stamps: [
    { action: 'in', corrected: true },
    { action: 'out', corrected: true },
  ],
  created_at: instant(40),
  updated_at: instant(40),
};
const logged = (sequence: number, action: string, kind: string, id: string, second: number, more: object = {}) => ({
  sequence,
  place: sequence,
  mac: `sha256:${sequence}`,
  at: instant(second),
  actor: { kind: 'person', ...admin },
  action,
  subject: { kind, id },
  company_id: 3,
  ...more,
});
const noStore = (id: string) => ({ given: { 'x-request-id': id, 'cache-control': 'no-store' } });
const limited = (left: number) => ({
  given: { ratelimit: `"key";r=${left};t=60`, 'ratelimit-policy': '"key";q=120;w=60' },
});
const ifMatch = (tag: string, status: number) => ({
  method: 'PATCH',
  headers: { authorization: 'Bearer cpk_1', 'if-match': tag },
  status,
});
const indexer = {
  state: 'ready',
  indexed_count: 0,
  checkpoint: 5,
  history: 'complete',
  alarm_count: 0,
  addresses: ['0x1'],
  rescan: { rounds: 3 },
  backfill: { done_ratio: 1 },
};
const indexerHeaders = {
  given: { 'cache-control': 'no-store', date: new Date(Date.parse(instant(80))).toUTCString() },
};

/** The truth, made for each test. */
function office(): Log {
  const calls = [
    call(
      10,
      'addExtension',
      '/app/admin/extensions',
      { extension: shop(10), key: 'cpk_99' },
      { ...byAdmin, status: 201, body: shopSettings },
    ),
    call(11, 'getExtension', '/app/admin/extensions/ext_9', shop(10), byAdmin),
    call(12, 'changeExtension', '/app/admin/extensions/ext_9', shop(12, { scopes: ['read:users'] }), {
      ...byAdmin,
      method: 'PATCH',
      body: { scopes: ['read:users'] },
    }),
    call(13, 'getExtension', '/app/admin/extensions/ext_9', shop(12, { scopes: ['read:users'] }), byAdmin),
    call(
      14,
      'addKey',
      '/app/admin/extensions/ext_9/key',
      { key: 'cpk_98', previous_ends_at: instant(14 + 3_600) },
      { ...byAdmin, body: { overlap_hours: 1 } },
    ),
    call(
      15,
      'getExtension',
      '/app/admin/extensions/ext_9',
      shop(14, {
        scopes: ['read:users'],
        keys: [key(98, { created_at: instant(14) }), key(99, { current: false, expires_at: instant(14 + 3_600) })],
      }),
      byAdmin,
    ),
    call(
      20,
      'confirmTerminal',
      '/app/admin/terminals/trm_1/confirmation',
      { ...gate, confirmed_by: admin },
      { ...byAdmin, body: { fingerprint: 'AAAA' } },
    ),
    call(
      20.5,
      'getTerminalStatus',
      '/api/v1/terminal/status',
      { confirmed: true, name: 'Gate', offers: { offline: true }, seal_key: 'k' },
      { headers: { 'service-terminal': 'trm_1' } },
    ),
    call(
      21,
      'startIssuing',
      '/app/admin/terminals/trm_1/issuing',
      { person: ada, started_at: instant(21), expires_at: instant(141) },
      { ...byAdmin, body: { user_id: 7 } },
    ),
    call(
      21.5,
      'openCardSession',
      '/api/v1/terminal/card',
      { session: 'csn_1' },
      { headers: { 'service-terminal': 'trm_1' }, body: { uid: '04AA' } },
    ),
    call(23, 'getTerminal', '/app/admin/terminals/trm_1', gate, byAdmin),
    call(30, 'createAbsence', '/api/v1/absences', stay, {
      ...written,
      status: 201,
      given: { location: '/api/v1/absences/50' },
    }),
    call(31, 'listApprovals', '/app/approvals?state=waiting&user_id=7', page([request]), {
      ...byAdmin,
      method: 'GET',
    }),
    call(
      32,
      'approve',
      '/app/approvals/apr_1/approve',
      {
        ...request,
        status: 'approved',
        absence: { ...stay, status: 'approved', updated_at: instant(32) },
        decided_by: admin,
        decided_at: instant(32),
      },
      { ...byAdmin, body: {} },
    ),
    call(30.5, 'createAbsence', '/api/v1/absences', { code: 'absence_overlap' }, { ...written, status: 409 }),
    call(
      34,
      'closeMonth',
      '/app/admin/companies/3/months/2026-10/close',
      { month: '2026-10', state: 'closed', closed_at: instant(34), closed_by: admin },
      { ...byAdmin },
    ),
    call(33, 'listTimeBalances', '/api/v1/time/balances?date=2026-10-31', page([october])),
    call(34.5, 'listTimeBalances', '/api/v1/time/balances?date=2026-10-31', page([{ ...october, closed: true }])),
    call(35, 'listUsers', '/api/v1/users', page([user]), noStore('req_1')),
    call(36, 'getUser', '/api/v1/users/7', user, noStore('req_2')),
    call(37, 'listUsers', '/api/v1/users', page([user]), limited(9)),
    call(38, 'listUsers', '/api/v1/users', page([user]), limited(8)),
    call(41, 'listTimeEntries', '/api/v1/time/entries?from=2026-11-25&to=2026-11-26', page([added])),
    call(43, 'listTimeBalances', '/api/v1/time/balances?date=2026-11-25', page([balance])),
    call(45, 'listTimeBookings', '/api/v1/time/bookings?from=2026-11-25&to=2026-11-26', page([booking])),
    call(50, 'getBadges', '/app/me/badges', page([badge]), byAda),
    call(
      51,
      'blockBadge',
      '/app/me/badges/bdg_1/block',
      { ...badge, state: 'blocked', lost: true, blocked_at: instant(51), blocked_by: ada },
      { ...byAda, body: { lost: true } },
    ),
    call(
      55,
      'getConsent',
      '/app/consent/cns_1',
      {
        id: 'cns_1',
        extension: { id: 'ext_8', name: 'App' },
        person: ada,
        redirect_host: 'app.example',
        key_reads: 'linked_people',
      },
      byAda,
    ),
    call(
      56,
      'allow',
      '/app/consent/cns_1',
      { redirect_to: 'https://app.example/callback?code=k1&state=of+the+app' },
      { ...byAda, body: { decision: 'allow', scopes: ['read:time_entries'] } },
    ),
    call(
      57,
      'exchangeToken',
      '/oauth/token',
      {
        access_token: 'cpa_1',
        refresh_token: 'cpr_1',
        scope: 'read:time_entries',
        link_expires_at: instant(9_000_000),
        expires_in: 3_600,
      },
      {
        headers: { authorization: `Basic ${Buffer.from('c8:cpk_8').toString('base64')}` },
        body: { grant_type: 'authorization_code', code: 'k1' },
      },
    ),
    call(
      58,
      'getMe',
      '/api/v1/me',
      {
        ...user,
        absence_types: kinds,
        link: {
          id: 'lnk_1',
          extension: { id: 'ext_8', name: 'App' },
          scopes: ['read:time_entries'],
          expires_at: instant(9_000_000),
        },
      },
      { headers: { authorization: 'Bearer cpa_1' } },
    ),
    call(
      59,
      'getLinks',
      '/app/linked-apps',
      page([
        {
          id: 'lnk_1',
          extension: { id: 'ext_8', name: 'App' },
          granted_scopes: ['read:time_entries'],
          created_at: instant(56),
          expires_at: instant(9_000_000),
          last_action: 'Linked',
        },
      ]),
      byAda,
    ),
    call(
      59.5,
      'getExtension',
      '/app/admin/extensions/ext_8',
      { id: 'ext_8', links: 1, delivery: { state: 'active', last_delivered_at: instant(58.2) } },
      byAdmin,
    ),
    call(60, 'getStatus', '/api/v1/status', { features: { people_writes: true, webhooks: true } }),
    call(
      44.1,
      'book',
      '/app/admin/people/7/time-bookings',
      { id: 1, balance_minutes: 210 },
      { ...byAdmin, status: 201 },
    ),
    call(
      44.5,
      'listTimeBalances',
      '/api/v1/time/balances?date=2026-11-25',
      page([{ ...balance, booked_minutes: -30, balance_minutes: 210 }]),
    ),
    call(
      46.1,
      'addDepartment',
      '/app/admin/companies/3/departments',
      { id: 6, name: 'South' },
      { ...byAdmin, status: 201 },
    ),
    call(47, 'listCompanies', '/api/v1/companies', page([mill])),
    call(
      48,
      'invite',
      '/app/admin/people/7/invitation',
      { url: 'x', expires_at: instant(48 + 7 * 86_400) },
      { ...byAdmin, status: 201 },
    ),
    call(
      49,
      'uploadOfflineStamps',
      '/api/v1/terminal/offline',
      { results: [{ number: 1, result: 'too_old' }], last_number: 1 },
      {
        headers: { 'service-terminal': 'trm_1' },
        body: { stamps: [{ number: 1, uid: '04AA', action: 'in', at: '2026-01-01T00:00:00Z' }] },
      },
    ),
    call(80, 'getIndexerStatus', '/api/v1/status', indexer, indexerHeaders),
    call(81, 'getIndexerStatus', '/api/v1/status', indexer, indexerHeaders),
    call(
      85,
      'endEmployment',
      '/app/admin/people/7/deactivation',
      { employment_ended: { absences: [{ id: 50, outcome: 'cancelled' }] } },
      { ...byAdmin, body: { employment_end: '2026-11-30' } },
    ),
  ];
  const doings = [
    did(0, 'createExtension', [{ name: 'Kit', company_id: 3, scopes }], { id: 'ext_1', client_id: 'c1', key: 'cpk_1' }),
    did(0.5, 'createCompany', [{ name: 'Mill', time_zone: 'Europe/Berlin', departments: ['North'] }], {
      id: 3,
      departments: [5],
    }),
    did(
      1,
      'createPerson',
      [
        {
          company_id: 3,
          first_name: 'Ada',
          last_name: 'Kit',
          department_id: 5,
          employment_start: '2020-01-01',
          tracked_from: '2026-11-01',
        },
      ],
      ada,
    ),
    did(
      1.5,
      'listAbsenceTypes',
      [3],
      kinds.map((kind) => ({ ...kind, active: true })),
    ),
    did(2, 'createExtension', [{ name: 'App', company_id: 3, scopes: ['read:time_entries'], linking: true }], {
      id: 'ext_8',
      client_id: 'c8',
      key: 'cpk_8',
    }),
    did(10, 'createExtension', [shopSettings], { id: 'ext_9', client_id: 'c9', key: 'cpk_99' }),
    did(12, 'changeExtension', ['ext_9', { scopes: ['read:users'] }], undefined),
    did(14, 'rotateKey', ['ext_9'], 'cpk_98'),
    did(19, 'createTerminal', [{ name: 'Gate' }], { id: 'trm_1' }),
    did(20, 'confirmTerminal', ['trm_1', 'AAAA'], null),
    did(21, 'startIssuing', ['trm_1', 7], null),
    did(32, 'approveAbsence', [{ id: 50, user_id: 7 }], { absence: stay, person_id: 7 }),
    did(34, 'closeMonth', [3, '2026-10'], null),
    did(40, 'addEntry', [7, { start: added.start, end: added.end, reason: 'Forgotten' }], null),
    did(44, 'addBooking', [7, { date: '2026-11-25', minutes: -30, reason: 'Paid out' }], null),
    did(46, 'createDepartment', [3, 'South'], null),
    did(48, 'signIn', [7], 'session of Ada'),
    {
      ...did(50, 'listBadges', ['session of Ada'], [{ works: true, issued_at: 'Gate' }]),
      from: did(49.9, '', [], 0).from,
    },
    { ...did(51, 'blockBadges', ['session of Ada'], null), from: did(50.9, '', [], 0).from },
    did(54, 'authorize', ['session of Ada', `/oauth/authorize?${new URLSearchParams(asked)}`], { question: 'cns_1' }),
    {
      ...did(55, 'showConsent', ['session of Ada', 'cns_1'], { app_name: 'App', scopes: ['read:time_entries'] }),
      from: did(54.9, '', [], 0).from,
    },
    did(
      56,
      'decideConsent',
      ['session of Ada', 'cns_1', ['read:time_entries']],
      'https://app.example/callback?code=k1&state=of+the+app',
    ),
    did(
      90,
      'listAuditEntries',
      [{}],
      [
        logged(209, 'person.deactivated', 'person', '7', 85),
        logged(208, 'link.consented', 'extension', 'ext_8', 56, {
          actor: { kind: 'person', id: '7' },
          changes: [
            { member: 'scopes', new: '["read:time_entries"]' },
            { member: 'days', new: '104' },
          ],
        }),
        logged(207, 'badge.blocked', 'badge', 'bdg_1', 51, {
          subject: { kind: 'badge', id: 'bdg_1', person_id: 7 },
          actor: { kind: 'person', id: '7' },
        }),
        logged(206, 'person.invited', 'person', '7', 48),
        logged(205, 'department.added', 'department', '6', 46, {
          subject: { kind: 'department', id: '6', name: 'South' },
        }),
        logged(204, 'month.closed', 'month', '2026-10', 34),
        logged(203.5, 'absence.approved', 'absence', '50', 32),
        logged(203, 'absence.requested', 'absence', '50', 30, {
          actor: { kind: 'extension', id: 'ext_1' },
          changes: [{ member: 'status', new: 'waiting' }],
        }),
        logged(202.7, 'badge.issued', 'badge', 'bdg_1', 21.6, { changes: [{ member: 'family', new: 'ntag424' }] }),
        logged(202.5, 'badge.issuing_started', 'person', '7', 21, { changes: [{ member: 'terminal', new: 'trm_1' }] }),
        logged(202, 'terminal.confirmed', 'terminal', 'trm_1', 20, {
          changes: [{ member: 'fingerprint', new: 'AAAA' }],
        }),
        logged(201, 'terminal.added', 'terminal', 'trm_1', 19),
        logged(200, 'extension.key_rotated', 'extension', 'ext_9', 14),
        logged(199, 'extension.added', 'extension', 'ext_9', 10),
        logged(198, 'person.added', 'person', '7', 1),
        logged(197, 'extension.added', 'extension', 'ext_8', 2),
        logged(196, 'company.added', 'company', '3', 0.5),
        logged(195, 'extension.added', 'extension', 'ext_1', 0),
      ],
    ),
    did(91, 'listAuditEntries', [{ action: 'month.' }], [logged(204, 'month.closed', 'month', '2026-10', 34)]),
  ];
  const time = did(60, '', [], 0).from;
  const arrivals = [
    {
      extensionId: 'ext_8',
      event: { id: 'evt_3f9a7c2100000000000001', epoch: '3f9a7c21', sequence: 1, type: 'ping' },
      status: 204,
      from: time - 3_000,
      until: time - 3_000,
    },
  ];
  return JSON.parse(JSON.stringify({ calls, doings, arrivals })) as Log;
}

type Tell = (log: Log) => void;
const at = (log: Log, second: number) => log.calls.find((one) => one.second === second)!;
const say =
  (second: number, members: object): Tell =>
  (log) =>
    void Object.assign(at(log, second).answer, members);
const sayRow =
  (second: number, members: object): Tell =>
  (log) =>
    void Object.assign((at(log, second).answer['data'] as object[])[0]!, members);
const lose =
  (second: number): Tell =>
  (log) =>
    void (at(log, second).answer['data'] as object[]).shift();
const refuse =
  (second: number, status: number, code: string, more: object = {}): Tell =>
  (log) =>
    void Object.assign(at(log, second), { status, answer: { code }, ...more });
const audit = (log: Log, second = 90) =>
  log.doings.find(({ from }) => from === did(second, '', [], 0).from)!.result as Record<string, unknown>[];
const write =
  (action: string, members: object): Tell =>
  (log) =>
    void Object.assign(audit(log).find((one) => one['action'] === action)!, members);
const strike =
  (action: string): Tell =>
  (log) => {
    const rows = audit(log);
    rows.splice(
      rows.findIndex((one) => one['action'] === action),
      1,
    );
  };

const add =
  (...calls: readonly ReturnType<typeof call>[]): Tell =>
  (log) =>
    void log.calls.push(...calls);
const byLink = { headers: { authorization: 'Bearer cpa_1' } };
const tagged = { given: { etag: '"v1"' } };

const erased = { changes: [{ member: 'absences', new: '0' }] };

const told: readonly (readonly [LieKind, string, Tell])[] = [
  ['record', 'a booking with the balance before it', say(44.1, { balance_minutes: 240 })],
  ['record', 'somebody who left and is active', say(85, { active: true })],
  ['absence', 'a request that waits and is missing', lose(31)],
  ['absence', 'a kind that only administrators see', say(58, { absence_types: [kinds[0]] })],
  [
    'access',
    'one operation whose requests leave as many as before',
    add(
      ...[62, 63, 64, 65, 66, 67, 68, 69].flatMap((second, index) => [
        call(second, 'getStatus', '/api/v1/status', {}, limited(100)),
        call(second + 0.5, 'listCompanies', '/api/v1/companies', page([mill]), limited(90 - index)),
      ]),
    ),
  ],
  ['access', 'a missing permission that is there', refuse(35, 403, 'insufficient_scope')],
  [
    'refusal',
    'a key that only lost a permission',
    add(
      call(
        16,
        'listCompanies',
        '/api/v1/companies',
        { code: 'token_revoked' },
        { headers: { authorization: 'Bearer cpk_98' }, status: 401 },
      ),
    ),
  ],
  [
    'refusal',
    'a month that is not over',
    add(call(36.5, 'clockIn', '/api/v1/clock/in', { code: 'month_closed' }, { body: { user_id: 7 }, status: 409 })),
  ],
  [
    'refusal',
    'a month that is not closed yet',
    add(call(36.5, 'createAbsence', '/api/v1/absences', { code: 'month_closed' }, { ...written, status: 409 })),
  ],
  [
    'repeat',
    'the newest version that is refused',
    add(
      call(61, 'getAbsence', '/api/v1/absences/50', {}, tagged),
      call(62, 'updateAbsence', '/api/v1/absences/50', { code: 'precondition_failed' }, ifMatch('"v1"', 412)),
    ),
  ],
  [
    'repeat',
    'an older version that is taken',
    add(
      call(61, 'getAbsence', '/api/v1/absences/50', {}, tagged),
      call(62, 'updateAbsence', '/api/v1/absences/50', {}, ifMatch('"v0"', 200)),
    ),
  ],
  [
    'access',
    'a link that has stamped and done nothing',
    (log) => add(call(63, 'clockIn', '/api/v1/clock/in', {}, byLink), { ...at(log, 59), second: 64 })(log),
  ],
  [
    'record',
    'a month that closing changes',
    sayRow(34.5, { target_minutes: -60, difference_minutes: 60, booked_minutes: -60 }),
  ],
  [
    'refusal',
    'a token that ended before its time',
    (log) => add({ ...at(log, 58), second: 59.2, status: 401, answer: { code: 'token_expired' } })(log),
  ],
  [
    'audit',
    'an extension of the day before',
    (log) => void Object.assign(audit(log).at(-1)!, { at: instant(-86_400) }),
  ],
  ['audit', 'a department of a moment before', write('department.added', { at: instant(43.5) })],
  [
    'audit',
    'two names of one person',
    write('badge.issuing_started', { actor: { kind: 'person', id: 1, name: 'Eve' } }),
  ],
  ['audit', 'another length of a consent', write('link.consented', { changes: [{ member: 'days', new: '30' }] })],
  [
    'audit',
    'fewer absences that were erased than were made',
    (log) => void audit(log).unshift(logged(210, 'person.erased', 'person', '7', 89, erased)),
  ],
  ['door', 'a known stamp that nobody had sent', say(49, { results: [{ number: 1, result: 'duplicate' }] })],
  ['record', 'a booking with another id', say(44.1, { id: 2 })],
  ['record', 'a department with another id', say(46.1, { id: 9 })],
  ['audit', 'another kind of card', write('badge.issued', { changes: [{ member: 'family', new: 'desfire' }] })],
  ['index', 'an index that starts and has polled', say(81, { state: 'starting', last_index_time: instant(80) })],
  [
    'access',
    'a terminal that is counted with its address',
    (log) =>
      void Object.assign(at(log, 21.5), {
        given: { ratelimit: '"address";r=8;t=60', 'ratelimit-policy': '"address";q=120;w=60' },
      }),
  ],
  [
    'audit',
    'another terminal of a badge',
    write('badge.issuing_started', { changes: [{ member: 'terminal', new: 'trm_2' }] }),
  ],
  [
    'access',
    'a key that is counted as a link',
    (log) =>
      void Object.assign(at(log, 38), {
        given: { ratelimit: '"link";r=8;t=60', 'ratelimit-policy': '"link";q=120;w=60' },
      }),
  ],
  ['access', 'more requests left than the limit', (log) => void Object.assign(at(log, 38), limited(500))],
  [
    'door',
    'a badge that was never used and stamped',
    (log) => {
      log.calls.push(
        call(
          49.5,
          'stampAtTerminal',
          '/api/v1/terminal/stamp',
          { action: 'in', state: 'in', server_time: instant(49.5) },
          { headers: { 'service-terminal': 'trm_1' }, body: { session: 'csn_1' } },
        ),
      );
      sayRow(50, { last_used_at: undefined })(log);
    },
  ],
  ['record', 'a badge at another terminal', say(21, { terminal_id: 'trm_2' })],
  ['access', 'other permissions of the key', say(55, { key_scopes: ['read:users'] })],
  ['access', 'fewer permissions in words', sayRow(59, { permissions: [] })],
  [
    'refusal',
    'an app that is known',
    (log) => void Object.assign(at(log, 57), { status: 401, answer: { code: 'invalid_client' } }),
  ],
  [
    'event',
    'no delivery, and one that arrived',
    say(59.5, { delivery: { state: 'active', last_delivered_at: undefined } }),
  ],
  [
    'repeat',
    'an answer to a key that may be kept',
    (log) => void Object.assign(at(log, 36), { given: { 'cache-control': 'public' } }),
  ],
  [
    'index',
    'fewer rejected events than before',
    (log) => {
      say(80, { rejected_count: 2 })(log);
      say(81, { rejected_count: 1 })(log);
    },
  ],
  ['index', 'what was read beyond the head', say(81, { head_checkpoint: 4 })],
  [
    'record',
    'an absence that a page shows with other days',
    (log) =>
      void Object.assign((at(log, 31).answer['data'] as { absence: object }[])[0]!.absence, { end_date: '2027-05-09' }),
  ],
  [
    'absence',
    'an external_id that a page shows',
    (log) =>
      void Object.assign((at(log, 31).answer['data'] as { absence: object }[])[0]!.absence, { external_id: 'x-1' }),
  ],
  [
    'audit',
    'the name of another app',
    write('absence.requested', { actor: { kind: 'extension', id: 'ext_1', name: 'Other' } }),
  ],
  [
    'audit',
    'a person beside another one',
    write('person.invited', { subject: { kind: 'person', id: '7', person_id: 8 } }),
  ],
  ['audit', 'a change to the same', write('terminal.confirmed', { changes: [{ member: 'x', old: '1', new: '1' }] })],
  ['audit', 'a last day that nobody set', strike('person.deactivated')],
  [
    'record',
    'another setting than was written',
    (log) => void Object.assign(at(log, 10).answer['extension'] as object, { scopes: ['read:users'] }),
  ],
  ['record', 'a member that nobody changed', say(13, { link_lifetime_days: 30 })],
  ['record', 'a member that changes with another one', say(12, { mode: 'websocket' })],
  ['time', 'what was made before it was made', say(11, { created_at: instant(-3_600) })],
  ['time', 'what is used later than now', say(13, { keys: [key(9, { last_used_at: instant(3_600) })] })],
  ['time', 'the badge of the day before', sayRow(50, { issued_at: instant(-86_400) })],
  ['record', 'a longer end of a key than was asked', say(14, { previous_ends_at: instant(86_400) })],
  ['access', 'a key of somebody else', say(11, { keys: [key(1)] })],
  [
    'access',
    'two current keys',
    (log) => void Object.assign((at(log, 15).answer['keys'] as object[])[1]!, { current: true }),
  ],
  [
    'access',
    'a replaced key without an end',
    (log) => void Object.assign((at(log, 15).answer['keys'] as object[])[1]!, { expires_at: undefined }),
  ],
  ['record', 'a terminal that is confirmed and is not', say(20, { state: 'awaiting_confirmation' })],
  ['door', 'a confirmed terminal that waits for it', say(23, { state: 'awaiting_confirmation' })],
  ['door', 'a terminal that is not confirmed and takes cards', say(20.5, { confirmed: false })],
  ['door', 'a terminal that is stopped and takes cards', say(20.5, { stopped: 'failed_proofs' })],
  ['door', 'no offline stamps, and a key for them', say(20.5, { offers: { offline: false } })],
  ['record', 'a badge for somebody else', say(21, { person: { id: 1, name: 'Eve' } })],
  ['record', 'another time for a card', say(21, { expires_at: instant(3_600) })],
  ['record', 'a request in another department', sayRow(31, { department: { id: 6, name: 'South' } })],
  ['record', 'an approval that leaves it waiting', say(32, { absence: stay })],
  ['access', 'another name of who decided', say(32, { decided_by: { id: 2, name: 'Eve' } })],
  ['record', 'a closed month that is open', say(34, { state: 'open' })],
  ['repeat', 'the id of another request', (log) => void Object.assign(at(log, 36), noStore('req_1'))],
  [
    'access',
    'another limit of the same key',
    (log) =>
      void Object.assign(at(log, 38), {
        given: { ratelimit: '"key";r=8;t=60', 'ratelimit-policy': '"key";q=240;w=60' },
      }),
  ],
  ['refusal', 'a listed person who is not found', refuse(36, 404, 'not_found')],
  [
    'refusal',
    'a month that nobody closed',
    (log) => {
      refuse(30.5, 409, 'month_closed')(log);
      log.doings.splice(
        log.doings.findIndex(({ operation }) => operation === 'closeMonth'),
        1,
      );
    },
  ],
  ['refusal', 'the end of an employment without end', refuse(30.5, 409, 'employment_ended')],
  [
    'refusal',
    'a period that is free',
    (log) =>
      void Object.assign(at(log, 30.5), {
        body: { ...written.body, start_date: '2027-06-01', end_date: '2027-06-02' },
      }),
  ],
  ['refusal', 'a key that nothing ended', refuse(35, 401, 'token_revoked')],
  ['refusal', 'a key that is unknown', refuse(35, 401, 'unauthorized')],
  [
    'refusal',
    'a badge that is no card',
    (log) => {
      log.calls.push({ ...at(log, 21.5), second: 24, status: 422, answer: { code: 'card_unsupported' } });
    },
  ],
  ['list', 'an added entry that is missing', lose(41)],
  [
    'list',
    'an added entry at another time',
    sayRow(41, { start: '2026-11-25T09:00:00Z', end: '2026-11-25T13:00:00Z' }),
  ],
  ['list', 'an added entry as a stamped one', sayRow(41, { status: 'recorded' })],
  ['list', 'an added entry without its mark', sayRow(41, { stamps: [{ action: 'in' }] })],
  ['list', 'a balance that is missing', lose(43)],
  ['record', 'a balance of another name', sayRow(43, { user_name: 'Eve' })],
  ['record', 'a balance of another company', sayRow(43, { company_name: 'Moon' })],
  ['record', 'another reason of a booking', sayRow(45, { reason: 'Expired' })],
  ['record', 'another kind of booking', sayRow(45, { kind: 'correction' })],
  ['access', 'the badge of somebody else', sayRow(50, { person: { id: 8, name: 'Eve' } })],
  ['record', 'a badge that is not lost', say(51, { lost: false })],
  ['record', 'a blocked badge that works', say(51, { state: 'active' })],
  ['access', 'somebody else who blocked it', say(51, { blocked_by: { id: 8, name: 'Eve' } })],
  ['access', 'the question of somebody else', say(55, { person: { id: 8, name: 'Eve' } })],
  ['access', 'another host to go to', say(55, { redirect_host: 'elsewhere.example' })],
  ['access', 'another reading key', say(55, { key_reads: 'everyone' })],
  ['access', 'another state of the app', say(56, { redirect_to: 'https://app.example/callback?code=k1&state=other' })],
  ['absence', 'a kind that is not offered and taken', say(58, { absence_types: [] })],
  ['record', 'another time zone', say(58, { time_zone: 'America/New_York' })],
  ['access', 'fewer permissions than were granted', sayRow(59, { granted_scopes: [] })],
  ['record', 'a link that ends on another day', sayRow(59, { expires_at: instant(9_086_400) })],
  ['access', 'a link before its consent', sayRow(59, { created_at: instant(3) })],
  ['access', 'a link too many', say(59.5, { links: 2 })],
  ['event', 'deliveries that fail and were accepted', say(59.5, { delivery: { state: 'failing' } })],
  ['access', 'a feature that is off and used', say(60, { features: { people_writes: false } })],
  ['access', 'webhooks that are off and arrive', say(60, { features: { webhooks: false } })],
  ['door', 'a badge that an upload does not know', say(49, { results: [{ number: 1, result: 'unknown_card' }] })],
  ['index', 'contradictions while it is ready', say(81, { alarm_count: 1 })],
  ['index', 'a first reading while it is ready', say(81, { backfill: { done_ratio: 0.5 } })],
  ['index', 'a history that is partial again', say(81, { history: 'partial' })],
  ['index', 'other senders than before', say(81, { addresses: ['0x2'] })],
  ['index', 'fewer rounds than before', say(81, { rescan: { rounds: 2 } })],
  ['index', 'a newest proof that is yet to come', say(81, { last_proof_at: instant(180) })],
  ['absence', 'an absence that stays after the last day', say(85, { employment_ended: { absences: [] } })],
  ['audit', 'a month that nobody closed in the log', strike('month.closed')],
  ['audit', 'a department that nobody added', strike('department.added')],
  ['audit', 'a person whom nobody invited', strike('person.invited')],
  [
    'audit',
    'another value than was written',
    write('terminal.confirmed', { changes: [{ member: 'fingerprint', new: 'BBBB' }] }),
  ],
  ['audit', 'somebody else who blocked a badge', write('badge.blocked', { actor: { kind: 'person', id: '1' } })],
  [
    'audit',
    'other permissions than were allowed',
    write('link.consented', { changes: [{ member: 'scopes', new: '["write:clock"]' }] }),
  ],
  ['audit', 'another code of an entry', (log) => void Object.assign(audit(log, 91)[0]!, { mac: 'sha256:1' })],
  ['audit', 'a place that is taken away', (log) => void Object.assign(audit(log, 91)[0]!, { place: null })],
];

describe('the memory of pages', () => {
  it('has nothing to say about the truth', () => expect(lies(office())).toEqual([]));

  it.each(told)('%s: notices %s', (kind, _what, tell) => {
    const log = office();
    tell(log);
    expect(lies(log).filter((lie) => lie.startsWith(`${kind}: `))).not.toEqual([]);
  });
});
