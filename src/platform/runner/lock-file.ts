import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { createSkillError, reportWriteErrors } from '#runs/errors/skill.ts';
import { monotonicMs } from '../platform.ts';
import { isAlive, readBootId, readStartTime } from '../processes.ts';
import type { LockOptions, ProcessIdentity } from './port.ts';

/** The content of a lock file. */
interface LockClaim extends ProcessIdentity {
  /** Run that the lock is held for. */
  run?: string;
  /** Unique per claim, so that a process removes only its own lock. */
  nonce: string;
}

interface LockFile {
  /** Set if the lock of a dead process was taken over. */
  warning?: string;
  /** Run that the dead process held the lock for. */
  abandoned?: string;
  release(): void;
}

const pollMs = 50;
/** A lock file that is still unreadable after this time was never completely written. */
const unreadableMs = 5000;

/** Takes the lock, or throws 75 after `waitMs`. The lock of a process that is dead, or from before the last boot, is taken over. */
export async function acquireLock(
  folder: string,
  name: string,
  waitMs: number,
  { run, signal, fix = 'cleo trace list' }: LockOptions = {},
): Promise<LockFile> {
  const path = join(folder, `${name}.lock`);
  const until = monotonicMs() + waitMs;
  const nonce = `${process.pid}-${process.hrtime.bigint().toString(36)}`;
  const own: LockClaim = { pid: process.pid, began: readStartTime(process.pid), boot: readBootId(), nonce, ...defined({ run }) };
  let takenOver: Omit<LockFile, 'release'> = {};
  for (;;) {
    if (writeClaim(folder, path, own)) {
      removeStaleFiles(folder, path);
      return { ...takenOver, release: () => releaseLock(path, own) };
    }
    const holder = readClaim(path);
    if (holder === undefined ? isBroken(path) : !isAlive(holder)) {
      if (removeDeadLock(folder, path, holder, own))
        takenOver = {
          warning: `took over the lock of ${holder ? `process ${holder.pid}, which is gone` : 'an unknown process'}`,
          ...defined({ abandoned: holder?.run }),
        };
      continue;
    }
    if (signal?.aborted) throw createSkillError(130, 'the run was cancelled', 'cleo trace list');
    if (monotonicMs() >= until)
      throw createSkillError(75, `another run of it is active${holder ? ` (process ${holder.pid})` : ''}`, fix, {
        ...defined({ pid: holder?.pid, run: holder?.run }),
      });
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Creates the lock file atomically; false if it exists. A lock file that is half written would belong to no process. */
function writeClaim(folder: string, path: string, own: LockClaim): boolean {
  const draft = `${path}.${own.nonce}`;
  reportWriteErrors(folder, 73, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  try {
    const text = JSON.stringify(own);
    writeFileSync(draft, text, { mode: 0o600 });
    linkOrWrite(draft, path, text);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw createSkillError(73, `${path} cannot be written: ${code}`, 'cleo doctor', { path });
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

/** Removes drafts and `.taking` files of processes that were killed while they took a lock. */
function removeStaleFiles(folder: string, path: string): void {
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

/** Removes the lock of a dead process; false if another process was faster. A second lock, `.taking`, ensures that two processes that
 *  see the same dead lock do not remove each other's new one. */
function removeDeadLock(folder: string, path: string, dead: LockClaim | undefined, own: LockClaim): boolean {
  const taking = `${path}.taking`;
  if (!writeClaim(folder, taking, own)) {
    const other = readClaim(taking);
    if (other === undefined ? isBroken(taking) : !isAlive(other)) removeFile(taking);
    return false;
  }
  try {
    const isSame = readClaim(path)?.nonce === dead?.nonce && existsSync(path);
    if (isSame) removeFile(path);
    return isSame;
  } finally {
    removeFile(taking);
  }
}

function releaseLock(path: string, own: LockClaim): void {
  if (readClaim(path)?.nonce === own.nonce) removeFile(path);
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already removed, or read-only now. A lock that stays is taken over once its process is dead.
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

function isBroken(path: string): boolean {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed !== undefined && Math.abs(Date.now() - changed) > unreadableMs;
}
