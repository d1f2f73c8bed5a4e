import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CleoError } from '#core/errors/error.ts';
import { toRestoreLock } from './sqlite.ts';
import { fromSqliteError, type SqliteFile } from './sqlite-errors.ts';

const pollMs = 20;

/** Makes writers wait until `work` has ended. The write lock of SQLite cannot be held for all of a restore, because the copy takes it by
 *  itself. A write between reading the log and the copy would lose its entry. */
export async function withRestoreLock<T>(options: SqliteFile, work: () => Promise<T>): Promise<T> {
  const path = toRestoreLock(options.path);
  if (!removeStaleLock(path)) throw createLockError(options);
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? createLockError(options) : fromSqliteError(error, options);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** Waits until no restore runs; throws E_LOCK_TIMEOUT after `busyTimeoutMs`. */
export async function waitForRestore(options: SqliteFile): Promise<void> {
  const path = toRestoreLock(options.path);
  for (let waitedMs = 0; !removeStaleLock(path); waitedMs += pollMs) {
    if (waitedMs >= options.busyTimeoutMs) throw createLockError(options);
    await sleep(pollMs);
  }
}

/** Removes the lock of a process that was killed. Returns false if a restore is running. */
function removeStaleLock(path: string): boolean {
  const pid = readPid(path);
  if (pid !== undefined && isRunning(pid)) return false;
  if (pid !== undefined) rmSync(path, { force: true });
  return true;
}

function readPid(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  // A file that was created just now is still empty.
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const createLockError = ({ busyTimeoutMs, path }: SqliteFile): CleoError =>
  new CleoError('E_LOCK_TIMEOUT', { waitedMs: busyTimeoutMs, path, problem: 'A backup is being restored' });
