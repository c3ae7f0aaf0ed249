/**
 * A year of 200 people with a moved clock, and every balance recomputed from the rows at its end.
 * `make soak NAME=year`; PEOPLE=50 for a shorter one. Fails if a balance or a vacation account differs.
 */
import type { DialectName } from '@clockproof/platform/testing/databases';
import { createWorld } from '../test/world.js';
import { compareYear } from './year/compare.js';
import { simulateYear } from './year/simulate.js';

const count = Number(process.env['PEOPLE'] ?? 200);
const dialect = (process.argv[2] ?? 'sqlite') as DialectName;
const from = '2027-01-01';

const world = await createWorld(dialect, { unchecked: true });
const startedAt = performance.now();
const year = await simulateYear(world, { count, from, to: '2028-01-31' });
console.log(`${count} people, ${from} to ${year.lastDay}, ${Math.round((performance.now() - startedAt) / 1_000)} s:`);
for (const [action, times] of [...year.counts].sort()) console.log(`  ${action}: ${times}`);
const { balances, vacations, caps, differences } = await compareYear(world, year, from);
await world.close();
console.log(`${balances} balances, ${vacations} vacation accounts, ${caps} caps: ${differences.length} differ`);
for (const difference of differences.slice(0, 20)) console.log(`  ${difference}`);
process.exitCode = differences.length === 0 ? 0 : 1;
