import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { constants as os, tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportWriteErrors } from '#runs/errors/skill.ts';
import { monotonicMs } from '../platform.ts';
import type { ProcessResult, ProcessSpec, ScratchFolder } from './port.ts';
import {
  hasMonotonicPids,
  killRemaining,
  listAncestorPids,
  listLiving,
  type ProcessGroup,
  readHandlePath,
  readUptimeTicks,
  signalAll,
  sleep,
  startTracking,
} from './process-group.ts';

const maxPrimaryBytes = 10 * 2 ** 20;
const maxLogBytes = 50 * 2 ** 20;
const logFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
/** Time that a pipe may stay open after its process has ended. */
const drainTimeoutMs = 2000;
/** Within this time after the start, pids cannot have wrapped around. */
const briefMs = 1000;

type StopReason = 'time' | 'cancelled' | 'failed';

/** Runs a skill and returns when it and all its descendants have ended. */
export async function runSkill(spec: ProcessSpec): Promise<ProcessResult> {
  const startedAt = process.hrtime.bigint();
  const failed = new AbortController();
  const stdout = captureStream(spec, 'stdout', failed);
  const stderr = captureStream(spec, 'stderr', failed);
  let supervisor: ReturnType<typeof superviseProcess> | undefined;
  try {
    const [program = '', ...words] = spec.shell ? toShellCommand(spec.argv[0] ?? '') : spec.argv;
    const since = readUptimeTicks();
    const { child, inheritedHandle } = startProcess(spec, program, words);
    if (!child)
      return { ...createEmptyResult(startedAt), exitCode: 126, problem: `${program} cannot be run: an argument contains a zero byte` };
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', reject);
    });
    child.stdin.on('error', () => {
      // A skill need not read its input.
    });
    child.stdin.end(spec.stdin);
    child.stdout.on('data', stdout.write);
    child.stderr.on('data', stderr.write);
    const { pid } = child;
    const group = pid === undefined ? undefined : { pid, environmentMark: spec.environmentMark, since, inheritedHandle, seen: new Map() };
    supervisor = superviseProcess(spec, group, failed.signal);
    let end: { code: number | null; signal: NodeJS.Signals | null };
    try {
      end = await ended;
    } catch (error) {
      return { ...createEmptyResult(startedAt), ...describeSpawnError(error as NodeJS.ErrnoException, program) };
    } finally {
      supervisor.stop();
    }
    const reason = supervisor.reason();
    const minPid = group && getElapsedMs(startedAt) < briefMs && hasMonotonicPids(group.pid) ? group.pid : undefined;
    const remaining = group ? listLiving({ ...group, minPid }).length : 0;
    // After a timeout or cancellation the group is expected to be alive; only processes that left it are leaked.
    const leaked = reason === undefined ? remaining : supervisor.outside();
    if (group && remaining > 0) await killRemaining(group, supervisor.killAt);
    await Promise.race([closed, sleep(drainTimeoutMs, 'unref')]);
    child.stdout.destroy();
    child.stderr.destroy();
    stdout.finish();
    stderr.finish();
    // A log error ends the skill first and is thrown only now.
    if (failed.signal.aborted) throw failed.signal.reason;
    return {
      exitCode: toExitCode(end, reason),
      ...(end.signal ? { signal: end.signal } : {}),
      timedOut: reason === 'time',
      cancelled: reason === 'cancelled',
      durationMs: getElapsedMs(startedAt),
      stdout: stdout.primary(),
      bytes: { stdout: stdout.bytes(), stderr: stderr.bytes() },
      isTruncated: stdout.isTruncated() || stderr.isTruncated(),
      leaked,
    };
  } finally {
    supervisor?.unregister();
    stdout.close();
    stderr.close();
  }
}

const activeProcesses = new Set<() => void>();

/** Kills all skills of this process without waiting for their grace periods. */
export function killAll(): void {
  for (const kill of activeProcesses) kill();
}

