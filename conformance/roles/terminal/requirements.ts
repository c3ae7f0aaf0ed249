/** What a terminal has to do, each checked from the service's side of the wire. */
import { createHash } from 'node:crypto';
import { Breach, ensure, Skipped } from '../../kit/outcome.js';
import type { Level } from '../../kit/requirement.js';
import { open } from '../../peers/hpke.js';
import { fingerprintOf } from '../../peers/terminal.js';
import type { Driver, DriverReply, Instruction } from './driver.js';
import {
  type AnswerOverride,
  card,
  defaultSettings,
  end,
  info,
  offline,
  type PlayedService,
  pairing,
  type ReceivedRequest,
  refusal,
  type Settings,
  stamp,
  status,
  step,
} from './service.js';

export interface TerminalRequirement {
  readonly id: string;
  readonly level: Level;
  readonly says: string;
  /** Left out where all that was heard is enough: what broke it stands among the faults. */
  readonly check?: (bench: Bench) => Promise<void>;
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Seconds within which a confirmed terminal asks for its status: it does so about once a minute. */
const untilAsked = 75;
const pause = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1_000));

/** A terminal under test, and who operates it. */
export class Bench {
  readonly service: PlayedService;
  readonly driver: Driver;
  #offline: Promise<OfflineScene> | undefined;

  constructor(service: PlayedService, driver: Driver) {
    this.service = service;
    this.driver = driver;
  }

  /** How many requests were heard so far. */
  get mark(): number {
    return this.service.heard.length;
  }

  change(changes: Partial<Settings>): void {
    this.service.settings = { ...defaultSettings(), ...changes };
  }

  since(mark: number, operation?: string): readonly ReceivedRequest[] {
    const requests = this.service.heard.slice(mark);
    return operation === undefined ? requests : requests.filter((request) => request.operation === operation);
  }

  /** @throws Skipped the operator cannot do this */
  async send(instruction: Instruction): Promise<DriverReply> {
    const reply = await this.driver.send(instruction);
    if (reply.cannot !== undefined) throw new Skipped(reply.cannot);
    return reply;
  }

  /** @throws Breach it is not heard in time */
  async waitForRequest(
    operation: string,
    mark: number,
    subject: string,
    seconds = this.driver.maxWaitSeconds,
  ): Promise<ReceivedRequest> {
    const request = await this.service.waitForRequest((candidate) => candidate.operation === operation, seconds, mark);
    if (request === undefined) throw new Breach(`${subject} did not come within ${seconds} s`);
    return request;
  }

  newCode(): string {
    const random = createHash('sha256').update(String(Math.random())).digest();
    const code = Array.from(random.subarray(0, 8), (byte) => crockford[byte % 32]).join('');
    this.service.code = code;
    return `${code.slice(0, 4)}-${code.slice(4)}`;
  }

  /** A terminal that is paired and confirmed, and knows it. */
  async ensurePaired(): Promise<void> {
    this.change({});
    if (this.service.key === undefined) {
      await this.pair();
    }
  }

  async pair(): Promise<DriverReply> {
    const mark = this.mark;
    this.change({ confirmed: false });
    const reply = await this.send({ do: 'pair', code: this.newCode() });
    const request = await this.waitForRequest(pairing, mark, 'the request to pair');
    ensure(isReply(request) && request.reply.status === 201, `pairing was answered with ${statusOf(request)}`);
    this.change({});
    await this.waitForConfirmation();
    return reply;
  }

  /** Waits until the terminal has heard that it is confirmed. */
  async waitForConfirmation(): Promise<void> {
    const mark = this.mark;
    await this.service.waitForRequest(
      (candidate) => candidate.operation === status && ok(candidate),
      this.driver.maxWaitSeconds,
      mark,
    );
    await pause(0.3);
  }

  /** Waits for the next question for the status, so that the terminal knows what has changed. */
  async waitForStatus(): Promise<void> {
    const mark = this.mark;
    const request = await this.service.waitForRequest(
      (candidate) => candidate.operation === status && ok(candidate),
      untilAsked,
      mark,
    );
    if (request === undefined) throw new Breach(`the status was not asked for within ${untilAsked} s`);
    await pause(0.2);
  }

