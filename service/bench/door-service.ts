/**
 * The cost of a stamp at the door for the service. At twenty stamps a second: the service's own time, from the first
 * byte of a request to its answer, summed over the requests of each stamp, with devices and cards in a process of their
 * own. At saturation: processor time for each stamp beside the same handlers called without HTTP, which run the same
 * statements and the same cryptography.
 *
 * At saturation cards and devices are simulated in this process. Their share is in both figures of the ratio, so the
 * true one is no worse.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { type Figure, show } from '@clockproof/platform/testing/bench';
import type { DialectName } from '@clockproof/platform/testing/databases';
import { writeCardFile } from '@clockproof/terminal-agent/simulator/card-file';
import { recordPerson } from '../src/people/people.js';
import { openCardSession, stampAtTerminal, stepCardSession } from '../src/terminals/api.js';
import { authenticateTerminal } from '../src/terminals/request-signature.js';
import { spendNonce } from '../src/terminals/rows.js';
import { type Door, type HeldCard, issueBadge, openDoor, system } from '../test/door.js';
import { createWorld, minute, type World } from '../test/world.js';
import { type DeviceReport, type Order, stampOnce } from './door-devices.js';

const doorCount = 30;
const pacedStamps = 400;
const perSecond = 20;
const saturatedStamps = 300;
const rounds = 3;

type Send = (door: Door, path: string, body: object) => Promise<Readonly<Record<string, unknown>>>;

interface Place {
  readonly door: Door;
  readonly seed: string;
  readonly card: HeldCard;
  isIn: boolean;
}

async function measure(dialect: DialectName): Promise<readonly Figure[]> {
  const times = new Map<string, number>();
  const info = (facts: { readonly request_id?: string; readonly ms?: number }) => {
    if (facts.request_id !== undefined && facts.ms !== undefined) times.set(facts.request_id, facts.ms);
  };
  const ignore = () => undefined;
  const log = { debug: ignore, info, warn: ignore, error: ignore, fatal: ignore } as never;
  const world = await createWorld(dialect, { unchecked: true, log });
  const places = await furnish(world);

  const overHttp: Send = async (door, path, body) => (await door.send('POST', path, body)).body;
  const withoutHttp = directly(world);
  const stampWith = (send: Send, place: Place) => stampOnce((path, body) => send(place.door, path, body), place);
  for (const place of places) for (const send of [overHttp, withoutHttp]) await stampWith(send, place);

  const countCollections = watchCollections();
  const cpuBefore = process.cpuUsage();
  const stampRequestIds = await stampElsewhere(world, places);
  const cpu = milliseconds(process.cpuUsage(cpuBefore)) / pacedStamps;
  const collections = countCollections();
  const sums = stampRequestIds.map((ids) => ids.reduce((sum, id) => sum + times.get(id)!, 0)).sort((a, b) => a - b);
  const at = (share: number) => sums[Math.floor(share * sums.length)]!;

  const saturate = async (send: Send) => {
    const start = process.cpuUsage();
    await Promise.all(
      places.map(async (place) => {
        for (let turn = 0; turn < saturatedStamps / doorCount; turn++) {
          world.advance(1);
          await stampWith(send, place);
        }
      }),
    );
    return milliseconds(process.cpuUsage(start)) / saturatedStamps;
  };
  const ratios: { readonly ours: number; readonly ceiling: number }[] = [];
  for (let round = 0; round < rounds; round++)
    ratios.push({ ours: await saturate(overHttp), ceiling: await saturate(withoutHttp) });
  ratios.sort((a, b) => a.ceiling / a.ours - b.ceiling / b.ours);
  const { ours, ceiling } = ratios[rounds >> 1]!;
  await world.close();
  return [
    [
      `a stamp at the door, its five requests together at ${perSecond}/s, ${dialect}`,
      `p50 ${show(at(0.5))} ms, p99 ${show(at(0.99))} ms`,
      'p50 ≤ 15 ms, p99 ≤ 60 ms',
      `${show(cpu)} ms of processor time of the service`,
      `worst ${show(sums.at(-1)!)} ms; ${collections} major garbage collections in ${pacedStamps} stamps`,
    ],
    [
      `stamps at the door at saturation, processor time, ${dialect}`,
      show(ceiling / ours),
      '≥ 0.40',
      `${show(ours)} ms`,
      `${show(ceiling)} ms without HTTP`,
    ],
  ];
}

/** The paced stamps, made by another process. @returns the ids of the requests of each */
async function stampElsewhere(world: World, places: readonly Place[]): Promise<DeviceReport['stamps']> {
  const devices = fork(new URL('./door-devices.js', import.meta.url));
  const answer = once(devices, 'message');
  const exit = once(devices, 'exit');
  const order: Order = {
    url: world.url,
    at: world.now(),
    stamps: pacedStamps,
    perSecond,
    places: places.map(({ door: { terminalId }, seed, card, isIn }) => {
      return { terminalId, seed, uidHex: card.uidHex, card: writeCardFile(card), isIn };
    }),
  };
  const tick = 50;
  const clock = setInterval(() => world.advance(tick), tick);
  devices.send(order);
  const result = await Promise.race([answer.then(([message]) => message as DeviceReport), exit.then(() => undefined)]);
  clearInterval(clock);
  if (result === undefined) throw new Error('the process of the devices ended before its stamps were made');
  await exit;
  for (const [index, place] of places.entries()) place.isIn = result.isIn[index]!;
  return result.stamps;
}

