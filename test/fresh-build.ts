import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const sources = ['src', 'scripts', 'protocols', 'skills', 'package.json'].map((name) => join(root, name));
const lock = join(root, 'node_modules', '.cleo-build.lock');

/** Runs a script of `scripts/` unless `target` is newer than all sources. Test runs at the same time wait for each other. */
export function refresh(target: string, script: string): void {
  if (isFresh(target)) return;
  takeLock();
  try {
    if (isFresh(target)) return;
    const startedAt = new Date();
    execFileSync(process.execPath, [join(root, 'scripts', script)], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    // The start counts, so that a source that was changed during the build makes the target stale.
    utimesSync(join(root, target), startedAt, startedAt);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isFresh(target: string): boolean {
  const built = statSync(join(root, target), { throwIfNoEntry: false });
  return built !== undefined && sources.every((path) => built.mtimeMs > findNewestMs(path));
}

/** Ignores tests and generated files, which are not sources of the build. */
function findNewestMs(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || /\.(test|generated)\.ts$/.test(path)) return 0;
  return found.isDirectory() ? Math.max(0, ...readdirSync(path).map((name) => findNewestMs(join(path, name)))) : found.mtimeMs;
}

function takeLock(): void {
  for (;;) {
    try {
      mkdirSync(lock);
      writeFileSync(join(lock, 'pid'), String(process.pid));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (!isHeld()) rmSync(lock, { recursive: true, force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}

/** False if the process that took the lock no longer runs. */
function isHeld(): boolean {
  try {
    return process.kill(Number(readFileSync(join(lock, 'pid'), 'utf8')), 0);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPERM') return true;
    // The process that took the lock may not have written its id yet.
    return code === 'ENOENT' && Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) < 5000;
  }
}
