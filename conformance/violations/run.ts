/**
 * Tests the kit by breaking things: a deployment behind a proxy, a terminal behind another, and receivers of webhooks
 * commit one violation after the other, and the requirement of each must fail.
 * `node conformance/dist/violations/run.js --target target.json --drive COMMAND`; exits 0 if at least 95 % are named.
 */
import { parseArgs } from 'node:util';
import type { Requirement } from '../kit/requirement.js';
import { allRequirements } from '../kit/requirements.js';
import { judge, type Result, readContract, runIn } from '../kit/runner.js';
import { readTarget } from '../kit/target.js';
import { World } from '../kit/world.js';
import { programDriver } from '../roles/terminal/driver.js';
import { serve, terminalRequirements } from '../roles/terminal/requirements.js';
import { openTerminal } from '../roles/terminal.js';
import { Commission } from './changes.js';
import { onTheWay } from './on-the-way.js';
import { openProxy } from './proxy.js';
import { namedBy } from './receiver.js';
import { type Violation, violations, withoutViolation } from './rows.js';
import { breakTerminal } from './terminal.js';

const { values: options } = parseArgs({
  options: {
    target: { type: 'string' },
    drive: { type: 'string' },
    only: { type: 'string', multiple: true },
    intrusive: { type: 'boolean', default: false },
  },
});
const chosenViolations = violations.filter(
  ({ breaks, intrusive }) => (options.only?.includes(breaks) ?? true) && (intrusive === undefined || options.intrusive),
);
if (chosenViolations.length === 0) throw new Error('no requirement with a violation has this id');
const [ofTerminals, ofReceivers] = ['TAG', 'RCV'].map((kind) =>
  chosenViolations.filter(({ breaks }) => breaks.startsWith(kind)),
);
const ofDeployments = chosenViolations.filter(
  (candidate) => !ofTerminals!.includes(candidate) && !ofReceivers!.includes(candidate),
);
let [namedCount, totalCount] = [0, 0];

if (options.target !== undefined && ofDeployments.length > 0) await breakDeployment(options.target, ofDeployments);
if (options.drive !== undefined && ofTerminals!.length > 0) await breakTerminals(options.drive, ofTerminals!);
for (const violation of ofReceivers!) count(violation, await namedBy([violation]));
console.log(
  `\n${namedCount} of ${totalCount} violations (${((100 * namedCount) / totalCount).toFixed(1)} %) named by the right requirement`,
);
process.exitCode = namedCount >= totalCount * 0.95 ? 0 : 1;

/** @param failedIds ids of the requirements that failed. @param message of the right one */
function count({ breaks, does }: Violation, failedIds: readonly string[], message = ''): void {
  const right = failedIds.includes(breaks);
  totalCount += 1;
  if (right) namedCount += 1;
  const mark = right ? 'named ' : failedIds.length > 0 ? 'other ' : 'MISSED';
  console.log(`${mark} ${breaks} ${does}: ${failedIds.join(', ') || 'nothing failed'} ${message}`.trimEnd());
}

