/** Breaches of what links, keys and sign-ins may do. */
import { accept, answer, body, type Json, path, status, type Violation } from './violation.js';

const side = 'service';
const token = { access_token: 'cpa_made_up', token_type: 'Bearer', expires_in: 3_600, refresh_token: 'cpr_made_up' };
const grantOf = (exchange: { body: string }) => new URLSearchParams(exchange.body).get('code') ?? '';
const refreshOf = (exchange: { body: string }) => new URLSearchParams(exchange.body).get('refresh_token') ?? '';

export const accessViolations: readonly Violation[] = [
  {
    id: 'O25',
    breaks: 'OAU-004',
    side,
    does: 'exchanges a code for each parallel request',
    reply: (reply, exchange) => {
      if (/oauth\/token/.test(exchange.path) && reply.body.includes('invalid_grant') && grantOf(exchange) !== '')
        Object.assign(reply, { status: 200, body: JSON.stringify(token) });
    },
  },
  {
    id: 'O26',
    breaks: 'OAU-007',
    side,
    does: 'fails when a refresh token is used by several at once',
    reply: (reply, exchange) => {
      if (/oauth\/token/.test(exchange.path) && reply.status === 400 && refreshOf(exchange) !== '') reply.status = 500;
    },
  },
  {
    id: 'O27',
    breaks: 'OAU-010',
    side,
    does: 'exchanges a code with another redirect address',
    reply: accept(/POST .*oauth\/token$/, 'invalid_grant', token),
  },
  {
    id: 'O28',
    breaks: 'OAU-011',
    side,
    does: "exchanges another app's code",
    reply: accept(/POST .*oauth\/token$/, 'invalid_grant', token),
  },
  {
    id: 'O29',
    breaks: 'OAU-027',
    side,
    does: 'keeps links when linking is switched off',
    reply: accept(/GET .*v1\/me$/, 'token_revoked'),
  },
  {
    id: 'O30',
    breaks: 'OAU-028',
    side,
    does: 'widens permissions when it renews',
    reply: accept(/POST .*oauth\/token$/, 'invalid_scope', token),
  },
  {
    id: 'O31',
    breaks: 'OAU-029',
    side,
    does: "shows one person's consent to another",
    reply: status(/GET .*app\/consent\//, 404, 200),
  },
  {
    id: 'O32',
    breaks: 'OAU-029',
    side,
    does: 'shows a consent without a session',
    reply: status(/GET .*app\/consent\//, 401, 200),
  },
  {
    id: 'O33',
    breaks: 'OAU-030',
    side,
    does: 'shows another client ID than it takes',
    reply: answer(/GET .*\/admin\/extensions\/ext_\w+$/, 200, (json) => {
      json['client_id'] = 'ext_OTHER';
    }),
  },
  {
    id: 'S19',
    breaks: 'SEC-001',
    side,
    does: 'takes keys from the query',
    request: (exchange) => {
      const given = /[?&](?:access_token|api_key|key)=([^&]+)/.exec(exchange.path);
      if (given === null) return;
      exchange.headers['x-api-key'] = given[1]!;
      exchange.path = exchange.path.split('?')[0]!;
    },
  },
  {
    id: 'S20',
    breaks: 'SEC-001',
    side,
    does: 'does not know X-API-Key',
    request: (exchange) => {
      delete exchange.headers['x-api-key'];
    },
  },
  {
    id: 'S21',
    breaks: 'SEC-011',
    side,
    does: 'never limits a key',
    reply: accept(/GET .*\/companies$/, 'rate_limited', { data: [], next_cursor: null, has_more: false }),
  },
  {
    id: 'S22',
    breaks: 'SEC-012',
    side,
    does: 'never limits an address',
    reply: accept(/GET .*v1\/status$/, 'rate_limited'),
  },
  {
    id: 'S23',
    breaks: 'SEC-017',
    side,
    does: 'lets a key read that reads nothing',
    request: body(/POST .*\/admin\/extensions$/, (json) => {
      if (json['key_reads'] === 'nothing') delete json['key_reads'];
    }),
  },
  {
    id: 'S24',
    breaks: 'SEC-020',
    side,
    does: 'takes names that turn the direction of text',
    request: (exchange) => {
      // Bodies come byte by byte.
      for (const mark of ['\u202e', '\u2066'])
        exchange.body = exchange.body.replace(Buffer.from(mark).toString('latin1'), '');
    },
  },
  {
    id: 'S25',
    breaks: 'SEC-021',
    side,
    does: 'shows employees the admin area',
    reply: status(/GET .*\/admin\/access$/, 403, 200, {}),
  },
  {
    id: 'S26',
    breaks: 'SEC-023',
    side,
    does: 'takes requests of other sites',
    reply: accept(/POST .*\/me\/clock\/in$/, 'origin_refused'),
  },
  {
    id: 'S27',
    breaks: 'SEC-024',
    side,
    does: 'gives every entry of its audit log the same code',
    reply: answer(/GET .*\/admin\/audit$/, 200, (json) => {
      for (const entry of json['data'] as Json[]) entry['mac'] = `sha256:${'a'.repeat(64)}`;
    }),
  },
  {
    id: 'S28',
    breaks: 'SEC-024',
    side,
    does: 'writes no actor into its audit log',
    reply: answer(/GET .*\/admin\/audit$/, 200, (json) => {
      for (const entry of json['data'] as Json[]) delete entry['actor'];
    }),
  },
  {
    id: 'S29',
    breaks: 'SEC-025',
    side,
    does: 'lets an extension act for everyone without a company',
    reply: accept(/POST .*\/admin\/extensions$/, 'extension_incomplete', {}, 201),
  },
  {
    id: 'S30',
    breaks: 'SEC-027',
    side,
    does: 'publishes no AsyncAPI document',
    reply: status(/GET .*asyncapi.json$/, 200, 404),
  },
  {
    id: 'S31',
    breaks: 'SEC-028',
    side,
    does: 'documents a photo of whom it identifies',
    reply: (reply, { path: of }) => {
      if (of === '/api/v1/openapi.json') reply.body = reply.body.replace('"paths":', '"photo":{},"paths":');
    },
  },
  {
    id: 'S32',
    breaks: 'SEC-034',
    side,
    does: 'names a channel as its version',
    reply: answer(/GET .*v1\/status$/, 200, (json) => {
      json['version'] = 'latest';
    }),
  },
  {
    id: 'S33',
    breaks: 'SEC-035',
    side,
    does: 'serves keys after the date on which they expire',
    reply: accept(/GET .*\/companies$/, 'token_expired', { data: [], next_cursor: null, has_more: false }),
  },
  {
    id: 'S34',
    breaks: 'SEC-036',
    side,
    does: 'lets scripts read the session cookie',
    reply: (reply) => {
      const cookies = reply.headers['set-cookie'];
      if (cookies !== undefined)
        reply.headers['set-cookie'] = [cookies].flat().map((cookie) => cookie.replace(/;\s*HttpOnly/i, ''));
    },
  },
  {
    id: 'S35',
    breaks: 'SEC-037',
    side,
    does: 'takes a code of the second factor twice',
    reply: (reply, { path: of }) => {
      if (/sign-in\/second-factor$/.test(of) && reply.status >= 400) reply.status = 200;
    },
  },
  {
    id: 'S36',
    breaks: 'SEC-007',
    side,
    does: 'gives every error the same request id',
    reply: (reply) => {
      if (reply.status < 400) return;
      reply.headers['x-request-id'] = 'req_12345678';
      reply.body = reply.body.replace(/"request_id":"[^"]*"/, '"request_id":"req_12345678"');
    },
  },
  {
    id: 'S37',
    breaks: 'SEC-030',
    side,
    intrusive: true,
    does: 'lets keys write although writing is switched off',
    reply: accept(/PATCH .*\/absences\//, 'feature_disabled'),
  },
  {
    id: 'S38',
    breaks: 'SEC-030',
    side,
    intrusive: true,
    does: 'keeps links although writing is switched off',
    reply: accept(/GET .*v1\/me$/, 'token_revoked'),
  },
  {
    id: 'S39',
    breaks: 'SEC-031',
    side,
    intrusive: true,
    does: 'serves terminals although they are switched off',
    reply: accept(/POST .*terminal\/card$/, 'feature_disabled'),
  },
  {
    id: 'S40',
    breaks: 'SEC-033',
    side,
    does: 'does not say whether it has a DATA_KEY',
    reply: answer(/GET .*\/admin\/access$/, 200, (json) => {
      delete json['data_key'];
    }),
  },
  {
    id: 'O35',
    breaks: 'OAU-008',
    side,
    slow: true,
    does: 'exchanges codes of any age',
    reply: accept(/POST .*oauth\/token$/, 'invalid_grant', token),
  },
  {
    id: 'K15',
    breaks: 'SOC-004',
    side,
    does: 'answers a plain request for the event connection with 400',
    reply: status(/GET .*extension\/connect$/, 426, 400),
  },
  {
    id: 'W22',
    breaks: 'WHK-010',
    side,
    does: 'takes webhook addresses with a password in them',
    request: body(/POST .*\/admin\/extensions$/, (json) => {
      json['webhook_url'] = String(json['webhook_url']).replace('user:secret@', '');
    }),
  },
  {
    id: 'W23',
    breaks: 'WHK-004',
    side,
    does: 'follows redirects',
    delivery: (delivery) => [delivery, { ...delivery, path: '/elsewhere' }],
  },
  {
    id: 'O34',
    breaks: 'OAU-012',
    side,
    does: 'gives a code without a challenge',
    request: path(/GET .*oauth\/authorize$/, (of) =>
      of.includes('code_challenge=') ? of : `${of}&code_challenge=${'A'.repeat(43)}`,
    ),
  },
  {
    id: 'S41',
    breaks: 'SEC-038',
    side,
    does: 'does not show when a key was used',
    reply: answer(/GET .*\/admin\/extensions\/ext_\w+$/, 200, (json) => {
      for (const one of json['keys'] as Json[]) delete one['last_used_at'];
    }),
  },
  {
    id: 'S42',
    breaks: 'SEC-038',
    side,
    does: 'gives both tokens one prefix',
    reply: answer(/POST .*oauth\/token$/, 200, (json) => {
      const [prefix] = String(json['access_token']).split('_');
      json['refresh_token'] = String(json['refresh_token']).replace(/^[a-z]+/, prefix!);
    }),
  },
  {
    id: 'S43',
    breaks: 'SEC-039',
    side,
    does: 'lists deactivated companies',
    request: (exchange) => {
      if (exchange.method === 'PATCH' && /\/admin\/companies\/\d+$/.test(exchange.path))
        exchange.body = exchange.body.replace('"active":false', '"active":true');
    },
  },
  {
    id: 'S44',
    breaks: 'SEC-040',
    side,
    does: 'counts scripts as requests',
    reply: (reply, { path: of }, memory) => {
      if (!/\.(js|css)$/.test(of)) return;
      memory.set(String(memory.size), reply);
      if (memory.size > 60) reply.status = 429;
    },
  },
  {
    id: 'S45',
    breaks: 'SEC-041',
    side,
    does: 'lets an address that fails go on signing in',
    reply: status(/POST .*app\/sign-in$/, 429, 200),
  },
];
