/** Starts `clockproof-verify`. */
import { verifyCommand } from './command.js';

// A reader that has seen enough, such as `head`, does not change the verdict.
process.stdout.on('error', () => undefined);

process.exitCode = await verifyCommand(process.argv.slice(2), {
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
  fetch,
});
