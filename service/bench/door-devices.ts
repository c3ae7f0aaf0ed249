/**
 * The devices and cards of door-service.ts, in a process of their own as at a real door: their garbage is not collected
 * in the time of the service. Takes one order, stamps at its pace, and answers with the ids of the requests.
 */
import { randomBytes } from 'node:crypto';
import { readCardFile } from '@clockproof/terminal-agent/simulator/card-file';
import { type Door, doorOf } from '../test/door.js';

export interface Order {
  readonly url: string;
  /** The service's time at the first stamp; it goes on at the pace of the clock on the wall. */
  readonly at: number;
  readonly stamps: number;
  readonly perSecond: number;
  readonly places: readonly {
    readonly terminalId: string;
    readonly seed: string;
    readonly uidHex: string;
    readonly card: string;
    readonly isIn: boolean;
  }[];
}

export interface DeviceReport {
  /** `X-Request-Id` of each request of each stamp. */
  readonly stamps: readonly (readonly string[])[];
  readonly isIn: readonly boolean[];
}

export interface DeviceCard {
  readonly uidHex: string;
  apdu(command: Uint8Array): Uint8Array;
  reset(): void;
}

/** The requests of a stamp: card, three steps, stamp. @param ask sends one of them and returns its body */
export async function stampOnce(
  ask: (path: string, body: object) => Promise<Readonly<Record<string, unknown>>>,
  place: { readonly card: DeviceCard; isIn: boolean },
): Promise<void> {
  const { card } = place;
  let answer = await ask('/api/v1/terminal/card', { uid: card.uidHex });
  while (answer['apdu'] !== undefined) {
    const response = Buffer.from(card.apdu(Buffer.from(answer['apdu'] as string, 'hex'))).toString('hex');
    answer = await ask('/api/v1/terminal/card/step', { session: answer['session'], response });
  }
  card.reset();
  const action = place.isIn ? 'out' : 'in';
  const stamp = await ask('/api/v1/terminal/stamp', { session: answer['session'], action });
  if (stamp['state'] !== action) throw new Error(`not stamped: ${JSON.stringify(stamp)}`);
  place.isIn = !place.isIn;
}

async function carryOut(order: Order): Promise<DeviceReport> {
  const from = performance.now();
  const clock = { url: order.url, now: () => order.at + (performance.now() - from) };
  const places = order.places.map(({ terminalId, seed, uidHex, card, isIn }) => ({
    door: doorOf(clock, terminalId, seed),
    card: { ...readCardFile(card, randomBytes), uidHex },
    isIn,
    busy: Promise.resolve(),
  }));
  const stamps: string[][] = [];
  const pendingStamps: Promise<void>[] = [];
  const ask = (door: Door, ids: string[]) => async (path: string, body: object) => {
    const answer = await door.send('POST', path, body, { nonce: randomBytes(16).toString('base64url') });
    ids.push(answer.headers.get('x-request-id')!);
    return answer.body;
  };
  for (let number = 0; number < order.stamps; number++) {
    const wait = from + (number * 1_000) / order.perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const place = places[number % places.length]!;
    const ids: string[] = [];
    stamps.push(ids);
    // One card at a time at each door: a second one would end the dialogue of the first.
    place.busy = place.busy.then(() => stampOnce(ask(place.door, ids), place));
    pendingStamps.push(place.busy);
  }
  await Promise.all(pendingStamps);
  return { stamps, isIn: places.map(({ isIn }) => isIn) };
}

// Only as a process of its own; the parent also imports `stampOnce`.
if (process.argv[1] === new URL(import.meta.url).pathname)
  process.once('message', (order: Order) => {
    void carryOut(order).then((result) => process.send!(result, undefined, {}, () => process.disconnect()));
  });
