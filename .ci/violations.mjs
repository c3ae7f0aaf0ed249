// Tests the conformance kit by breaking things: service and indexer of the demo behind a proxy, the terminal agent
// behind another, and receivers of webhooks. Prints each violation, and how many the right requirement named in all.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { startDemo } from './demo.mjs';

const data = 'data/violations';
const demo = await startDemo(data);
const drive = `${process.execPath} conformance/dist/drivers/clockproof-terminal.js`;
let [named, all] = [0, 0];
const deployment = await run(['conformance/dist/violations/run.js', '--target', `${data}/target.json`, '--intrusive']);
await demo.stop();
const terminal = await run(['conformance/dist/violations/terminal/run.js', '--drive', drive]);
const receiver = await run(['conformance/dist/violations/receiver/run.js']);
console.log(
  `\nIn all ${named} of ${all} violations (${((100 * named) / all).toFixed(1)} %) named by the right requirement`,
);
rmSync(data, { recursive: true, force: true });
process.exit(deployment || terminal || receiver);

/** @returns the exit code; the last line of what it says counts */
async function run(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (part) => {
    process.stdout.write(part);
    said += part;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  const [, right = 0, of = 0] =
    /(\d+) of (\d+) \([\d.]+ %\)[^,\n]* named by the right requirement\s*$/.exec(said) ?? [];
  named += Number(right);
  all += Number(of);
  return code ?? 2;
}
