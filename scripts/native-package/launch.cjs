#!/usr/bin/env node
// Runs the executable of this platform. `install.cjs` replaces this file by the executable, so that Node is not started at all; without
// install scripts, and on Windows, this file stays.
const { spawnSync } = require('node:child_process');
const { findExecutable } = require('../find.cjs');

const { status, signal, error } = spawnSync(findExecutable(), process.argv.slice(2), { stdio: 'inherit' });
if (error) {
  process.stderr.write(`cleo: ${error.message}\n`);
  process.exit(1);
}
// A command that was ended by a signal ends this process in the same way.
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 1);
