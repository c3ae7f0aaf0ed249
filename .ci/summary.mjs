// Adds up the reports of the parts that ran. In CI a skipped test is a failure, because no tool may be missing there.
import { existsSync, readFileSync } from 'node:fs';

const parts = [
  ['test', byJest],
  ['postgres', byJest],
  ['check', byExit],
  ['tools', byTap],
  ['conformance', byExit],
  ['demo-again', byExit],
  ['demo-24', byExit],
  ['demo-26', byExit],
  ['node-26', byJest],
  ['pcsc', byJest],
  ['whole', byJest],
];
const total = { passed: 0, failed: 0, skipped: 0 };

console.log();
for (const [part, count] of parts.filter(([name]) => existsSync(`.reports/${name}.exit`))) {
  const [exit, seconds] = readFileSync(`.reports/${part}.exit`, 'utf8').split(' ').map(Number);
  const counted = { skipped: 0, ...count(part, exit) };
  // A part that ends with an error although no test of it failed did not run to its end.
  if (exit !== 0 && counted.failed === 0) counted.failed = 1;
  for (const kind of Object.keys(total)) total[kind] += counted[kind];
  const { passed, failed, skipped } = counted;
  console.log(`  ${part.padEnd(11)} ${passed} passed, ${failed} failed, ${skipped} skipped (${seconds} s)`);
}

if (process.env.CI === 'true' && total.skipped > 0) {
  console.log(`  in CI a skipped test is a failure: ${total.skipped}`);
  total.failed += total.skipped;
  total.skipped = 0;
}
console.log(`  order of tests: SEED=${process.env.SEED}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 ? 0 : 1);

/** One check that says yes or no. */
function byExit(_part, exit) {
  return { passed: exit === 0 ? 1 : 0, failed: exit === 0 ? 0 : 1 };
}

function byTap(part) {
  const tap = readFileSync(`.reports/${part}.log`, 'utf8');
  const countOf = (word) => Number(new RegExp(`^# ${word} (\\d+)`, 'm').exec(tap)?.[1] ?? 0);
  return { passed: countOf('pass'), failed: countOf('fail'), skipped: countOf('skipped') };
}

function byJest(part) {
  if (!existsSync(`.reports/${part}.json`)) return { passed: 0, failed: 1 };
  const jest = JSON.parse(readFileSync(`.reports/${part}.json`, 'utf8'));
  const tests = jest.testResults.flatMap((file) => file.assertionResults);
  const skipped = tests.filter(({ status }) => ['pending', 'skipped', 'todo'].includes(status));
  for (const { fullName } of skipped) console.log(`  SKIPPED: ${fullName}`);
  // The stack names the test file: Jest was given others, which import it.
  for (const { fullName, status, failureMessages } of tests)
    if (status === 'failed')
      console.log(`  FAILED: ${fullName}, ${/[\w./-]+\.test\.ts:\d+/.exec(failureMessages.join('\n'))?.[0]}`);
  // A file that could not even be loaded has no failing tests, only a message.
  return {
    passed: jest.numPassedTests,
    failed: jest.numFailedTests + jest.numRuntimeErrorTestSuites,
    skipped: skipped.length,
  };
}
