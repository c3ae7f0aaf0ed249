/**
 * `--role receiver`: the kit plays the service and judges a receiver of webhooks. It sends events with and without a valid
 * signature and looks only at the answers.
 */
import { randomBytes } from 'node:crypto';
import { Busy, Client, whileBusy } from '../kit/client.js';
import { ensure, Inconclusive } from '../kit/outcome.js';
import type { Level } from '../kit/requirement.js';
import type { Result } from '../kit/runner.js';
import { signWebhook } from '../peers/receiver.js';
import { outcomeOf } from './role.js';

export interface DeliveryResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly milliseconds: number;
}
export interface DeliveryDraft {
  readonly id?: string;
  readonly offsetSeconds?: number;
  readonly event?: Readonly<Record<string, unknown>>;
  /** Replaces the signed body. */
  readonly change?: (body: string) => string;
  readonly signature?: (valid: string) => string;
  /** Number of pieces in which the body is sent; one by default. */
  readonly pieces?: number;
}
export type Send = (draft?: DeliveryDraft) => Promise<DeliveryResult>;

export interface ReceiverRequirement {
  readonly id: string;
  readonly level: Level;
  readonly says: string;
  readonly check: (send: Send) => Promise<void>;
}

const expectAccepted = ({ status }: DeliveryResult, subject: string) =>
  ensure(status >= 200 && status < 300, `${subject} was answered with ${status}`);
const expectRefused = ({ status }: DeliveryResult, subject: string) =>
  ensure(status >= 400, `${subject} was answered with ${status}`);
const epoch = '3f9a7c21';
const newId = () => `evt_${epoch}${randomBytes(7).toString('hex')}`;

export const receiverRequirements: readonly ReceiverRequirement[] = [
  {
    id: 'RCV-001',
    level: 'must',
    says: 'A signed delivery is accepted with a status from 200 to 299.',
    check: async (send) => expectAccepted(await send(), 'a signed delivery'),
  },
  {
    id: 'RCV-002',
    level: 'must',
    says: 'A delivery without a valid signature is refused.',
    async check(send) {
      for (const signature of ['', 'v1,', `v1,${'A'.repeat(43)}=`, 'nonsense'])
        expectRefused(await send({ signature: () => signature }), `the signature »${signature}«`);
      expectRefused(
        await send({ signature: (signature) => signature.replace('v1,', 'v2,') }),
        'a signature of another version',
      );
    },
  },
  {
    id: 'RCV-003',
    level: 'must',
    says: 'A delivery whose body was changed is refused: the signature covers bytes, not meaning.',
    async check(send) {
      expectRefused(await send({ change: (body) => body.replace('"ping"', '"pong"') }), 'another type');
      expectRefused(await send({ change: (body) => `${body} ` }), 'one blank more');
    },
  },
  {
    id: 'RCV-004',
    level: 'must',
    says: 'A delivery that was signed more than five minutes ago, or for later, is refused.',
    async check(send) {
      expectRefused(await send({ offsetSeconds: -400 }), 'a delivery of 400 seconds ago');
      expectRefused(await send({ offsetSeconds: 400 }), 'a delivery of 400 seconds ahead');
      expectAccepted(await send({ offsetSeconds: -60 }), 'a delivery of a minute ago');
    },
  },
  {
    id: 'RCV-005',
    level: 'must',
    says: 'One valid signature of two is enough, wherever it stands.',
    async check(send) {
      const otherSignature = `v1,${'B'.repeat(43)}=`;
      expectAccepted(
        await send({ signature: (signature) => `${otherSignature} ${signature}` }),
        'a valid second signature',
      );
      expectAccepted(
        await send({ signature: (signature) => `${signature} ${otherSignature}` }),
        'a valid first signature',
      );
    },
  },
  {
    id: 'RCV-006',
    level: 'must',
    says: 'The same event again is accepted: deliveries come at least once.',
    async check(send) {
      const id = newId();
      expectAccepted(await send({ id }), 'the first delivery');
      expectAccepted(await send({ id }), 'the second delivery');
    },
  },
  {
    id: 'RCV-007',
    level: 'must',
    says: 'Unknown types and members are accepted: version 1 grows.',
    async check(send) {
      expectAccepted(await send({ event: { type: 'moon.landed' } }), 'an unknown type');
      expectAccepted(await send({ event: { surprise: { nested: [1] } } }), 'an unknown member');
    },
  },
  {
    id: 'RCV-008',
    level: 'must',
    says: 'The answer comes within 15 seconds, is not compressed and is no redirect.',
    async check(send) {
      const answer = await send();
      expectAccepted(answer, 'a signed delivery');
      ensure(answer.milliseconds < 15_000, `the answer took ${answer.milliseconds} ms`);
      ensure(answer.headers['content-encoding'] === undefined, 'the answer is compressed');
    },
  },
  {
    id: 'RCV-009',
    level: 'should',
    says: 'The answer comes within two seconds: store first, work later.',
    async check(send) {
      let { milliseconds } = await send();
      for (let times = 0; milliseconds >= 2_000 && times < 2; times++) ({ milliseconds } = await send());
      ensure(milliseconds < 2_000, `the answer took ${milliseconds} ms`);
    },
  },
  {
    id: 'RCV-010',
    level: 'must',
    says: 'Bodies of 64 KiB and text in any script are accepted, and their signature is verified over the bytes.',
    async check(send) {
      expectAccepted(await send({ event: { data: { comment: 'Grüße, 出勤 🕗 '.repeat(3_050) } } }), 'a body of 64 KiB');
      expectAccepted(
        await send({ event: { data: { name: 'I\u0307\u00e9e\u0301' } } }),
        'text that could be normalised',
      );
    },
  },
  {
    id: 'RCV-011',
    level: 'must',
    says: 'Events that come late or at the same time are accepted: order holds for one person, not for all.',
    async check(send) {
      expectAccepted(await send({ event: { sequence: 5_000 } }), 'an event with a higher sequence');
      expectAccepted(await send({ event: { sequence: 4_999 } }), 'an event with a lower sequence after it');
      const deliveries = await Promise.all(Array.from({ length: 8 }, () => send()));
      for (const delivery of deliveries) expectAccepted(delivery, 'one of eight events at once');
    },
  },
  {
    id: 'RCV-012',
    level: 'must',
    says: 'A refused delivery leaves no trace: the same event, signed well, is accepted afterwards.',
    async check(send) {
      const id = newId();
      expectRefused(await send({ id, signature: () => `v1,${'A'.repeat(43)}=` }), 'a forged delivery');
      expectAccepted(await send({ id }), 'the event that it claimed to be');
    },
  },
  {
    id: 'RCV-013',
    level: 'must',
    says: 'A body that comes slowly, in pieces, is read to its end before it is judged.',
    async check(send) {
      expectAccepted(await send({ pieces: 4 }), 'an event in four pieces');
      const largeEvent = { data: { comment: 'Grüße, 出勤 🕗 '.repeat(1_000) } };
      expectAccepted(await send({ pieces: 3, event: largeEvent }), 'a large event in three pieces');
    },
  },
  {
    id: 'RCV-014',
    level: 'must',
    says: 'Events of a new epoch are accepted, and after them events of the one before.',
    async check(send) {
      expectAccepted(await send({ event: { epoch: '0badc0de' } }), 'an event of a new epoch');
      expectAccepted(await send(), 'an event of the epoch before');
    },
  },
];

