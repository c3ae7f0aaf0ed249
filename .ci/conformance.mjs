// Judges the demo with the conformance kit, and beside it the terminal agent, to which the kit plays the service.
// Arguments go to the kit; then only the demo is judged.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { judgeDemo, startDemo } from './demo.mjs';

const data = 'data/conformance';
const demo = await startDemo(data);
const judging = judgeDemo({
  data,
  servicePort: demo.servicePort,
  report: '.reports/conformance',
  given: process.argv.slice(2),
});
const terminal = process.argv.length > 2 ? undefined : judgeTerminal();
const code = await judging;
await demo.stop();
const atTheDoor = await terminal;
if (code === 0) rmSync(data, { recursive: true, force: true });
process.exit(code || (atTheDoor ?? 0));

/** Mostly waits. @returns the exit code, after its results are printed */
async function judgeTerminal() {
  const command = ['conformance/dist/cli.js', '--role', 'terminal', '--report', '.reports/conformance-terminal'];
  const drive = `${process.execPath} conformance/dist/drivers/clockproof-terminal.js`;
  const judge = spawn(process.execPath, [...command, '--drive', drive, '--terminals', '3'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  judge.stdout.on('data', (part) => {
    said += part;
  });
  const ended = await new Promise((resolve) => judge.on('close', resolve));
  process.stdout.write(`\nThe terminal agent:\n${said}`);
  return ended ?? 2;
}
