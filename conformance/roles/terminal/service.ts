/**
 * The service that a terminal under test talks to: pairs it, verifies its signatures with separate code, leads card
 * dialogues, records stamps, and simulates faults of a service or the network on demand.
 */
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../../kit/json.js';
import { publicBytes } from '../../peers/hpke.js';
import { fingerprintOf } from '../../peers/terminal.js';
import { type Dialogue, proveFactoryCard, UnexpectedResponse } from './dialogue.js';
import { formFault } from './forms.js';

export type Json = Record<string, unknown>;
export interface Reply {
  readonly status: number;
  readonly body?: Json | string;
  readonly headers?: Readonly<Record<string, string>>;
}
/**
 * Replaces the usual answer: by another one; after the effect, by no answer (`lost`) or another body; before the effect,
 * by no answer (`unseen`).
 */
export type AnswerOverride = Reply | 'lost' | { readonly rewritten: Json } | 'unseen' | undefined;

export interface ReceivedRequest {
  readonly at: number;
  /** `POST /api/v1/terminal/card`, without a query. */
  readonly operation: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: string;
  readonly body: Json;
  /** No earlier request had the same bytes. */
  readonly first: boolean;
  reply?: Reply | 'lost' | 'unseen';
}
/** A broken requirement that no check asked about. */
export interface Fault {
  readonly id: string;
  readonly message: string;
}
export type Action = 'in' | 'out' | 'break_start' | 'break_end';
export const actionsOf = { out: ['in'], in: ['out', 'break_start'], on_break: ['break_end', 'out'] } as const;
const stateAfter = { in: 'in', out: 'out', break_start: 'on_break', break_end: 'in' } as const;

export interface Person {
  readonly firstName: string;
  readonly language?: string;
  readonly pin?: string | undefined;
  state: keyof typeof actionsOf;
  since?: string;
  /** Consecutive. */
  wrongPins?: number;
}
/** The first command to a card, the dialogue that continues with its answer, and the person of a proved card. */
export interface Opening {
  readonly person: Person;
  readonly dialogue: Dialogue;
  /** The first command. */
  readonly apdu: string;
  /** The card becomes the person's badge. */
  readonly issuing: boolean;
}
interface Session extends Opening {
  readonly uid: string;
  readonly requestedAction: string | undefined;
  state: 'card' | 'proved' | 'over';
}
export interface Settings {
  /** By how much the service's clock is ahead of this machine's, in milliseconds. */
  ahead: number;
  confirmed: boolean;
  person: keyof typeof actionsOf;
  pin: string | undefined;
  offers: { info: boolean; info_without_pin: boolean; badge_and_pin: boolean; offline: boolean };
  issuing: boolean;
  /** Connections end without an answer, before the request is evaluated. */
  unreachable: boolean;
  /** Number of answers to recorded stamps that are lost. */
  answersToLose: number;
  instead: (request: ReceivedRequest) => AnswerOverride | Promise<AnswerOverride>;
}
export const defaultSettings = (): Settings => ({
  ahead: 0,
  confirmed: true,
  person: 'out',
  pin: undefined,
  offers: { info: true, info_without_pin: false, badge_and_pin: false, offline: true },
  issuing: false,
  unreachable: false,
  answersToLose: 0,
  instead: () => undefined,
});

const signedHeaders = ['service-terminal', 'service-time', 'service-nonce', 'service-signature'] as const;
const groupOrder = (1n << 252n) + 27742317777372353535851937790883648493n;
const sealSeed = randomBytes(32);
const refusal = (status: number, code: string, more: Json = {}, headers?: Reply['headers']): Reply => ({
  status,
  body: { error: `The kit refuses this: ${code}.`, code, request_id: 'req_conformance', ...more },
  ...(headers === undefined ? {} : { headers }),
});

export { refusal };

