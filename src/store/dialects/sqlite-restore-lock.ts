import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { CleoError } from '#core/errors/error.ts';
import { toRestoreLock } from './sqlite.ts';
import { fromSqliteError, type SqliteFile } from './sqlite-driver.ts';

const pollMs = 20;
/** A restore on another host has ended without removing its lock if it did not renew it for so long. */
export const leaseMs = 120_000;
const renewalMs = 10_000;

/** Makes writers wait until `work` has ended. The write lock of SQLite cannot be held for all of a restore, because the copy takes it by
 *  itself. A write between reading the log and the copy would lose its entry. */
export async function withRestoreLock<T>(options: SqliteFile, work: () => Promise<T>): Promise<T> {
  const path = toRestoreLock(options.path);
  if (!removeStaleLock(path)) throw createLockError(options);
  const content = JSON.stringify({ pid: process.pid, host: hostname() } satisfies LockOwner);
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? createLockError(options) : fromSqliteError(error, options);
  }
  // Writing sets the time of the file by the clock of its file system, which other hosts compare with.
  const renewal = setInterval(() => {
    try {
      if (readLock(path) === content) writeFileSync(path, content);
    } catch {
      // The restore continues without a renewal.
    }
  }, renewalMs);
  renewal.unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
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

interface LockOwner {
  pid: number;
  /** Older versions stored the process id alone. */
  host?: string;
}

/** Removes the lock of a process that was killed. Returns false if a restore is running. */
function removeStaleLock(path: string): boolean {
  const content = readLock(path);
  if (content === undefined) return true;
  const owner = parseOwner(content);
  const isHere = owner && (owner.host === undefined || owner.host === hostname());
  if (isHere ? isRunning(owner.pid) : !isExpired(path)) return false;
  // Another process may have replaced the stale lock by its own.
  if (readLock(path) === content) rmSync(path, { force: true });
  return readLock(path) === undefined;
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns undefined for a file that was created just now and is still empty, or that is damaged. */
function parseOwner(content: string): LockOwner | undefined {
  try {
    const owner: unknown = JSON.parse(content);
    return typeof owner === 'number' ? { pid: owner } : (owner as LockOwner);
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Compares the time of the lock with that of a new file, because the clocks of two hosts may differ. */
function isExpired(path: string): boolean {
  const probe = `${path}-${process.pid}`;
  try {
    writeFileSync(probe, '', { mode: 0o600 });
    return statSync(probe).mtimeMs - statSync(path).mtimeMs > leaseMs;
  } catch {
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}

const createLockError = ({ busyTimeoutMs, path }: SqliteFile): CleoError =>
  new CleoError('E_LOCK_TIMEOUT', { waitedMs: busyTimeoutMs, path, problem: 'A backup is being restored' });
