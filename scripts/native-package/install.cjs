// Replaces the launcher by a link to the executable, so that a command does not start Node first. The package works without this step.
const fs = require('node:fs');
const { join } = require('node:path');
const { findExecutable } = require('./find.cjs');

const launcher = join(__dirname, 'bin', 'cleo');
const fresh = `${launcher}.new`;
// npm starts commands of Windows through Node.
if (process.platform !== 'win32')
  try {
    const executable = findExecutable();
    try {
      fs.linkSync(executable, fresh);
    } catch {
      // The packages are on two file systems.
      fs.copyFileSync(executable, fresh);
    }
    fs.chmodSync(fresh, 0o755);
    fs.renameSync(fresh, launcher);
  } catch (error) {
    process.stderr.write(`cleo-native: ${error.message}\n`);
  }
