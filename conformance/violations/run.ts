/**
 * Tests the kit by breaking things: one violation after the other, and for each the suite of the requirement that must
 * name it. `node conformance/dist/violations/run.js --target target.json`; exits 0 if at least 95 % are caught.
 */
import { parseArgs } from 'node:util';
import { allRequirements } from '../kit/requirements.js';
import { readContract, runIn } from '../kit/runner.js';
import { readTarget } from '../kit/target.js';
import { World } from '../kit/world.js';
import type { Delivery } from '../peers/receiver.js';
import { violations } from './list.js';
import { openProxy } from './proxy.js';
import type { Json } from './violation.js';

const { values: options } = parseArgs({
  options: {
    target: { type: 'string' },
    only: { type: 'string', multiple: true },
    whole: { type: 'boolean', default: false },
  },
});
if (options.target === undefined) throw new Error('--target target.json');
const direct = readTarget(options.target);
const proxies = {
  service: await openProxy(direct.service.url, 'service'),
  indexer: await openProxy(direct.indexer.url, 'indexer'),
};
const target = { ...direct, service: { url: proxies.service.url }, indexer: { url: proxies.indexer.url } };
const contract = await readContract(target);
const world = new World(target, contract, 1);
const all = (await allRequirements()).filter(
  ({ id, waits }) =>
    (waits !== true || violations.some(({ breaks }) => breaks === id)) &&
    !['CON-001', 'CON-016', 'CON-023'].includes(id),
);

/** Fixtures are made while nothing is broken. */
console.log('first without a violation');
const wanted = violations.filter(({ id }) => options.only?.includes(id) ?? true);
const needed = new Set(wanted.map(({ breaks }) => all.find(({ id }) => id === breaks)?.suite));
const sound = await runIn(
  world,
  all.filter(({ suite, last }) => last !== true && (needed.has(suite) || suite === 'time') && suite !== 'contract'),
);
const falsely = sound.filter(({ outcome }) => outcome === 'failed').map(({ id, message }) => `${id}: ${message}`);
if (falsely.length > 0) console.log(`fails without a violation:\n${falsely.join('\n')}`);
const alwaysFails = new Set(sound.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id));

let caught = 0;
let named = 0;
for (const violation of wanted) {
  const { id, breaks, does, side } = violation;
  const own = all.find((requirement) => requirement.id === breaks);
  if (own === undefined) throw new Error(`${id} names ${breaks}, which does not exist`);
  // A breach of the documents shows in whatever is asked; the time suite asks a bit of everything.
  const suite = own.suite === 'contract' ? (id === 'C09' ? 'absences' : 'time') : own.suite;
  const chosen = all.filter((requirement) =>
    requirement.last === true
      ? requirement.suite === 'contract'
      : options.whole || own.suite === 'contract'
        ? requirement.suite === suite
        : requirement.id === breaks,
  );
  contract.findings.length = 0;
  const [deliveries, messages] = [new Map<string, Delivery>(), new Map<string, Json>()];
  const { delivery, message, closes } = violation;
  world.onTheWay = {
    ...(delivery === undefined ? {} : { delivery: (one) => delivery(one, deliveries) }),
    ...(message === undefined ? {} : { message: (one) => message(one, messages) }),
    ...(closes === undefined ? {} : { closes }),
  };
  proxies[side].violation = violation;
  const results = await runIn(world, chosen, 15);
  proxies[side].violation = undefined;
  world.onTheWay = {};
  const failed = results.filter((result) => result.outcome === 'failed' && !alwaysFails.has(result.id));
  const right = failed.some((result) => result.id === breaks);
  if (failed.length > 0) caught += 1;
  if (right) named += 1;
  const mark = right ? 'caught' : failed.length > 0 ? 'other ' : 'MISSED';
  console.log(`${mark} ${id} the ${side} ${does}: ${failed.map((result) => result.id).join(', ') || 'nothing failed'}`);
}
const rate = (count: number) => `${count} of ${wanted.length} (${((100 * count) / wanted.length).toFixed(1)} %)`;
console.log(`\n${rate(caught)} caught, ${rate(named)} named by the right requirement`);
await world.close();
for (const proxy of Object.values(proxies)) await proxy.close();
process.exitCode = caught >= wanted.length * 0.95 && named >= wanted.length * 0.95 ? 0 : 1;
