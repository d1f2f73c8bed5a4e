import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { createSkillError, reportWriteErrors } from '#runs/errors/skill.ts';
import { convertFileErrors } from './files.ts';
import { monotonicMs } from './platform.ts';
import { isAlive, readBootId, readProcessNamespace, readStartTime } from './processes.ts';
import type { LockOptions, ProcessIdentity } from './runner/port.ts';

interface LockFile {
  /** Set if the lock of a dead process was taken over. */
  warning?: string;
  /** Run that the dead process held the lock for. */
  abandoned?: string;
  release(): void;
}

const pollMs = 50;

/** Takes the lock, or throws 75 after `waitMs`. The lock of a process that is dead, or from before the last boot, is taken over. */
export async function acquireLock(
  folder: string,
  name: string,
  waitMs: number,
  { run, signal, fix = 'cleo trace list' }: LockOptions = {},
): Promise<LockFile> {
  const path = join(folder, `${name}.lock`);
  const until = monotonicMs() + waitMs;
  const own = createLockClaim(run);
  let takenOver: Omit<LockFile, 'release'> = {};
  for (;;) {
    reportWriteErrors(folder, 73, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
    const attempt = reportWriteErrors(path, 73, () => tryLock(path, own, (holder) => !isAlive(holder)));
    if (attempt.state === 'taken') return { ...takenOver, release: attempt.release };
    if (attempt.state === 'removed') {
      const { dead } = attempt;
      takenOver = {
        warning: `took over the lock of ${dead ? `process ${dead.pid}, which is gone` : 'an unknown process'}`,
        ...defined({ abandoned: dead?.run }),
      };
      continue;
    }
    const { holder } = attempt;
    if (signal?.aborted) throw createSkillError(130, 'the run was cancelled', 'cleo trace list');
    if (monotonicMs() >= until)
      throw createSkillError(75, `another run of it is active${holder ? ` (process ${holder.pid})` : ''}`, fix, {
        ...defined({ pid: holder?.pid, run: holder?.run }),
      });
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Runs `work`, which takes milliseconds, under the lock of a file. */
export function withFileLock<T>(path: string, work: () => T): T {
  const release = convertFileErrors(path, () => takeLock(`${path}.lock`));
  try {
    return work();
  } finally {
    release();
  }
}

const lockTimeoutMs = 5000;
const maxLockPauseMs = 10;
const staleLockMs = 10_000;

/** Waits for the lock, which is held for milliseconds. The lock of a dead process is taken over, and so is an old one: its process can be one of
 *  another host or container, which cannot be seen. The pauses are short and random: a process that takes the lock again and
 *  again would often be ahead of one that waits. */
function takeLock(lock: string): () => void {
  const own = createLockClaim();
  const isDead = (holder: LockClaim, ageMs: number): boolean =>
    ageMs > staleLockMs || (holder.boot === own.boot && holder.namespace === own.namespace && !isAlive(holder));
  for (const until = monotonicMs() + lockTimeoutMs; ; ) {
    const attempt = tryLock(lock, own, isDead);
    if (attempt.state === 'taken') return attempt.release;
    if (attempt.state === 'removed') continue;
    if (monotonicMs() >= until) throw new CleoError('E_LOCK_TIMEOUT', { waitedMs: lockTimeoutMs, path: lock });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * maxLockPauseMs);
  }
}

/** The content of a lock file: the process that holds the lock. */
interface LockClaim extends ProcessIdentity {
  /** The process namespace, in which the pid is valid. */
  namespace?: string;
  /** Run that the lock is held for. */
  run?: string;
  /** Unique per claim, so that a process removes only its own lock. */
  nonce: string;
}

type LockAttempt =
  | { state: 'taken'; release: () => void }
  /** The holder is unknown while its file is being written, while another process removes the lock of a dead one, or if the file cannot be
   *  removed. */
  | { state: 'held'; holder: LockClaim | undefined }
  /** The lock of a dead process was removed, or that of none. The next attempt can take it. */
  | { state: 'removed'; dead: LockClaim | undefined };

/** A lock file that is still unreadable after this time was never completely written. */
const unreadableMs = 5000;

const createLockClaim = (run?: string): LockClaim => ({
  pid: process.pid,
  began: readStartTime(process.pid),
  boot: readBootId(),
  namespace: readProcessNamespace(),
  nonce: `${process.pid}-${process.hrtime.bigint().toString(36)}`,
  ...defined({ run }),
});

/** Tries to take a lock once. Throws if its file cannot be written. */
function tryLock(path: string, own: LockClaim, isDead: (holder: LockClaim, ageMs: number) => boolean): LockAttempt {
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
  // git ignores this name in `.cleo`, and `doctor` knows it as a temporary file.
  const draft = `${path}.tmp-${own.nonce}`;
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

/** Removes drafts and second locks of processes that were killed while they took a lock of this folder. A new draft can be one of a process in
 *  another container, which cannot be seen. */
function removeStaleFiles(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    const [, pid] = /\.lock\.tmp-(\d+)-[0-9a-z]+$/.exec(name) ?? [];
    const file = join(folder, name);
    if (pid !== undefined && isBroken(file) && !isAlive(readClaim(file) ?? identifyPid(Number(pid)))) removeFile(file);
  }
  // A process that still sees the dead lock finds ours instead.
  const taking = toSecondLock(path);
  const taker = readClaim(taking);
  if (taker && !isAlive(taker)) removeFile(taking);
}

/** The identity of the process that has this pid now. */
const identifyPid = (pid: number): ProcessIdentity => ({ pid, began: readStartTime(pid), boot: readBootId() });

/** Returns the path of the lock under which a dead lock is removed. */
const toSecondLock = (path: string): string => path.replace(/\.lock$/, '.taking.lock');

/** Removes the lock of a dead process; false if another process was faster or the file stays. The second lock ensures that two processes
 *  that see the same dead lock do not remove each other's new one. */
function removeDeadLock(path: string, dead: LockClaim | undefined, own: LockClaim): boolean {
  const taking = toSecondLock(path);
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

/** Checks whether a file would be complete by now, if its process had not been killed. */
const isBroken = (path: string): boolean => measureAge(path) > unreadableMs;

/** The milliseconds since a file was written, in any direction if the clock was changed; 0 if there is no file. */
function measureAge(path: string): number {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed === undefined ? 0 : Math.abs(Date.now() - changed);
}
