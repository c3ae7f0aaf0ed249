/** Breaches of service and indexer that the kit must catch, each with the requirement that must name it. */
import { accessViolations } from './access.js';
import { contractViolations } from './contract.js';
import { deliveryViolations } from './deliveries.js';
import { indexerViolations } from './indexers.js';
import { recordViolations } from './records.js';
import { terminalSideViolations } from './terminals.js';
import { accept, answer, body, code, header, path, replay, sent, status, type Violation } from './violation.js';

/** Requirements that no violation of these lists breaks, each with the reason. */
export const unbroken: Readonly<Record<string, string>> = {
  'CLK-028': 'speaks of a deployment where writing is off; SEC-030 switches it off, and has violations',
  'IDX-019': 'is about a process and its exit code',
  'SEC-019': 'is about bytes that a proxy would repair',
  'SEC-032': 'speaks of a deployment without extensions',
  'SOC-009': 'is about a handshake that the proxy passes on as it is',
  'TRM-033': 'is about keys that the service writes on a card, sealed for it',
};

export const violations: readonly Violation[] = [
  ...deliveryViolations,
  ...contractViolations,
  ...recordViolations,
  ...accessViolations,
  ...terminalSideViolations,
  ...indexerViolations,
  {
    id: 'T01',
    breaks: 'CLK-002',
    side: 'service',
    does: 'clocks in somebody who is clocked in',
    reply: accept(/POST .*clock\/in$/, 'already_clocked_in'),
  },
  {
    id: 'T02',
    breaks: 'CLK-002',
    side: 'service',
    does: 'refuses a second clock-in with another code',
    reply: code(/POST .*clock\/in$/, 'already_clocked_in', 'not_on_break'),
  },
  {
    id: 'T03',
    breaks: 'CLK-004',
    side: 'service',
    does: 'clocks out somebody who is out',
    reply: accept(/POST .*clock\/out$/, 'not_clocked_in'),
  },
  {
    id: 'T04',
    breaks: 'CLK-005',
    side: 'service',
    does: 'starts a second break',
    reply: accept(/POST .*break\/start$/, 'already_on_break'),
  },
  {
    id: 'T05',
    breaks: 'CLK-006',
    side: 'service',
    does: 'ends a break that nobody is on',
    reply: accept(/POST .*break\/end$/, 'not_on_break'),
  },
  {
    id: 'T06',
    breaks: 'CLK-001',
    side: 'service',
    does: 'says out after clocking in',
    reply: answer(/POST .*clock\/in$/, 200, (json) => {
      Object.assign(json['clock_state'] as object, { state: 'out' });
    }),
  },
  {
    id: 'T07',
    breaks: 'CLK-001',
    side: 'service',
    does: 'answers with a time two hours away',
    reply: answer(/POST .*clock\/in$/, 200, (json) => {
      json['server_time'] = '2020-01-01T00:00:00Z';
    }),
  },
  {
    id: 'T08',
    breaks: 'CLK-001',
    side: 'service',
    does: 'records an entry that is not open',
    reply: answer(/POST .*clock\/in$/, 200, (json) => {
      Object.assign(json['time_entry'] as object, { status: 'recorded' });
    }),
  },
  {
    id: 'T09',
    breaks: 'CLK-007',
    side: 'service',
    does: 'leaves the entry open when clocking out',
    reply: answer(/POST .*clock\/out$/, 200, (json) => {
      Object.assign(json['time_entry'] as object, { status: 'open' });
    }),
  },
  {
    id: 'T10',
    breaks: 'CLK-007',
    side: 'service',
    does: 'forgets the break of an entry',
    reply: answer(/POST .*clock\/out$/, 200, (json) => {
      Object.assign(json['time_entry'] as object, { breaks: [] });
    }),
  },
  {
    id: 'T11',
    breaks: 'CLK-008',
    side: 'service',
    does: 'leaves the break open when clocking out',
    reply: answer(/POST .*clock\/out$/, 200, (json) => {
      for (const one of (json['time_entry'] as { breaks: Record<string, unknown>[] }).breaks) delete one['end'];
    }),
  },
  {
    id: 'T12',
    breaks: 'CLK-010',
    side: 'service',
    does: 'hides which app made an entry',
    reply: answer(/POST .*clock\/in$/, 200, (json) => {
      (json['time_entry'] as { source: object }).source = { kind: 'web' };
    }),
  },
  {
    id: 'T13',
    breaks: 'CLK-010',
    side: 'service',
    does: 'shows the proof of a card where there was none',
    reply: answer(/POST .*clock\/in$/, 200, (json) => {
      Object.assign(json['time_entry'] as object, { proof: 'badge' });
    }),
  },
  {
    id: 'T14',
    breaks: 'CLK-012',
    side: 'service',
    does: 'lets a key clock without the scope',
    reply: accept(/POST .*clock/, 'insufficient_scope'),
  },
  {
    id: 'T15',
    breaks: 'CLK-014',
    side: 'service',
    does: 'takes text for a number',
    request: body(/POST .*clock\/in$/, (json) => {
      if (typeof json['user_id'] === 'string') json['user_id'] = Number(json['user_id']);
    }),
  },
  {
    id: 'T16',
    breaks: 'CLK-015',
    side: 'service',
    does: 'tells people of other companies from nobody',
    reply: status(/POST .*clock\/in$/, 404, 403),
  },
  {
    id: 'T17',
    breaks: 'CLK-016',
    side: 'service',
    does: 'clocks in somebody who has left',
    reply: accept(/POST .*clock\/in$/, 'employment_ended'),
  },
  {
    id: 'T18',
    breaks: 'CLK-017',
    side: 'service',
    does: 'ignores Idempotency-Key',
    request: sent(/POST .*clock/, 'idempotency-key'),
  },
  {
    id: 'T19',
    breaks: 'CLK-018',
    side: 'service',
    does: 'ignores the filter state',
    request: path(/GET .*clock\/states$/, (of) =>
      of.replace(/state=\w+/, 'limit=500').replace('limit=500&limit=500', 'limit=500'),
    ),
  },
  {
    id: 'T20',
    breaks: 'CLK-019',
    side: 'service',
    does: 'misses changes of entries',
    reply: answer(/GET .*time\/entries$/, 200, (json) => {
      if ('next_updated_since' in json) json['data'] = [];
    }),
  },
  {
    id: 'T21',
    breaks: 'CLK-020',
    side: 'service',
    does: 'takes a period of 367 days',
    request: path(/GET .*time\//, (of) => of.replace('to=2027-01-02', 'to=2027-01-01')),
  },
  {
    id: 'T22',
    breaks: 'CLK-020',
    side: 'service',
    does: 'takes 30 February',
    request: path(/GET .*time\//, (of) => of.replace('2026-02-30', '2026-02-28')),
  },
  {
    id: 'T23',
    breaks: 'CLK-022',
    side: 'service',
    does: 'leaves out the warnings',
    reply: answer(/POST .*clock\/in$/, 200, (json) => {
      delete json['warnings'];
    }),
  },
  {
    id: 'T24',
    breaks: 'CLK-024',
    side: 'service',
    does: 'lists people of another company',
    reply: answer(/GET .*\/users$/, 200, (json) => {
      for (const one of json['data'] as Record<string, unknown>[]) one['company_id'] = 1;
    }),
  },
  {
    id: 'T25',
    breaks: 'CLK-025',
    side: 'service',
    does: 'lists companies without a key',
    reply: status(/GET .*\/companies$/, 401, 200, { data: [], next_cursor: null, has_more: false }),
  },
  {
    id: 'T26',
    breaks: 'CLK-026',
    side: 'service',
    does: 'leaves a feature out of the status',
    reply: answer(/GET .*v1\/status$/, 200, (json) => {
      delete (json['features'] as Record<string, unknown>)['websocket'];
    }),
  },
  {
    id: 'T27',
    breaks: 'CLK-026',
    side: 'service',
    does: 'is of a version before terminals',
    reply: answer(/GET .*v1\/status$/, 200, (json) => {
      json['version'] = '1.1.9';
    }),
  },
  {
    id: 'T28',
    breaks: 'CLK-027',
    side: 'service',
    does: 'takes a limit of 501',
    request: path(/GET .*\/users$/, (of) => of.replace('limit=501', 'limit=500')),
  },
  {
    id: 'T29',
    breaks: 'CLK-027',
    side: 'service',
    does: 'takes the cursor of another list',
    reply: accept(/GET /, 'invalid_cursor', { data: [], next_cursor: null, has_more: false }),
  },
  {
    id: 'T30',
    breaks: 'CLK-027',
    side: 'service',
    does: 'repeats the first page',
    request: path(/GET .*\/users$/, (of) => of.replace(/&cursor=[A-Za-z0-9_-]+$/, '')),
  },
  {
    id: 'T31',
    breaks: 'CLK-013',
    side: 'service',
    does: 'takes a clock operation for nobody',
    reply: accept(/POST .*clock\/in$/, 'invalid_request'),
  },
  {
    id: 'A01',
    breaks: 'ABS-001',
    side: 'service',
    does: 'approves without asking',
    reply: answer(/POST .*\/absences$/, 201, (json) => {
      json['status'] = 'approved';
    }),
  },
  {
    id: 'A02',
    breaks: 'ABS-001',
    side: 'service',
    does: 'leaves out Location',
    reply: header(/POST .*\/absences$/, 'location', undefined),
  },
  {
    id: 'A03',
    breaks: 'ABS-002',
    side: 'service',
    does: 'answers a repetition as if it were new',
    reply: status(/POST .*\/absences$/, 200, 201),
  },
  {
    id: 'A04',
    breaks: 'ABS-003',
    side: 'service',
    does: 'leaves out the id of the conflict',
    reply: answer(/POST .*\/absences$/, 409, (json) => {
      delete json['id'];
    }),
  },
  {
    id: 'A05',
    breaks: 'ABS-003',
    side: 'service',
    does: 'overwrites an absence with other data',
    reply: accept(/POST .*\/absences$/, 'external_id_conflict'),
  },
  {
    id: 'A06',
    breaks: 'ABS-004',
    side: 'service',
    does: 'shows external_id to others',
    reply: answer(/GET .*time\/leaves$/, 200, (json) => {
      for (const one of json['data'] as Record<string, unknown>[]) one['external_id'] ??= 'leaked';
    }),
  },
  {
    id: 'A07',
    breaks: 'ABS-005',
    side: 'service',
    does: 'ignores a changed end',
    request: body(/PATCH /, (json) => {
      if ('end_date' in json) {
        delete json['end_date'];
        json['comment'] = 'before';
      }
    }),
  },
  {
    id: 'A08',
    breaks: 'ABS-006',
    side: 'service',
    does: 'calls a withdrawn request cancelled',
    reply: answer(/DELETE .*\/absences\//, 200, (json) => {
      json['status'] = 'cancelled';
    }),
  },
  {
    id: 'A09',
    breaks: 'ABS-006',
    side: 'service',
    does: 'deletes twice',
    reply: accept(/DELETE .*\/absences\//, 'absence_not_changeable'),
  },
  {
    id: 'A10',
    breaks: 'ABS-007',
    side: 'service',
    does: 'changes absences of other extensions',
    reply: accept(/PATCH .*\/absences\//, 'not_found'),
  },
  {
    id: 'A11',
    breaks: 'ABS-008',
    side: 'service',
    does: 'lets a leading extension wait',
    reply: answer(/POST .*\/absences$/, 201, (json) => {
      json['status'] = 'waiting';
    }),
  },
  {
    id: 'A12',
    breaks: 'ABS-009',
    side: 'service',
    does: 'answers 200 to the deletion of an approved absence',
    reply: status(/DELETE .*\/absences\//, 202, 200),
  },
  {
    id: 'A13',
    breaks: 'ABS-010',
    side: 'service',
    does: 'lets any extension change what is approved',
    reply: accept(/PATCH .*\/absences\//, 'absence_not_changeable'),
  },
  {
    id: 'A14',
    breaks: 'ABS-011',
    side: 'service',
    does: 'takes overlapping absences',
    reply: accept(/POST .*\/absences$/, 'absence_overlap', {}, 201),
  },
  {
    id: 'A15',
    breaks: 'ABS-012',
    side: 'service',
    does: 'takes kinds that nobody offers',
    reply: accept(/POST .*\/absences$/, 'absence_type_unknown', {}, 201),
  },
  {
    id: 'A16',
    breaks: 'ABS-013',
    side: 'service',
    does: 'takes half of several days',
    request: body(/POST .*\/absences$/, (json) => {
      if (json['start_date'] !== json['end_date']) delete json['half_day'];
    }),
  },
  {
    id: 'A17',
    breaks: 'ABS-014',
    side: 'service',
    does: 'ignores unknown members',
    request: body(/POST .*\/absences$/, (json) => {
      delete json['surprise'];
    }),
  },
  {
    id: 'A18',
    breaks: 'ABS-015',
    side: 'service',
    does: 'creates absences without the scope',
    reply: accept(/POST .*\/absences$/, 'insufficient_scope', {}, 201),
  },
  {
    id: 'A19',
    breaks: 'ABS-016',
    side: 'service',
    does: 'lists waiting absences in a period',
    request: path(/GET .*time\/leaves$/, (of) =>
      of.replace(/from=([\d-]+)&to=([\d-]+)/, 'updated_since=2026-01-01&limit=500'),
    ),
  },
  {
    id: 'A20',
    breaks: 'ABS-017',
    side: 'service',
    does: 'misses what changed',
    reply: answer(/GET .*time\/leaves$/, 200, (json) => {
      if ('next_updated_since' in json) json['data'] = (json['data'] as unknown[]).slice(1);
    }),
  },
  {
    id: 'A21',
    breaks: 'ABS-018',
    side: 'service',
    does: 'leaves a name in the removed feed',
    reply: answer(/GET .*leaves\/removed$/, 200, (json) => {
      for (const one of json['data'] as Record<string, unknown>[]) one['user_name'] = 'Somebody';
    }),
  },
  {
    id: 'A22',
    breaks: 'ABS-019',
    side: 'service',
    does: 'answers for longer than 90 days',
    request: path(/GET .*removed$/, (of) => of.replace(/since=[^&]+/, 'since=2026-11-20')),
  },
  {
    id: 'A23',
    breaks: 'ABS-020',
    side: 'service',
    does: 'ignores If-Match',
    request: sent(/(PATCH|DELETE) .*\/absences\//, 'if-match'),
  },
  {
    id: 'A24',
    breaks: 'ABS-021',
    side: 'service',
    does: 'takes absences of people who have left',
    reply: accept(/POST .*\/absences$/, 'employment_ended', {}, 201),
  },
  {
    id: 'O01',
    breaks: 'OAU-001',
    side: 'service',
    does: 'leaves out the issuer',
    reply: answer(/POST .*\/consent\//, 200, (json) => {
      json['redirect_to'] = String(json['redirect_to']).replace(/&iss=[^&]+/, '');
    }),
  },
  {
    id: 'O02',
    breaks: 'OAU-001',
    side: 'service',
    does: 'changes the state',
    reply: answer(/POST .*\/consent\//, 200, (json) => {
      json['redirect_to'] = String(json['redirect_to']).replace(/state=[^&]+/, 'state=other');
    }),
  },
  {
    id: 'O03',
    breaks: 'OAU-002',
    side: 'service',
    does: 'gives access tokens for two hours',
    reply: answer(/POST .*\/oauth\/token$/, 200, (json) => {
      json['expires_in'] = 7200;
    }),
  },
  {
    id: 'O04',
    breaks: 'OAU-002',
    side: 'service',
    does: 'lets caches keep tokens',
    reply: header(/POST .*\/oauth\/token$/, 'cache-control', 'public'),
  },
  {
    id: 'O05',
    breaks: 'OAU-003',
    side: 'service',
    does: 'exchanges a code twice',
    reply: replay(/POST .*\/oauth\/token$/, ({ body: of }) => /(^|&)code=([^&]+)/.exec(of)?.[2] ?? of),
  },
  {
    id: 'O06',
    breaks: 'OAU-005',
    side: 'service',
    does: 'does not rotate refresh tokens',
    reply: (reply, { body: of }) => {
      const old = /refresh_token=([^&]+)/.exec(of.replace('grant_type=refresh_token', ''))?.[1];
      if (old !== undefined && reply.status === 200)
        reply.body = reply.body.replace(/"refresh_token":"[^"]+"/, `"refresh_token":"${old}"`);
    },
  },
  {
    id: 'O07',
    breaks: 'OAU-006',
    side: 'service',
    does: 'takes a refresh token twice',
    reply: replay(/POST .*\/oauth\/token$/, ({ body: of }) => /(^|&)refresh_token=([^&]+)/.exec(of)?.[2] ?? of),
  },
  {
    id: 'O08',
    breaks: 'OAU-009',
    side: 'service',
    does: 'does not check the verifier',
    reply: accept(/POST .*\/oauth\/token$/, 'invalid_grant', { access_token: 'cpa_x', refresh_token: 'cpr_x' }),
  },
  {
    id: 'O09',
    breaks: 'OAU-012',
    side: 'service',
    does: 'takes plain challenges',
    request: path(/GET .*\/oauth\/authorize$/, (of) =>
      of.replace('code_challenge_method=plain', 'code_challenge_method=S256'),
    ),
  },
  {
    id: 'O10',
    breaks: 'OAU-013',
    side: 'service',
    does: 'goes on without state',
    request: path(/GET .*\/oauth\/authorize$/, (of) => (of.includes('state=') ? of : `${of}&state=none`)),
  },
  {
    id: 'O11',
    breaks: 'OAU-014',
    side: 'service',
    does: 'redirects to addresses that nobody registered',
    reply: (reply, { method, path: of }) => {
      if (method === 'GET' && of.startsWith('/oauth/authorize') && reply.status === 400) {
        reply.status = 303;
        reply.headers['location'] = 'https://evil.example/callback?error=invalid_request';
      }
    },
  },
  {
    id: 'O12',
    breaks: 'OAU-015',
    side: 'service',
    does: 'registers redirect addresses without TLS',
    reply: accept(/PATCH .*\/extensions\//, 'redirect_uri_refused'),
  },
  {
    id: 'O13',
    breaks: 'OAU-016',
    side: 'service',
    does: 'shows another lifetime',
    reply: answer(/GET .*\/consent\//, 200, (json) => {
      json['lifetime_days'] = 365;
    }),
  },
  {
    id: 'O14',
    breaks: 'OAU-016',
    side: 'service',
    does: 'grants what the person cleared',
    reply: answer(/POST .*\/oauth\/token$/, 200, (json) => {
      json['scope'] = 'read:clock_states write:clock';
    }),
  },
  {
    id: 'O15',
    breaks: 'OAU-017',
    side: 'service',
    does: 'gives a code to an app that was declined',
    reply: answer(/POST .*\/consent\//, 200, (json) => {
      json['redirect_to'] = String(json['redirect_to']).replace('error=access_denied', 'code=cpc_x');
    }),
  },
  {
    id: 'O16',
    breaks: 'OAU-018',
    side: 'service',
    does: 'lets a link name people',
    request: body(/POST .*clock\/in$/, (json) => {
      delete json['user_id'];
    }),
  },
  {
    id: 'O17',
    breaks: 'OAU-019',
    side: 'service',
    does: 'keeps scopes that the key has lost',
    reply: accept(/GET .*clock\/states$/, 'insufficient_scope', { data: [], next_cursor: null, has_more: false }),
  },
  {
    id: 'O18',
    breaks: 'OAU-020',
    side: 'service',
    does: 'leaves out the kinds of absence',
    reply: answer(/GET .*\/me$/, 200, (json) => {
      json['absence_types'] = [];
    }),
  },
  {
    id: 'O19',
    breaks: 'OAU-021',
    side: 'service',
    does: 'refuses to revoke unknown tokens',
    reply: (reply, { path: of, body: text }) => {
      if (of === '/oauth/revoke' && text.includes('nobody')) reply.status = 400;
    },
  },
  {
    id: 'O20',
    breaks: 'OAU-022',
    side: 'service',
    does: 'revokes for unknown clients',
    reply: accept(/POST .*\/oauth\/revoke$/, 'invalid_client'),
  },
  {
    id: 'O21',
    breaks: 'OAU-025',
    side: 'service',
    does: 'announces plain challenges',
    reply: answer(/GET .*oauth-authorization-server$/, 200, (json) => {
      json['code_challenge_methods_supported'] = ['plain', 'S256'];
    }),
  },
  {
    id: 'O22',
    breaks: 'OAU-026',
    side: 'service',
    does: 'gives errors of /oauth another code',
    reply: answer(/POST .*\/oauth\/token$/, 400, (json) => {
      json['code'] = 'invalid';
    }),
  },
  {
    id: 'O23',
    breaks: 'OAU-024',
    side: 'service',
    does: 'takes lifetimes of 29 days',
    request: body(/PATCH .*\/extensions\//, (json) => {
      if (json['link_lifetime_days'] === 29) json['link_lifetime_days'] = 30;
    }),
  },
  {
    id: 'O24',
    breaks: 'OAU-023',
    side: 'service',
    does: 'keeps links that the person ended',
    reply: accept(/GET .*\/me$/, 'token_revoked'),
  },
  {
    id: 'M01',
    breaks: 'TRM-001',
    side: 'service',
    does: "shows another fingerprint on the device's side",
    reply: answer(/POST .*terminal\/pair$/, 201, (json) => {
      json['fingerprint'] = 'AAAA-AAAA-AAAA-AAAA';
    }),
  },
  {
    id: 'M02',
    breaks: 'TRM-001',
    side: 'service',
    does: 'is confirmed without an administrator',
    reply: answer(/GET .*terminal\/status$/, 200, (json) => {
      json['confirmed'] = true;
    }),
  },
  {
    id: 'M03',
    breaks: 'TRM-002',
    side: 'service',
    does: 'pairs twice with a code',
    reply: accept(/POST .*terminal\/pair$/, 'pairing_code_invalid', {}, 201),
  },
  {
    id: 'M04',
    breaks: 'TRM-005',
    side: 'service',
    does: 'takes weak keys',
    reply: accept(/POST .*terminal\/pair$/, 'public_key_weak', {}, 201),
  },
  {
    id: 'M05',
    breaks: 'TRM-006',
    side: 'service',
    does: 'takes the key of another terminal',
    reply: accept(/POST .*terminal\/pair$/, 'public_key_in_use', {}, 201),
  },
  {
    id: 'M06',
    breaks: 'TRM-008',
    side: 'service',
    does: 'serves terminals that nobody confirmed',
    reply: accept(/POST .*terminal\//, 'terminal_not_confirmed'),
  },
  {
    id: 'M07',
    breaks: 'TRM-010',
    side: 'service',
    does: 'keeps the key after a new pairing code',
    reply: accept(/GET .*terminal\/status$/, 'signature_invalid'),
  },
  {
    id: 'M08',
    breaks: 'TRM-012',
    side: 'service',
    does: 'does not check the signature',
    reply: accept(/POST .*terminal\/card$/, 'signature_invalid'),
  },
  {
    id: 'M09',
    breaks: 'TRM-013',
    side: 'service',
    does: 'tells unknown terminals from wrong signatures',
    reply: (reply, { headers }) => {
      if (headers['service-terminal'] === 'trm_AAAAAAAA')
        reply.body = reply.body.replace('signature_invalid', 'terminal_unknown');
    },
  },
  {
    id: 'M10',
    breaks: 'TRM-014',
    side: 'service',
    does: 'takes requests of any time',
    reply: accept(/GET .*terminal\/status$/, 'signature_time'),
  },
  {
    id: 'M11',
    breaks: 'TRM-014',
    side: 'service',
    does: 'does not tell its time',
    reply: answer(/GET .*terminal\/status$/, 401, (json) => {
      delete json['server_time'];
    }),
  },
  {
    id: 'M12',
    breaks: 'TRM-015',
    side: 'service',
    does: 'takes a nonce twice',
    reply: accept(/GET .*terminal\/status$/, 'nonce_reused'),
  },
  {
    id: 'M13',
    breaks: 'TRM-016',
    side: 'service',
    does: 'burns the nonce of a bad signature',
    reply: (reply, { headers }, memory) => {
      const nonce = headers['service-nonce'] ?? '';
      if (reply.body.includes('signature_invalid')) memory.set(nonce, { ...reply });
      else if (memory.has(nonce)) Object.assign(reply, memory.get(nonce));
    },
  },
  {
    id: 'M14',
    breaks: 'TRM-018',
    side: 'service',
    does: 'names somebody else',
    reply: answer(/POST .*card\/step$/, 200, (json) => {
      if ('first_name' in json) json['first_name'] = 'Nobody';
    }),
  },
  {
    id: 'M15',
    breaks: 'TRM-020',
    side: 'service',
    does: 'takes copies',
    reply: accept(/POST .*card\/step$/, 'card_refused', { result: 'proved', session: 'csn_aaaaaaaaaaaaaaaaaaaa' }),
  },
  {
    id: 'M16',
    breaks: 'TRM-020',
    side: 'service',
    does: 'says why a card was refused',
    reply: code(/POST .*card\/step$/, 'card_refused', 'wrong_key'),
  },
  {
    id: 'M17',
    breaks: 'TRM-023',
    side: 'service',
    does: 'refuses number cards like copies',
    reply: code(/POST .*terminal\/card$/, 'card_unsupported', 'card_refused'),
  },
  {
    id: 'M18',
    breaks: 'TRM-025',
    side: 'service',
    does: 'ends a session once',
    reply: (reply, { path: of }, memory) => {
      if (!of.endsWith('/session/end')) return;
      if (memory.has('ended')) reply.status = 404;
      memory.set('ended', reply);
    },
  },
  {
    id: 'M19',
    breaks: 'TRM-026',
    side: 'service',
    does: 'shows balances without the PIN',
    reply: accept(/POST .*terminal\/info$/, 'pin_required'),
  },
  {
    id: 'M20',
    breaks: 'TRM-027',
    side: 'service',
    does: 'does not count tries',
    reply: answer(/POST .*terminal\/stamp$/, 403, (json) => {
      delete json['tries_left'];
    }),
  },
  {
    id: 'M21',
    breaks: 'TRM-028',
    side: 'service',
    does: 'never locks a PIN',
    reply: (reply) => {
      if (reply.status === 423) reply.status = 403;
    },
  },
  {
    id: 'M22',
    breaks: 'TRM-029',
    side: 'service',
    does: 'lets every department stamp everywhere',
    reply: accept(/POST .*card\/step$/, 'department_not_allowed'),
  },
  {
    id: 'M23',
    breaks: 'TRM-030',
    side: 'service',
    does: 'hides that a stamp was repeated',
    reply: answer(/POST .*terminal\/stamp$/, 200, (json) => {
      delete json['repeated'];
    }),
  },
  {
    id: 'M24',
    breaks: 'TRM-035',
    side: 'service',
    does: 'takes offline stamps twice',
    reply: (reply, { path: of }) => {
      if (of.endsWith('/offline')) reply.body = reply.body.replaceAll('"duplicate"', '"accepted"');
    },
  },
  {
    id: 'M25',
    breaks: 'TRM-036',
    side: 'service',
    does: 'takes offline stamps of any age',
    reply: (reply, { path: of }) => {
      if (of.endsWith('/offline')) reply.body = reply.body.replaceAll('"too_old"', '"accepted"');
    },
  },
  {
    id: 'M26',
    breaks: 'TRM-037',
    side: 'service',
    does: 'takes sealed stamps under another number',
    reply: (reply, { path: of }) => {
      if (of.endsWith('/offline')) reply.body = reply.body.replaceAll('"unknown_card"', '"accepted"');
    },
  },
  {
    id: 'M27',
    breaks: 'TRM-038',
    side: 'service',
    does: 'does not tell the outcome of a stamp',
    reply: answer(/POST .*terminal\/stamp$/, 401, (json) => {
      delete json['outcome'];
    }),
  },
  {
    id: 'M28',
    breaks: 'TRM-044',
    side: 'service',
    does: 'offers no breaks',
    reply: answer(/GET .*terminal\/status$/, 200, (json) => {
      Object.assign(json['offers'] as object, { actions: ['in', 'out'] });
    }),
  },
  {
    id: 'M29',
    breaks: 'TRM-042',
    side: 'service',
    does: 'tells the name before the proof',
    reply: answer(/POST .*terminal\/card$/, 200, (json) => {
      json['first_name'] = 'Kit';
    }),
  },
  {
    id: 'E01',
    breaks: 'EVT-001',
    side: 'service',
    does: 'loses events',
    reply: answer(/GET .*\/events$/, 200, (json) => {
      json['data'] = (json['data'] as unknown[]).slice(1);
    }),
  },
  {
    id: 'E02',
    breaks: 'EVT-001',
    side: 'service',
    does: 'gives every event the same sequence',
    reply: answer(/GET .*\/events$/, 200, (json) => {
      for (const one of json['data'] as Record<string, unknown>[]) one['sequence'] = 7;
    }),
  },
  {
    id: 'E03',
    breaks: 'EVT-002',
    side: 'service',
    does: 'ignores types',
    request: path(/GET .*\/events$/, (of) => of.replace(/&types=clock\.out/, '')),
  },
  {
    id: 'E04',
    breaks: 'EVT-004',
    side: 'service',
    does: 'takes a negative position',
    request: path(/GET .*\/events$/, (of) => of.replace('after=-1', 'limit=1')),
  },
  {
    id: 'E05',
    breaks: 'EVT-006',
    side: 'service',
    does: 'does not say why a link ended',
    reply: answer(/GET .*\/events$/, 200, (json) => {
      for (const one of json['data'] as { data: Record<string, unknown> }[]) delete one.data['reason'];
    }),
  },
  {
    id: 'E08',
    breaks: 'EVT-007',
    side: 'service',
    does: 'continues from a position of another history in one list',
    reply: accept(/GET .*\/time\/entries$/, 'history_changed', { data: [], next_cursor: null, has_more: false }),
  },
  {
    id: 'E07',
    breaks: 'EVT-001',
    side: 'service',
    does: 'gives events an epoch that their id does not have',
    reply: answer(/GET .*\/events$/, 200, (json) => {
      for (const one of json['data'] as Record<string, unknown>[]) one['epoch'] = '0badc0de';
    }),
  },
  {
    id: 'S01',
    breaks: 'SEC-002',
    side: 'service',
    does: 'does not say how to authenticate',
    reply: header(/GET .*\/users$/, 'www-authenticate', undefined),
  },
  {
    id: 'S02',
    breaks: 'SEC-003',
    side: 'service',
    does: 'ignores unknown members',
    request: body(/POST .*clock\/in$/, (json) => {
      delete json['surprise'];
    }),
  },
  {
    id: 'S03',
    breaks: 'SEC-004',
    side: 'service',
    does: 'answers large bodies with 400',
    reply: status(/POST .*clock\/in$/, 413, 400),
  },
  {
    id: 'S04',
    breaks: 'SEC-005',
    side: 'service',
    does: 'ignores unknown parameters',
    request: path(/GET .*\/users$/, (of) => of.replace('surprise=1', 'limit=1')),
  },
  {
    id: 'S05',
    breaks: 'SEC-006',
    side: 'service',
    does: 'lets pages send cookies',
    reply: header(/GET .*v1\/status$/, 'access-control-allow-credentials', 'true'),
  },
  {
    id: 'S06',
    breaks: 'SEC-006',
    side: 'service',
    does: 'allows POST from anywhere',
    reply: header(/OPTIONS /, 'access-control-allow-methods', 'GET, POST'),
  },
  {
    id: 'S07',
    breaks: 'SEC-007',
    side: 'service',
    does: 'leaves out request_id',
    reply: (reply) => {
      reply.body = reply.body.replace(/,"request_id":"[^"]+"/, '');
    },
  },
  {
    id: 'S08',
    breaks: 'SEC-008',
    side: 'service',
    does: 'does not name allowed methods',
    reply: header(/(PUT|GET) /, 'allow', undefined),
  },
  {
    id: 'S09',
    breaks: 'SEC-009',
    side: 'service',
    does: 'reads any media type',
    reply: accept(/POST .*clock\/in$/, 'unsupported_media_type'),
  },
  {
    id: 'S10',
    breaks: 'SEC-010',
    side: 'service',
    does: 'never limits failed authentications',
    reply: (reply, { method, path: of }) => {
      if (method === 'GET' && of === '/api/v1/users' && reply.status === 429) reply.status = 401;
    },
  },
  {
    id: 'S11',
    breaks: 'SEC-010',
    side: 'service',
    does: 'does not say when to come back',
    reply: (reply) => {
      if (reply.status === 429) delete reply.headers['retry-after'];
    },
  },
  {
    id: 'S12',
    breaks: 'SEC-013',
    side: 'service',
    does: 'calls another kind of credential wrong',
    reply: (reply) => {
      if (reply.body.includes('wrong_credential_kind')) {
        reply.status = 401;
        reply.body = reply.body.replace('wrong_credential_kind', 'unauthorized');
      }
    },
  },
  {
    id: 'S13',
    breaks: 'SEC-014',
    side: 'service',
    does: 'keeps a scope that was taken away',
    reply: accept(/GET .*\/users$/, 'insufficient_scope', { data: [], next_cursor: null, has_more: false }),
  },
  {
    id: 'S14',
    breaks: 'SEC-015',
    side: 'service',
    does: 'keeps a key that was ended',
    reply: accept(/GET .*\/companies$/, 'token_revoked', { data: [], next_cursor: null, has_more: false }),
  },
  {
    id: 'S15',
    breaks: 'SEC-016',
    side: 'service',
    does: 'serves keys of deactivated companies',
    reply: accept(/GET .*\/companies$/, 'company_inactive', { data: [], next_cursor: null, has_more: false }),
  },
  {
    id: 'S16',
    breaks: 'SEC-018',
    side: 'service',
    does: 'lets browsers sniff',
    reply: header(/GET .*\/users$/, 'x-content-type-options', undefined),
  },
  {
    id: 'S17',
    breaks: 'SEC-022',
    side: 'service',
    does: 'tells who has an account',
    reply: (reply, { path: of, body: text }) => {
      if (of === '/app/sign-in' && text.includes('nobody@'))
        reply.body = reply.body.replace('E-mail address or password is wrong.', 'There is no such account.');
    },
  },
  {
    id: 'S18',
    breaks: 'SEC-026',
    side: 'service',
    does: 'lets installation keys act',
    reply: accept(/POST .*clock\/in$/, 'company_mismatch'),
  },
  {
    id: 'C01',
    breaks: 'CON-004',
    side: 'service',
    does: 'adds a member that nobody documented',
    reply: answer(/GET .*\/users$/, 200, (json) => {
      for (const one of json['data'] as Record<string, unknown>[]) one['shoe_size'] = 42;
    }),
  },
  {
    id: 'C02',
    breaks: 'CON-002',
    side: 'service',
    does: 'answers with an undocumented status',
    reply: status(/GET .*\/companies$/, 401, 418),
  },
  {
    id: 'C03',
    breaks: 'CON-003',
    side: 'service',
    does: 'sends ids as text',
    reply: answer(/GET .*\/users$/, 200, (json) => {
      for (const one of json['data'] as Record<string, unknown>[]) one['id'] = String(one['id']);
    }),
  },
  {
    id: 'C04',
    breaks: 'CON-005',
    side: 'service',
    does: 'sends an undocumented header',
    reply: header(/GET .*\/users$/, 'x-powered-by', 'somebody'),
  },
  {
    id: 'C05',
    breaks: 'CON-005',
    side: 'service',
    does: 'leaves out a required header',
    reply: header(/GET .*\/users$/, 'x-request-id', undefined),
  },
  {
    id: 'C06',
    breaks: 'CON-006',
    side: 'service',
    does: 'uses a code that the operation does not document',
    reply: code(/GET .*\/users$/, 'insufficient_scope', 'month_closed'),
  },
  {
    id: 'C07',
    breaks: 'CON-007',
    side: 'service',
    does: 'sends JSON as text',
    reply: header(/GET .*\/users$/, 'content-type', 'text/plain'),
  },
  {
    id: 'C08',
    breaks: 'CON-003',
    side: 'service',
    does: 'leaves out a required member',
    reply: answer(/GET .*clock\/states$/, 200, (json) => {
      delete json['has_more'];
    }),
  },
  {
    id: 'C09',
    breaks: 'CON-006',
    side: 'service',
    does: 'gives a code another status',
    reply: (reply) => {
      if (reply.body.includes('"absence_overlap"') && reply.status === 409) reply.status = 422;
    },
  },
  {
    id: 'I01',
    breaks: 'IDX-003',
    side: 'indexer',
    does: 'matches every root',
    reply: answer(/GET .*\/verify\//, 200, (json) => {
      if (json['verdict'] === 'mismatch') Object.assign(json, { verdict: 'match', verified: true });
    }),
  },
  {
    id: 'I02',
    breaks: 'IDX-004',
    side: 'indexer',
    does: 'verifies without a root',
    reply: answer(/GET .*\/verify\//, 200, (json) => {
      if (json['verdict'] === 'indexed') Object.assign(json, { verdict: 'match', verified: true });
    }),
  },
  {
    id: 'I03',
    breaks: 'IDX-005',
    side: 'indexer',
    does: 'verifies what it does not know',
    reply: answer(/GET .*\/verify\//, 200, (json) => {
      if (json['verdict'] === 'unknown') json['verified'] = true;
    }),
  },
  {
    id: 'I04',
    breaks: 'IDX-005',
    side: 'indexer',
    does: 'does not say why it does not know',
    reply: answer(/GET .*\/verify\//, 200, (json) => {
      delete json['reason'];
    }),
  },
  {
    id: 'I05',
    breaks: 'IDX-005',
    side: 'indexer',
    does: 'lets caches keep what may change',
    reply: header(/GET .*\/verify\//, 'cache-control', 'public, max-age=31536000, immutable'),
  },
  {
    id: 'I06',
    breaks: 'IDX-006',
    side: 'indexer',
    does: 'takes malformed roots',
    request: path(/GET .*\/verify\//, (of) => of.replace(/root=[0-9a-f]{63}$/, `root=${'0'.repeat(64)}`)),
  },
  {
    id: 'I07',
    breaks: 'IDX-006',
    side: 'indexer',
    does: 'takes malformed digests',
    reply: accept(/GET .*\/verify\//, 'invalid_request', { tx: 'x', verdict: 'unknown', verified: false, proofs: [] }),
  },
  {
    id: 'I08',
    breaks: 'IDX-007',
    side: 'indexer',
    does: 'changes a root',
    reply: answer(/GET .*\/proofs\/[^/]+$/, 200, (json) => {
      json['merkle_root'] = '0'.repeat(64);
    }),
  },
  {
    id: 'I09',
    breaks: 'IDX-008',
    side: 'indexer',
    does: 'does not let caches keep proofs',
    reply: header(/GET .*\/proofs\/[^/]+$/, 'cache-control', 'no-store'),
  },
  {
    id: 'I10',
    breaks: 'IDX-008',
    side: 'indexer',
    does: 'has weak ETags',
    reply: (reply) => {
      if (typeof reply.headers['etag'] === 'string') reply.headers['etag'] = `W/${reply.headers['etag']}`;
    },
  },
  {
    id: 'I11',
    breaks: 'IDX-008',
    side: 'indexer',
    does: 'sends everything again',
    request: sent(/GET /, 'if-none-match'),
  },
  {
    id: 'I12',
    breaks: 'IDX-009',
    side: 'indexer',
    does: 'lists oldest first',
    reply: answer(/GET .*\/proofs$/, 200, (json) => {
      (json['data'] as unknown[]).reverse();
    }),
  },
  {
    id: 'I13',
    breaks: 'IDX-009',
    side: 'indexer',
    does: 'ignores the period',
    request: path(/GET .*companies\/.*proofs$/, (of) => of.replace(/period=[^&]+/, 'limit=100')),
  },
  {
    id: 'I14',
    breaks: 'IDX-010',
    side: 'indexer',
    does: 'repeats the first page',
    request: path(/GET .*\/proofs$/, (of) => of.replace(/&cursor=[A-Za-z0-9_-]{5,}$/, '')),
  },
  {
    id: 'I15',
    breaks: 'IDX-011',
    side: 'indexer',
    does: 'takes writes',
    reply: (reply) => {
      if (reply.status === 405) reply.status = 200;
    },
  },
  {
    id: 'I16',
    breaks: 'IDX-002',
    side: 'indexer',
    does: 'does not know 0x',
    reply: (reply, { path: of }) => {
      if (of.includes('root=0x') || of.includes('root=0X')) reply.status = 400;
    },
  },
  {
    id: 'I17',
    breaks: 'IDX-015',
    side: 'indexer',
    does: 'does not name its limit',
    reply: header(/GET /, 'ratelimit-policy', undefined),
  },
  {
    id: 'I18',
    breaks: 'IDX-017',
    side: 'indexer',
    does: 'sets a cookie',
    reply: header(/GET .*v1\/status$/, 'set-cookie', 'visitor=1'),
  },
  {
    id: 'I19',
    breaks: 'IDX-001',
    side: 'indexer',
    does: 'leaves out the package',
    reply: answer(/GET .*v1\/status$/, 200, (json) => {
      delete json['package'];
    }),
  },
  {
    id: 'I20',
    breaks: 'IDX-014',
    side: 'indexer',
    does: 'says another checkpoint than the ledger',
    reply: answer(/GET .*\/proofs\/[^/]+$/, 200, (json) => {
      json['checkpoint'] = Number(json['checkpoint']) + 1;
    }),
  },
];
