// Judges the demo with the conformance kit. The kit may switch features of this deployment off: nobody works here.
// Arguments go to the kit.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { startDemo } from './demo.mjs';

const data = 'data/conformance';
const demo = await startDemo(data);
// The terms of this deployment are a page that its service serves.
const terms = `http://localhost:${demo.servicePort}/docs/terms.html`;
const indexer = `/usr/bin/env TERMS_URL=${terms} ${process.execPath} indexer/dist/src/main.js`;
const kit = spawn(
  process.execPath,
  [
    'conformance/dist/cli.js',
    ...['--target', `${data}/target.json`, '--report', '.reports/conformance', '--intrusive'],
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit', env: { ...process.env, KIT_INDEXER_COMMAND: indexer } },
);
const code = await new Promise((resolve) => kit.on('exit', resolve));
await demo.stop();
if (code === 0) rmSync(data, { recursive: true, force: true });
process.exit(code ?? 2);
