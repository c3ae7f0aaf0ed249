/**
 * Whether the time of an answer tells which terminals exist: whole requests of a terminal that nobody knows beside
 * those of a known one with a bad signature. The samples alternate in one run, so both sides meet the same machine.
 */
import { fileURLToPath } from 'node:url';
import { type DialectName, dialects } from '@clockproof/platform/testing/databases';
import { addDoor, type Door, openDoor, type SignOptions } from '../test/door.js';
import { createWorld } from '../test/world.js';

const samples = 2_000;
const warmUp = 200;
const path = '/api/v1/terminal/status';
const micro = (milliseconds: number) => (milliseconds * 1_000).toFixed(0);
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;

async function measure(dialect: DialectName): Promise<string[][]> {
  const world = await createWorld(dialect, { unchecked: true });
  const door = await openDoor(world, 'probed');
  const { terminalId: unpaired } = await addDoor(world, { name: 'Unpaired' });
  const signature = () => Buffer.alloc(64, 7).toString('base64');
  // Ids as long as real ones, of terminals that do not exist; another one each time, as somebody who tries them would.
  const probes: Readonly<Record<'known' | 'unknown' | 'unpaired', (turn: number) => SignOptions>> = {
    known: () => ({ signature }),
    unknown: (turn) => ({ signature, terminal: `trm_${String(turn).padStart(door.terminalId.length - 4, '0')}` }),
    unpaired: () => ({ signature, terminal: unpaired }),
  };
  const kinds = ['known', 'unknown', 'unpaired'] as const;
  const took: Record<(typeof kinds)[number], number[]> = { known: [], unknown: [], unpaired: [] };
  for (let turn = 0; turn < warmUp + samples; turn++) {
    // Each kind comes first as often as the others. Failed tries are counted for a minute.
    for (let place = 0; place < kinds.length; place++) {
      const kind = kinds[(turn + place) % kinds.length]!;
      const milliseconds = await timed(door, probes[kind](turn));
      if (turn >= warmUp) took[kind].push(milliseconds);
      world.advance(5_000);
    }
  }
  await world.close();
  const known = median(took.known);
  return (['unknown', 'unpaired'] as const).map((kind) => {
    const other = median(took[kind]);
    return [
      `a terminal that is ${kind === 'unknown' ? 'not known' : 'not paired'} beside a bad signature, ${samples} each, difference of the medians, ${dialect}`,
      `${micro(other - known)} µs (${((100 * (other - known)) / known).toFixed(1)} %)`,
      '≤ 5 % or 200 µs',
      `${micro(other)} µs`,
      `${micro(known)} µs`,
      '0',
    ];
  });
}

async function timed(door: Door, options: SignOptions): Promise<number> {
  const { url, init } = door.signed('GET', path, undefined, options);
  const from = performance.now();
  const response = await fetch(url, init);
  const body = (await response.json()) as { readonly code: string };
  const milliseconds = performance.now() - from;
  if (body.code !== 'signature_invalid') throw new Error(`not refused as it should be: ${JSON.stringify(body)}`);
  return milliseconds;
}

/** @returns rows of the table of figures */
export async function measureUnknownTerminal(): Promise<string[][]> {
  const rows: string[][] = [];
  for (const dialect of dialects) rows.push(...(await measure(dialect)));
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const address = (name: string) => new URL(`../../../platform/test/${name}.js`, import.meta.url).href;
  const server = (await import(address('postgres-server'))) as { default(): Promise<void> };
  await server.default();
  for (const row of await measureUnknownTerminal()) console.log(`| ${row.join(' | ')} |`);
  const stop = (await import(address('stop-postgres-server'))) as { default(): Promise<void> };
  await stop.default();
}