async function breakDeployment(file: string, wanted: readonly Violation[]): Promise<void> {
  const direct = readTarget(file);
  const sides = { service: await openProxy(direct.service.url), indexer: await openProxy(direct.indexer!.url) };
  const target = { ...direct, service: { url: sides.service.url }, indexer: { url: sides.indexer.url } };
  const contract = await readContract(target);
  const world = new World(target, contract, 1, options.intrusive);
  const everything = await allRequirements();
  const requirementOf = ({ breaks }: Violation) => everything.find(({ id }) => id === breaks)!;
  const usable = everything.filter(({ id }) => !withoutViolation.has(id));
  const alwaysFails = await failsWithout();
  const failedOf = (results: readonly Result[]) =>
    results.filter(({ id, outcome }) => outcome === 'failed' && !alwaysFails.has(id)).map(({ id }) => id);

  const slow = judgeSlow(wanted.filter((violation) => violation.slow));
  const quick = wanted.filter((violation) => !violation.slow);
  // Last those that take scopes from keys.
  quick.sort((a, b) => Number(a.intrusive ?? false) - Number(b.intrusive ?? false));
  for (const violation of quick) {
    const requirement = requirementOf(violation);
    const side = sides[requirement.suite === 'indexer' ? 'indexer' : 'service'];
    contract.findings.length = 0;
    world.exchanges.length = 0;
    side.commit([violation]);
    world.onTheWay = onTheWay(new Commission(violation));
    const results = violation.published ? await judgePublished(requirement) : await judgeOne(violation, requirement);
    side.commit([]);
    world.onTheWay = {};
    const { outcome, message } = results.find(({ id }) => id === violation.breaks)!;
    count(violation, failedOf(results), outcome === 'inconclusive' ? message : '');
  }
  await slow;
  await world.close();
  for (const side of Object.values(sides)) await side.close();

  /** Makes fixtures while nothing is broken. @returns the requirements that fail without a violation */
  async function failsWithout(): Promise<ReadonlySet<string>> {
    console.log('first without a violation');
    const suites = new Set(['time', ...wanted.map((violation) => requirementOf(violation).suite)]);
    const first = usable.filter(({ suite }) => suites.has(suite) && suite !== 'contract');
    await world.extension();
    const waiting = Promise.all(
      first.filter(({ waits }) => waits === true).map((requirement) => judge(requirement, world)),
    );
    const otherResults = await runIn(
      world,
      first.filter(({ waits }) => waits !== true),
    );
    const failures = [...otherResults, ...(await waiting)].filter(({ outcome }) => outcome === 'failed');
    for (const { id, message } of failures) console.log(`fails without a violation: ${id}: ${message}`);
    return new Set(failures.map(({ id }) => id));
  }

  /** Requirements that judge all answers need some: those of a suite which asks a bit of everything. */
  async function judgeOne({ during = 'time' }: Violation, requirement: Requirement): Promise<readonly Result[]> {
    if (requirement.suite !== 'contract' || requirement.last !== true)
      return await runIn(world, [requirement], Math.max(15, requirement.limit ?? 0));
    const asking = usable.filter(({ suite, last }) => suite === during && last !== true);
    return await runIn(world, [...asking, requirement], 15);
  }

  /** Reads the documents through the proxy. What the right documents name counts as provoked. */
  async function judgePublished(requirement: Requirement): Promise<readonly Result[]> {
    const changedContract = await readContract(target);
    for (const { id, statuses } of contract.operations)
      for (const status of statuses) changedContract.seen.set(`${id} ${status}`, 1);
    for (const key of contract.documentedCodes()) {
      const [operation, , code] = key.split(' ');
      changedContract.codes.set(`${operation} ${code}`, 1);
    }
    return await runIn(new World(target, changedContract, 1), [requirement]);
  }

  /** All of them at once in a world of their own: none touches the subject of another one. */
  async function judgeSlow(committed: readonly Violation[]): Promise<void> {
    if (committed.length === 0) return;
    const proxy = await openProxy(direct.service.url);
    proxy.commit(committed);
    const apart = new World({ ...target, service: { url: proxy.url } }, contract, 1);
    apart.onTheWay = Object.assign(
      {},
      ...committed.map((violation) => onTheWay(new Commission(violation))),
    ) as World['onTheWay'];
    await apart.extension();
    await Promise.all(
      committed.map(async (violation) => {
        const result = await judge(requirementOf(violation), apart);
        count(violation, failedOf([result]));
      }),
    );
    await apart.close();
    await proxy.close();
  }
}

async function breakTerminals(command: string, wanted: readonly Violation[]): Promise<void> {
  const brokenTerminal = breakTerminal();
  const driver = brokenTerminal.driver(programDriver(command, 8));
  const terminal = await openTerminal({ driver, through: brokenTerminal.through });
  const { bench } = terminal;
  try {
    await bench.pair();
    for (const violation of wanted) {
      const requirement = terminalRequirements.find(({ id }) => id === violation.breaks)!;
      // What the violation before left behind is over.
      bench.change({});
      await bench.removeCard();
      if (bench.service.key === undefined || !(await bench.isOnline())) await bench.pair();
      bench.service.faults.length = 0;
      bench.forgetOffline();
      brokenTerminal.commit(violation);
      const { outcome, message } = await terminal.judge({ ...requirement, check: requirement.check ?? askAll });
      brokenTerminal.commit(undefined);
      // A check that always passes shows what was wrong with its requests alone.
      const right =
        outcome === 'failed' &&
        (requirement.check !== undefined || bench.service.faults.some(({ id }) => id === requirement.id));
      count(violation, right ? [violation.breaks] : [], message);
    }
  } finally {
    await terminal.close();
    await brokenTerminal.close();
  }

  /** A stamp and a question for the status: enough for a fault of any request. */
  async function askAll(): Promise<void> {
    await serve(bench);
    await bench.waitForStatus();
  }
}
