/**
 * What a stamp at the door costs the service. At twenty stamps a second: the service's own time, from the first byte of
 * a request to its answer, summed over the requests of each stamp. At saturation: processor time for each stamp beside
 * the same handlers called without HTTP, which run the same statements and the same cryptography.
 *
 * Cards and devices are simulated in this process. Their share is in both figures of a ratio, so the true one is no
 * worse.
 */
import { fileURLToPath } from 'node:url';
import { type DialectName, dialects } from '@clockproof/platform/testing/databases';
import { openCardSession, stampAtTerminal, stepCardSession } from '../src/http/terminal/card-sessions.js';
import { addPerson } from '../src/people/people.js';
import { authenticateTerminal } from '../src/terminals/request-signature.js';
import { spendNonce } from '../src/terminals/rows.js';
import { type Door, type HeldCard, issueBadge, openDoor, system } from '../test/door.js';
import { createWorld, minute, type World } from '../test/world.js';

const doorCount = 30;
const paced = 400;
const perSecond = 20;
const saturated = 300;
const rounds = 3;

interface Answer {
  readonly body: Readonly<Record<string, unknown>>;
  /** Of the service, for this request. */
  readonly milliseconds: number;
}
type Send = (door: Door, path: string, body: object) => Promise<Answer>;

interface Place {
  readonly door: Door;
  readonly card: HeldCard;
  isIn: boolean;
  busy: Promise<void>;
}

const show = (n: number) => n.toFixed(2);

/** The five requests of a stamp: card, three steps, stamp. @returns milliseconds of the service */
async function stampOnce(send: Send, place: Place): Promise<number> {
  const { door, card } = place;
  let spent = 0;
  const ask = async (path: string, body: object) => {
    const answer = await send(door, `/api/v1/terminal/${path}`, body);
    spent += answer.milliseconds;
    return answer.body;
  };
  let answer = await ask('card', { uid: card.uidHex });
  while (answer['apdu'] !== undefined) {
    const response = Buffer.from(card.apdu(Buffer.from(answer['apdu'] as string, 'hex'))).toString('hex');
    answer = await ask('card/step', { session: answer['session'], response });
  }
  card.reset();
  const action = place.isIn ? 'out' : 'in';
  const stamp = await ask('stamp', { session: answer['session'], action });
  if (stamp['state'] !== action) throw new Error(`not stamped: ${JSON.stringify(stamp)}`);
  place.isIn = !place.isIn;
  return spent;
}

