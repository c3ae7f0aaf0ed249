/** Breaches of what is recorded, and of who may read it. */
import { accept, answer, body, code, path, status, type Violation } from './violation.js';

const side = 'service';
const list = { data: [], next_cursor: null, has_more: false };
const forgotten = answer(/GET .*\/admin\/audit$/, 200, (json) => {
  json['data'] = [];
});

export const recordViolations: readonly Violation[] = [
  {
    id: 'T32',
    breaks: 'CLK-003',
    side,
    does: 'calls clocking in during a break a break',
    reply: code(/POST .*clock\/in$/, 'already_clocked_in', 'already_on_break'),
  },
  {
    id: 'T33',
    breaks: 'CLK-009',
    side,
    does: 'clocks somebody in several times at once',
    reply: accept(/POST .*clock\/in$/, 'already_clocked_in'),
  },
  {
    id: 'T34',
    breaks: 'CLK-009',
    side,
    does: 'fails when many clock in at once',
    reply: status(/POST .*clock\/in$/, 409, 503),
  },
  { id: 'T35', breaks: 'CLK-011', side, does: 'keeps no audit log of clock operations', reply: forgotten },
  {
    id: 'T36',
    breaks: 'CLK-021',
    side,
    does: 'writes into a closed month',
    reply: accept(/POST .*\/absences$/, 'month_closed', {}, 201),
  },
  {
    id: 'T37',
    breaks: 'CLK-023',
    side,
    does: 'wants a card for a stamp of another terminal system',
    reply: status(/POST .*clock\/in$/, 200, 403, {
      error: 'No card',
      code: 'card_refused',
      request_id: 'req_12345678',
    }),
  },
  {
    id: 'T38',
    breaks: 'CLK-029',
    side,
    does: 'lists no balances',
    reply: answer(/GET .*time\/balances$/, 200, (json) => {
      json['data'] = [];
    }),
  },
  {
    id: 'T39',
    breaks: 'CLK-029',
    side,
    does: 'lists balances of people of other companies',
    reply: accept(/GET .*time\/balances$/, 'not_found', list),
  },
  {
    id: 'T40',
    breaks: 'CLK-029',
    side,
    does: 'lists bookings of people of other companies',
    reply: accept(/GET .*time\/bookings$/, 'not_found', list),
  },
  {
    id: 'A25',
    breaks: 'ABS-022',
    side,
    does: 'creates absences for people of other companies',
    reply: accept(/POST .*\/absences$/, 'not_found', {}, 201),
  },
  { id: 'A26', breaks: 'ABS-023', side, does: 'keeps no audit log of absences', reply: forgotten },
  {
    id: 'A27',
    breaks: 'ABS-024',
    side,
    does: 'creates an absence for each parallel request',
    reply: answer(/POST .*\/absences$/, 200, (json) => {
      json['id'] = Number(json['id']) + 1;
    }),
  },
  {
    id: 'A28',
    breaks: 'ABS-025',
    side,
    does: 'lists removed absences without the scope',
    reply: accept(/GET .*leaves\/removed$/, 'insufficient_scope', list),
  },
  {
    id: 'A29',
    breaks: 'ABS-026',
    side,
    does: 'takes words for instants',
    request: path(/GET .*time\/leaves$/, (of) => of.replace('=yesterday', '=2026-11-01')),
  },
  {
    id: 'E06',
    breaks: 'EVT-005',
    side,
    does: 'lists events of records that a key may not read',
    reply: answer(/GET .*v1\/events$/, 200, (json) => {
      for (const one of json['data'] as Record<string, unknown>[])
        if (one['type'] === 'leave.requested') (json['data'] as unknown[]).push({ ...one, type: 'clock.in' });
    }),
  },
  {
    id: 'A30',
    breaks: 'ABS-027',
    side,
    does: 'counts weekends',
    reply: answer(/POST .*\/absences$/, 201, (json) => {
      const [start, end] = [json['start_date'], json['end_date']].map((date) => Date.parse(String(date)));
      if (json['half_day'] === undefined) json['days'] = (end! - start!) / 86_400_000 + 1;
    }),
  },
  {
    id: 'A31',
    breaks: 'ABS-028',
    side,
    does: 'cuts an external_id that is too long',
    request: body(/POST .*\/absences$/, (json) => {
      if (typeof json['external_id'] === 'string') json['external_id'] = json['external_id'].slice(0, 128);
    }),
  },
  {
    id: 'A32',
    breaks: 'ABS-029',
    side,
    does: 'offers no parental leave',
    reply: answer(/GET .*\/absence-types$/, 200, (json) => {
      json['data'] = (json['data'] as Record<string, unknown>[]).filter(({ key }) => key !== 'parental_leave');
    }),
  },
  {
    id: 'T41',
    breaks: 'CLK-030',
    side,
    does: 'counts the hour that the clock repeats once',
    reply: answer(/GET .*time\/entries$/, 200, (json) => {
      for (const entry of json['data'] as Record<string, unknown>[])
        entry['worked_minutes'] = Number(entry['worked_minutes']) - 60;
    }),
  },
  {
    id: 'T42',
    breaks: 'CLK-030',
    side,
    does: 'puts an entry on the day on which it ends',
    reply: answer(/GET .*time\/entries$/, 200, (json) => {
      for (const entry of json['data'] as Record<string, unknown>[]) entry['date'] = String(entry['end']).slice(0, 10);
    }),
  },
  {
    id: 'T43',
    breaks: 'CLK-031',
    side,
    does: 'ignores an Idempotency-Key that is too long',
    request: ({ headers }) => {
      if ((headers['idempotency-key'] ?? '').length > 255) delete headers['idempotency-key'];
    },
  },
];
