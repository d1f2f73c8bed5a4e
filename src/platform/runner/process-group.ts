import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { monotonicMs } from '../platform.ts';

const pollMs = 25;
const maxTrackIntervalMs = 100;
/** Time that killed processes may take to disappear. */
const reapTimeoutMs = 500;

/** The descendants of a process. On all systems but Windows: its process group. On Linux also the processes that left the group but carry
 *  the mark in their environment, hold the inherited handle, or were seen as children of one of these. On Windows: the process tree. */
export interface ProcessGroup {
  /** Undefined if the process that started it is dead. Then only mark and handle identify the group. */
  pid?: number | undefined;
  /** `NAME=value` in the environment. */
  environmentMark: string;
  /** Prefix of the path of the inherited handle. */
  inheritedHandle?: string | undefined;
  /** Start times of processes seen so far, by pid. A child whose parent died can only be identified by this. */
  seen?: Map<number, string>;
  /** Processes that are never signalled. */
  spared?: Set<number>;
  /** Processes that started before this time, in clock ticks since boot, do not belong to it. */
  since?: number | undefined;
  /** Processes with a lower pid do not belong to it. */
  minPid?: number | undefined;
}

export function signalAll(group: ProcessGroup, signal: 'SIGTERM' | 'SIGKILL' | 'SIGCONT'): void {
  if (process.platform === 'win32') {
    if (signal !== 'SIGCONT' && group.pid !== undefined)
      spawn('taskkill', ['/pid', String(group.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    return;
  }
  if (group.pid !== undefined) sendSignal(-group.pid, signal);
  if (process.platform === 'linux') for (const pid of listLiving(group)) sendSignal(pid, signal);
}

/** Pids that are still alive; with `outside`, only those that left the process group. Zombies do not count. */
export function listLiving(group: ProcessGroup, which: 'all' | 'outside' = 'all'): number[] {
  const { pid: leader, spared, minPid = 0 } = group;
  // Windows has no process groups: only the root of the tree can be checked.
  if (process.platform !== 'linux')
    return leader !== undefined && which === 'all' && exists(process.platform === 'win32' ? leader : -leader) ? [leader] : [];
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) >= minPid && !spared?.has(Number(name)))
    .flatMap((name) => readProcess(Number(name)) ?? []);
  const members = new Set(all.filter((one) => isMember(one, group)));
  // Descendants of a member are members, even if they cleared their environment.
  const parents = new Set([...members].map(({ pid }) => pid));
  for (let size = -1; size !== members.size; ) {
    size = members.size;
    for (const one of all)
      if (parents.has(one.parent)) {
        members.add(one);
        parents.add(one.pid);
      }
  }
  for (const { pid, began } of members) group.seen?.set(pid, began);
  return [...members].filter((one) => which === 'all' || one.group !== leader).map(({ pid }) => pid);
}

/** Adds new descendants to `seen`. It reads only their entries in /proc, so it is cheap enough for polling. */
function trackChildren({ pid: leader, seen }: ProcessGroup): void {
  if (process.platform !== 'linux' || leader === undefined || !seen) return;
  const queue = [leader];
  for (const [pid, began] of seen) if (readProcess(pid)?.began === began) queue.push(pid);
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop())
    for (const child of listChildren(pid)) {
      const entry = seen.has(child) ? undefined : readProcess(child);
      if (!entry) continue;
      seen.set(child, entry.began);
      queue.push(child);
    }
}

function listChildren(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const children = threads.flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' '));
    return children.filter(Boolean).map(Number);
  } catch {
    // The process ended, or the kernel has no such file.
    return [];
  }
}

/** Number of the file handle that skills inherit. Descendants keep it even if they clear their environment. */
const inheritedHandleIndex = 3;
export const readHandlePath = (file: number): string | undefined => readLink(process.pid, file);

function readLink(pid: number, handle: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${handle}`);
  } catch {
    // The handle is closed, the process ended, or another user owns it.
    return undefined;
  }
}

/** Uptime in clock ticks, the unit of process start times. Reading the start time of a process that is just starting would block. */
export function readUptimeTicks(): number | undefined {
  try {
    return Math.floor(Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 100) - 1;
  } catch {
    return undefined;
  }
}

/** True if pids have not wrapped around since this process started: then processes started later have higher pids. */
export function hasMonotonicPids(pid: number): boolean {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1)) >= pid;
  } catch {
    return false;
  }
}

/** This process and its ancestors. */
export function listAncestorPids(): Set<number> {
  const pids = new Set<number>();
  for (let pid = process.pid; pid > 0 && !pids.has(pid); pid = Number(readStatFields(pid)?.[1] ?? 0)) pids.add(pid);
  return pids;
}

/** Fields of /proc/<pid>/stat after the program name: state, parent, group and so on. The name is in parentheses and may itself contain
 *  parentheses, so the fields begin after the last one. */
function readStatFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    // The process ended, or the system has no /proc.
    return undefined;
  }
}

interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  began: string;
}

/** Undefined for a dead process. */
function readProcess(pid: number): ProcessEntry | undefined {
  const [state, parent, group, ...rest] = readStatFields(pid) ?? ['X'];
  if (state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), began: rest[16] ?? '' };
}

function isMember(
  { pid, group, began }: ProcessEntry,
  { pid: leader, environmentMark, inheritedHandle, seen, since = 0 }: ProcessGroup,
): boolean {
  if (group === leader || seen?.get(pid) === began) return true;
  // Most processes of the machine are older, so their environment need not be read.
  if (Number(began) < since) return false;
  if (inheritedHandle !== undefined && readLink(pid, inheritedHandleIndex)?.startsWith(inheritedHandle)) return true;
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(environmentMark);
  } catch {
    // Another user owns it, or it ended.
    return false;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone.
  }
}

/** Records descendants again and again, soon at first, and for at most a twentieth of the time. */
export function startTracking(group: ProcessGroup): { stop(): void } {
  let timer: NodeJS.Timeout;
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      const before = monotonicMs();
      trackChildren(group);
      schedule(Math.max(Math.min(2 * ms, maxTrackIntervalMs), 20 * (monotonicMs() - before)));
    }, ms);
  };
  schedule(10);
  return { stop: () => clearTimeout(timer) };
}

/** Ends all processes of a group: SIGTERM until `killAt`, then SIGKILL repeatedly, because a dying process may have started another. */
export async function killRemaining(group: ProcessGroup, killAt: () => number): Promise<void> {
  if (monotonicMs() < killAt()) {
    signalAll(group, 'SIGTERM');
    signalAll(group, 'SIGCONT');
  }
  while (monotonicMs() < killAt()) {
    if (listLiving(group).length === 0) return;
    await sleep(Math.min(pollMs, Math.max(1, killAt() - monotonicMs())));
  }
  const until = monotonicMs() + reapTimeoutMs;
  do {
    signalAll(group, 'SIGKILL');
    await sleep(5);
  } while (listLiving(group).length > 0 && monotonicMs() < until);
}

/** `unref`: this process may exit before the time is over. */
export const sleep = (ms: number, mode: 'ref' | 'unref' = 'ref'): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (mode === 'unref') timer.unref();
  });