  /** Holds a card there until its session is over. @returns the stamp */
  async stamp(hold: Omit<Extract<Instruction, { do: 'hold' }>, 'do'> = { action: 'in' }): Promise<void> {
    const stampsBefore = this.service.stamps.length;
    const mark = this.mark;
    await this.send({ do: 'hold', ...hold });
    const request = await this.service.waitForRequest(
      () => this.service.stamps.length > stampsBefore,
      this.driver.maxWaitSeconds,
      mark,
    );
    if (request === undefined)
      throw new Breach(`no stamp came within ${this.driver.maxWaitSeconds} s: ${this.brief(mark)}`);
    await this.removeCard();
  }

  /** Takes the card away and lets the visit end. */
  async removeCard(seconds = 0.3): Promise<void> {
    await this.driver.send({ do: 'remove' });
    await pause(seconds);
  }

  brief(mark: number): string {
    return (
      this.since(mark)
        .filter(({ operation }) => operation !== status)
        .map((request) => `${request.operation.split('/terminal/')[1]} ${statusOf(request)}`)
        .join(', ') || 'nothing was heard'
    );
  }

  forgetOffline(): void {
    this.#offline = undefined;
  }

  /** Whether the terminal asks for its status, and is answered. */
  async isOnline(): Promise<boolean> {
    return (
      (await this.service.waitForRequest(
        (candidate) => candidate.operation === status && ok(candidate),
        untilAsked,
        this.mark,
      )) !== undefined
    );
  }

  /** Once for all that is about it. */
  offline(): Promise<OfflineScene> {
    this.#offline ??= offlineScene(this);
    return this.#offline;
  }
}

const isReply = (
  request: ReceivedRequest,
): request is ReceivedRequest & { reply: { status: number; body?: unknown } } => typeof request.reply === 'object';
const ok = (request: ReceivedRequest) => isReply(request) && request.reply.status === 200;
const statusOf = (request: ReceivedRequest) =>
  typeof request.reply === 'object' ? String(request.reply.status) : request.reply;

/** Answers the first request for an operation otherwise. */
function overrideAnswer(
  operation: string,
  override: AnswerOverride | (() => AnswerOverride | Promise<AnswerOverride>),
  times = 1,
) {
  let timesLeft = times;
  return (request: ReceivedRequest): AnswerOverride | Promise<AnswerOverride> => {
    if (request.operation !== operation || timesLeft <= 0) return undefined;
    timesLeft -= 1;
    return typeof override === 'function' ? override() : override;
  };
}

/** After trouble at the first card, the next one is served. */
async function serveNext(bench: Bench): Promise<void> {
  bench.change({});
  await bench.removeCard();
  // It may have thought that the service is away.
  await bench.waitForStatus();
  await bench.stamp();
}

/** One stamp in trouble. @returns what `enough` waited for. @throws Breach it was recorded twice, or never */
async function recordOnce(bench: Bench, trouble: Partial<Settings>, suffices: (request: ReceivedRequest) => boolean) {
  await bench.ensurePaired();
  const mark = bench.mark;
  const stampsBefore = bench.service.stamps.length;
  bench.change(trouble);
  await bench.send({ do: 'hold', action: 'in' });
  const request = await bench.service.waitForRequest(suffices, bench.driver.maxWaitSeconds, mark);
  await pause(2);
  const stampCount = bench.service.stamps.length - stampsBefore;
  ensure(stampCount === 1, `${stampCount} stamps were recorded: ${bench.brief(mark)}`);
  ensure(bench.since(mark, stamp).filter(({ first }) => first).length <= 1, 'another stamp was sent');
  await bench.removeCard();
  return request;
}

