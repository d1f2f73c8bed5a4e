import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
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
      warning = `took over the lock of process ${holder.pid}, which is gone`;
      rmSync(path, { force: true });
      continue;
    }
    if (Date.now() >= until)
      throw skillRefusal(75, `another run of it is under way${holder ? ` (process ${holder.pid})` : ''}`, 'cleo trace list', {
        ...(holder ? { pid: holder.pid } : {}),
      });
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

function claim(folder: string, path: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = openSync(path, 'wx', 0o600);
    try {
      writeSync(file, JSON.stringify({ pid: process.pid, began: beganAt(process.pid), boot: bootId() } satisfies Holder));
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw skillRefusal(73, `${path} cannot be written: ${code}`, 'cleo doctor', { path });
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
