import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Everything that a process started, as far as it can be told: its group; on Linux also what left it but carries the mark
 *  (`NAME=value`) in its environment; on Windows the tree below it. */
export interface Started {
  /** Undefined where whoever started it is gone: what it left is told by its mark alone. */
  pid?: number | undefined;
  mark: string;
  /** Not to be touched, whatever they carry. */
  spared?: Set<number>;
  /** What began before was not started by it: the system's own count, undefined where nobody knows. */
  since?: number | undefined;
  /** What has a lower number was not started by it. */
  lowest?: number | undefined;
}

/** Sends a signal to all of it. */
export function signalAll(started: Started, signal: 'SIGTERM' | 'SIGKILL' | 'SIGCONT'): void {
  if (process.platform === 'win32') {
    if (signal !== 'SIGCONT' && started.pid !== undefined)
      spawn('taskkill', ['/pid', String(started.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    return;
  }
  if (started.pid !== undefined) send(-started.pid, signal);
  if (process.platform === 'linux') for (const pid of living(started)) send(pid, signal);
}

/** What of it is still alive, or only what has left the group. A zombie is not: it waits for its parent to look. */
export function living({ pid, mark, spared, since, lowest = 0 }: Started, which: 'all' | 'outside' = 'all'): number[] {
  // Windows has no groups: of the tree only its root can be asked for.
  if (process.platform !== 'linux')
    return pid !== undefined && which === 'all' && isThere(process.platform === 'win32' ? pid : -pid) ? [pid] : [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) >= lowest && !spared?.has(Number(name)))
    .filter((name) => belongs(name, { pid, mark, since }, which))
    .map(Number);
}

/** Now, as the system counts when processes began: in hundredths of a second since it was started. To ask what it says of a process
 *  that is just being started would be to wait for it. */
export function countNow(): number | undefined {
  try {
    return Math.floor(Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 100) - 1;
  } catch {
    return undefined;
  }
}

/** Whether the numbers of processes have not come round since this one began, a moment ago: who came later has a higher one. */
export function isRising(pid: number): boolean {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1)) >= pid;
  } catch {
    return false;
  }
}

/** This process, and those that it was started by. */
export function ownLine(): Set<number> {
  const line = new Set<number>();
  for (let pid = process.pid; pid > 0 && !line.has(pid); pid = Number(statOf(String(pid))?.[1] ?? 0)) line.add(pid);
  return line;
}

/** State, parent, group and what follows. The program's name, in parentheses, may hold anything: what follows the last of them is
 *  plain. */
function statOf(name: string): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    // Gone, or a system without such files.
    return undefined;
  }
}

function belongs(name: string, { pid: group, mark, since = 0 }: Started, which: 'all' | 'outside'): boolean {
  try {
    const stat = statOf(name) ?? ['X'];
    const [state, , itsGroup] = stat;
    if (state === 'Z' || state === 'X') return false;
    if (Number(itsGroup) === group) return which === 'all';
    // Most of a machine was there before, and need not be asked what it carries.
    if (Number(stat[19]) < since) return false;
    return readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(mark);
  } catch {
    // Another user's, or gone meanwhile.
    return false;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}
