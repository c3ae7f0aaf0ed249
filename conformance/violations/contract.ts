/** Breaches that show in every operation, or in the documents themselves. */
import { accept, answer, code, type Json, path, status, type Violation } from './violation.js';

const side = 'service';
const list = { data: [], next_cursor: null, has_more: false };
type Documented = Record<string, Record<string, Json>>;
/** Changes the responses of an operation in the published document. */
const responses =
  (of: string, method: string, change: (responses: Json, operation: Json) => void): Violation['reply'] & object =>
  (reply, exchange) => {
    if (exchange.path !== '/api/v1/openapi.json' || reply.status !== 200) return;
    const document = JSON.parse(reply.body) as { paths: Documented };
    const operation = document.paths[of]![method]!;
    change(operation['responses'] as Json, operation);
    reply.body = JSON.stringify(document);
  };

export const contractViolations: readonly Violation[] = [
  {
    id: 'C10',
    breaks: 'CON-001',
    side,
    does: 'documents an operation that nothing reaches',
    published: true,
    reply: (reply, exchange) => {
      if (exchange.path !== '/api/v1/openapi.json') return;
      const document = JSON.parse(reply.body) as { paths: Documented };
      document.paths['/api/v1/moon'] = { get: { operationId: 'getMoon', responses: { 200: { description: 'Moon' } } } };
      reply.body = JSON.stringify(document);
    },
  },
  {
    id: 'C11',
    breaks: 'CON-016',
    side,
    does: 'documents a status that it never gives',
    published: true,
    reply: responses('/api/v1/companies', 'get', (all) => {
      all['418'] = { description: 'Teapot' };
    }),
  },
  {
    id: 'C12',
    breaks: 'CON-023',
    side,
    does: 'documents a code that it never gives',
    published: true,
    reply: responses('/api/v1/companies', 'get', (all) => {
      const examples = { moon_landed: { value: {} } };
      all['409'] = { description: 'Moon', content: { 'application/json': { schema: {}, examples } } };
    }),
  },
  {
    id: 'C13',
    breaks: 'CON-017',
    side,
    does: 'deprecates an operation without saying until when',
    published: true,
    reply: responses('/api/v1/companies', 'get', (_, operation) => {
      operation['deprecated'] = true;
    }),
  },
  {
    id: 'C14',
    breaks: 'CON-008',
    side,
    does: 'ignores unknown parameters of one operation',
    request: path(/GET .*time\/balances$/, (of) => of.replace('&surprise=1', '')),
  },
  {
    id: 'C15',
    breaks: 'CON-009',
    side,
    does: 'serves one list without a credential',
    reply: accept(/GET .*time\/bookings$/, 'unauthorized', list),
  },
  {
    id: 'C16',
    breaks: 'CON-010',
    side,
    does: 'serves one list without its scope',
    reply: accept(/GET .*time\/bookings$/, 'insufficient_scope', list),
  },
  {
    id: 'C17',
    breaks: 'CON-011',
    side,
    does: 'answers an empty list for a company that does not exist',
    reply: status(/GET .*time\/balances$/, 404, 200, list),
  },
  {
    id: 'C18',
    breaks: 'CON-012',
    side,
    does: 'answers one large body with 400',
    reply: status(/PATCH .*\/absences\//, 413, 400),
  },
  {
    id: 'C19',
    breaks: 'CON-013',
    side,
    does: 'answers another media type with 400',
    reply: status(/PATCH .*\/absences\//, 415, 400),
  },
  {
    id: 'C20',
    breaks: 'CON-014',
    side,
    does: 'leaves one operation out of the limit per address',
    reply: status(/GET .*time\/bookings$/, 429, 401),
  },
  {
    id: 'C21',
    breaks: 'CON-015',
    side,
    does: 'answers for more than 90 days in one feed',
    reply: accept(/GET .*removed$/, 'sync_window_exceeded', list),
  },
  {
    id: 'C22',
    breaks: 'CON-018',
    side,
    does: 'does not give an absence that it created',
    reply: status(/GET .*\/absences\/\d+$/, 200, 404),
  },
  {
    id: 'C23',
    breaks: 'CON-019',
    side,
    does: 'calls a key that was revoked unknown',
    reply: code(/GET .*\/companies$/, 'token_revoked', 'unauthorized'),
  },
  {
    id: 'C24',
    breaks: 'CON-019',
    side,
    does: 'calls a wrong signature another time',
    reply: code(/GET .*terminal\/status$/, 'signature_invalid', 'signature_time'),
  },
  {
    id: 'C25',
    breaks: 'CON-020',
    side,
    does: 'breaks at parameters that it does not expect',
    reply: status(/GET .*\/users$/, 400, 500),
  },
  {
    id: 'C26',
    breaks: 'CON-021',
    side,
    does: 'breaks at bodies that it does not expect',
    reply: status(/POST .*\/absences$/, 400, 500),
  },
  {
    id: 'C27',
    breaks: 'CON-022',
    side,
    does: 'takes the cursor of another list in one list',
    reply: accept(/GET .*time\/balances$/, 'invalid_cursor', list),
  },
  {
    id: 'C28',
    breaks: 'CON-022',
    side,
    does: 'lets somebody who has left start a break',
    reply: accept(/POST .*break\/start$/, 'employment_ended'),
  },
  {
    id: 'C29',
    breaks: 'CON-022',
    side,
    does: 'changes an absence into a closed month',
    reply: accept(/PATCH .*\/absences\//, 'month_closed'),
  },
  {
    id: 'C30',
    breaks: 'CON-003',
    side,
    does: 'sends instants with an offset instead of Z',
    reply: answer(/GET .*v1\/status$/, 200, (json) => {
      json['server_time'] = String(json['server_time']).replace('Z', '+00:00');
    }),
  },
];
