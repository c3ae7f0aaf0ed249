/** Starts `clockproof-verify`. */
import { verifyCommand } from './command.js';

process.exitCode = await verifyCommand(process.argv.slice(2), {
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
  fetch,
});
