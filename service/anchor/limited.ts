/**
 * Runs a program for a number of milliseconds at most, and not longer than the process that asked for it: its end
 * closes this one's standard input, even after kill -9. Exit codes: the program's own, 124 ended, 127 not started.
 *
 *   node limited.js MILLISECONDS PROGRAM ARGUMENT…
 */
import { spawn } from 'node:child_process';

const [milliseconds, program, ...args] = process.argv.slice(2);
// A group of its own: a script ends together with the ledger's client that it has started.
const child = spawn(program!, args, { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
const end = () => {
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  process.exit(124);
};
setTimeout(end, Number(milliseconds));
process.stdin.on('close', end).resume();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
child.on('close', (code) => process.exit(code ?? 126));