export class PlayedService {
  readonly heard: ReceivedRequest[] = [];
  readonly faults: Fault[] = [];
  readonly uploaded: { readonly number: number; readonly stamp: Json; readonly at: number }[] = [];
  readonly sealSeed = sealSeed;
  /** Members of a later version of the service, unknown to today's documents. */
  protected readonly futureMembers: Json = { tomorrow: { said: ['more'] } };
  settings = defaultSettings();
  /** The valid pairing code, without a hyphen. */
  code = '';
  terminalId = '';
  /** 32 bytes of the terminal's public key. */
  key: Buffer | undefined;
  url = '';
  lastNumber = 41;
  /** Sent with every stamp. */
  readonly warnings: Json[] = [];
  stamps: { readonly action: string; readonly at: number; readonly pin: unknown }[] = [];
  readonly #sessions = new Map<string, Session>();
  readonly #nonces = new Map<string, { readonly bytes: string; outcome?: Json; lost: boolean; again: number }>();
  readonly #listeners = new Set<() => void>();
  /** Requests of a dialogue that wait for their answers. */
  readonly #pending = new Set<ReceivedRequest>();
  #server: Server | undefined;

  async listen(port: number, host: string): Promise<void> {
    const server = createServer((request, response) => void this.#receive(request, response));
    this.#server = server;
    server.listen(port, host);
    await once(server, 'listening');
    this.url = `http://${host}:${(server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
    if (this.#server !== undefined) await once(this.#server, 'close');
  }

  now = (): number => Date.now() + this.settings.ahead;
  protected instant = (at = this.now()): string => new Date(at).toISOString();

  /** The first request from index `from` on that matches. @returns undefined if there is none within the seconds */
  async waitForRequest(
    matches: (request: ReceivedRequest) => boolean,
    seconds: number,
    from = 0,
  ): Promise<ReceivedRequest | undefined> {
    const findRequest = () =>
      this.heard.find((request, index) => index >= from && request.reply !== undefined && matches(request));
    const end = Date.now() + seconds * 1_000;
    for (;;) {
      const request = findRequest();
      const remainingMs = end - Date.now();
      if (request !== undefined || remainingMs <= 0) return request;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, remainingMs);
        const listener = () => {
          clearTimeout(timer);
          this.#listeners.delete(listener);
          resolve();
        };
        this.#listeners.add(listener);
      });
    }
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    if (this.settings.unreachable) return void request.socket.destroy();
    const body = Buffer.concat(chunks);
    const target = request.url ?? '';
    const [path = '', query = ''] = target.split('?');
    const operation = `${request.method ?? ''} ${path}`;
    const headers = request.headers as ReceivedRequest['headers'];
    const bytes = createHash('sha256')
      .update([request.method, target, ...signedHeaders.map((name) => headers[name] ?? '')].join('\n'))
      .update(body)
      .digest('hex');
    const receivedRequest: ReceivedRequest = {
      at: Date.now(),
      operation,
      query: new URLSearchParams(query),
      headers,
      bytes,
      body: jsonOf(body),
      first: operation === pairing || !this.heard.some((earlier) => earlier.bytes === bytes),
    };
    this.heard.push(receivedRequest);
    const formProblem = this.formFault(receivedRequest, body);
    if (formProblem !== undefined) this.#fault('TAG-014', `${operation}: ${formProblem}`);
    if (sequentialOperations.has(operation) && this.#pending.size > 0)
      this.#fault('TAG-022', `${operation} came before the answer to ${[...this.#pending][0]?.operation ?? ''}`);
    if (sequentialOperations.has(operation)) this.#pending.add(receivedRequest);
    const override = await this.settings.instead(receivedRequest);
    this.#pending.delete(receivedRequest);
    const stampsBefore = this.stamps.length;
    let reply: Reply | undefined;
    if (typeof override === 'object' && 'status' in override) reply = override;
    else if (override !== 'unseen') reply = this.#answer(receivedRequest, request, target, body, formProblem);
    if (typeof override === 'object' && 'rewritten' in override && reply !== undefined)
      reply = { ...reply, body: override.rewritten };
    let isLost = override === 'lost';
    if (this.settings.answersToLose > 0 && this.stamps.length > stampsBefore) {
      this.settings.answersToLose -= 1;
      isLost = true;
    }
    const nonce = this.#nonces.get(headers['service-nonce'] ?? '');
    // A terminal may have given up waiting.
    if (nonce !== undefined && receivedRequest.first)
      nonce.lost = isLost || request.socket.destroyed || Date.now() - receivedRequest.at > 1_000;
    receivedRequest.reply = isLost ? 'lost' : (reply ?? 'unseen');
    for (const listener of this.#listeners) listener();
    if (isLost || reply === undefined) return void request.socket.destroy();
    const text = reply.body === undefined || typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    response
      .writeHead(reply.status, {
        ...(text === undefined ? {} : { 'content-type': 'application/json', 'cache-control': 'no-store' }),
        ...reply.headers,
      })
      .end(text);
  }

  /** @returns how a request differs from the documented form */
  protected formFault({ operation, query, headers }: ReceivedRequest, body: Buffer): string | undefined {
    return formFault(operation, query, headers['content-type'], body);
  }

  /** Starts a dialogue with any card in factory state. @returns undefined if the card is refused */
  protected open(_uid: string): Opening | undefined {
    // The settings may change before the stamp.
    const current = () => this.settings;
    const dialogue = proveFactoryCard();
    const apdu = dialogue.next().value as string;
    const person: Person = {
      firstName: 'Ada',
      language: 'en',
      since: this.instant(this.now() - 3_600_000),
      get pin() {
        return current().pin;
      },
      get state() {
        return current().person;
      },
      set state(next) {
        current().person = next;
      },
    };
    return { person, dialogue, apdu, issuing: this.settings.issuing };
  }

  protected refuse = refusal;

  protected paired(): void {
    this.terminalId = `trm_${randomBytes(4).toString('hex').toUpperCase()}`;
    this.lastNumber = 41;
  }

  /** After a card became a badge. */
  /** @returns further members of the answer */
  protected issued(_uid: string, _session: string): Json {
    return {};
  }

  #fault(id: string, message: string): void {
    if (this.faults.length < 1_000) this.faults.push({ id, message });
  }

  #answer(
    receivedRequest: ReceivedRequest,
    request: IncomingMessage,
    target: string,
    body: Buffer,
    formProblem: string | undefined,
  ): Reply {
    const { operation } = receivedRequest;
    if (operation === pairing)
      return formProblem === undefined ? this.#pair(receivedRequest.body) : this.refuse(400, 'invalid_request');
    const authenticationRefusal = this.#authenticate(receivedRequest, request, target, body);
    if (authenticationRefusal !== undefined) return authenticationRefusal;
    if (formProblem !== undefined) return this.refuse(400, 'invalid_request');
    const answer = this.#usual(receivedRequest);
    const nonce = this.#nonces.get(receivedRequest.headers['service-nonce'] ?? '');
    if (nonce !== undefined && isRecord(answer.body)) {
      const stamp = operation.endsWith('/stamp') ? answer.body : answer.body['stamp'];
      if (answer.status === 200 && isRecord(stamp)) nonce.outcome = { result: 'recorded', stamp };
      if (answer.status >= 400) nonce.outcome = { result: 'refused', code: answer.body['code'] };
    }
    return answer;
  }

  /** The checks of a service, in its order. */
  #authenticate(
    { operation, headers, bytes }: ReceivedRequest,
    request: IncomingMessage,
    target: string,
    body: Buffer,
  ) {
    const [id = '', time = '', nonce = '', signature = ''] = signedHeaders.map((name) => headers[name]);
    const repeatedHeader = signedHeaders.find(
      (name) => request.rawHeaders.filter((header) => header.toLowerCase() === name).length > 1,
    );
    const signatureBytes = Buffer.from(signature, 'base64');
    const headerProblem =
      repeatedHeader !== undefined
        ? `${repeatedHeader} is given twice`
        : !/^trm_[A-Za-z0-9]+$/.test(id)
          ? 'Service-Terminal is no terminal id'
          : !/^(0|[1-9]\d{0,11})$/.test(time)
            ? 'Service-Time is not decimal Unix seconds'
            : !/^[A-Za-z0-9_-]{16,64}$/.test(nonce)
              ? 'Service-Nonce is not 16 to 64 characters of base64url'
              : signatureBytes.length !== 64 || signatureBytes.toString('base64') !== signature
                ? 'Service-Signature is not the padded base64 of 64 bytes'
                : undefined;
    if (headerProblem !== undefined) {
      this.#fault('TAG-010', `${operation}: ${headerProblem}`);
      return this.refuse(401, 'terminal_unknown');
    }
    const text = [
      'service-terminal-v1',
      request.method,
      target,
      time,
      nonce,
      createHash('sha256').update(body).digest('hex'),
    ].join('\n');
    if (this.key === undefined || id !== this.terminalId || !isValidSignature(this.key, text, signatureBytes)) {
      // After re-pairing, requests with the previous key may still arrive.
      if (this.key !== undefined && id === this.terminalId)
        this.#fault('TAG-011', `${operation}: the signature does not cover what was sent`);
      return this.refuse(401, 'signature_invalid');
    }
    if (Math.abs(this.now() / 1_000 - Number(time)) > 60)
      return this.refuse(401, 'signature_time', { server_time: this.instant() });
    const usedNonce = this.#nonces.get(nonce);
    if (usedNonce === undefined) {
      this.#nonces.set(nonce, { bytes, lost: true, again: 0 });
      return undefined;
    }
    usedNonce.again += 1;
    if (usedNonce.bytes !== bytes) this.#fault('TAG-012', `${operation}: the nonce ${nonce} was used before`);
    else if (!usedNonce.lost)
      this.#fault('TAG-012', `${operation}: the same bytes came again although they were answered`);
    const outcome = usedNonce.bytes === bytes ? usedNonce.outcome : undefined;
    return this.refuse(401, 'nonce_reused', outcome === undefined ? {} : { outcome });
  }

  #pair({ code, public_key: key }: Json): Reply {
    if (typeof code !== 'string' || typeof key !== 'string') return this.refuse(400, 'invalid_request');
    const normalCode = code.replace('-', '').toUpperCase().replace(/[IL]/g, '1').replace(/O/g, '0');
    if (normalCode !== this.code) return this.refuse(404, 'pairing_code_invalid');
    this.code = '';
    this.key = Buffer.from(key, 'base64');
    this.paired();
    return {
      status: 201,
      body: {
        terminal_id: this.terminalId,
        fingerprint: fingerprintOf(this.key),
        confirmed: false,
        server_time: this.instant(),
        ...this.futureMembers,
      },
    };
  }

