#!/usr/bin/env node
// The command, as npm links it: what `make build` compiled. An older Node would fail somewhere inside it.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node ${process.versions.node} is too old: Clockproof needs 20.19 or later`);
  process.exit(1);
}
// Modules are loaded side by side, and Node reports a failed one where nothing can catch it.
const fail = (error) => {
  const isShort = error.code === 'EMFILE' || error.code === 'ENFILE';
  console.error(isShort ? 'too many files are open: raise the limit, LimitNOFILE of the unit or ulimit -n' : error);
  process.exit(1);
};
process.on('uncaughtException', fail);
await import('../dist/src/main.js');
process.off('uncaughtException', fail);
