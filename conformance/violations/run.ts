/**
 * Tests the kit by breaking things: one violation after the other, and for each the suite of the requirement that must
 * name it. `node conformance/dist/violations/run.js --target target.json`; exits 0 if at least 95 % are caught.
 */
import { parseArgs } from 'node:util';
import type { Requirement } from '../kit/requirement.js';
import { allRequirements } from '../kit/requirements.js';
import { judge, type Result, readContract, runIn } from '../kit/runner.js';
import { readTarget } from '../kit/target.js';
import { World } from '../kit/world.js';
import type { Delivery } from '../peers/receiver.js';
import { violations } from './list.js';
import { openProxy } from './proxy.js';
import type { Json, Violation } from './violation.js';

const { values: options } = parseArgs({
  options: {
    target: { type: 'string' },
    only: { type: 'string', multiple: true },
    whole: { type: 'boolean', default: false },
    intrusive: { type: 'boolean', default: false },
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
const world = new World(target, contract, 1, options.intrusive);
const wholeRun = ['CON-001', 'CON-016', 'CON-023'];
/** About bytes that a proxy repairs. */
const onlyDirect = ['SEC-019'];
const everything = await allRequirements();
const all = everything.filter(
  ({ id, waits }) =>
    (waits !== true || violations.some(({ breaks }) => breaks === id)) && ![...wholeRun, ...onlyDirect].includes(id),
);

/** Fixtures are made while nothing is broken. */
console.log('first without a violation');
const wanted = violations.filter(
  ({ id, intrusive }) => (options.only?.includes(id) ?? true) && (options.intrusive || intrusive !== true),
);
const needed = new Set(wanted.map(({ breaks }) => all.find(({ id }) => id === breaks)?.suite));
const first = all.filter(
  ({ suite, last }) => last !== true && (needed.has(suite) || suite === 'time') && suite !== 'contract',
);
await world.extension();
const patient = Promise.all(first.filter(({ waits }) => waits === true).map((one) => judge(one, world)));
const sound = [
  ...(await runIn(
    world,
    first.filter(({ waits }) => waits !== true),
  )),
  ...(await patient),
];
const falsely = sound.filter(({ outcome }) => outcome === 'failed').map(({ id, message }) => `${id}: ${message}`);
if (falsely.length > 0) console.log(`fails without a violation:\n${falsely.join('\n')}`);
const alwaysFails = new Set(sound.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id));

let caught = 0;
let named = 0;
const beside = besides(wanted.filter(({ slow }) => slow === true));
const quick = wanted.filter(({ slow }) => slow !== true);
// Last what takes scopes from keys.
quick.sort((a, b) => Number(a.intrusive === true) - Number(b.intrusive === true));
for (const violation of quick) {
  const { id, breaks, side } = violation;
  const own = everything.find((requirement) => requirement.id === breaks);
  if (own === undefined) throw new Error(`${id} names ${breaks}, which does not exist`);
  // A breach of the documents shows in whatever is asked; the time suite asks a bit of everything.
  const judgesAll = own.suite === 'contract' && own.last === true;
  const suite = judgesAll ? (id === 'C09' ? 'absences' : 'time') : own.suite;
  const chosen = all.filter((requirement) =>
    requirement.last === true
      ? requirement.suite === 'contract' || requirement.id === breaks
      : options.whole || judgesAll
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
  const results = violation.published
    ? await judgePublished(own)
    : // What takes long even if nothing is broken has its own limit.
      await runIn(world, chosen, Math.max(15, judgesAll ? 0 : (own.limit ?? 0)));
  proxies[side].violation = undefined;
  world.onTheWay = {};
  count(violation, results);
}
await beside;

function count({ id, side, does, breaks }: Violation, results: readonly Result[]) {
  const failed = results.filter((result) => result.outcome === 'failed' && !alwaysFails.has(result.id));
  const right = failed.some((result) => result.id === breaks);
  if (failed.length > 0) caught += 1;
  if (right) named += 1;
  const mark = right ? 'caught' : failed.length > 0 ? 'other ' : 'MISSED';
  console.log(`${mark} ${id} the ${side} ${does}: ${failed.map((result) => result.id).join(', ') || 'nothing failed'}`);
}

/** All of them at once in a world of their own: none touches what another one is about. */
async function besides(slow: readonly Violation[]) {
  if (slow.length === 0) return;
  const proxy = await openProxy(direct.service.url, 'service');
  proxy.violation = {
    ...slow[0]!,
    reply(reply, exchange, memory) {
      for (const one of slow) one.reply?.(reply, exchange, memory);
    },
  };
  const own = new World({ ...target, service: { url: proxy.url } }, contract, 1);
  const messages = new Map<string, Json>();
  const message = slow.find((one) => one.message !== undefined)?.message;
  if (message !== undefined) own.onTheWay = { message: (one) => message(one, messages) };
  await own.extension();
  await Promise.all(
    slow.map(async (violation) => {
      const requirement = everything.find(({ id }) => id === violation.breaks)!;
      count(violation, [await judge(requirement, own)]);
    }),
  );
  await own.close();
  await proxy.close();
}
/** Reads the documents through the proxy. What the right documents name counts as provoked. */
async function judgePublished(own: Requirement) {
  const changed = await readContract(target);
  for (const { id, statuses } of contract.operations) for (const one of statuses) changed.seen.set(`${id} ${one}`, 1);
  for (const key of contract.documentedCodes()) {
    const [operation, , code] = key.split(' ');
    changed.codes.set(`${operation} ${code}`, 1);
  }
  return await runIn(new World(target, changed, 1), [own]);
}

const rate = (count: number) => `${count} of ${wanted.length} (${((100 * count) / wanted.length).toFixed(1)} %)`;
console.log(`\n${rate(caught)} caught, ${rate(named)} named by the right requirement`);
await world.close();
for (const proxy of Object.values(proxies)) await proxy.close();
process.exitCode = caught >= wanted.length * 0.95 && named >= wanted.length * 0.95 ? 0 : 1;
