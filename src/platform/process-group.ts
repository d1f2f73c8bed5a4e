import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Everything that a process started, as far as it can be told: its group; on Linux also what left it but carries the mark
 *  (`NAME=value`) in its environment; on Windows the tree below it. */
export interface Started {
  /** Undefined where whoever started it is gone: what it left is told by its mark alone. */
  pid?: number;
  mark: string;
  /** Not to be touched, whatever they carry. */
  spared?: Set<number>;
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
export function living({ pid, mark, spared }: Started, which: 'all' | 'outside' = 'all'): number[] {
  if (process.platform !== 'linux') return pid !== undefined && which === 'all' && isThere(-pid) ? [pid] : [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && !spared?.has(Number(name)))
    .filter((name) => belongs(name, pid, mark, which))
    .map(Number);
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

function belongs(name: string, group: number | undefined, mark: string, which: 'all' | 'outside'): boolean {
  try {
    const [state, , itsGroup] = statOf(name) ?? ['X'];
    if (state === 'Z' || state === 'X') return false;
    if (Number(itsGroup) === group) return which === 'all';
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