interface OfflineScene {
  readonly uploads: readonly ReceivedRequest[];
  readonly from: number;
  readonly cards: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

async function offlineScene(bench: Bench): Promise<OfflineScene> {
  await bench.ensurePaired();
  await bench.waitForStatus();
  const { service } = bench;
  const startedAt = Date.now();
  const from = service.lastNumber;
  service.settings.unreachable = true;
  // A terminal may need a card or a question for its status to notice.
  await bench.send({ do: 'hold' });
  await pause(6);
  await bench.removeCard();
  let cards = 0;
  for (const action of ['in', 'break_start'] as const) {
    await bench.send({ do: 'hold', action });
    await pause(1.5);
    await bench.removeCard(3.5);
    cards += 1;
  }
  const endedAt = Date.now();
  const mark = bench.mark;
  bench.change({ instead: overrideAnswer(offline, 'lost') });
  const lostRequest = await service.waitForRequest((candidate) => candidate.operation === offline, untilAsked, mark);
  if (lostRequest === undefined)
    throw new Skipped(`this terminal uploaded nothing within ${untilAsked} s: it keeps no stamps`);
  await service.waitForRequest((candidate) => candidate.operation === offline && ok(candidate), untilAsked, mark);
  await bench.waitForStatus();
  await pause(0.5);
  return { uploads: bench.since(mark, offline), from, cards, startedAt, endedAt };
}

export const terminalRequirements: readonly TerminalRequirement[] = [
  {
    id: 'TAG-001',
    level: 'must',
    says: 'The fingerprint that the terminal shows is that of its own key, whatever the service answers.',
    async check(bench) {
      const otherCode = 'AAAA-BBBB-CCCC-DDDD';
      const mark = bench.mark;
      bench.change({
        confirmed: false,
        instead: overrideAnswer(pairing, () => ({
          status: 201,
          body: {
            terminal_id: 'trm_0THER',
            fingerprint: otherCode,
            confirmed: false,
            server_time: new Date().toISOString(),
          },
        })),
      });
      const { fingerprint: shownFingerprint } = await bench.send({ do: 'pair', code: bench.newCode() });
      await bench.waitForRequest(pairing, mark, 'the request to pair');
      ensure(shownFingerprint !== otherCode, 'the fingerprint of the answer was shown');
      bench.change({});
      const { fingerprint } = await bench.pair();
      if (fingerprint === undefined) throw new Skipped('nobody told which fingerprint is shown');
      const terminalFingerprint = fingerprintOf(bench.service.key!);
      ensure(
        fingerprint === terminalFingerprint,
        `${fingerprint} is shown, and the key's fingerprint is ${terminalFingerprint}`,
      );
    },
  },
  {
    id: 'TAG-002',
    level: 'must',
    says: 'A pairing code that was refused is not sent again unless a person enters it again.',
    async check(bench) {
      bench.change({});
      const mark = bench.mark;
      bench.service.code = '';
      await bench.send({ do: 'pair', code: '7K3M-Q9XT' });
      await bench.waitForRequest(pairing, mark, 'the request to pair');
      await pause(3);
      const attemptCount = bench.since(mark, pairing).length;
      ensure(attemptCount === 1, `the code was sent ${attemptCount} times`);
    },
  },
  {
    id: 'TAG-003',
    level: 'must',
    says: 'The terminal pairs with the code that was entered and the 32 bytes of an Ed25519 public key.',
    async check(bench) {
      bench.change({});
      const mark = bench.mark;
      const code = bench.newCode();
      await bench.send({ do: 'pair', code });
      const request = await bench.waitForRequest(pairing, mark, 'the request to pair');
      const sentCode = String(request.body['code']).replace('-', '').toUpperCase();
      ensure(sentCode === code.replace('-', ''), `${String(request.body['code'])} was sent instead of ${code}`);
      const key = Buffer.from(String(request.body['public_key']), 'base64');
      ensure(key.length === 32, `the public key has ${key.length} bytes`);
      ensure(isReply(request) && request.reply.status === 201, `pairing was answered with ${statusOf(request)}`);
      await bench.waitForRequest(status, mark, 'the question for the status after pairing');
      await bench.waitForConfirmation();
    },
  },
  {
    id: 'TAG-004',
    level: 'must',
    says: 'Until it is confirmed, the terminal asks for its status every few seconds, and for nothing else.',
    async check(bench) {
      bench.change({ confirmed: false });
      const mark = bench.mark;
      await bench.send({ do: 'pair', code: bench.newCode() });
      const pairRequest = await bench.waitForRequest(pairing, mark, 'the request to pair');
      ensure(
        isReply(pairRequest) && pairRequest.reply.status === 201,
        `pairing was answered with ${statusOf(pairRequest)}`,
      );
      await bench.driver.send({ do: 'hold', action: 'in' });
      const statusRequest = await bench.service.waitForRequest(
        (candidate) => candidate.operation === status && bench.since(mark, status).length >= 2,
        12,
        mark,
      );
      ensure(statusRequest !== undefined, 'the status was not asked for twice within 12 s');
      await bench.driver.send({ do: 'remove' });
      bench.change({});
      await bench.waitForConfirmation();
    },
  },
  {
    id: 'TAG-010',
    level: 'must',
    says: 'Every request but pairing carries the four headers once, each in its one spelling.',
  },
  {
    id: 'TAG-011',
    level: 'must',
    says: 'The signature covers the method, the path with its query as sent, the time, the nonce and the body as sent.',
  },
  {
    id: 'TAG-012',
    level: 'must',
    says: 'No nonce is used twice, unless a request comes again byte by byte because its answer was lost.',
  },
  {
    id: 'TAG-013',
    level: 'must',
    says: 'A terminal whose clock is wrong corrects it by `server_time`, and signs the refused request again.',
    async check(bench) {
      await bench.ensurePaired();
      bench.change({ ahead: 3_600_000 });
      await bench.stamp();
      const refusals = bench.service.heard.filter(
        (request) => isReply(request) && codeOf(request) === 'signature_time',
      );
      ensure(refusals.length <= 4, `${refusals.length} requests were refused for their time`);
      bench.change({});
      const mark = bench.mark;
      await bench.stamp();
      const repeats = bench.since(mark).filter((request) => codeOf(request) === 'signature_time');
      ensure(repeats.length <= 4, `${repeats.length} requests were refused for their time`);
    },
  },
  {
    id: 'TAG-014',
    level: 'must',
    says: 'Every request has the documented members, parameters and types, and no others.',
  },
  {
    id: 'TAG-015',
    level: 'should',
    says: 'A terminal whose key the service does not know asks less and less often, and goes on when it is known again.',
    async check(bench) {
      await bench.ensurePaired();
      const mark = bench.mark;
      bench.change({ instead: () => refusal(401, 'signature_invalid') });
      await bench.service.waitForRequest(() => true, 20, mark);
      await pause(8);
      const requestCount = bench.since(mark).length;
      ensure(requestCount <= 5, `it asked ${requestCount} times in eight seconds`);
      bench.change({});
      const request = await bench.service.waitForRequest(
        (candidate) => candidate.operation === status && ok(candidate),
        65,
        bench.mark,
      );
      ensure(request !== undefined, 'it did not ask again within 65 s');
      await pause(0.3);
    },
  },
  { id: 'TAG-020', level: 'must', says: 'The UID that is sent is the one that the card reports.', check: serve },
  {
    id: 'TAG-021',
    level: 'must',
    says: 'Commands reach the card unchanged, and its whole answers come back unchanged: authentication holds.',
    async check(bench) {
      await bench.ensurePaired();
      for (const person of ['out', 'in'] as const) {
        bench.change({ person });
        await bench.stamp({ action: person === 'out' ? 'in' : 'out' });
      }
    },
  },
  {
    id: 'TAG-022',
    level: 'must',
    says: 'The steps of a dialogue come one after the other, in the session that the service named.',
    check: serve,
  },
  {
    id: 'TAG-023',
    level: 'must',
    says: 'A refusal ends the dialogue: no step and no stamp follows in its session.',
    async check(bench) {
      await bench.ensurePaired();
      const mark = bench.mark;
      bench.change({ instead: overrideAnswer(step, refusal(403, 'card_refused')) });
      await bench.send({ do: 'hold', action: 'in' });
      const refusedStep = await bench.waitForRequest(step, mark, 'a step');
      await pause(1);
      const session = refusedStep.body['session'];
      const more = bench
        .since(bench.service.heard.indexOf(refusedStep) + 1)
        .filter(({ body }) => body['session'] === session);
      ensure(
        more.every(({ operation }) => operation === end),
        `after the refusal came ${bench.brief(mark)}`,
      );
      await serveNext(bench);
    },
  },
  {
    id: 'TAG-024',
    level: 'must',
    says: 'A step whose answer was lost is not sent again, unless it carries a stamp that was named beforehand.',
    async check(bench) {
      await bench.ensurePaired();
      const mark = bench.mark;
      bench.change({ instead: overrideAnswer(step, 'lost') });
      await bench.send({ do: 'hold', action: 'in' });
      const lostStep = await bench.waitForRequest(step, mark, 'a step');
      await pause(2);
      const opening = bench
        .since(mark, card)
        .find(({ reply }) => JSON.stringify(reply).includes(String(lostStep.body['session'])));
      const repeats = bench.since(mark, step).filter(({ body }) => body['session'] === lostStep.body['session']);
      ensure(repeats.length === 1 || opening?.body['action'] !== undefined, 'the step was sent again');
      await serveNext(bench);
    },
  },
  {
    id: 'TAG-025',
    level: 'must',
    says: 'A result that the terminal does not know ends the session, and the next badge is served.',
    async check(bench) {
      await bench.ensurePaired();
      const mark = bench.mark;
      bench.change({
        instead: overrideAnswer(step, { status: 200, body: { result: 'moonlit', session: 'csn_0123456789abcdef' } }),
      });
      await bench.send({ do: 'hold', action: 'in' });
      const request = await bench.waitForRequest(step, mark, 'a step');
      await pause(1);
      const laterRequests = bench.since(bench.service.heard.indexOf(request) + 1);
      ensure(!laterRequests.some(({ operation }) => operation === step || operation === stamp), bench.brief(mark));
      await serveNext(bench);
    },
  },
  {
    id: 'TAG-028',
    level: 'must',
    says: '`issued` ends the dialogue without a stamp.',
    async check(bench) {
      await bench.ensurePaired();
      bench.change({ issuing: true });
      await bench.waitForStatus();
      const mark = bench.mark;
      await bench.send({ do: 'hold', action: 'in' });
      const issuingStep = await bench.service.waitForRequest(
        (candidate) => candidate.operation === step && JSON.stringify(candidate.reply).includes('"issued"'),
        bench.driver.maxWaitSeconds,
        mark,
      );
      ensure(issuingStep !== undefined, `no badge was issued: ${bench.brief(mark)}`);
      await pause(1);
      ensure(bench.since(mark, stamp).length === 0, 'a stamp followed');
      await bench.removeCard();
      bench.change({});
      await bench.waitForStatus();
    },
  },
  {
    id: 'TAG-029',
    level: 'must',
    says: 'If the card is taken away, the terminal invents no reply for it.',
    async check(bench) {
      await bench.ensurePaired();
      const mark = bench.mark;
      let release: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      let isWaiting = false;
      bench.change({
        instead: overrideAnswer(card, async () => {
          isWaiting = true;
          await gate;
          return undefined;
        }),
      });
      await bench.send({ do: 'hold', action: 'in' });
      for (let tenths = 0; !isWaiting && tenths < bench.driver.maxWaitSeconds * 10; tenths += 1) await pause(0.1);
      const reply = await bench.driver.send({ do: 'remove' });
      release();
      if (reply.cannot !== undefined) throw new Skipped(reply.cannot);
      await bench.waitForRequest(card, mark, 'a card');
      await pause(1.5);
      ensure(bench.since(mark, step).length === 0, 'a step followed although the card was gone');
      await serveNext(bench);
    },
  },
  {
    id: 'TAG-030',
    level: 'should',
    says: 'The session is ended when the person is done.',
    async check(bench) {
      await bench.ensurePaired();
      const mark = bench.mark;
      await bench.stamp();
      const session = bench.since(mark, step)[0]?.body['session'];
      const endRequest = await bench.service.waitForRequest(
        (candidate) => candidate.operation === end && candidate.body['session'] === session,
        20,
        mark,
      );
      ensure(endRequest !== undefined, 'the session was not ended within 20 s of the stamp');
    },
  },
  {
    id: 'TAG-040',
    level: 'must',
    says: 'The stamp that the person chose is sent once, in the session of the proof.',
    async check(bench) {
      await bench.ensurePaired();
      for (const [person, action] of [
        ['out', 'in'],
        ['in', 'break_start'],
        ['on_break', 'out'],
      ] as const) {
        bench.change({ person });
        const stampsBefore = bench.service.stamps.length;
        await bench.stamp({ action });
        await pause(0.7);
        const actions = bench.service.stamps.slice(stampsBefore).map((stampRow) => stampRow.action);
        ensure(actions.join() === action, `${action} was chosen, and ${actions.join(', ')} was sent`);
      }
    },
  },
  {
    id: 'TAG-041',
    level: 'must',
    says: 'Somebody on a break is not clocked out unless they chose it.',
    async check(bench) {
      await bench.ensurePaired();
      bench.change({ person: 'on_break' });
      const stampsBefore = bench.service.stamps.length;
      await bench.send({ do: 'hold' });
      await bench.service.waitForRequest(() => bench.service.stamps.length > stampsBefore, 12, bench.mark);
      await bench.removeCard();
      const actions = bench.service.stamps.slice(stampsBefore).map((stampRow) => stampRow.action);
      ensure(!actions.includes('out'), 'out was stamped without a choice');
    },
  },
  {
    id: 'TAG-042',
    level: 'must',
    says: 'After a stamp that only repeats what is recorded, no other stamp follows.',
    async check(bench) {
      await bench.ensurePaired();
      const mark = bench.mark;
      const now = new Date().toISOString().replace(/\.\d+/, '');
      bench.change({
        instead: overrideAnswer(stamp, {
          status: 200,
          body: { action: 'in', repeated: true, state: 'in', since: now, server_time: now, warnings: [] },
        }),
      });
      await bench.send({ do: 'hold', action: 'in' });
      await bench.service.waitForRequest(
        (candidate) => candidate.operation === stamp || 'stamp' in bodyOf(candidate),
        bench.driver.maxWaitSeconds,
        mark,
      );
      await pause(2);
      ensure(bench.since(mark, stamp).length <= 1, 'another stamp followed');
      await bench.removeCard();
    },
  },
  {
    id: 'TAG-043',
    level: 'must',
    says: 'Where a PIN is required, the stamp carries its six digits as text, as they were entered.',
    async check(bench) {
      await bench.ensurePaired();
      bench.change({ pin: '012345' });
      await bench.stamp({ action: 'in', pin: '012345' });
      ensure(bench.service.stamps.at(-1)?.pin === '012345', 'the PIN is not the one that was entered');
    },
  },
  {
    id: 'TAG-044',
    level: 'must',
    says: 'A PIN that was wrong is not sent again unless the person enters it again: five lock the badge.',
    async check(bench) {
      await bench.ensurePaired();
      const mark = bench.mark;
      bench.change({ pin: '543210' });
      await bench.send({ do: 'hold', action: 'in', pin: '012345' });
      const wrongPin = await bench.service.waitForRequest(
        (candidate) => codeOf(candidate) === 'pin_wrong',
        bench.driver.maxWaitSeconds,
        mark,
      );
      ensure(wrongPin !== undefined, `no PIN was sent: ${bench.brief(mark)}`);
      await pause(2);
      const attemptCount = bench.since(mark).filter((candidate) => codeOf(candidate) === 'pin_wrong').length;
      ensure(attemptCount === 1, `the PIN was sent ${attemptCount} times`);
      await bench.removeCard();
    },
  },
  {
    id: 'TAG-045',
    level: 'must',
    says: 'Balances are asked for after the proof, where they are offered, and with the PIN unless they are shown without.',
    async check(bench) {
      await bench.ensurePaired();
      bench.change({ pin: '012345' });
      const mark = bench.mark;
      await bench.send({ do: 'hold', info: true, pin: '012345' });
      const request = await bench.service.waitForRequest(
        (candidate) => candidate.operation === info,
        bench.driver.maxWaitSeconds,
        mark,
      );
      ensure(request !== undefined, `balances were not asked for: ${bench.brief(mark)}`);
      ensure(request.body['pin'] === '012345', 'the PIN is not the one that was entered');
      await bench.removeCard();
    },
  },
  {
    id: 'TAG-050',
    level: 'must',
    says: 'A stamp whose answer was lost is sent again byte by byte, and the terminal goes by the outcome in the answer.',
    async check(bench) {
      const repetition = await recordOnce(
        bench,
        { answersToLose: 1 },
        (candidate) => codeOf(candidate) === 'nonce_reused',
      );
      ensure(repetition?.first === false, 'the same bytes did not come again');
    },
  },
  {
    id: 'TAG-051',
    level: 'must',
    says: 'While a stamp is still being decided it is asked for again with the same bytes, and no other is made.',
    async check(bench) {
      let undecidedCount = 1;
      const decideLater: Settings['instead'] = (request) => {
        if (request.first || undecidedCount === 0) return undefined;
        undecidedCount -= 1;
        return refusal(401, 'nonce_reused');
      };
      const isDecided = (candidate: ReceivedRequest) => JSON.stringify(candidate.reply).includes('"outcome"');
      await recordOnce(bench, { answersToLose: 1, instead: decideLater }, isDecided);
    },
  },
  {
    id: 'TAG-052',
    level: 'should',
    says: 'A busy service (429, 503) is asked again no earlier than `Retry-After` says.',
    async check(bench) {
      await bench.ensurePaired();
      for (const [code, word] of [
        [429, 'rate_limited'],
        [503, 'unavailable'],
      ] as const) {
        const mark = bench.mark;
        bench.change({ instead: overrideAnswer(card, refusal(code, word, {}, { 'retry-after': '3' })) });
        await bench.send({ do: 'hold', action: 'in' });
        const busyRequest = await bench.waitForRequest(card, mark, 'a card');
        await pause(2.7);
        // On a busy machine the pause itself takes longer.
        const earlyRequests = bench
          .since(mark, card)
          .filter((candidate) => candidate !== busyRequest && candidate.at - busyRequest.at < 2_700);
        ensure(
          earlyRequests.length === 0,
          `after ${code} the card was sent again ${(earlyRequests[0]?.at ?? 0) - busyRequest.at} ms later`,
        );
        await bench.service.waitForRequest((candidate) => candidate.operation === stamp, 3, mark);
        await bench.removeCard();
      }
    },
  },
  {
    id: 'TAG-053',
    level: 'must',
    says: 'A service that fails, or a page from a proxy or captive portal, ends one visit: the next badge is served.',
    async check(bench) {
      await bench.ensurePaired();
      const page: AnswerOverride = {
        status: 502,
        body: '<html>Bad gateway</html>',
        headers: { 'content-type': 'text/html' },
      };
      for (const override of [
        refusal(500, 'internal'),
        page,
        { status: 200, body: '{"session":' } satisfies AnswerOverride,
      ]) {
        const mark = bench.mark;
        bench.change({ instead: overrideAnswer(card, override, 3) });
        await bench.send({ do: 'hold', action: 'in' });
        await bench.waitForRequest(card, mark, 'a card');
        await pause(0.5);
        await serveNext(bench);
      }
    },
  },
  {
    id: 'TAG-054',
    level: 'should',
    says: 'Redirects are not followed: what was signed for one address goes to no other.',
    async check(bench) {
      await bench.ensurePaired();
      const mark = bench.mark;
      const otherPath = '/api/v1/terminal/elsewhere';
      bench.change({ instead: overrideAnswer(card, { status: 307, headers: { location: otherPath } }) });
      await bench.send({ do: 'hold', action: 'in' });
      await bench.waitForRequest(card, mark, 'a card');
      await pause(1);
      const hasFollowed = bench.since(mark).some(({ operation }) => operation.endsWith(otherPath));
      bench.service.faults.splice(
        0,
        bench.service.faults.length,
        ...bench.service.faults.filter(({ message }) => !message.includes(otherPath)),
      );
      ensure(!hasFollowed, 'the redirect was followed');
      await serveNext(bench);
    },
  },
  {
    id: 'TAG-060',
    level: 'must',
    says: 'Stamps made without a connection are uploaded in order, numbered on from the service and the journal, without gaps.',
    async check(bench) {
      const { uploads, from, cards } = await bench.offline();
      const numbers = [...new Set(uploads.flatMap(numbersOf))];
      ensure(numbers.length >= cards, `${cards} cards were held there, and ${numbers.length} stamps were uploaded`);
      ensure(
        numbers.every((number, index) => number === from + 1 + index),
        `the service had ${from}, and ${numbers.join(', ')} were uploaded`,
      );
    },
  },
  {
    id: 'TAG-061',
    level: 'must',
    says: 'A sealed stamp opens with the key of the service, its terminal and its number; what is in it has the documented form.',
    async check(bench) {
      const { uploads, startedAt, endedAt } = await bench.offline();
      for (const sentStamp of uploads.flatMap(stampsOf)) {
        const { uid, action, at } = contentOf(bench, sentStamp);
        ensure(/^[0-9a-f]{14}$/i.test(String(uid)), `stamp ${String(sentStamp['number'])} has the UID ${String(uid)}`);
        ensure(
          /^(in|out|break_start|break_end)$/.test(String(action)),
          `stamp ${String(sentStamp['number'])}: ${String(action)}`,
        );
        const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(at))
          ? Date.parse(String(at))
          : Number.NaN;
        ensure(
          instant >= startedAt - 60_000 && instant <= endedAt + 60_000,
          `stamp ${String(sentStamp['number'])} is of ${String(at)}`,
        );
      }
    },
  },
  {
    id: 'TAG-062',
    level: 'must',
    says: 'A batch whose answer was lost is uploaded again: the same numbers and contents, signed again.',
    async check(bench) {
      const { uploads } = await bench.offline();
      const [lostBatch, repetition] = uploads;
      ensure(repetition !== undefined, 'the batch did not come again');
      ensure(repetition.headers['service-nonce'] !== lostBatch?.headers['service-nonce'], 'it was not signed again');
      ensure(
        numbersOf(lostBatch).every((number) => numbersOf(repetition).includes(number)),
        `${numbersOf(lostBatch).join(', ')} were lost, and ${numbersOf(repetition).join(', ')} came`,
      );
      const contents = (request: ReceivedRequest | undefined) =>
        new Map(
          stampsOf(request).map((sentStamp) => [
            Number(sentStamp['number']),
            JSON.stringify(contentOf(bench, sentStamp)),
          ]),
        );
      const secondContents = contents(repetition);
      for (const [number, content] of contents(lostBatch))
        ensure(secondContents.get(number) === content, `number ${number} came with another content`);
    },
  },
  {
    id: 'TAG-063',
    level: 'must',
    says: 'A stamp that has its result is not uploaded again.',
    async check(bench) {
      const { uploads } = await bench.offline();
      const settledNumbers = new Set<number>();
      for (const request of uploads) {
        const repeatedNumbers = numbersOf(request).filter((number) => settledNumbers.has(number));
        ensure(repeatedNumbers.length === 0, `${repeatedNumbers.join(', ')} came again`);
        if (ok(request)) for (const number of numbersOf(request)) settledNumbers.add(number);
      }
    },
  },
  {
    id: 'TAG-064',
    level: 'must',
    says: 'Where the terminal does not offer it, nothing is recorded without a connection.',
    async check(bench) {
      await bench.ensurePaired();
      const offers = { ...defaultSettings().offers, offline: false };
      bench.change({ offers });
      await bench.waitForStatus();
      bench.service.settings.unreachable = true;
      await bench.send({ do: 'hold' });
      await pause(4);
      await bench.removeCard();
      await bench.send({ do: 'hold', action: 'in' });
      await pause(1.5);
      await bench.removeCard(1);
      const mark = bench.mark;
      bench.change({ offers });
      await bench.service.waitForRequest(
        (candidate) => candidate.operation === status && ok(candidate),
        untilAsked,
        mark,
      );
      await pause(1);
      ensure(bench.since(mark, offline).length === 0, 'stamps were uploaded');
      bench.change({});
      await bench.waitForStatus();
    },
  },
  {
    id: 'TAG-065',
    level: 'must',
    says: 'A stamp whose result the terminal does not know is kept and uploaded again.',
    async check(bench) {
      // Whether it uploads at all.
      await bench.offline();
      const { service } = bench;
      await bench.waitForStatus();
      service.settings.unreachable = true;
      await bench.send({ do: 'hold' });
      await pause(6);
      await bench.removeCard();
      await bench.send({ do: 'hold', action: 'out' });
      await pause(1.5);
      await bench.removeCard(3.5);
      const mark = bench.mark;
      const number = service.lastNumber + 1;
      const results = [{ number, result: 'moonlit' }];
      bench.change({ instead: overrideAnswer(offline, { status: 200, body: { results, last_number: number } }) });
      const firstUpload = await service.waitForRequest(
        (candidate) => candidate.operation === offline,
        untilAsked,
        mark,
      );
      ensure(numbersOf(firstUpload).includes(number), `number ${number} did not come`);
      const repetition = await service.waitForRequest(
        (candidate) => candidate.operation === offline && ok(candidate) && numbersOf(candidate).includes(number),
        90,
        bench.mark,
      );
      ensure(repetition !== undefined, `number ${number} did not come again within 90 s`);
    },
  },
];

export async function serve(bench: Bench): Promise<void> {
  await bench.ensurePaired();
  await bench.stamp();
}

const bodyOf = ({ reply }: ReceivedRequest): Record<string, unknown> =>
  typeof reply === 'object' && typeof reply.body === 'object' ? reply.body : {};
const codeOf = (request: ReceivedRequest): unknown => bodyOf(request)['code'];
const stampsOf = (request: ReceivedRequest | undefined) =>
  (request?.body['stamps'] ?? []) as readonly Record<string, unknown>[];
const numbersOf = (request: ReceivedRequest | undefined) =>
  stampsOf(request).map((sentStamp) => Number(sentStamp['number']));

function contentOf(bench: Bench, sentStamp: Record<string, unknown>): Record<string, unknown> {
  const { sealed, number } = sentStamp;
  if (typeof sealed !== 'string') return { uid: sentStamp['uid'], action: sentStamp['action'], at: sentStamp['at'] };
  const text = open(bench.service.sealSeed, `${bench.service.terminalId}\n${String(number)}`, sealed);
  ensure(text !== undefined, `stamp ${String(number)} does not open`);
  return JSON.parse(text) as Record<string, unknown>;
}
