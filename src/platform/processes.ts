import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ClientProcess, ProcessEntry } from '#sessions/model/caller-identity.ts';
import { findClientOfProcess } from '#sessions/rules/client-process.ts';
import type { ProcessIdentity } from './runner/port.ts';

const maxAncestors = 64;

/** Finds the process of the agent client that this process belongs to: the nearest ancestor that is a known client. A stdio server
 *  without one belongs to its parent. */
export function findClientProcess(isServer: boolean): ClientProcess | undefined {
  // The ancestors of a process do not change while its client is connected.
  if (!found || found.isServer !== isServer) found = { isServer, client: searchClientProcess(isServer) };
  return found.client;
}

let found: { isServer: boolean; client: ClientProcess | undefined } | undefined;

function searchClientProcess(isServer: boolean): ClientProcess | undefined {
  const ancestors = listParentProcesses();
  for (const entry of ancestors) {
    const client = findClientOfProcess(entry);
    if (client) return toClientProcess(client, entry);
  }
  return isServer && ancestors[0] ? toClientProcess('mcp', ancestors[0]) : undefined;
}

const toClientProcess = (client: string, { pid, startTime }: ProcessEntry): ClientProcess => ({
  client,
  pid,
  startTime,
  key: formatKey({ ...readHost(), pid, startTime }),
});

/** Lists the ancestors of this process, the parent first, as far as they are visible. */
export function listParentProcesses(): ProcessEntry[] {
  const table = process.platform === 'linux' ? undefined : readProcessTable();
  const ancestors: ProcessEntry[] = [];
  for (let pid = process.ppid; pid > 0 && ancestors.length < maxAncestors; ) {
    const entry = table ? table.get(pid) : readLinuxProcess(pid);
    if (!entry) break;
    ancestors.push(entry);
    pid = entry.parentPid;
  }
  return ancestors;
}

function readLinuxProcess(pid: number): ProcessEntry | undefined {
  const stat = readStat(pid);
  if (!stat) return undefined;
  const argv = readFileOr(`/proc/${pid}/cmdline`, '').split('\0').filter(Boolean);
  return { pid, parentPid: stat.parentPid, startTime: stat.startTime, name: stat.name, executable: readLinkOr(`/proc/${pid}/exe`), argv };
}

/** Reads the process table of a system without `/proc`. Windows shows no parents without a slow program, so only the parent is known. */
function readProcessTable(): Map<number, ProcessEntry> {
  if (process.platform === 'win32')
    return new Map([[process.ppid, { pid: process.ppid, parentPid: 0, startTime: '', name: '', executable: '', argv: [] }]]);
  try {
    const lines = execFileSync('ps', ['-axww', '-o', 'pid=,ppid=,lstart=,command='], psOptions).split('\n');
    return new Map(lines.flatMap((line) => parsePsLine(line) ?? []).map((entry) => [entry.pid, entry]));
  } catch {
    // `ps` is missing or may not be run.
    return new Map();
  }
}

