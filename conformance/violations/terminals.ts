/** Breaches at the door: pairing, signatures, dialogues with cards, stamps. */
import { accept, answer, code, type Json, status, type Violation } from './violation.js';

const side = 'service';
const proved = {
  result: 'proved',
  session: 'csn_aaaaaaaaaaaaaaaaaaaa',
  first_name: 'Kit',
  state: 'out',
  actions: ['in'],
};
/** Lets a refused stamp of one action look done. */
const stamped =
  (action: string): Violation['reply'] & object =>
  (reply, exchange) => {
    if (!exchange.path.endsWith('/terminal/stamp') || reply.status < 400) return;
    if (!exchange.body.includes(`"${action}"`)) return;
    reply.status = 200;
    reply.body = JSON.stringify({ state: 'in', server_time: new Date().toISOString(), warnings: [] });
  };

export const terminalSideViolations: readonly Violation[] = [
  {
    id: 'M30',
    breaks: 'TRM-047',
    side,
    does: 'ends a break at the door that nobody is on',
    reply: stamped('break_end'),
  },
  {
    id: 'M31',
    breaks: 'TRM-047',
    side,
    does: 'starts a second break at the door',
    reply: code(/POST .*terminal\/stamp$/, 'already_on_break', 'already_clocked_in'),
  },
  {
    id: 'M32',
    breaks: 'TRM-047',
    side,
    does: 'shows balances with a wrong PIN',
    reply: accept(/POST .*terminal\/info$/, 'pin_wrong', { balance_minutes: 0 }),
  },
  {
    id: 'M33',
    breaks: 'TRM-003',
    side,
    does: 'pairs several devices with one code at once',
    reply: accept(/POST .*terminal\/pair$/, 'pairing_code_invalid', {}, 201),
  },
  {
    id: 'M34',
    breaks: 'TRM-004',
    side,
    does: 'gives pairing codes for an hour',
    reply: answer(/POST .*\/pairing-code$/, 201, (json) => {
      json['expires_at'] = new Date(Date.now() + 3_600_000).toISOString();
    }),
  },
  {
    id: 'M35',
    breaks: 'TRM-007',
    side,
    does: 'allows any number of wrong codes',
    reply: (reply, { path, body }, memory) => {
      if (!path.endsWith('/terminal/pair')) return;
      if (!body.includes('0000"') && memory.size > 0) reply.status = 201;
      memory.set('tried', reply);
    },
  },
  {
    id: 'M36',
    breaks: 'TRM-009',
    side,
    does: 'confirms a fingerprint that is not that of the device',
    reply: accept(/POST .*\/confirmation$/, 'fingerprint_mismatch'),
  },
  {
    id: 'M37',
    breaks: 'TRM-011',
    side,
    does: 'takes requests without a nonce',
    reply: (reply, { path, headers }) => {
      if (path.endsWith('/terminal/status') && headers['service-nonce'] === undefined) reply.status = 200;
    },
  },
  {
    id: 'M38',
    breaks: 'TRM-017',
    side,
    does: 'takes signatures in hexadecimal',
    request: ({ headers }) => {
      const given = headers['service-signature'];
      if (given !== undefined && /^[0-9a-f]{128}$/.test(given))
        headers['service-signature'] = Buffer.from(given, 'hex').toString('base64');
    },
  },
  {
    id: 'M39',
    breaks: 'TRM-019',
    side,
    does: 'says in after a break has begun',
    reply: answer(/POST .*terminal\/stamp$/, 200, (json) => {
      if (json['state'] === 'on_break') json['state'] = 'in';
    }),
  },
  {
    id: 'M40',
    breaks: 'TRM-021',
    side,
    does: 'takes a conversation that was recorded',
    reply: accept(/POST .*card\/step$/, 'card_refused', proved),
  },
  {
    id: 'M41',
    breaks: 'TRM-022',
    side,
    does: 'believes cards that claim success',
    reply: accept(/POST .*card\/step$/, 'card_refused', proved),
  },
  {
    id: 'M42',
    breaks: 'TRM-024',
    side,
    does: 'tells unknown cards from copies',
    reply: code(/POST .*terminal\/card(\/step)?$/, 'card_refused', 'card_unknown'),
  },
  {
    id: 'M43',
    breaks: 'TRM-031',
    side,
    does: 'takes a badge that was blocked',
    reply: accept(/POST .*terminal\/card(\/step)?$/, 'card_refused', proved),
  },
  {
    id: 'M44',
    breaks: 'TRM-032',
    side,
    does: 'waits an hour for the card',
    reply: answer(/GET .*terminal\/status$/, 200, (json) => {
      if (json['issuing'] !== undefined)
        (json['issuing'] as Json)['expires_at'] = new Date(Date.now() + 3_600_000).toISOString();
    }),
  },
  {
    id: 'M45',
    breaks: 'TRM-034',
    side,
    does: 'counts offline stamps before they are approved',
    reply: answer(/GET .*time\/entries$/, 200, (json) => {
      for (const entry of json['data'] as Json[]) if (entry['status'] === 'pending') entry['status'] = 'recorded';
    }),
  },
  {
    id: 'M46',
    breaks: 'TRM-039',
    side,
    does: 'calls stamping out while out wrong in general',
    reply: code(/POST .*terminal\/stamp$/, 'not_clocked_in', 'invalid_request'),
  },
  {
    id: 'M47',
    breaks: 'TRM-040',
    side,
    does: 'forgets the action that was sent with the card',
    reply: answer(/POST .*card\/step$/, 200, (json) => {
      delete json['stamp'];
    }),
  },
  {
    id: 'M48',
    breaks: 'TRM-041',
    side,
    does: 'breaks at answers of a card that are not hexadecimal',
    reply: status(/POST .*card\/step$/, 400, 500),
  },
  {
    id: 'M49',
    breaks: 'TRM-045',
    side,
    does: 'limits a terminal like any address',
    reply: (reply, { path }, memory) => {
      if (!path.endsWith('/terminal/status')) return;
      memory.set(String(memory.size), reply);
      if (memory.size > 60) reply.status = 429;
    },
  },
  {
    id: 'M50',
    breaks: 'TRM-046',
    side,
    does: 'tells balances after the session ended',
    reply: accept(/POST .*terminal\/info$/, 'card_refused', { balance_minutes: 0 }),
  },
  {
    id: 'M51',
    breaks: 'TRM-043',
    side,
    slow: true,
    does: 'takes a stamp half a minute after the proof',
    reply: stamped('in'),
  },
  {
    id: 'M52',
    breaks: 'TRM-048',
    side,
    does: 'takes uploads of any length',
    reply: accept(/POST .*terminal\/offline$/, 'invalid_request', { results: [], last_number: 101 }),
  },
];