/** Starts the process. Returns without a child if an argument or variable contains a zero byte. */
function startProcess({ folder, env, inheritedHandle: path }: ProcessSpec, program: string, words: string[]) {
  const file = process.platform === 'linux' ? openSync(path, 'r') : undefined;
  const inheritedHandle = file === undefined ? undefined : readHandlePath(file);
  try {
    const child = spawn(program, words, {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'pipe', file ?? 'ignore'],
      // In a process group of its own it can be stopped together with its children.
      detached: process.platform !== 'win32',
      windowsHide: true,
      shell: false,
    }) as ChildProcessWithoutNullStreams;
    return { child, inheritedHandle };
  } catch {
    return { inheritedHandle };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Kills the processes that a dead runner left, which carry the mark or hold the handle. Returns their number. */
export async function killMarked(environmentMark: string, inheritedHandle: string, graceMs: number): Promise<number> {
  const group: ProcessGroup = { environmentMark, inheritedHandle, spared: listAncestorPids() };
  const found = listLiving(group).length;
  if (found > 0) {
    const killAt = monotonicMs() + graceMs;
    await killRemaining(group, () => killAt);
  }
  return found;
}

const toShellCommand = (line: string): string[] =>
  process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c', line] : ['/bin/sh', '-c', line];

/** Stops the process on timeout, cancellation or a log error: SIGTERM first, SIGKILL after the grace period. */
function superviseProcess({ timeoutMs, killGraceMs, signal }: ProcessSpec, group: ProcessGroup | undefined, failed: AbortSignal) {
  const timers: NodeJS.Timeout[] = [];
  let reason: StopReason | undefined;
  let killAt: number | undefined;
  let outside = 0;
  const terminate = (why: StopReason): void => {
    if (reason || !group) return;
    reason = why;
    killAt = monotonicMs() + killGraceMs;
    outside = listLiving(group, 'outside').length;
    signalAll(group, 'SIGTERM');
    // A stopped process handles SIGTERM only after SIGCONT.
    signalAll(group, 'SIGCONT');
    timers.push(setTimeout(() => signalAll(group, 'SIGKILL'), killGraceMs));
  };
  const kill = (): void => {
    killAt = monotonicMs();
    if (group) signalAll(group, 'SIGKILL');
  };
  activeProcesses.add(kill);
  const onCancel = (): void => terminate('cancelled');
  const onFailure = (): void => terminate('failed');
  if (timeoutMs > 0) timers.push(setTimeout(() => terminate('time'), timeoutMs));
  const tracking = group && startTracking(group);
  signal.addEventListener('abort', onCancel, { once: true });
  failed.addEventListener('abort', onFailure, { once: true });
  if (signal.aborted) onCancel();
  if (failed.aborted) onFailure();
  return {
    reason: () => reason,
    /** Time of the SIGKILL. The grace period begins with the first SIGTERM. */
    killAt: (): number => {
      killAt ??= monotonicMs() + killGraceMs;
      return killAt;
    },
    outside: () => outside,
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
      tracking?.stop();
      signal.removeEventListener('abort', onCancel);
      failed.removeEventListener('abort', onFailure);
    },
    unregister: () => void activeProcesses.delete(kill),
  };
}

function toExitCode({ code, signal }: { code: number | null; signal: NodeJS.Signals | null }, reason: StopReason | undefined): number {
  if (reason === 'time') return 81;
  if (reason === 'cancelled') return 130;
  return code ?? 128 + ((signal && os.signals[signal]) || 0);
}

function describeSpawnError(error: NodeJS.ErrnoException, program: string): Pick<ProcessResult, 'exitCode' | 'problem'> {
  if (error.code === 'ENOENT') return { exitCode: 127, problem: `${program} does not exist` };
  if (error.code === 'EACCES' || error.code === 'ENOEXEC') return { exitCode: 126, problem: `${program} cannot be run` };
  return { exitCode: 71, problem: error.message };
}

const createEmptyResult = (startedAt: bigint): ProcessResult => ({
  exitCode: 0,
  timedOut: false,
  cancelled: false,
  durationMs: getElapsedMs(startedAt),
  stdout: new Uint8Array(),
  bytes: { stdout: 0, stderr: 0 },
  isTruncated: false,
  leaked: 0,
});

const getElapsedMs = (startedAt: bigint): number => Number((process.hrtime.bigint() - startedAt) / 1_000_000n);

/** Collects a stream: its beginning as primary output, and a redacted log. Bytes over the limits are only counted. An error while
 *  redacting or logging fails the attempt through `failed`. */
