// Adds up what the parts reported. In CI a skipped test is a failure: there nothing may be missing.
import { existsSync, readFileSync } from 'node:fs';

const total = { passed: 0, failed: 0, skipped: 0 };
const add = (name, passed, failed, skipped = 0) => {
  console.log(`  ${name.padEnd(10)} ${passed} passed, ${failed} failed, ${skipped} skipped`);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
};
const exitOf = (file) => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 1);

console.log();
for (const part of ['biome', 'lint', 'demo'])
  add(part, exitOf(`.reports/${part}.exit`) === 0 ? 1 : 0, exitOf(`.reports/${part}.exit`) === 0 ? 0 : 1);

const tap = readFileSync('.reports/contract.tap', 'utf8');
const tapCount = (word) => Number(new RegExp(`^# ${word} (\\d+)`, 'm').exec(tap)?.[1] ?? (word === 'fail' ? 1 : 0));
add('contract', tapCount('pass'), tapCount('fail'), tapCount('skipped'));

for (const part of ['jest', 'jest-pcsc']) {
  if (!existsSync(`.reports/${part}.json`)) {
    add(part, 0, 1);
    continue;
  }
  const jest = JSON.parse(readFileSync(`.reports/${part}.json`, 'utf8'));
  const skippedTests = jest.testResults
    .flatMap((file) => file.assertionResults)
    .filter((test) => ['pending', 'skipped', 'todo'].includes(test.status));
  for (const test of skippedTests) console.log(`  SKIPPED: ${test.fullName}`);
  // A file that could not even be loaded has no failing tests, only a message.
  add(part, jest.numPassedTests, jest.numFailedTests + jest.numRuntimeErrorTestSuites, skippedTests.length);
}

if (process.env.CI === 'true' && total.skipped > 0) {
  console.log(`  in CI a skipped test is a failure: ${total.skipped}`);
  total.failed += total.skipped;
  total.skipped = 0;
}
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 ? 0 : 1);
