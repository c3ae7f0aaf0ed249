// Tests the conformance kit by breaking things: service and indexer of the demo behind a proxy, the terminal agent behind
// another, and receivers of webhooks. Prints each violation, and how many the right requirement named.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { startDemo } from './demo.mjs';

const data = 'data/violations';
const demo = await startDemo(data);
const drive = `${process.execPath} conformance/dist/drivers/clockproof-terminal.js`;
const command = [
  'conformance/dist/violations/run.js',
  '--target',
  `${data}/target.json`,
  '--intrusive',
  '--drive',
  drive,
];
const violations = spawn(process.execPath, [...command, ...process.argv.slice(2)], { stdio: 'inherit' });
const code = await new Promise((resolve) => violations.on('exit', (status) => resolve(status ?? 2)));
await demo.stop();
rmSync(data, { recursive: true, force: true });
process.exit(code);
