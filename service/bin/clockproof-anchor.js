#!/usr/bin/env node
// The command, as npm links it: what `make build` compiled.
await import('../dist/anchor/main.js');
