/**
 * A service for tests: a real HTTP server on the loopback address that checks signatures with node:crypto and cards
 * with `verifier.ts`. It does what the
 * contract says of the terminal protocol and can be made to fail at any request.
 */
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TerminalAction } from '../src/terminal-api.js';
import {
  type BadgeKeys,
  CardRefused,
  type Dialogue,
  issueDesfire,
  issueNtag,
  proveDesfire,
  proveNtag,
} from './verifier.js';

export interface Holder {
  readonly firstName: string;
  readonly family: 'desfire' | 'ntag424';
  readonly keys: BadgeKeys;
  readonly pin?: string;
  /** Wrong PINs in a row. */
  wrongPins?: number;
  /** Since when in this state. */
  since?: string;
  language?: 'de' | 'en';
  state: 'out' | 'in' | 'on_break';
}

/** What goes wrong with one request. `drop` loses the request, `lose` loses the answer after the effect. */
export type Fault =
  | 'drop'
  | 'lose'
  | 'hang'
  | { readonly status: number; readonly code?: string; readonly retryAfter?: number; readonly text?: string }
  | { readonly body: unknown };

export interface FakeService {
  readonly url: URL;
  /** Badges by UID in lower-case hexadecimal. */
  readonly badges: Map<string, Holder>;
  /** `card`, `step`, `stamp`, `session/end`, … in the order of arrival, faults included. */
  readonly seen: string[];
  /** What the device said about itself with its last question for the status. */
  facts: Readonly<Record<string, string>>;
  /** Bodies of accepted requests, in order. */
  readonly bodies: { readonly operation: string; readonly body: Record<string, unknown> }[];
  readonly terminal: { publicKey?: Buffer; confirmed: boolean; pairingCode: string; refuseKey?: boolean };
  /** The next card in factory state becomes this person's badge. */
  issuing?: { readonly uid?: string; readonly holder: Holder } | undefined;
  /** Milliseconds by which the service's clock is ahead. */
  ahead: number;
  /** Faults by operation; the first applies to the next request of that operation. */
  readonly faults: Map<string, (Fault | undefined)[]>;
  /** Called before an operation is carried out. */
  before: (operation: string) => void;
  readonly nonces: Set<string>;
  /** Sentences that go with every stamp. */
  readonly warnings: string[];
  /** What the terminal offers. */
  readonly offers: { info: boolean; info_without_pin: boolean; badge_and_pin: boolean; offline: boolean };
  sealKey?: string;
  /** Whether the status tells how proofs begin. */
  preludes: boolean;
  /** Offline stamps by number. */
  readonly offline: Map<number, string>;
  close(): Promise<void>;
}

export const terminalId = 'trm_7Q2MZK4D';
const moves: Readonly<Record<TerminalAction, readonly [Holder['state'][], Holder['state']]>> = {
  in: [['out'], 'in'],
  out: [['in', 'on_break'], 'out'],
  break_start: [['in'], 'on_break'],
  break_end: [['on_break'], 'in'],
};
const sentences: Readonly<Record<string, string>> = {
  card_refused: 'The card was refused.',
  rate_limited: 'Too many requests.',
  unavailable: 'The service cannot answer right now.',
};

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly extra: object = {},
  ) {
    super(sentences[code] ?? `Refused: ${code}.`);
  }
}

