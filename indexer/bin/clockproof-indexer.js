#!/usr/bin/env node
// The command, as npm links it: what `make build` compiled. An older Node would fail somewhere inside it.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node ${process.versions.node} is too old: Clockproof needs 20.19 or later`);
  process.exit(1);
}
await import('../dist/src/main.js');