async function measure(dialect: DialectName): Promise<string[][]> {
  const times = new Map<string, number>();
  const info = (facts: { readonly request_id?: string; readonly ms?: number }) => {
    if (facts.request_id !== undefined && facts.ms !== undefined) times.set(facts.request_id, facts.ms);
  };
  const quiet = () => undefined;
  const log = { debug: quiet, info, warn: quiet, error: quiet, fatal: quiet } as never;
  const world = await createWorld(dialect, { unchecked: true, log });
  const places = await furnish(world);

  const overHttp: Send = async (door, path, body) => {
    const { headers, body: answer } = await door.send('POST', path, body);
    const id = headers.get('x-request-id')!;
    const milliseconds = times.get(id) ?? 0;
    times.delete(id);
    return { body: answer, milliseconds };
  };
  const without = directly(world);
  for (const place of places) for (const send of [overHttp, without]) await stampOnce(send, place);

  const sums: number[] = [];
  const underWay: Promise<void>[] = [];
  const before = process.cpuUsage();
  const from = performance.now();
  for (let number = 0; number < paced; number++) {
    const wait = from + (number * 1_000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    world.advance(1_000 / perSecond);
    const place = places[number % doorCount]!;
    // One card at a time at each door: a second one would end the dialogue of the first.
    place.busy = place.busy.then(async () => void sums.push(await stampOnce(overHttp, place)));
    underWay.push(place.busy);
  }
  await Promise.all(underWay);
  const cpu = milliseconds(process.cpuUsage(before)) / paced;
  sums.sort((a, b) => a - b);
  const at = (share: number) => sums[Math.floor(share * sums.length)]!;

  const saturate = async (send: Send) => {
    const start = process.cpuUsage();
    await Promise.all(
      places.map(async (place) => {
        for (let turn = 0; turn < saturated / doorCount; turn++) {
          world.advance(1);
          await stampOnce(send, place);
        }
      }),
    );
    return milliseconds(process.cpuUsage(start)) / saturated;
  };
  const ratios: { readonly ours: number; readonly ceiling: number }[] = [];
  for (let round = 0; round < rounds; round++)
    ratios.push({ ours: await saturate(overHttp), ceiling: await saturate(without) });
  ratios.sort((a, b) => a.ceiling / a.ours - b.ceiling / b.ours);
  const { ours, ceiling } = ratios[rounds >> 1]!;
  await world.close();
  return [
    [
      `a stamp at the door, its five requests together at ${perSecond}/s, ${dialect}`,
      `p50 ${show(at(0.5))} ms, p99 ${show(at(0.99))} ms`,
      'p50 ≤ 15 ms, p99 ≤ 60 ms',
      `${show(cpu)} ms of processor time, devices and cards included`,
      '',
      '',
    ],
    [
      `stamps at the door at saturation, processor time, ${dialect}`,
      show(ceiling / ours),
      '≥ 0.40',
      `${show(ours)} ms`,
      `${show(ceiling)} ms without HTTP`,
      '',
    ],
  ];
}

const milliseconds = ({ user, system: kernel }: NodeJS.CpuUsage) => (user + kernel) / 1_000;

/** A door for each, without a repeat lock, and a card of each family in turn. */
async function furnish(world: World): Promise<Place[]> {
  const places: Place[] = [];
  for (let number = 0; number < doorCount; number++) {
    const person = await world.service.store.write({ actor: system, at: world.now() }, (write) =>
      addPerson(write, {
        companyId: world.nord,
        firstName: 'Person',
        lastName: String(number),
        role: 'employee',
        language: 'en',
        employmentStart: '2020-01-01',
      }),
    );
    const door = await openDoor(world, `bench ${number}`, { name: `Gate ${number}`, repeatLockSeconds: 0 });
    const family = number % 2 === 0 ? 'desfire-ev2' : 'ntag424';
    const uid = `04bb0000${String(number).padStart(6, '0')}`;
    places.push({
      door,
      card: await issueBadge(world, door, person, uid, family),
      isIn: false,
      busy: Promise.resolve(),
    });
    world.advance(minute);
  }
  return places;
}

/** The handlers, called with what the edge would give them. */
function directly(world: World): Send {
  const needs = {
    db: world.service.store,
    dataKey: world.service.dataKey,
    randomBytes: world.randomBytes,
  };
  const handlers: Readonly<Record<string, (request: never) => Promise<{ readonly body?: unknown }>>> = {
    '/api/v1/terminal/card': openCardSession(needs) as never,
    '/api/v1/terminal/card/step': stepCardSession(needs) as never,
    '/api/v1/terminal/stamp': stampAtTerminal(needs) as never,
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
    const answer = await handlers[path]!({ caller, body, at: world.now() } as never);
    return { body: answer.body as Answer['body'], milliseconds: 0 };
  };
}

/** A table of a million nonces, as many as 556 terminals use in the three minutes that they are kept. */
async function measureNonces(dialect: DialectName): Promise<string[]> {
  const world = await createWorld(dialect, { unchecked: true });
  const at = world.now();
  await world.db.write((tx) =>
    tx.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
       INSERT INTO terminal_nonces (terminal_id, nonce, at) SELECT 'trm_' || (i / 1800), 'nonce-' || i, CAST(:at AS BIGINT) FROM n`,
      { at: at - minute },
    ),
  );
  const took: number[] = [];
  for (let number = 0; number < 1_000; number++) {
    const row = { terminal_id: `trm_${number % 556}`, nonce: `new-${number}`, at, request: '', outcome: null };
    const from = performance.now();
    await world.db.write((tx) => spendNonce(tx, row, at - 3 * minute));
    took.push(performance.now() - from);
  }
  took.sort((a, b) => a - b);
  await world.close();
  return [
    `a nonce among 1,000,000, with its commit, ${dialect}`,
    `p50 ${show(took[500]!)} ms, p99 ${show(took[990]!)} ms`,
    'p99 ≤ 5 ms',
    '',
    '',
    '',
  ];
}

export async function measureDoorService(): Promise<string[][]> {
  const rows: string[][] = [];
  for (const dialect of dialects) rows.push(...(await measure(dialect)), await measureNonces(dialect));
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const address = (name: string) => new URL(`../../../platform/test/${name}.js`, import.meta.url).href;
  const server = (await import(address('postgres-server'))) as { default(): Promise<void> };
  await server.default();
  for (const row of await measureDoorService()) console.log(`| ${row.join(' | ')} |`);
  const stop = (await import(address('stop-postgres-server'))) as { default(): Promise<void> };
  await stop.default();
}
