import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import type { ProcessIdentity } from './runner/port.ts';

/** Checks a process of this host by its pid, start time and boot. A process of another user counts as alive. */
export function isAlive({ pid, began, boot }: ProcessIdentity): boolean {
  if (boot !== readBootId()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const stat = readStat(pid);
  return stat ? stat.startTime === began && !hasEnded(stat) : began === '';
}

/** A process that has ended stays in the list of processes until its parent asks for its exit code, which some parents never do. */
export const hasEnded = ({ state }: { state: string }): boolean => state === 'Z' || state === 'X';

const bootPath = '/proc/sys/kernel/random/boot_id';
export const readBootId = (): string => (existsSync(bootPath) ? readFileSync(bootPath, 'utf8').trim() : '');

let ownStartTime: string | undefined;

/** Start time of a process in clock ticks since boot; empty if unknown. */
export function readStartTime(pid: number): string {
  if (pid !== process.pid) return readStat(pid)?.startTime ?? '';
  ownStartTime ??= readStat(pid)?.startTime ?? '';
  return ownStartTime;
}

/** Reads `/proc/<pid>/stat`. The name is in parentheses and may contain any character. */
export function readStat(pid: number): { name: string; state: string; parentPid: number; startTime: string; terminal: number } | undefined {
  const text = readFileOr(`/proc/${pid}/stat`, '');
  const end = text.lastIndexOf(')');
  if (end < 0) return undefined;
  const fields = text.slice(end + 2).split(' ');
  return {
    name: text.slice(text.indexOf('(') + 1, end),
    state: fields[0] ?? '',
    parentPid: Number(fields[1]),
    startTime: fields[19] ?? '',
    terminal: Number(fields[4]),
  };
}

/** The process namespace of a container; empty if unknown. Processes of another one have other pids. */
export const readProcessNamespace = (): string => readLinkOr('/proc/self/ns/pid').replace(/\D/g, '');

export function readFileOr(path: string, fallback: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return fallback;
  }
}

export function readLinkOr(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
