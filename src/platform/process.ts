import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInterruptedStart } from '#core/rules/interrupted-start.ts';
import { monotonicMs } from './platform.ts';
import type { ProgramOptions, ProgramResult } from './port.ts';
import { selectProgramEnvironment } from './program-environment.ts';
import { findProgram } from './program-path.ts';
import {
  killRemaining,
  listLiving,
  type ProcessGroup,
  readHandlePath,
  readUptimeTicks,
  signalAll,
  startTracking,
} from './runner/process-group.ts';

/** Variables that make git, or a tool that calls it, use another repository than that of its folder. */
const redirectingVariables =
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|NO_REPLACE_OBJECTS|IMPLICIT_WORK_TREE|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT)$/;

const graceMs = 1000;
/** Time that a pipe may stay open after its process has ended. */
const drainMs = 500;

/** Runs a program without a shell and waits until it has ended or was stopped. Returns the end of its output and a hash of
 *  the whole output. */
export async function runProgram(
  env: Record<string, string | undefined>,
  words: string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const ran = await runOnce(env, words, options);
  const survivesInterrupts = process.listenerCount('SIGINT') > 0;
  return survivesInterrupts && !ran.stopped && isInterruptedStart({ signal: ran.signal, outputBytes: ran.bytes })
    ? runOnce(env, words, options)
    : ran;
}

function runOnce(
  env: Record<string, string | undefined>,
  [program = '', ...words]: string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const { folder, timeoutMs, maxBytes = 1 << 30, tailBytes: keepBytes = 4096, input, signal } = options;
  // Every process with this variable in its environment was started by this run, even if it has left the process group.
  const mark = `CLEO_RUN_MARK=${process.pid}-${process.hrtime.bigint()}`;
  return new Promise((resolve) => {
    const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
    const startedAt = process.hrtime.bigint();
    const kept: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    let bytes = 0;
    let stopped: ProgramResult['stopped'];
    let isOver = false;
    const timers: NodeJS.Timeout[] = [];
    const group: ProcessGroup = { environmentMark: mark, since: readUptimeTicks(), seen: new Map() };
    const handle = options.inheritsEnv ? undefined : openHandle(group);
    const own = createEnv(env, options);
    const child = spawn(findProgram(program, own), words, {
      cwd: folder,
      env: { ...own, [mark.split('=')[0]!]: mark.split('=')[1]! },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', handle?.file ?? 'ignore'],
      // A process group of its own, so that the program is stopped together with its children.
      detached: process.platform !== 'win32',
      windowsHide: true,
      shell: false,
    });
    group.pid = child.pid;
    const tracking = options.inheritsEnv ? undefined : startTracking(group);
    handle?.close();
    const settle = (end: Partial<ProgramResult>): void => {
      if (isOver) return;
      isOver = true;
      tracking?.stop();
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      child.stdout?.destroy();
      child.stderr?.destroy();
      const text = (which: 'stdout' | 'stderr'): string => Buffer.concat(kept[which]).subarray(-keepBytes).toString('utf8');
      resolve({
        stdout: text('stdout'),
        stderr: text('stderr'),
        bytes,
        sha256: hash.digest('hex'),
        durationMs: Number((process.hrtime.bigint() - startedAt) / 1_000_000n),
        ...(stopped ? { stopped } : {}),
        ...end,
      });
    };
    const stop = (why: NonNullable<ProgramResult['stopped']>): void => {
      if (stopped || isOver) return;
      stopped = why;
      signalRun(group, 'SIGTERM');
      timers.push(setTimeout(() => signalRun(group, 'SIGKILL'), graceMs));
      // Do not wait for a process that survives SIGKILL.
      timers.push(setTimeout(() => settle({}), graceMs + drainMs));
    };
    for (const which of ['stdout', 'stderr'] as const)
      child[which]?.on('data', (part: Buffer) => {
        bytes += part.length;
        hash.update(part);
        appendTail(kept[which], part, keepBytes);
        if (bytes > maxBytes) stop('output');
      });
    child.on('error', (error: NodeJS.ErrnoException) => settle({ problem: describeSpawnError(error, program) }));
    child.on('exit', (code, signal) => {
      const result = { ...(code === null ? {} : { exitCode: code }), ...(signal ? { signal } : {}) };
      // A program that the project names leaves nothing behind, not even a daemon that closed its output.
      const swept = options.inheritsEnv ? Promise.resolve() : killLeftovers(group);
      child.on('close', () => void swept.then(() => settle(result)));
      // A child of the program may keep the pipe open for ever.
      timers.push(
        setTimeout(() => {
          signalRun(group, 'SIGKILL');
          void swept.then(() => settle(result));
        }, drainMs),
      );
    });
    if (input !== undefined) {
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    }
    timers.push(setTimeout(() => stop('time'), timeoutMs));
    function cancel(): void {
      stop('cancelled');
    }
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
  });
}

function createEnv(env: Record<string, string | undefined>, { inheritsEnv, variables, env: more }: ProgramOptions): NodeJS.ProcessEnv {
  const own = inheritsEnv ? env : selectProgramEnvironment(env, variables);
  return { ...Object.fromEntries(Object.entries(own).filter(([name]) => !redirectingVariables.test(name))), ...more };
}

/** Appends a part and drops the parts that `tailBytes` no longer covers. */
function appendTail(parts: Buffer[], part: Buffer, keepBytes: number): void {
  // Copied, because a part is a view of a much larger buffer.
  parts.push(Buffer.from(part.subarray(-keepBytes)));
  let held = parts.reduce((sum, each) => sum + each.length, 0);
  while (parts.length > 1 && held - parts[0]!.length >= keepBytes) held -= parts.shift()!.length;
}

function signalRun(group: ProcessGroup, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (group.pid !== undefined) signalAll(group, signal);
}

/** Opens a folder of this run alone. Descendants inherit the handle, even if they clear their environment. */
function openHandle(group: ProcessGroup): { file: number; close(): void } | undefined {
  if (process.platform !== 'linux') return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'cleo-program-'));
  const file = openSync(folder, 'r');
  group.inheritedHandle = readHandlePath(file);
  return {
    file,
    close() {
      closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Kills what a program left running: at once, because it has had its time. */
async function killLeftovers(group: ProcessGroup): Promise<void> {
  if (group.pid === undefined || listLiving(group).length === 0) return;
  const now = monotonicMs();
  await killRemaining(group, () => now);
}

const describeSpawnError = (error: NodeJS.ErrnoException, program: string): string =>
  error.code === 'ENOENT' ? `${program} is not installed` : error.code === 'EACCES' ? `${program} is not executable` : error.message;
