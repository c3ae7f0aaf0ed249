/**
 * Tests the role of the service by breaking a terminal that is right: one violation after the other, and the requirement
 * that belongs to it must fail. `node conformance/dist/violations/terminal/run.js --drive COMMAND`; exits 0 if at least
 * 95 % are caught and named.
 */
import { parseArgs } from 'node:util';
import { programDriver } from '../../roles/terminal/driver.js';
import { served, terminalRequirements } from '../../roles/terminal/requirements.js';
import { openTerminal } from '../../roles/terminal.js';
import { forget, terminalViolations } from './list.js';
import { openTerminalProxy } from './proxy.js';

const { values: options } = parseArgs({
  options: { drive: { type: 'string' }, only: { type: 'string', multiple: true } },
});
if (options.drive === undefined) throw new Error('--drive COMMAND');
const proxy = openTerminalProxy();
const terminal = await openTerminal({ driver: proxy.driver(programDriver(options.drive, 8)), through: proxy.through });
const { bench } = terminal;
const wanted = terminalViolations.filter(({ id }) => options.only?.includes(id) ?? true);
let named = 0;
try {
  await bench.pair();
  for (const violation of wanted) {
    const requirement = terminalRequirements.find(({ id }) => id === violation.breaks);
    if (requirement === undefined) throw new Error(`${violation.id} names ${violation.breaks}, which does not exist`);
    await recovered();
    forget();
    bench.service.faults.length = 0;
    bench.forgetOffline();
    proxy.violation = violation;
    const result = await terminal.judge({ ...requirement, check: requirement.check ?? heard });
    proxy.violation = undefined;
    // A check that always passes shows what was wrong with its requests alone.
    const right =
      result.outcome === 'failed' &&
      (requirement.check !== undefined || bench.service.faults.some(({ id }) => id === requirement.id));
    if (right) named += 1;
    console.log(
      `${right ? 'caught' : 'MISSED'} ${violation.id} the terminal ${violation.does}: ${violation.breaks} ${result.message ?? result.outcome}`,
    );
  }
} finally {
  await terminal.close();
  await proxy.close();
}
console.log(
  `\n${named} of ${wanted.length} (${((100 * named) / wanted.length).toFixed(1)} %) violations of a terminal named by the right requirement`,
);
process.exitCode = named >= wanted.length * 0.95 ? 0 : 1;

/** A stamp and a question for the status: enough for what is wrong with any request. */
async function heard(): Promise<void> {
  await served(bench);
  await bench.noticed();
}

/** What the violation before left behind is over. */
async function recovered(): Promise<void> {
  forget();
  bench.set({});
  await bench.away();
  if (bench.service.key === undefined || !(await bench.isOnline())) await bench.pair();
}
