import { existsSync, linkSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defined } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { isAlive, readBootId, readProcessNamespace, readStartTime } from './process-identity.ts';
import type { ProcessIdentity } from './runner/port.ts';

/** The content of a lock file: the process that holds the lock. */
export interface LockClaim extends ProcessIdentity {
  /** The process namespace, in which the pid is valid. */
  namespace?: string;
  /** Run that the lock is held for. */
  run?: string;
  /** Unique per claim, so that a process removes only its own lock. */
  nonce: string;
}

export type LockAttempt =
  | { state: 'taken'; release: () => void }
  /** The holder is unknown while its file is being written, while another process removes the lock of a dead one, or if the file cannot be
   *  removed. */
  | { state: 'held'; holder: LockClaim | undefined }
  /** The lock of a dead process was removed, or that of none. The next attempt can take it. */
  | { state: 'removed'; dead: LockClaim | undefined };

/** A lock file that is still unreadable after this time was never completely written. */
const unreadableMs = 5000;

export const createLockClaim = (run?: string): LockClaim => ({
  pid: process.pid,
  began: readStartTime(process.pid),
  boot: readBootId(),
  namespace: readProcessNamespace(),
  nonce: `${process.pid}-${process.hrtime.bigint().toString(36)}`,
  ...defined({ run }),
});

/** Tries to take a lock once. Throws if its file cannot be written. */
export function tryLock(path: string, own: LockClaim, isDead: (holder: LockClaim, ageMs: number) => boolean): LockAttempt {
  if (writeClaim(path, own)) {
    removeStaleFiles(path);
    return { state: 'taken', release: () => releaseLock(path, own) };
  }
  const holder = readClaim(path);
  if (holder === undefined ? !isBroken(path) : !isDead(holder, measureAge(path))) return { state: 'held', holder };
  return removeDeadLock(path, holder, own) ? { state: 'removed', dead: holder } : { state: 'held', holder: undefined };
}

/** Creates the lock file atomically; false if it exists. A lock file that is half written would belong to no process. */
function writeClaim(path: string, own: LockClaim): boolean {
  const draft = `${path}.${own.nonce}`;
  try {
    const text = JSON.stringify(own);
    writeFileSync(draft, text, { mode: 0o600 });
    linkOrWrite(draft, path, text);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    removeFile(draft);
  }
}

function linkOrWrite(draft: string, path: string, text: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    // The file system has no hard links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  }
}

/** Removes drafts and `.taking` files of processes that were killed while they took a lock of this folder. */
function removeStaleFiles(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    const [, pid] = /\.lock(?:\.taking)?\.(\d+)-[0-9a-z]+$/.exec(name) ?? [];
    const file = join(folder, name);
    if (pid !== undefined && !isAlive(readClaim(file) ?? identifyPid(Number(pid)))) removeFile(file);
  }
  // A process that still sees the dead lock finds ours instead.
  const taking = `${path}.taking`;
  const taker = readClaim(taking);
  if (taker && !isAlive(taker)) removeFile(taking);
}

/** The identity of the process that has this pid now. */
const identifyPid = (pid: number): ProcessIdentity => ({ pid, began: readStartTime(pid), boot: readBootId() });

/** Removes the lock of a dead process; false if another process was faster or the file stays. A second lock, `.taking`, ensures that two processes that
 *  see the same dead lock do not remove each other's new one. */
function removeDeadLock(path: string, dead: LockClaim | undefined, own: LockClaim): boolean {
  const taking = `${path}.taking`;
  if (!writeClaim(taking, own)) {
    const other = readClaim(taking);
    if (other === undefined ? isBroken(taking) : !isAlive(other)) removeFile(taking);
    return false;
  }
  try {
    return readClaim(path)?.nonce === dead?.nonce && existsSync(path) && removeFile(path);
  } finally {
    removeFile(taking);
  }
}

function releaseLock(path: string, own: LockClaim): void {
  if (readClaim(path)?.nonce === own.nonce) removeFile(path);
}

function removeFile(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    // Already removed, or read-only now. A lock that stays is taken over once its process is dead.
    return false;
  }
}

/** Undefined if the lock was released or the file is not readable. */
function readClaim(path: string): LockClaim | undefined {
  try {
    const claim = parseJson(readFileSync(path, 'utf8')) as LockClaim | undefined;
    return typeof claim?.pid === 'number' ? claim : undefined;
  } catch {
    return undefined;
  }
}

const isBroken = (path: string): boolean => measureAge(path) > unreadableMs;

/** The milliseconds since a file was written, in any direction if the clock was changed; 0 if there is no file. */
function measureAge(path: string): number {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed === undefined ? 0 : Math.abs(Date.now() - changed);
}