const psOptions = { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' }, maxBuffer: 1 << 26, timeout: 5000 } as const;
const psLine = /^\s*(\d+)\s+(\d+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s+(.*)$/;

/** Parses `pid ppid lstart command`, where the start time looks like `Mon Nov 16 05:40:00 2026`. */
export function parsePsLine(line: string): ProcessEntry | undefined {
  const [, pid, parentPid, start = '', command = ''] = psLine.exec(line) ?? [];
  if (pid === undefined) return undefined;
  const argv = command.split(' ').filter(Boolean);
  return { pid: Number(pid), parentPid: Number(parentPid), startTime: parsePsTime(start), name: argv[0] ?? '', executable: '', argv };
}

const parsePsTime = (text: string): string => String(Math.round(Date.parse(`${text} UTC`) / 1000));

interface HostIdentity {
  /** The host name and the machine id; processes of another host cannot be judged. */
  host: string;
  boot: string;
  /** The process namespace of a container. */
  namespace: string;
}

let thisHost: HostIdentity | undefined;

function readHost(): HostIdentity {
  thisHost ??= {
    host: `${hostname()}~${readFileOr('/etc/machine-id', '').trim().slice(0, 12)}`,
    boot: readBootId(),
    namespace: readProcessNamespace(),
  };
  return thisHost;
}

export const getHost = (): string => readHost().host;

const formatKey = ({ host, boot, namespace, pid, startTime }: HostIdentity & { pid: number; startTime: string }): string =>
  [host, boot, namespace, pid, startTime].join('/');

/** Returns the key of this process, for `isProcessRunning`. */
export const getProcessKey = (): string => formatKey({ ...readHost(), pid: process.pid, startTime: readStartTime(process.pid) });

/** Returns true or false for a process of this host, and undefined if it cannot be judged: it belongs to another host or process
 *  namespace, or its start time is not readable. */
export function isProcessRunning(key: string): boolean | undefined {
  const [startTime = '', pidText, namespace, boot = '', ...rest] = key.split('/').reverse();
  const host = rest.reverse().join('/');
  const own = readHost();
  const pid = Number(pidText);
  if (host !== own.host || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  // Without a machine id, two hosts can have the same name.
  if (boot !== own.boot) return host.endsWith('~') ? undefined : false;
  if (namespace !== own.namespace) return undefined;
  return process.platform === 'linux' ? isRunningOnLinux(pid, startTime) : isRunningElsewhere(pid, startTime);
}

function isRunningOnLinux(pid: number, startTime: string): boolean | undefined {
  const stat = readStat(pid);
  if (stat) return stat.startTime === startTime && !hasEnded(stat);
  // The processes of other users can be hidden.
  return hasPid(pid) ? undefined : false;
}

function isRunningElsewhere(pid: number, startTime: string): boolean | undefined {
  if (!hasPid(pid)) return false;
  if (process.platform === 'win32' || startTime === '') return true;
  try {
    return parsePsTime(execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], psOptions).trim()) === startTime;
  } catch {
    return undefined;
  }
}

function hasPid(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

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
const hasEnded = ({ state }: { state: string }): boolean => state === 'Z' || state === 'X';

const bootPath = '/proc/sys/kernel/random/boot_id';
export const readBootId = (): string => (existsSync(bootPath) ? readFileSync(bootPath, 'utf8').trim() : '');

let ownStartTime: string | undefined;

/** Start time of a process in clock ticks since boot; empty if unknown. */
export function readStartTime(pid: number): string {
  if (pid !== process.pid) return readStat(pid)?.startTime ?? '';
  ownStartTime ??= readStat(pid)?.startTime ?? '';
  return ownStartTime;
}

/** The process namespace of a container; empty if unknown. Processes of another one have other pids. */
export const readProcessNamespace = (): string => readLinkOr('/proc/self/ns/pid').replace(/\D/g, '');

/** Returns the device of the controlling terminal, as far as the system tells; `/dev/tty` always means it. */
export function readTerminalName(): string {
  const device = readStat(process.pid)?.terminal ?? 0;
  const [major, minor] = [(device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00)];
  if (major >= 136 && major <= 143) return `/dev/pts/${(major - 136) * 256 + minor}`;
  if (major === 4) return minor < 64 ? `/dev/tty${minor}` : `/dev/ttyS${minor - 64}`;
  return process.platform === 'win32' ? 'console' : '/dev/tty';
}

/** Reads `/proc/<pid>/stat`. The name is in parentheses and may contain any character. */
function readStat(pid: number): { name: string; state: string; parentPid: number; startTime: string; terminal: number } | undefined {
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

/** The first signal aborts, the second calls `onSecond`, and the third ends this process as it would by default. */
export function listenForInterrupts(onSecond: () => void = () => {}): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = (): void => {
    for (const signal of signals) process.off(signal, handle);
  };
  function handle(): void {
    if (controller.signal.aborted) {
      stop();
      onSecond();
    } else controller.abort();
  }
  for (const signal of signals) process.on(signal, handle);
  return { signal: controller.signal, stop };
}

function readFileOr(path: string, fallback: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return fallback;
  }
}

function readLinkOr(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
