/** Breaches of a terminal that the kit must catch, each with the requirement that must name it. */
import { type Incoming, jsonOf, type Outgoing, type Send, type TerminalViolation } from './proxy.js';

type Json = Record<string, unknown>;
const at = (operation: string, { path }: Outgoing) => path.split('?')[0] === `/api/v1/terminal/${operation}`;
const post = (outgoing: Outgoing, operation: string, body: Json): Outgoing => ({
  ...outgoing,
  method: 'POST',
  path: `/api/v1/terminal/${operation}`,
  headers: { ...outgoing.headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
  signedAgain: true,
});
const codeOf = (answer: Incoming | 'lost') => (answer === 'lost' ? undefined : jsonOf(answer.body)?.['code']);

/** Changes the JSON of a request. */
const body =
  (
    operation: string,
    change: (json: Json, memory: Map<string, string>) => void,
  ): NonNullable<TerminalViolation['request']> =>
  (outgoing, memory) => {
    const json = at(operation, outgoing) ? jsonOf(outgoing.body) : undefined;
    if (json === undefined) return;
    change(json, memory);
    outgoing.body = JSON.stringify(json);
  };

/** Sends something more once a request was answered. */
const then =
  (
    operation: string,
    more: (answer: Incoming | 'lost', outgoing: Outgoing) => readonly Outgoing[],
  ): NonNullable<TerminalViolation['sends']> =>
  async (send, outgoing) => {
    const answer = await send(outgoing);
    if (at(operation, outgoing)) for (const next of more(answer, outgoing)) await send(next);
    return answer;
  };

const sessionOf = ({ body: text }: Outgoing) => jsonOf(text)?.['session'];
const stampBody = /service-terminal-v1\n/;

export const terminalViolations: readonly TerminalViolation[] = [
  { id: 'A01', breaks: 'TAG-001', does: 'shows the fingerprint of the answer', shows: 'AAAA-BBBB-CCCC-DDDD' },
  {
    id: 'A02',
    breaks: 'TAG-002',
    does: 'sends a refused code again',
    sends: then('pair', (answer, outgoing) => (codeOf(answer) === 'pairing_code_invalid' ? [outgoing] : [])),
  },
  {
    id: 'A03',
    breaks: 'TAG-003',
    does: 'sends another code than was entered',
    request: body('pair', (json) => {
      json['code'] = String(json['code']).split('').reverse().join('');
    }),
  },
  {
    id: 'A04',
    breaks: 'TAG-003',
    does: 'sends a key of 31 bytes',
    request: body('pair', (json) => {
      json['public_key'] = Buffer.from(String(json['public_key']), 'base64').subarray(1).toString('base64');
    }),
  },
  {
    id: 'A05',
    breaks: 'TAG-004',
    does: 'opens a card session before it is confirmed',
    sends: then('status', (answer, outgoing) =>
      answer !== 'lost' && jsonOf(answer.body)?.['confirmed'] === false
        ? [post(outgoing, 'card', { uid: '04782e21801d80' })]
        : [],
    ),
  },
  {
    id: 'A06',
    breaks: 'TAG-010',
    does: 'sends the signature as base64url',
    signed(headers) {
      headers['service-signature'] = Buffer.from(headers['service-signature'] ?? '', 'base64').toString('base64url');
    },
  },
  {
    id: 'A07',
    breaks: 'TAG-010',
    does: 'sends the signature in hexadecimal',
    signed(headers) {
      headers['service-signature'] = Buffer.from(headers['service-signature'] ?? '', 'base64').toString('hex');
    },
  },
  {
    id: 'A08',
    breaks: 'TAG-010',
    does: 'sends the time in milliseconds',
    request({ headers }) {
      headers['service-time'] &&= `${headers['service-time']}000`;
    },
  },
  {
    id: 'A09',
    breaks: 'TAG-010',
    does: 'sends nonces of eight characters',
    request({ headers }) {
      headers['service-nonce'] &&= headers['service-nonce'].slice(0, 8);
    },
  },
  {
    id: 'A10',
    breaks: 'TAG-010',
    does: 'leaves the time out',
    signed(headers) {
      delete headers['service-time'];
    },
  },
  {
    id: 'A11',
    breaks: 'TAG-011',
    does: 'signs the path without its query',
    request(outgoing) {
      outgoing.text = (right) => right.replace(/\?.*\n/, '\n');
    },
  },
  {
    id: 'A12',
    breaks: 'TAG-011',
    does: 'signs the hash of the body in capitals',
    request(outgoing) {
      outgoing.text = (right) => right.slice(0, -64) + right.slice(-64).toUpperCase();
    },
  },
  {
    id: 'A13',
    breaks: 'TAG-011',
    does: 'ends what it signs with a line feed',
    request(outgoing) {
      outgoing.text = (right) => `${right}\n`;
    },
  },
  {
    id: 'A14',
    breaks: 'TAG-011',
    does: 'signs the method in small letters',
    request(outgoing) {
      outgoing.text = (right) => right.replace(/\n(GET|POST)\n/, (method) => method.toLowerCase());
    },
  },
  {
    id: 'A15',
    breaks: 'TAG-011',
    does: 'signs another label',
    request(outgoing) {
      outgoing.text = (right) => right.replace(stampBody, 'service-terminal-v2\n');
    },
  },
  {
    id: 'A16',
    breaks: 'TAG-011',
    does: 'sends other bytes than it signed',
    request(outgoing) {
      const { body: bytes } = outgoing;
      outgoing.text = (right) => (bytes === '' ? right : right.replace(/.{64}$/, '0'.repeat(64)));
    },
  },
  {
    id: 'A17',
    breaks: 'TAG-012',
    does: 'uses one nonce for everything',
    request({ headers }) {
      headers['service-nonce'] &&= 'AAAAAAAAAAAAAAAAAAAAAA';
    },
  },
  {
    id: 'A18',
    breaks: 'TAG-012',
    does: 'sends every card twice, byte by byte',
    sends: then('card', (_, outgoing) => [outgoing]),
  },
  {
    id: 'A19',
    breaks: 'TAG-013',
    does: 'signs with the clock of the PC',
    request({ headers }) {
      headers['service-time'] &&= String(Math.floor(Date.now() / 1_000));
    },
  },
  {
    id: 'A20',
    breaks: 'TAG-014',
    does: 'sends a member that does not exist',
    request: body('card', (json) => {
      json['reader_name'] = 'ACR1252';
    }),
  },
  {
    id: 'A21',
    breaks: 'TAG-014',
    does: 'sends milliseconds as text',
    request: body('card/step', (json) => {
      json['took_ms'] = '12';
    }),
  },
  {
    id: 'A22',
    breaks: 'TAG-014',
    does: 'sends JSON as text/plain',
    request({ headers }) {
      headers['content-type'] &&= 'text/plain';
    },
  },
  {
    id: 'A23',
    breaks: 'TAG-014',
    does: 'asks for the status with a parameter that does not exist',
    request(outgoing) {
      if (at('status', outgoing)) outgoing.path += outgoing.path.includes('?') ? '&mood=good' : '?mood=good';
    },
  },
  {
    id: 'A24',
    breaks: 'TAG-015',
    does: 'asks without a pause while its key is unknown',
    async sends(send, outgoing) {
      let answer = await send(outgoing);
      for (let more = 0; more < 10 && codeOf(answer) === 'signature_invalid'; more += 1)
        answer = await send({ ...outgoing, signedAgain: true });
      return answer;
    },
  },
  {
    id: 'A25',
    breaks: 'TAG-020',
    does: 'sends the UID backwards',
    request: body('card', (json) => {
      json['uid'] = Buffer.from(String(json['uid']), 'hex').reverse().toString('hex');
    }),
  },
  {
    id: 'A26',
    breaks: 'TAG-021',
    does: 'changes a byte of the answers of a card',
    request: body('card/step', (json) => {
      const flip = (one: unknown) =>
        String(one).length > 20 ? `${String(one).slice(0, -6)}00${String(one).slice(-4)}` : one;
      if (json['response'] !== undefined) json['response'] = flip(json['response']);
      if (Array.isArray(json['responses'])) json['responses'] = json['responses'].map(flip);
    }),
  },
  {
    id: 'A27',
    breaks: 'TAG-021',
    does: 'cuts the status word off',
    request: body('card/step', (json) => {
      const cut = (one: unknown) => (String(one).length > 8 ? String(one).slice(0, -4) : one);
      if (json['response'] !== undefined) json['response'] = cut(json['response']);
    }),
  },
  {
    id: 'A28',
    breaks: 'TAG-021',
    does: 'says what an earlier card answered',
    request: body('card/step', (json, memory) => {
      const text = String(json['response'] ?? '');
      if (text.length !== 36 && text.length !== 68 && text.length !== 20) return;
      const known = memory.get(String(text.length));
      if (known === undefined) memory.set(String(text.length), text);
      else json['response'] = known;
    }),
  },
  {
    id: 'A29',
    breaks: 'TAG-022',
    does: 'sends a step twice at once',
    sends: async (send, outgoing) => {
      if (!at('card/step', outgoing)) return send(outgoing);
      const [answer] = await Promise.all([send(outgoing), send({ ...outgoing, signedAgain: true })]);
      return answer;
    },
  },
  {
    id: 'A30',
    breaks: 'TAG-022',
    does: 'names a session of its own',
    request: body('card/step', (json) => {
      json['session'] = 'csn_0000000000000000';
    }),
  },
  {
    id: 'A31',
    breaks: 'TAG-023',
    does: 'goes on after a refusal',
    sends: then('card/step', (answer, outgoing) =>
      codeOf(answer) === 'card_refused' ? [{ ...outgoing, signedAgain: true }] : [],
    ),
  },
  {
    id: 'A32',
    breaks: 'TAG-024',
    does: 'sends a step again whose answer was lost',
    sends: then('card/step', (answer, outgoing) => (answer === 'lost' ? [{ ...outgoing, signedAgain: true }] : [])),
  },
  {
    id: 'A33',
    breaks: 'TAG-025',
    does: 'stamps after a result that it does not know',
    sends: then('card/step', (answer, outgoing) =>
      answer !== 'lost' && answer.body.includes('"moonlit"')
        ? [post(outgoing, 'stamp', { session: sessionOf(outgoing), action: 'in' })]
        : [],
    ),
  },
  {
    id: 'A34',
    breaks: 'TAG-026',
    does: 'sends what follows without looking at the answer before',
    request: body('card/step', (json) => {
      const { responses } = json;
      if (Array.isArray(responses) && responses.length === 3) json['responses'] = [...(responses as unknown[]), '911c'];
    }),
  },
  {
    id: 'A35',
    breaks: 'TAG-027',
    does: 'sends a prelude of its own',
    request: body('card', (json) => {
      const { sent } = json;
      if (Array.isArray(sent)) json['sent'] = sent.map((one) => ({ ...(one as Json), apdu: '905a00000300000000' }));
    }),
  },
  {
    id: 'A36',
    breaks: 'TAG-028',
    does: 'sends a prelude while a badge is issued',
    request: body('card', (json) => {
      json['sent'] = [{ apdu: '9060000000', response: '0401010100160591af' }];
    }),
  },
  {
    id: 'A37',
    breaks: 'TAG-028',
    does: 'stamps with a badge that was just issued',
    sends: then('card/step', (answer, outgoing) =>
      answer !== 'lost' && answer.body.includes('"issued"')
        ? [post(outgoing, 'stamp', { session: sessionOf(outgoing), action: 'in' })]
        : [],
    ),
  },
  {
    id: 'A38',
    breaks: 'TAG-029',
    does: 'makes up an answer for a card that is gone',
    sends: then('card', (answer, outgoing) =>
      answer === 'lost'
        ? []
        : [post(outgoing, 'card/step', { session: jsonOf(answer.body)?.['session'], response: '6f00' })],
    ),
  },
  {
    id: 'A39',
    breaks: 'TAG-030',
    does: 'never ends a session',
    sends: (send, outgoing) =>
      at('session/end', outgoing) ? Promise.resolve({ status: 204, headers: {}, body: '' }) : send(outgoing),
  },
  {
    id: 'A40',
    breaks: 'TAG-040',
    does: 'stamps something else than was chosen',
    request: body('stamp', (json) => {
      if (json['action'] === 'break_start') json['action'] = 'out';
    }),
  },
  {
    id: 'A41',
    breaks: 'TAG-040',
    does: 'stamps the opposite right after',
    sends: then('stamp', (answer, outgoing) =>
      answer !== 'lost' && answer.status === 200
        ? [post(outgoing, 'stamp', { session: sessionOf(outgoing), action: 'out' })]
        : [],
    ),
  },
  {
    id: 'A42',
    breaks: 'TAG-041',
    does: 'clocks out who is on a break',
    request: body('stamp', (json) => {
      if (json['action'] === 'break_end') json['action'] = 'out';
    }),
  },
  {
    id: 'A43',
    breaks: 'TAG-042',
    does: 'stamps again when told that the stamp repeats',
    sends: then('stamp', (answer, outgoing) =>
      answer !== 'lost' && answer.body.includes('"repeated"') ? [{ ...outgoing, signedAgain: true }] : [],
    ),
  },
  {
    id: 'A44',
    breaks: 'TAG-043',
    does: 'sends the PIN as a number',
    request: body('stamp', (json) => {
      if (json['pin'] !== undefined) json['pin'] = Number(json['pin']);
    }),
  },
  {
    id: 'A45',
    breaks: 'TAG-043',
    does: 'leaves the PIN out',
    request: body('stamp', (json) => {
      delete json['pin'];
    }),
  },
  {
    id: 'A46',
    breaks: 'TAG-044',
    does: 'sends a wrong PIN again',
    sends: then('stamp', (answer, outgoing) =>
      codeOf(answer) === 'pin_wrong' ? [{ ...outgoing, signedAgain: true }] : [],
    ),
  },
  {
    id: 'A47',
    breaks: 'TAG-045',
    does: 'asks for balances without the PIN',
    request: body('info', (json) => {
      delete json['pin'];
    }),
  },
  {
    id: 'A48',
    breaks: 'TAG-050',
    does: 'signs a stamp again whose answer was lost',
    request(outgoing, memory) {
      if (!at('stamp', outgoing)) return;
      const nonce = outgoing.headers['service-nonce'] ?? '';
      if (memory.has(nonce)) outgoing.signedAgain = true;
      memory.set(nonce, '');
    },
  },
  {
    id: 'A49',
    breaks: 'TAG-051',
    does: 'makes another stamp while the first is being decided',
    sends: then('stamp', (answer, outgoing) =>
      codeOf(answer) === 'nonce_reused' && answer !== 'lost' && !answer.body.includes('"outcome"')
        ? [post(outgoing, 'stamp', { session: sessionOf(outgoing), action: 'out' })]
        : [],
    ),
  },
  {
    id: 'A50',
    breaks: 'TAG-052',
    does: 'asks a busy service again at once',
    sends: then('card', (answer, outgoing) =>
      ['rate_limited', 'unavailable'].includes(String(codeOf(answer))) ? [{ ...outgoing, signedAgain: true }] : [],
    ),
  },
  {
    id: 'A51',
    breaks: 'TAG-053',
    does: 'stops after an answer that it cannot read',
    sends: async (send: Send, outgoing) => {
      const answer = stopped ? ('lost' as const) : await send(outgoing);
      if (at('card', outgoing) && answer !== 'lost' && answer.status >= 500) stopped = true;
      return answer;
    },
  },
  {
    id: 'A52',
    breaks: 'TAG-054',
    does: 'follows redirects',
    sends: then('card', (answer, outgoing) =>
      answer !== 'lost' && answer.status === 307 ? [{ ...outgoing, path: String(answer.headers['location']) }] : [],
    ),
  },
  {
    id: 'A53',
    breaks: 'TAG-060',
    does: 'loses the first stamp of its journal',
    request: body('offline', (json) => {
      const stamps = json['stamps'] as Json[];
      if (stamps.length > 1) json['stamps'] = stamps.slice(1);
    }),
  },
  {
    id: 'A54',
    breaks: 'TAG-060',
    does: 'uploads its stamps backwards',
    request: body('offline', (json) => {
      json['stamps'] = [...(json['stamps'] as Json[])].reverse();
    }),
  },
  {
    id: 'A55',
    breaks: 'TAG-061',
    does: 'seals for another number',
    request: body('offline', (json) => {
      for (const stamp of json['stamps'] as Json[])
        if (typeof stamp['sealed'] === 'string') stamp['sealed'] = `${stamp['sealed'].slice(0, -4)}AAAA`;
    }),
  },
  {
    id: 'A56',
    breaks: 'TAG-062',
    does: 'uploads a lost batch under other numbers',
    request: body('offline', (json, memory) => {
      const stamps = json['stamps'] as Json[];
      if (memory.has('lost')) for (const stamp of stamps) stamp['number'] = Number(stamp['number']) + 100;
      memory.set('lost', '');
    }),
  },
  {
    id: 'A57',
    breaks: 'TAG-063',
    does: 'keeps uploading what has its result',
    request(outgoing, memory) {
      if (at('offline', outgoing)) memory.set('batch', outgoing.body);
      if (at('status', outgoing)) lastBatch = memory.get('batch');
    },
    sends: then('status', (_, outgoing) =>
      lastBatch === undefined ? [] : [post(outgoing, 'offline', jsonOf(lastBatch) ?? {})],
    ),
  },
  {
    id: 'A58',
    breaks: 'TAG-064',
    does: 'uploads stamps although the terminal offers none',
    sends: then('status', (answer, outgoing) =>
      answer !== 'lost' && answer.body.includes('"offline":false')
        ? [post(outgoing, 'offline', { stamps: [{ number: 4_711, sealed: 'AAAA' }] })]
        : [],
    ),
  },
];

let stopped = false;
let lastBatch: string | undefined;
/** Before each violation. */
export function forget(): void {
  stopped = false;
  lastBatch = undefined;
}
