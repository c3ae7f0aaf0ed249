/** Breaches of a receiver of webhooks that the kit must catch, each with the requirement that must name it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Delivery, refuseWebhook } from '../../peers/receiver.js';
import { judgeReceiver, receiverRequirements, senderTo } from '../../roles/receiver.js';

export const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds before the answer. */
  readonly after?: number;
}
type Judge = (delivery: Delivery) => Reply;

export interface ReceiverViolation {
  readonly id: string;
  readonly breaks: string;
  readonly does: string;
  /** A receiver that has seen nothing yet. */
  readonly judge: () => Judge;
  /** Judges the first piece of a body. */
  readonly hasty?: boolean;
  /** Takes so long for every answer that only its own requirement is checked. */
  readonly slow?: boolean;
}

/** What a receiver that is right answers. */
export const right: Judge = ({ headers, body, at }) => ({
  status: refuseWebhook(headers, body, secret, at) === undefined ? 204 : 401,
});
const idOf = ({ headers }: Delivery) => String(headers['webhook-id']);
const eventOf = ({ body }: Delivery) =>
  JSON.parse(String(body)) as { type: string; sequence: number; epoch: string; surprise?: unknown };
/** Refuses what fits, although its signature is valid. */
const refusing =
  (fits: (delivery: Delivery) => boolean, status = 400) =>
  (): Judge =>
  (delivery) => {
    const answer = right(delivery);
    return answer.status === 204 && fits(delivery) ? { status } : answer;
  };

export const receiverViolations: readonly ReceiverViolation[] = [
  { id: 'R01', breaks: 'RCV-001', does: 'refuses everything', judge: () => () => ({ status: 401 }) },
  {
    id: 'R02',
    breaks: 'RCV-001',
    does: 'answers with a redirect',
    judge: () => (delivery) =>
      right(delivery).status === 204 ? { status: 302, headers: { location: '/elsewhere' } } : { status: 401 },
  },
  { id: 'R03', breaks: 'RCV-002', does: 'accepts everything', judge: () => () => ({ status: 200 }) },
  {
    id: 'R04',
    breaks: 'RCV-002',
    does: 'compares as much of a signature as was sent',
    judge: () => (delivery) => {
      const given = String(delivery.headers['webhook-signature']);
      return given === '' || given === 'v1,' ? { status: 204 } : right(delivery);
    },
  },
  {
    id: 'R05',
    breaks: 'RCV-003',
    does: 'verifies what it has parsed and written again',
    judge: () => (delivery) => {
      const body = Buffer.from(JSON.stringify(JSON.parse(String(delivery.body))));
      return right({ ...delivery, body });
    },
  },
  {
    id: 'R06',
    breaks: 'RCV-004',
    does: 'takes deliveries of any time',
    judge: () => (delivery) => right({ ...delivery, at: Number(delivery.headers['webhook-timestamp']) * 1_000 }),
  },
  {
    id: 'R07',
    breaks: 'RCV-004',
    does: 'allows no difference between the clocks',
    judge: refusing(({ headers, at }) => at / 1_000 - Number(headers['webhook-timestamp']) > 30),
  },
  {
    id: 'R08',
    breaks: 'RCV-005',
    does: 'reads one signature',
    judge: refusing(({ headers }) => / /.test(String(headers['webhook-signature'])), 401),
  },
  {
    id: 'R09',
    breaks: 'RCV-006',
    does: 'refuses what it has already received',
    judge: () => {
      const seen = new Set<string>();
      return refusing((delivery) => seen.size === seen.add(idOf(delivery)).size, 409)();
    },
  },
  {
    id: 'R10',
    breaks: 'RCV-007',
    does: 'refuses types that it does not know',
    judge: refusing((delivery) => !/^(ping|clock|leave|link)/.test(eventOf(delivery).type)),
  },
  {
    id: 'R11',
    breaks: 'RCV-007',
    does: 'refuses members that it does not know',
    judge: refusing((delivery) => eventOf(delivery).surprise !== undefined),
  },
  {
    id: 'R12',
    breaks: 'RCV-008',
    does: 'compresses its answers',
    judge: () => (delivery) =>
      right(delivery).status === 204 ? { status: 204, headers: { 'content-encoding': 'gzip' } } : { status: 401 },
  },
  {
    id: 'R13',
    breaks: 'RCV-009',
    does: 'works before it answers',
    judge: () => (delivery) => ({ ...right(delivery), after: 2_100 }),
    slow: true,
  },
  {
    id: 'R14',
    breaks: 'RCV-010',
    does: 'takes small bodies only',
    judge: refusing(({ body }) => body.length > 60_000, 413),
  },
  {
    id: 'R15',
    breaks: 'RCV-010',
    does: 'normalises text before it verifies',
    judge: () => (delivery) => right({ ...delivery, body: Buffer.from(String(delivery.body).normalize('NFC')) }),
  },
  {
    id: 'R16',
    breaks: 'RCV-011',
    does: 'wants sequences that grow',
    judge: () => {
      let newest = 0;
      return refusing((delivery) => {
        const { sequence } = eventOf(delivery);
        const late = sequence === newest - 1;
        newest = sequence;
        return late;
      }, 409)();
    },
  },
  {
    id: 'R17',
    breaks: 'RCV-012',
    does: 'remembers the ids of what was forged',
    judge: () => {
      const forged = new Set<string>();
      return (delivery) => {
        const answer = forged.has(idOf(delivery)) ? { status: 401 } : right(delivery);
        if (answer.status === 401) forged.add(idOf(delivery));
        return answer;
      };
    },
  },
  { id: 'R18', breaks: 'RCV-013', does: 'judges the first piece of a body', judge: () => right, hasty: true },
  {
    id: 'R19',
    breaks: 'RCV-014',
    does: 'refuses epochs that it does not know',
    judge: () => {
      let first: string | undefined;
      return refusing((delivery) => {
        const { epoch } = eventOf(delivery);
        first ??= epoch;
        return epoch !== first;
      }, 409)();
    },
  },
];

/** @returns ids of the requirements that a receiver breaks */
export async function namedBy(
  violation: Pick<ReceiverViolation, 'judge' | 'hasty' | 'slow' | 'breaks'>,
): Promise<readonly string[]> {
  const receiver = await open(violation);
  const only = violation.slow === true ? receiverRequirements.filter(({ id }) => id === violation.breaks) : undefined;
  // The pieces of a slow body come soon after each other.
  const results = await judgeReceiver(senderTo(receiver.url, secret, 15), undefined, only);
  await receiver.close();
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
}

async function open({ judge, hasty = false }: Pick<ReceiverViolation, 'judge' | 'hasty'>) {
  const judged = judge();
  const bodyOf = async (request: IncomingMessage) => {
    if (hasty) return ((await once(request, 'data')) as [Buffer])[0];
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  };
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const body = await bodyOf(request);
    const { status, headers, after = 0 } = judged({ at, method: 'POST', path: '/', headers: request.headers, body });
    await pause(after);
    response.writeHead(status, headers).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
