import { closeSync, existsSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { skillRefusal } from '../errors/skill.ts';
import type { Holder } from './ground-port.ts';

const lookEveryMs = 50;

/** One at a time. A lock whose holder is dead, or of another start of the machine, is taken over. */
export async function takeRunLock(folder: string, name: string, waitMs: number): Promise<{ warning?: string; release(): void }> {
  const path = join(folder, `${name}.lock`);
  const until = Date.now() + waitMs;
  let warning: string | undefined;
  for (;;) {
    if (claim(folder, path)) return { ...(warning ? { warning } : {}), release: () => rmSync(path, { force: true }) };
    const holder = holderOf(path);
    if (holder && !isAlive(holder)) {
      if (takeOver(path)) warning = `took over the lock of process ${holder.pid}, which is gone`;
      else await pause();
      continue;
    }
    if (Date.now() >= until)
      throw skillRefusal(75, `another run of it is under way${holder ? ` (process ${holder.pid})` : ''}`, 'cleo trace list', {
        ...(holder ? { pid: holder.pid } : {}),
      });
    await pause();
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, lookEveryMs));

/** The lock comes into being with its holder in it: an empty one would be nobody's, and so everybody's for ever. */
function claim(folder: string, path: string): boolean {
  const fresh = `${path}.${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  const holder: Holder = { pid: process.pid, began: beganAt(process.pid), boot: bootId() };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(fresh, JSON.stringify(holder), { mode: 0o600, flag: 'wx' });
    try {
      linkSync(fresh, path);
    } catch (error) {
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      // Where links are not to be had.
      writeFileSync(path, JSON.stringify(holder), { mode: 0o600, flag: 'wx' });
    } finally {
      rmSync(fresh, { force: true });
    }
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw skillRefusal(73, `${path} cannot be written: ${code}`, 'cleo doctor', { path });
  }
}

const abandonedMs = 10_000;

/** One at a time here too: of two that see the same dead holder, the second would take away the lock of the first. */
function takeOver(path: string): boolean {
  const guard = `${path}.takeover`;
  try {
    closeSync(openSync(guard, 'wx', 0o600));
  } catch {
    const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > abandonedMs) rmSync(guard, { force: true });
    return false;
  }
  try {
    const holder = holderOf(path);
    if (holder === undefined || isAlive(holder)) return false;
    rmSync(path, { force: true });
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Undefined where it was released meanwhile, or is just being written. */
function holderOf(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
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

const bootPath = '/proc/sys/kernel/random/boot_id';
export const bootId = (): string => (existsSync(bootPath) ? readFileSync(bootPath, 'utf8').trim() : '');

export function beganAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
