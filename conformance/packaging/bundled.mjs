/**
 * What `npm pack` adds to the package, before it (`add`) and after it (`remove`): the licence, and the simulated cards of
 * the terminal agent, which is published nowhere.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const conformance = join(dirname(fileURLToPath(import.meta.url)), '..');
const agent = join(conformance, '../terminal-agent');
const bundled = join(conformance, 'node_modules/@clockproof/terminal-agent');
const licence = join(conformance, 'LICENSE');

rmSync(bundled, { recursive: true, force: true });
rmSync(licence, { force: true });
if (process.argv[2] === 'add') {
  cpSync(join(conformance, '../LICENSE'), licence);
  const { name, version, license, type, exports } = JSON.parse(readFileSync(join(agent, 'package.json'), 'utf8'));
  const manifest = { name, version, license, type, exports: { './simulator/*': exports['./simulator/*'] } };
  mkdirSync(join(bundled, 'dist/simulator'), { recursive: true });
  writeFileSync(join(bundled, 'package.json'), JSON.stringify(manifest, null, 2));
  cpSync(licence, join(bundled, 'LICENSE'));
  // Without tests, and without what a simulated reader needs beyond the cards.
  const cards = /^(?!card-file|faults|vpcd)[\w-]+(\.d\.ts|\.js)$/;
  for (const file of readdirSync(join(agent, 'dist/simulator')))
    if (cards.test(file)) cpSync(join(agent, 'dist/simulator', file), join(bundled, 'dist/simulator', file));
}
