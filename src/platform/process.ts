import { spawn } from 'node:child_process';
import type { Ran, RunOptions } from './port.ts';
import { signalAll } from './process-group.ts';

/** Variables that would lead git, or a tool that calls it, to another repository than the one it stands in. */
const elsewhere =
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|NO_REPLACE_OBJECTS|IMPLICIT_WORK_TREE|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT)$/;

const graceMs = 1000;
/** How long a pipe may stay open after the process that it belonged to has ended. */
const drainMs = 500;

/** Runs a program with these words, never through a shell, and waits until it is gone: it ended, or its time was up, or
 *  it printed more than is read. Of its output only the end is kept; the hash is of all of it. */
export function run(env: Record<string, string | undefined>, [program = '', ...words]: string[], options: RunOptions): Promise<Ran> {
  const { folder, timeoutMs, maxBytes = 1 << 30, keepBytes = 4096, input, signal } = options;
  // What this mark stands in the environment of was started by this run, whichever session or parent it has by now.
  const mark = `CLEO_RUN_MARK=${process.pid}-${process.hrtime.bigint()}`;
  return new Promise((resolve) => {
    const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
    const startedAt = process.hrtime.bigint();
    const kept: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    let bytes = 0;
    let stopped: Ran['stopped'];
    let isOver = false;
    const timers: NodeJS.Timeout[] = [];
    const child = spawn(program, words, {
      cwd: folder,
      env: { ...cleanEnv(env, options.env), [mark.split('=')[0]!]: mark.split('=')[1]! },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // A group of its own, so that it can be stopped with everything it starts.
      detached: process.platform !== 'win32',
      windowsHide: true,
      shell: false,
    });
    const settle = (end: Partial<Ran>): void => {
      if (isOver) return;
      isOver = true;
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
    const stop = (why: NonNullable<Ran['stopped']>): void => {
      if (stopped || isOver) return;
      stopped = why;
      end(child.pid, mark, 'SIGTERM');
      timers.push(setTimeout(() => end(child.pid, mark, 'SIGKILL'), graceMs));
      // Nobody waits for what cannot even be killed.
      timers.push(setTimeout(() => settle({}), graceMs + drainMs));
    };
    for (const which of ['stdout', 'stderr'] as const)
      child[which]?.on('data', (part: Buffer) => {
        bytes += part.length;
        hash.update(part);
        keep(kept[which], part, keepBytes);
        if (bytes > maxBytes) stop('output');
      });
    child.on('error', (error: NodeJS.ErrnoException) => settle({ problem: problemOf(error, program) }));
    child.on('exit', (code, signal) => {
      const how = { ...(code === null ? {} : { exitCode: code }), ...(signal ? { signal } : {}) };
      child.on('close', () => settle(how));
      // Somebody it started holds the pipe, and may do so for ever.
      timers.push(
        setTimeout(() => {
          end(child.pid, mark, 'SIGKILL');
          settle(how);
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

function cleanEnv(env: Record<string, string | undefined>, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !elsewhere.test(name))), ...more };
}

/** Only as many of the last parts as are needed. */
function keep(parts: Buffer[], part: Buffer, keepBytes: number): void {
  // A copy: a part is a window on a buffer many times its size.
  parts.push(Buffer.from(part.subarray(-keepBytes)));
  let held = parts.reduce((sum, each) => sum + each.length, 0);
  while (parts.length > 1 && held - parts[0]!.length >= keepBytes) held -= parts.shift()!.length;
}

function end(pid: number | undefined, mark: string, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid !== undefined) signalAll({ pid, mark }, signal);
}

const problemOf = (error: NodeJS.ErrnoException, program: string): string =>
  error.code === 'ENOENT' ? `${program} is not there` : error.code === 'EACCES' ? `${program} may not be run` : error.message;
