#!/usr/bin/env node
// The command, as npm links it: what `make build` compiled.
import '../dist/src/main.js';
