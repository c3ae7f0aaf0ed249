// Runs the Redocly command line without the banner it prints on every command about the version of Node.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const contract = join(dirname(fileURLToPath(import.meta.url)), '..');
const cli = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js');

/**
 * @param {readonly string[]} args arguments of `redocly`, paths relative to `cwd`
 * @param {string} cwd folder whose `redocly.yaml` applies
 * @returns {Promise<{ ok: boolean, answer: string, output: string }>} whether it left with 0, its standard output, and
 * what it said on both channels
 */
export function redocly(args, cwd = contract) {
  const options = {
    cwd,
    maxBuffer: 64 << 20,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
  };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [cli, ...args], options, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve({ ok: error === null, answer: stdout, output: withoutBanner(stdout + stderr) });
    });
  });
}

/** Takes the framed deprecation note out of Redocly's output. */
export function withoutBanner(output) {
  return output.replace(/^[ \t]*╔═+╗\n(?:[ \t]*║.*║\n)+[ \t]*╚═+╝\n/gm, '').replace(/^\n+/, '');
}
