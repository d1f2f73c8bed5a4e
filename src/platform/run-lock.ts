import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { skillRefusal } from '#runs/errors/skill.ts';
import type { Holder, LockOptions } from './ground-port.ts';
import { monotonicMs } from './monotonic.ts';
import { writing } from './unwritable.ts';

/** What a lock says of who holds it. */
interface Claim extends Holder {
  /** The run it is held for. */
  run?: string;
  /** No two claims are alike, so that nobody takes another's away. */
  nonce: string;
}

export interface RunLock {
  /** Of what was taken over. */
  warning?: string;
  /** The run that the process which is gone was at. */
  abandoned?: string;
  release(): void;
}

const lookEveryMs = 50;
/** What cannot be read this long after it was written was never written whole. */
const unreadableMs = 5000;

/** One at a time. A lock whose holder is dead, or of another start of the machine, is taken over. */
export async function takeRunLock(
  folder: string,
  name: string,
  waitMs: number,
  { run, signal, fix = 'cleo trace list' }: LockOptions = {},
): Promise<RunLock> {
  const path = join(folder, `${name}.lock`);
  const until = monotonicMs() + waitMs;
  const own: Claim = { pid: process.pid, began: beganAt(process.pid), boot: bootId(), nonce: nonce(), ...(run ? { run } : {}) };
  let taken: Omit<RunLock, 'release'> = {};
  for (;;) {
    if (claim(folder, path, own)) {
      sweep(folder, path);
      return { ...taken, release: () => release(path, own) };
    }
    const holder = holderOf(path);
    if (holder === undefined ? isWreck(path) : !isAlive(holder)) {
      if (takeOver(folder, path, holder, own))
        taken = {
          warning: `took over the lock of ${holder ? `process ${holder.pid}, which is gone` : 'nobody'}`,
          ...(holder?.run ? { abandoned: holder.run } : {}),
        };
      continue;
    }
    if (signal?.aborted) throw skillRefusal(130, 'it was ended from outside', 'cleo trace list');
    if (monotonicMs() >= until)
      throw skillRefusal(75, `another run of it is under way${holder ? ` (process ${holder.pid})` : ''}`, fix, {
        ...(holder ? { pid: holder.pid, ...(holder.run ? { run: holder.run } : {}) } : {}),
      });
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

/** Whole or not at all: a lock that its maker had no time to write would be nobody's. */
function claim(folder: string, path: string, own: Claim): boolean {
  const draft = `${path}.${own.nonce}`;
  writing(folder, 73, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  try {
    const text = JSON.stringify(own);
    writeFileSync(draft, text, { mode: 0o600 });
    place(draft, path, text);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw skillRefusal(73, `${path} cannot be written: ${code}`, 'cleo doctor', { path });
  } finally {
    removed(draft);
  }
}

function place(draft: string, path: string, text: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    // A file system without hard links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  }
}

/** What makers of locks left who were killed before they had put them in place, or while they took over a dead one's. */
function sweep(folder: string, path: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /\.lock(?:\.taking)?\.(\d+)-[0-9a-z]+$/.exec(name) ?? [];
    const left = join(folder, name);
    if (pid !== undefined && !isAlive(holderOf(left) ?? nameless(Number(pid)))) removed(left);
  }
  // Whoever still believes that the lock is a dead one's finds that it is ours.
  const taking = `${path}.taking`;
  const taker = holderOf(taking);
  if (taker && !isAlive(taker)) removed(taking);
}

/** Of whom nothing is known but its number. */
const nameless = (pid: number): Holder => ({ pid, began: beganAt(pid), boot: bootId() });

/** Two that find the same dead holder must not take away each other's lock: only who has a lock on the taking may. */
function takeOver(folder: string, path: string, dead: Claim | undefined, own: Claim): boolean {
  const taking = `${path}.taking`;
  if (!claim(folder, taking, own)) {
    const other = holderOf(taking);
    if (other === undefined ? isWreck(taking) : !isAlive(other)) removed(taking);
    return false;
  }
  try {
    const isSame = holderOf(path)?.nonce === dead?.nonce && existsSync(path);
    if (isSame) removed(path);
    return isSame;
  } finally {
    removed(taking);
  }
}

function release(path: string, own: Claim): void {
  if (holderOf(path)?.nonce === own.nonce) removed(path);
}

function removed(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already; or it cannot be written any more; that whoever holds it is gone will be seen all the same.
  }
}

/** Undefined where it was released meanwhile, or nobody can read it. */
function holderOf(path: string): Claim | undefined {
  try {
    const said = JSON.parse(readFileSync(path, 'utf8')) as Claim;
    return typeof said?.pid === 'number' ? said : undefined;
  } catch {
    return undefined;
  }
}

function isWreck(path: string): boolean {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed !== undefined && Math.abs(Date.now() - changed) > unreadableMs;
}

export function isAlive({ pid, began, boot }: Holder): boolean {
  if (boot !== bootId()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return beganAt(pid) === began;
}

const nonce = (): string => `${process.pid}-${process.hrtime.bigint().toString(36)}`;

const bootPath = '/proc/sys/kernel/random/boot_id';
export const bootId = (): string => (existsSync(bootPath) ? readFileSync(bootPath, 'utf8').trim() : '');

let own: string | undefined;

export function beganAt(pid: number): string {
  if (pid !== process.pid) return readBegan(pid);
  own ??= readBegan(pid);
  return own;
}

function readBegan(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