export async function startFakeService(): Promise<FakeService> {
  const sessions = new Map<
    string,
    {
      uid: string;
      dialogue: Dialogue<unknown>;
      issuing: boolean;
      steps: number;
      proved: boolean;
      stamped?: boolean;
      action?: string;
    }
  >();

  /** What came of a stamp, by the nonce of its request. */
  const outcomes = new Map<string, object>();
  const state: Omit<FakeService, 'url' | 'close'> = {
    badges: new Map(),
    seen: [],
    facts: {},
    bodies: [],
    terminal: { confirmed: true, pairingCode: '7K3MQ9XT' },
    ahead: 0,
    faults: new Map(),
    before: () => undefined,
    nonces: new Set(),
    warnings: [],
    offers: { info: false, info_without_pin: false, badge_and_pin: false, offline: false },
    preludes: false,
    offline: new Map(),
  };
  const now = (): number => Date.now() + state.ahead;

  const checkSignature = (request: IncomingMessage, body: Buffer): void => {
    const header = (name: string): string => {
      const value = request.headersDistinct[name];
      if (value?.length !== 1) throw new Refusal(401, 'terminal_unknown');
      return value[0]!;
    };
    const [id, time, nonce, signature] = ['service-terminal', 'service-time', 'service-nonce', 'service-signature'].map(
      header,
    ) as [string, string, string, string];
    if (
      !/^[1-9][0-9]{0,11}$/.test(time) ||
      !/^[A-Za-z0-9_-]{16,64}$/.test(nonce) ||
      !/^[A-Za-z0-9+/]{85}[AQgw]==$/.test(signature)
    )
      throw new Refusal(401, 'terminal_unknown');
    const lines = [
      'service-terminal-v1',
      request.method,
      request.url,
      time,
      nonce,
      createHash('sha256').update(body).digest('hex'),
    ];
    const { publicKey } = state.terminal;
    const key =
      publicKey &&
      createPublicKey({
        key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]),
        format: 'der',
        type: 'spki',
      });
    if (
      key === undefined ||
      id !== terminalId ||
      !verify(null, Buffer.from(lines.join('\n')), key, Buffer.from(signature, 'base64'))
    )
      throw new Refusal(401, 'signature_invalid');
    if (Math.abs(Number(time) * 1_000 - now()) > 60_000)
      throw new Refusal(401, 'signature_time', { server_time: new Date(now()).toISOString() });
    if (state.nonces.has(nonce)) {
      const outcome = outcomes.get(nonce);
      throw new Refusal(401, 'nonce_reused', outcome === undefined ? {} : { outcome });
    }
    state.nonces.add(nonce);
  };

  const begin = (uid: string, sent: readonly { apdu: string; response: string }[], action?: string): object => {
    const issuing = state.issuing;
    const holder = state.badges.get(uid) ?? issuing?.holder;
    if (holder === undefined) throw new Refusal(403, 'card_refused');
    const fresh = !state.badges.has(uid);
    const make = fresh
      ? holder.family === 'desfire'
        ? issueDesfire
        : issueNtag
      : holder.family === 'desfire'
        ? proveDesfire
        : proveNtag;
    const dialogue = make(holder.keys, (length) => randomBytes(length)) as Dialogue<unknown>;
    sessions.clear();
    const session = `csn_${randomBytes(16).toString('base64url')}`;
    const entry = { uid, dialogue, issuing: fresh, steps: 0, proved: false, ...(action && { action }) };
    sessions.set(session, entry);
    let apdu = dialogue.next().value as string;
    if (sent.every((one) => preludeOf(holder.family).includes(one.apdu)))
      for (const one of sent) if (one.apdu === apdu) apdu = dialogue.next(one.response).value as string;
    return { session, apdu };
  };
  /** The commands of a proof up to its challenge. */
  const preludeOf = (family: Holder['family']): readonly string[] =>
    family === 'desfire'
      ? ['905a00000331425400', '90aa0000010100']
      : ['00a4040007d276000085010100', '9071000002010000'];

  const step = (session: string, responses: readonly string[]): object => {
    let answer: object = {};
    for (const response of responses) answer = stepOnce(session, response);
    return answer;
  };
  const stepOnce = (session: string, response: string): object => {
    const entry = sessions.get(session);
    if (entry === undefined || entry.proved) throw new Refusal(403, 'card_refused');
    entry.steps += 1;
    let answer: IteratorResult<string, unknown>;
    try {
      answer = entry.dialogue.next(response);
    } catch (error) {
      sessions.delete(session);
      if (error instanceof CardRefused) throw new Refusal(403, 'card_refused');
      throw error;
    }
    if (answer.done !== true) return { session, apdu: answer.value };
    if (entry.issuing) {
      state.badges.set(entry.uid, state.issuing!.holder);
      state.issuing = undefined;
      sessions.delete(session);
      return { result: 'issued' };
    }
    entry.proved = true;
    const holder = state.badges.get(entry.uid)!;
    const actionsNow = () =>
      (['break_end', 'in', 'out', 'break_start'] as const).filter((action) => moves[action][0].includes(holder.state));
    const wanted = actionsNow().find((action) => action === entry.action || entry.action === 'next');
    const needsPin = holder.pin !== undefined && state.offers.badge_and_pin;
    const made = wanted === undefined || needsPin ? {} : { stamp: stamp(session, wanted) };
    return {
      session,
      result: 'proved',
      first_name: holder.firstName,
      state: holder.state,
      actions: actionsNow(),
      ...made,
      pin_required: holder.pin !== undefined && state.offers.badge_and_pin,
      ...(holder.since === undefined ? {} : { since: holder.since }),
      ...(holder.language === undefined ? {} : { language: holder.language }),
    };
  };

  const checkPin = (holder: Holder, pin: string | undefined): void => {
    if (holder.pin === undefined) return;
    if ((holder.wrongPins ?? 0) >= 5) throw new Refusal(423, 'pin_locked');
    if (pin === holder.pin) holder.wrongPins = 0;
    else {
      holder.wrongPins = (holder.wrongPins ?? 0) + 1;
      throw new Refusal(403, 'pin_wrong', holder.wrongPins < 5 ? { tries_left: 5 - holder.wrongPins } : {});
    }
  };

  const info = (session: string, pin?: string): object => {
    const holder = state.badges.get(sessions.get(session)?.uid ?? '');
    if (holder === undefined) throw new Refusal(403, 'card_refused');
    if (!state.offers.info_without_pin && pin === undefined) throw new Refusal(403, 'pin_required');
    if (!state.offers.info_without_pin) checkPin(holder, pin);
    return { worked_today_minutes: 192, balance_minutes: 760, vacation_days_left: 11.5 };
  };

  const upload = (stamps: readonly { number: number; sealed: string }[]): object => ({
    results: stamps.map(({ number, sealed }) => {
      const known = state.offline.get(number);
      state.offline.set(number, known ?? sealed);
      return { number, result: known === undefined ? 'accepted' : known === sealed ? 'duplicate' : 'conflict' };
    }),
    last_number: Math.max(0, ...state.offline.keys()),
  });

  const stamp = (session: string, action: TerminalAction, pin?: string): object => {
    const entry = sessions.get(session);
    if (entry?.proved !== true) throw new Refusal(403, 'card_refused');
    const holder = state.badges.get(entry.uid)!;
    if (state.offers.badge_and_pin && holder.pin !== undefined) {
      if (pin === undefined) throw new Refusal(403, 'pin_required');
      checkPin(holder, pin);
    }
    if (entry.stamped === true) throw new Refusal(403, 'card_refused');
    entry.stamped = true;
    const [from, to] = moves[action];
    if (!from.includes(holder.state)) throw new Refusal(409, action === 'in' ? 'already_clocked_in' : 'not_clocked_in');
    holder.state = to;
    const at = new Date(now()).toISOString();
    holder.since = at;
    return {
      action,
      state: to,
      since: at,
      server_time: at,
      warnings: state.warnings.map((message) => ({ code: 'w', message })),
    };
  };

  const pair = (body: Record<string, unknown>): readonly [number, object] => {
    if (String(body['code']).replace('-', '').toUpperCase() !== state.terminal.pairingCode)
      throw new Refusal(404, 'pairing_code_invalid');
    state.terminal.pairingCode = '';
    state.terminal.publicKey = Buffer.from(String(body['public_key']), 'base64');
    state.terminal.confirmed = false;
    return [
      201,
      {
        terminal_id: terminalId,
        fingerprint: fingerprint(state.terminal.refuseKey === true ? Buffer.alloc(32) : state.terminal.publicKey),
        confirmed: false,
        server_time: new Date(now()).toISOString(),
      },
    ];
  };

  const carryOut = (operation: string, body: Record<string, unknown>): readonly [number, object | undefined] => {
    if (operation === 'pair') return pair(body);
    if (operation === 'status') {
      const issuing = state.issuing && {
        issuing: {
          person_first_name: state.issuing.holder.firstName,
          expires_at: new Date(now() + 120_000).toISOString(),
        },
      };
      return [
        200,
        {
          confirmed: state.terminal.confirmed,
          name: 'Main entrance',
          server_time: new Date(now()).toISOString(),
          offers: { actions: ['in', 'out', 'break_start', 'break_end'], ...state.offers },
          offline_last_number: Math.max(0, ...state.offline.keys()),
          ...(state.preludes
            ? {
                preludes: (['desfire', 'ntag424'] as const).map((family) => {
                  const [apdu, next] = preludeOf(family);
                  return { apdu, follow: [{ after: family === 'desfire' ? '9100' : '9000', apdu: next }] };
                }),
              }
            : {}),
          ...(state.sealKey === undefined ? {} : { seal_key: state.sealKey }),
          ...issuing,
        },
      ];
    }
    if (!state.terminal.confirmed) throw new Refusal(403, 'terminal_not_confirmed');
    if (operation === 'card') {
      const {
        uid,
        sent = [],
        action,
      } = body as { uid: string; sent?: { apdu: string; response: string }[]; action?: string };
      return [200, begin(uid.toLowerCase(), sent, action)];
    }
    if (operation === 'card/step') {
      const {
        session,
        response,
        responses = [response ?? ''],
      } = body as {
        session: string;
        response?: string;
        responses?: string[];
      };
      return [200, step(session, responses)];
    }
    if (operation === 'stamp')
      return [200, stamp(String(body['session']), body['action'] as TerminalAction, body['pin'] as string | undefined)];
    if (operation === 'info') return [200, info(String(body['session']), body['pin'] as string | undefined)];
    if (operation === 'offline') return [200, upload(body['stamps'] as { number: number; sealed: string }[])];
    if (operation === 'session/end') {
      sessions.delete(String(body['session']));
      return [204, undefined];
    }
    throw new Refusal(404, 'not_found');
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const raw = Buffer.concat(parts);
    const [path = '', query] = (request.url ?? '').split('?');
    const operation = path.replace('/api/v1/terminal/', '');
    if (operation === 'status') state.facts = Object.fromEntries(new URLSearchParams(query));
    state.seen.push(operation);
    const fault = state.faults.get(operation)?.shift();
    if (fault === 'drop') return void request.socket.destroy();
    if (fault === 'hang') return;
    const send = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      if (fault === 'lose') return void request.socket.destroy();
      response
        .writeHead(status, { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) })
        .end(body === undefined ? undefined : JSON.stringify(body));
    };
    if (typeof fault === 'object' && 'text' in fault) return void response.writeHead(fault.status).end(fault.text);
    if (typeof fault === 'object' && 'status' in fault) {
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
      return send(
        fault.status,
        { error: sentences[fault.code ?? ''] ?? 'Refused.', code: fault.code, request_id: 'req_00000000' },
        headers,
      );
    }
    try {
      if (operation !== 'pair') checkSignature(request, raw);
      state.before(operation);
      const body = (raw.length === 0 ? {} : JSON.parse(raw.toString('utf8'))) as Record<string, unknown>;
      state.bodies.push({ operation, body });
      const nonce = String(request.headers['service-nonce']);
      const [status, answer] = ((): readonly [number, object | undefined] => {
        try {
          return carryOut(operation, body);
        } catch (error) {
          if (operation === 'stamp' && error instanceof Refusal)
            outcomes.set(nonce, { result: 'refused', code: error.code });
          throw error;
        }
      })();
      const stamped = operation === 'stamp' ? answer : (answer as { stamp?: object } | undefined)?.stamp;
      if (stamped !== undefined) outcomes.set(nonce, { result: 'recorded', stamp: stamped });
      send(status, typeof fault === 'object' && 'body' in fault ? fault.body : answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      send(error.status, { error: error.message, code: error.code, request_id: 'req_00000000', ...error.extra });
    }
  };

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** By hand, bit by bit. */
export function fingerprint(publicKey: Buffer): string {
  const bits = [...createHash('sha256').update(publicKey).digest().subarray(0, 10)]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  const digits = (bits.match(/.{5}/g) ?? [])
    .map((five) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[Number.parseInt(five, 2)])
    .join('');
  return (digits.match(/.{4}/g) ?? []).join('-');
}