  #usual({ operation, body }: ReceivedRequest): Reply {
    if (operation === status) return { status: 200, body: this.status() };
    if (!this.settings.confirmed) {
      this.#fault('TAG-004', `${operation} was asked for before the terminal was confirmed`);
      return this.refuse(403, 'terminal_not_confirmed');
    }
    switch (operation) {
      case 'POST /api/v1/terminal/card':
        return this.#card(body);
      case 'POST /api/v1/terminal/card/step':
        return this.#step(body);
      case 'POST /api/v1/terminal/stamp':
        return this.#stamp(body);
      case 'POST /api/v1/terminal/info':
        return this.#info(body);
      case 'POST /api/v1/terminal/offline':
        return this.#offline(body['stamps'] as readonly Json[]);
      default: {
        const session = this.#sessions.get(String(body['session']));
        if (session !== undefined) session.state = 'over';
        return { status: 204 };
      }
    }
  }

  protected status(): Json {
    const { confirmed, offers, issuing } = this.settings;
    return {
      confirmed,
      name: 'Conformance',
      location: 'Test bench',
      server_time: this.instant(),
      offers: { actions: ['in', 'out', 'break_start', 'break_end'], repeat_lock_seconds: 0, ...offers },
      offline_last_number: this.lastNumber,
      ...(issuing ? { issuing: { person_first_name: 'Ada', expires_at: this.instant(this.now() + 120_000) } } : {}),
      ...(offers.offline ? { seal_key: publicBytes(sealSeed).toString('base64') } : {}),
      ...this.futureMembers,
    };
  }

  #card({ uid: rawUid, action }: Json): Reply {
    // A new card ends earlier sessions.
    for (const session of this.#sessions.values()) session.state = 'over';
    const uid = String(rawUid).toLowerCase();
    const opening = this.open(uid);
    if (opening === undefined) return this.refuse(403, 'card_refused');
    const id = `csn_${randomBytes(12).toString('hex')}`;
    const requestedAction = typeof action === 'string' ? action : undefined;
    this.#sessions.set(id, { ...opening, uid, requestedAction, state: 'card' });
    return { status: 200, body: { session: id, apdu: opening.apdu, ...this.futureMembers } };
  }

  #step(body: Json): Reply {
    const session = this.#sessions.get(String(body['session']));
    if (session === undefined) {
      this.#fault('TAG-022', 'a step names a session that no answer told');
      return this.refuse(403, 'card_refused');
    }
    if (session.state !== 'card') {
      this.#fault('TAG-023', 'a step came after its session was over');
      return this.refuse(403, 'card_refused');
    }
    try {
      const next = session.dialogue.next(String(body['response']).toLowerCase());
      if (next.done !== true)
        return { status: 200, body: { session: String(body['session']), apdu: next.value, ...this.futureMembers } };
      if (next.value.uid !== session.uid)
        this.#fault('TAG-020', `the card says ${next.value.uid}, and ${session.uid} was sent`);
    } catch (error) {
      if (!(error instanceof UnexpectedResponse)) throw error;
      session.state = 'over';
      this.#fault('TAG-021', error.message);
      return this.refuse(403, 'card_refused');
    }
    if (session.issuing) {
      session.state = 'over';
      const more = this.issued(session.uid, String(body['session']));
      return { status: 200, body: { result: 'issued', ...more, ...this.futureMembers } };
    }
    session.state = 'proved';
    return { status: 200, body: this.#proved(String(body['session']), session) };
  }

  #proved(id: string, { person, requestedAction }: Session): Json {
    const offeredActions = actionsOf[person.state];
    const action = requestedAction === 'next' ? offeredActions[0] : requestedAction;
    const pinRequired = this.needsPin(person);
    const stamp =
      action !== undefined && !pinRequired && (offeredActions as readonly string[]).includes(action)
        ? this.#record(person, action as Action, undefined)
        : undefined;
    const { firstName, language, state, since } = person;
    return {
      session: id,
      result: 'proved',
      first_name: firstName,
      state,
      actions: actionsOf[state],
      pin_required: pinRequired,
      ...(language === undefined ? {} : { language }),
      ...(since === undefined ? {} : { since }),
      ...(stamp === undefined ? {} : { stamp }),
      ...this.futureMembers,
    };
  }

  protected needsPin({ pin }: Person): boolean {
    return pin !== undefined || this.settings.offers.badge_and_pin;
  }

  #record(person: Person, action: Action, pin: unknown): Json {
    const now = this.instant();
    person.state = stateAfter[action];
    person.since = now;
    this.stamps.push({ action, at: Date.now(), pin });
    return {
      action,
      state: person.state,
      since: now,
      server_time: now,
      warnings: this.warnings,
      ...this.futureMembers,
    };
  }

  #stamp({ session: id, action, pin }: Json): Reply {
    const session = this.#sessions.get(String(id));
    if (session?.state !== 'proved') {
      this.#fault(session?.state === 'over' ? 'TAG-023' : 'TAG-040', 'a stamp came without a proof in its session');
      return this.refuse(403, 'card_refused');
    }
    const { person } = session;
    const pinRefusal = this.needsPin(person) ? this.#pin(person, pin) : undefined;
    if (pinRefusal !== undefined) return pinRefusal;
    if (!(actionsOf[person.state] as readonly unknown[]).includes(action)) {
      this.#fault('TAG-040', `${String(action)} was not offered`);
      return this.refuse(409, action === 'in' ? 'already_clocked_in' : 'not_clocked_in');
    }
    return { status: 200, body: this.#record(person, action as Action, pin) };
  }

  #pin(person: Person, pin: unknown): Reply | undefined {
    if (person.pin === undefined) return undefined;
    if (pin === undefined) return this.refuse(403, 'pin_required');
    const triesBefore = person.wrongPins ?? 0;
    if (triesBefore >= 5) return this.refuse(423, 'pin_locked');
    person.wrongPins = pin === person.pin ? 0 : triesBefore + 1;
    if (person.wrongPins === 0) return undefined;
    return this.refuse(403, 'pin_wrong', person.wrongPins < 5 ? { tries_left: 5 - person.wrongPins } : {});
  }

  #info({ session: id, pin }: Json): Reply {
    const { offers } = this.settings;
    const session = this.#sessions.get(String(id));
    if (session?.state !== 'proved') {
      this.#fault('TAG-045', 'balances were asked for without a proof');
      return this.refuse(403, 'card_refused');
    }
    if (!offers.info) {
      this.#fault('TAG-045', 'balances were asked for although this terminal does not offer them');
      return this.refuse(403, 'feature_disabled');
    }
    const pinRefusal = offers.info_without_pin ? undefined : this.#pin(session.person, pin);
    if (pinRefusal !== undefined) return pinRefusal;
    return {
      status: 200,
      body: { worked_today_minutes: 214, balance_minutes: -95, vacation_days_left: 12.5, ...this.futureMembers },
    };
  }

  #offline(stamps: readonly Json[]): Reply {
    const results = stamps.map((stamp) => {
      const number = Number(stamp['number']);
      const firstUpload = this.uploaded.find((upload) => upload.number === number);
      this.uploaded.push({ number, stamp, at: Date.now() });
      this.lastNumber = Math.max(this.lastNumber, number);
      const isSame = JSON.stringify(firstUpload?.stamp) === JSON.stringify(stamp);
      return {
        number,
        result: firstUpload === undefined ? 'accepted' : isSame ? 'duplicate' : 'conflict',
        ...this.futureMembers,
      };
    });
    return { status: 200, body: { results, last_number: this.lastNumber, ...this.futureMembers } };
  }
}

export const pairing = 'POST /api/v1/terminal/pair';
export const status = 'GET /api/v1/terminal/status';
export const card = 'POST /api/v1/terminal/card';
export const step = 'POST /api/v1/terminal/card/step';
export const stamp = 'POST /api/v1/terminal/stamp';
export const info = 'POST /api/v1/terminal/info';
export const end = 'POST /api/v1/terminal/session/end';
export const offline = 'POST /api/v1/terminal/offline';
const sequentialOperations: ReadonlySet<string> = new Set([card, step, stamp]);

function jsonOf(body: Buffer): Json {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(json) ? json : {};
  } catch {
    return {};
  }
}

/** RFC 8032, with S below the order of the group. */
function isValidSignature(key: Buffer, text: string, signature: Buffer): boolean {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`);
  if (s >= groupOrder) return false;
  try {
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]);
    return verify(null, Buffer.from(text), createPublicKey({ key: spki, format: 'der', type: 'spki' }), signature);
  } catch {
    return false;
  }
}