/** Counts major garbage collections: each stops the service for tens of milliseconds. @returns their number so far */
function watchCollections(): () => number {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { readonly detail: { readonly kind: number } }[])
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) count++;
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    observer.disconnect();
    return count;
  };
}

const milliseconds = ({ user, system: kernel }: NodeJS.CpuUsage) => (user + kernel) / 1_000;

/** Makes the doors, each without a repeat lock, and a card of each family in turn. */
async function furnish(world: World): Promise<Place[]> {
  const places: Place[] = [];
  for (let number = 0; number < doorCount; number++) {
    const person = await world.service.store.write({ actor: system, at: world.now() }, (write) =>
      recordPerson(write, {
        companyId: world.nord,
        firstName: 'Person',
        lastName: String(number),
        role: 'employee',
        language: 'en',
        employmentStart: '2020-01-01',
      }),
    );
    const seed = `bench ${number}`;
    const door = await openDoor(world, seed, { name: `Gate ${number}`, repeatLockSeconds: 0 });
    const family = number % 2 === 0 ? 'desfire-ev2' : 'ntag424';
    const uid = `04bb0000${String(number).padStart(6, '0')}`;
    places.push({
      door,
      seed,
      card: await issueBadge(world, door, person, uid, family),
      isIn: false,
    });
    world.advance(minute);
  }
  return places;
}

/** The handlers, called with the values that a request would give them. */
function directly(world: World): Send {
  const parts = {
    db: world.service.store,
    dataKey: world.service.dataKey,
    randomBytes: world.randomBytes,
  };
  const handlers: Readonly<Record<string, (request: never) => Promise<{ readonly body?: unknown }>>> = {
    '/api/v1/terminal/card': openCardSession as never,
    '/api/v1/terminal/card/step': stepCardSession as never,
    '/api/v1/terminal/stamp': stampAtTerminal as never,
  };
  return async (door, path, body) => {
    const { init } = door.signed('POST', path, body);
    const caller = await authenticateTerminal(world.service.store, {
      method: 'POST',
      target: path,
      rawHeaders: Object.entries(init.headers as Readonly<Record<string, string>>).flat(),
      rawBody: Buffer.from(init.body as string),
      at: world.now(),
    });
    const answer = await handlers[path]!({ ...parts, caller, body, at: world.now() } as never);
    return answer.body as Readonly<Record<string, unknown>>;
  };
}

/** A table of a million nonces, as many as 556 terminals use in the three minutes that they are kept. */
async function measureNonces(dialect: DialectName): Promise<Figure> {
  const world = await createWorld(dialect, { unchecked: true });
  const at = world.now();
  await world.db.write((tx) =>
    tx.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
       INSERT INTO terminal_nonces (terminal_id, nonce, at) SELECT 'trm_' || (i / 1800), 'nonce-' || i, CAST(:at AS BIGINT) FROM n`,
      { at: at - minute },
    ),
  );
  const times: number[] = [];
  for (let number = 0; number < 1_000; number++) {
    const row = { terminal_id: `trm_${number % 556}`, nonce: `new-${number}`, at, request: '', outcome: null };
    const from = performance.now();
    await world.db.write((tx) => spendNonce(tx, row));
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  await world.close();
  return [
    `a nonce among 1,000,000, with its commit, ${dialect}`,
    `p50 ${show(times[500]!)} ms, p99 ${show(times[990]!)} ms`,
    'p99 ≤ 5 ms',
  ];
}

export async function measureDoorService(dialect: DialectName): Promise<readonly Figure[]> {
  return [...(await measure(dialect)), await measureNonces(dialect)];
}
