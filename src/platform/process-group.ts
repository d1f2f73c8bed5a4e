import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Everything that a process started, as far as it can be told: its group; on Linux also what left it but carries the mark
 *  (`NAME=value`) in its environment, holds on to what it was given, or was seen to be started by any of it; on Windows the tree below it. */
export interface Started {
  /** Undefined where whoever started it is gone: what it left is told by its mark alone. */
  pid?: number | undefined;
  mark: string;
  /** How the name begins of what it was given to hold on to. */
  tether?: string | undefined;
  /** What was seen of it, and when each began: once who started it is gone, nothing else tells. */
  seen?: Map<number, string>;
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
export function living(started: Started, which: 'all' | 'outside' = 'all'): number[] {
  const { pid: group, spared, lowest = 0 } = started;
  // Windows has no groups: of the tree only its root can be asked for.
  if (process.platform !== 'linux')
    return group !== undefined && which === 'all' && isThere(process.platform === 'win32' ? group : -group) ? [group] : [];
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) >= lowest && !spared?.has(Number(name)))
    .flatMap((name) => lookAt(Number(name)) ?? []);
  const found = new Set(all.filter((one) => belongs(one, started)));
  // Children of what belongs to it belong to it, whatever they have cleared or left; and so do theirs.
  const parents = new Set([...found].map(({ pid }) => pid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const one of all)
      if (parents.has(one.parent)) {
        found.add(one);
        parents.add(one.pid);
      }
  }
  for (const { pid, began } of found) started.seen?.set(pid, began);
  return [...found].filter((one) => which === 'all' || one.group !== group).map(({ pid }) => pid);
}

/** Remembers what it has started by now, at the cost of looking at that alone. */
export function follow({ pid: first, seen }: Started): void {
  if (process.platform !== 'linux' || first === undefined || !seen) return;
  const waiting = [first];
  for (const [pid, began] of seen) if (lookAt(pid)?.began === began) waiting.push(pid);
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop())
    for (const child of childrenOf(pid)) {
      const one = seen.has(child) ? undefined : lookAt(child);
      if (!one) continue;
      seen.set(child, one.began);
      waiting.push(child);
    }
}

function childrenOf(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const children = threads.flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' '));
    return children.filter(Boolean).map(Number);
  } catch {
    // Gone meanwhile, or a system that does not tell.
    return [];
  }
}

/** Whatever inherits this from us was started by what we give it to: a handle is kept by those who clear everything else. Its name. */
export const tetherAt = 3;
export const tetherOf = (file: number): string | undefined => linkOf(process.pid, file);

function linkOf(pid: number, at: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${at}`);
  } catch {
    // Closed, gone, or another user's.
    return undefined;
  }
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

interface Looked {
  pid: number;
  parent: number;
  group: number;
  began: string;
}

/** Undefined for what is dead. */
function lookAt(pid: number): Looked | undefined {
  const [state, parent, group, ...rest] = statOf(String(pid)) ?? ['X'];
  if (state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), began: rest[16] ?? '' };
}

function belongs({ pid, group, began }: Looked, { pid: first, mark, tether, seen, since = 0 }: Started): boolean {
  if (group === first || seen?.get(pid) === began) return true;
  // Most of a machine was there before, and need not be asked what it carries.
  if (Number(began) < since) return false;
  if (tether !== undefined && linkOf(pid, tetherAt)?.startsWith(tether)) return true;
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
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