/** @param pauseMs between the pieces of a slow body. @param now must be close to the receiver's clock */
export function senderTo(url: string, secret: string, pauseMs = 400, now: () => number = Date.now): Send {
  const { origin, pathname, search } = new URL(url);
  const client = new Client(origin, undefined, undefined);
  let sequence = 1_000;
  const deliver = async (draft: DeliveryDraft): Promise<DeliveryResult> => {
    const { id = newId(), offsetSeconds = 0, event = {} } = draft;
    const timestamp = String(Math.floor(now() / 1_000) + offsetSeconds);
    const body = JSON.stringify({
      id,
      type: 'ping',
      timestamp: new Date(Number(timestamp) * 1_000).toISOString().replace(/\.\d+/, ''),
      sequence: ++sequence,
      epoch,
      company_id: 1,
      data: { extension: { id: 'ext_5T9WCP2H', name: 'Conformance' } },
      ...event,
    });
    const validSignature = signWebhook(secret, id, timestamp, body);
    const start = performance.now();
    const answer = await client.call('POST', pathname + search, {
      raw: draft.change?.(body) ?? body,
      patient: false,
      ...(draft.pieces === undefined ? {} : { slowly: { pieces: draft.pieces, pauseMs } }),
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': draft.signature?.(validSignature) ?? validSignature,
      },
    });
    const { status, headers } = answer;
    if ([429, 503].includes(status) && headers['retry-after'] !== undefined) throw new Busy(answer);
    if ([502, 503, 504].includes(status)) throw new Inconclusive(`${status}, by something before the receiver`);
    return { status, headers, milliseconds: Math.round(performance.now() - start) };
  };
  return (draft = {}) => whileBusy(() => deliver(draft));
}

export async function judgeReceiver(
  send: Send,
  onResult?: (result: Result) => void,
  requirements: readonly ReceiverRequirement[] = receiverRequirements,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const requirement of requirements) {
    const result = await outcomeOf('receiver role', requirement, () => requirement.check(send));
    results.push(result);
    onResult?.(result);
  }
  return results;
}