function captureStream({ logs, redactor, onOutput }: ProcessSpec, name: 'stdout' | 'stderr', failed: AbortController) {
  const path = logs?.[name];
  const file = path === undefined ? undefined : reportWriteErrors(path, 73, () => openSync(path, logFlags, 0o600));
  const redacted = redactor.stream();
  const chunks: Buffer[] = [];
  let stored = 0;
  let bytes = 0;
  let logged = 0;
  let isTruncated = false;
  const log = (next: () => string): void => {
    if (file === undefined || logged >= maxLogBytes || failed.signal.aborted) return;
    try {
      const text = next();
      if (text === '') return;
      onOutput?.(name, text);
      const part = Buffer.from(text).subarray(0, maxLogBytes - logged);
      logged += part.length;
      reportWriteErrors(path!, 74, () => {
        for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
      });
    } catch (error) {
      failed.abort(error);
    }
  };
  return {
    write(chunk: Buffer): void {
      bytes += chunk.length;
      if (name === 'stdout' && stored < maxPrimaryBytes) {
        const part = Buffer.from(chunk.subarray(0, maxPrimaryBytes - stored));
        stored += part.length;
        chunks.push(part);
      }
      if ((name === 'stdout' && bytes > maxPrimaryBytes) || bytes > maxLogBytes) isTruncated = true;
      // Over the log limit nothing is redacted any more: endless output must not cost more than reading it.
      log(() => redacted.push(chunk));
    },
    primary: () => Buffer.concat(chunks),
    bytes: () => bytes,
    isTruncated: () => isTruncated,
    finish: () => log(() => redacted.end()),
    close(): void {
      if (file !== undefined) closeSync(file);
    },
  };
}

const maxBytes = 4 * 2 ** 20;

const getNamePrefix = (runId: string): string => `cleo-skill-${runId}-`;

/** The common beginning of the paths of all scratch folders of a run. */
export const getScratchPrefix = (runId: string): string => join(realpathSync(tmpdir()), getNamePrefix(runId));

export function createScratch(runId: string): ScratchFolder {
  const folder = mkdtempSync(join(tmpdir(), getNamePrefix(runId)));
  const [result, events] = [join(folder, 'result.json'), join(folder, 'events.jsonl')];
  const decoder = new TextDecoder();
  let at = 0;
  let rest = '';
  return {
    folder,
    result,
    events,
    readLines(isEnd = false) {
      const { bytes } = readFrom(events, at, maxBytes - at);
      at += bytes.length;
      rest += decoder.decode(bytes, { stream: !isEnd });
      const lines = rest.split(/\r?\n/);
      rest = isEnd ? '' : (lines.pop() ?? '');
      return lines.filter((line) => line.trim() !== '');
    },
    takeResult() {
      try {
        const file = readFrom(result, 0, maxBytes);
        const problems = [...describeProblem('CLEO_RESULT', file), ...describeProblem('CLEO_EVENTS', readFrom(events, at, 0))];
        return { ...(file.size > 0 && file.size <= maxBytes ? { result: file.bytes.toString('utf8') } : {}), problems };
      } finally {
        removeFolder(folder, [result, events]);
      }
    },
  };
}

/** Removes the files one by one. `rmSync` with `recursive` loads a large part of Node, and most skills write these two files at most. */
function removeFolder(folder: string, files: string[]): void {
  try {
    for (const file of files) if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === false) unlinkSync(file);
    rmdirSync(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes the scratch folders that a killed runner left of a run. */
export function removeScratch(runId: string): void {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(getNamePrefix(runId))))
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
}

interface FileContent {
  bytes: Buffer;
  size: number;
  problem?: string;
}

/** Reads a regular file. It does not follow a link, and does not block on a pipe. */
function readFrom(path: string, from: number, limit: number): FileContent {
  const nothing = { bytes: Buffer.alloc(0), size: 0 };
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? nothing : { ...nothing, problem: 'cannot be read' };
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { ...nothing, problem: 'is not a regular file' };
    const bytes = Buffer.alloc(Math.max(0, Math.min(limit, stats.size - from)));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, from + length);
    return { bytes: bytes.subarray(0, length), size: stats.size };
  } finally {
    closeSync(file);
  }
}

const describeProblem = (variable: string, { problem, size }: FileContent): string[] =>
  problem ? [`${variable} ${problem}`] : size > maxBytes ? [`${variable} is larger than 4 MiB`] : [];
