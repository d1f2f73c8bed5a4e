import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { constants as os } from 'node:os';
import type { ProcessEnd, ProcessSpec } from './ground-port.ts';
import { monotonicMs } from './monotonic.ts';
import { countNow, follow, isRising, living, ownLine, type Started, signalAll, tetherOf } from './process-group.ts';
import { writing } from './unwritable.ts';

const primaryBytes = 10 * 2 ** 20;
const logBytes = 50 * 2 ** 20;
const logFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
/** How long a pipe may stay open after the process that it belonged to has ended. */
const drainMs = 2000;
const lookEveryMs = 25;
const followEveryMs = 100;
const briefMs = 1000;
/** How long the dead may take to be gone. */
const buryMs = 500;

/** Runs a skill, and comes back when it and everything it started is gone. */
export async function runSkill(spec: ProcessSpec): Promise<ProcessEnd> {
  const startedAt = process.hrtime.bigint();
  const failed = new AbortController();
  const stdout = intake(spec, 'stdout', failed);
  const stderr = intake(spec, 'stderr', failed);
  let limit: ReturnType<typeof watch> | undefined;
  try {
    const [program = '', ...words] = spec.shell ? shellOf(spec.argv[0] ?? '') : spec.argv;
    const countThen = countNow();
    const { child, tether } = begin(spec, program, words);
    if (!child) return { ...nothing(startedAt), exitCode: 126, problem: `${program} cannot be run: a word of it holds what no word can` };
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', reject);
    });
    child.stdin.on('error', () => {
      // It need not read what it is given.
    });
    child.stdin.end(spec.stdin);
    child.stdout.on('data', stdout.take);
    child.stderr.on('data', stderr.take);
    const { pid } = child;
    const started = pid === undefined ? undefined : { pid, mark: spec.mark, since: countThen, tether, seen: new Map() };
    limit = watch(spec, started, failed.signal);
    let end: { code: number | null; signal: NodeJS.Signals | null };
    try {
      end = await ended;
    } catch (error) {
      return { ...nothing(startedAt), ...problemOf(error as NodeJS.ErrnoException, program) };
    } finally {
      limit.ended();
    }
    const why = limit.why();
    // So soon after it began the numbers of processes cannot have gone all the way round.
    const lowest = started && since(startedAt) < briefMs && isRising(started.pid) ? started.pid : undefined;
    const left = started ? living({ ...started, lowest }).length : 0;
    // What was told to end with it is no leak; what had left its group is.
    const leaked = why === undefined ? left : limit.outside();
    if (started && left > 0) await sweep(started, limit.killAt);
    await Promise.race([closed, pause(drainMs, 'unheld')]);
    child.stdout.destroy();
    child.stderr.destroy();
    stdout.finish();
    stderr.finish();
    // It is gone; now what kept its output from being kept can be told.
    if (failed.signal.aborted) throw failed.signal.reason;
    return {
      exitCode: codeOf(end, why),
      ...(end.signal ? { signal: end.signal } : {}),
      timedOut: why === 'time',
      cancelled: why === 'cancelled',
      durationMs: since(startedAt),
      stdout: stdout.kept(),
      bytes: { stdout: stdout.bytes(), stderr: stderr.bytes() },
      isTruncated: stdout.isTruncated() || stderr.isTruncated(),
      leaked,
    };
  } finally {
    limit?.clear();
    stdout.close();
    stderr.close();
  }
}

const underWay = new Set<() => void>();

/** Ends everything that runs here for good, whatever grace it still has. */
export function endAtOnce(): void {
  for (const end of underWay) end();
}

/** No child where no system could start it: a word or a variable holds a zero byte. */
function begin({ folder, env, tether: held }: ProcessSpec, program: string, words: string[]) {
  const file = process.platform === 'linux' ? openSync(held, 'r') : undefined;
  const tether = file === undefined ? undefined : tetherOf(file);
  try {
    const child = spawn(program, words, {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'pipe', file ?? 'ignore'],
      // A group of its own, so that it can be stopped with everything it starts.
      detached: process.platform !== 'win32',
      windowsHide: true,
      shell: false,
    }) as ChildProcessWithoutNullStreams;
    return { child, tether };
  } catch {
    return { tether };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Ends what a runner that is gone has left running, told by a mark in its environment or what it was given to hold on to; how many
 *  there were. */
export async function endMarked(mark: string, tether: string, graceMs: number): Promise<number> {
  const left: Started = { mark, tether, spared: ownLine() };
  const found = living(left).length;
  if (found > 0) {
    const killAt = monotonicMs() + graceMs;
    await sweep(left, () => killAt);
  }
  return found;
}

const shellOf = (line: string): string[] => (process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c', line] : ['/bin/sh', '-c', line]);

/** Ends it when its time is up, somebody asks for it, or its output cannot be kept: first politely, then for good. */
function watch({ timeoutMs, killGraceMs, signal }: ProcessSpec, started: Started | undefined, failed: AbortSignal) {
  const timers: NodeJS.Timeout[] = [];
  let why: 'time' | 'cancelled' | 'failed' | undefined;
  let killAt: number | undefined;
  let outside = 0;
  const stop = (reason: NonNullable<typeof why>): void => {
    if (why || !started) return;
    why = reason;
    killAt = monotonicMs() + killGraceMs;
    outside = living(started, 'outside').length;
    signalAll(started, 'SIGTERM');
    // One that has stopped itself does not hear it otherwise.
    signalAll(started, 'SIGCONT');
    timers.push(setTimeout(() => signalAll(started, 'SIGKILL'), killGraceMs));
  };
  // Nobody waits any longer: what grace is left is over.
  const end = (): void => {
    killAt = monotonicMs();
    if (started) signalAll(started, 'SIGKILL');
  };
  underWay.add(end);
  const cancel = (): void => stop('cancelled');
  const giveUp = (): void => stop('failed');
  if (timeoutMs > 0) timers.push(setTimeout(() => stop('time'), timeoutMs));
  const following = started && followed(started);
  signal.addEventListener('abort', cancel, { once: true });
  failed.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) cancel();
  if (failed.aborted) giveUp();
  return {
    why: () => why,
    /** When what is left of it is killed: it has its grace from when it was first told to end. */
    killAt: (): number => {
      killAt ??= monotonicMs() + killGraceMs;
      return killAt;
    },
    outside: () => outside,
    ended: () => {
      for (const timer of timers) clearTimeout(timer);
      following?.stop();
      signal.removeEventListener('abort', cancel);
      failed.removeEventListener('abort', giveUp);
    },
    clear: () => void underWay.delete(end),
  };
}

/** Looks again and again at what it starts: soon at first, and never for more than a small part of the time. */
function followed(started: Started): { stop(): void } {
  let timer: NodeJS.Timeout;
  const wait = (ms: number): void => {
    timer = setTimeout(() => {
      const before = monotonicMs();
      follow(started);
      wait(Math.max(Math.min(2 * ms, followEveryMs), 20 * (monotonicMs() - before)));
    }, ms);
  };
  wait(10);
  return { stop: () => clearTimeout(timer) };
}

/** Until nothing of it is left: what is still there gets the rest of its grace, and is then killed as often as it takes, since
 *  one that dies may have started another. By a clock that nobody sets. */
async function sweep(started: Started, killAt: () => number): Promise<void> {
  if (monotonicMs() < killAt()) {
    signalAll(started, 'SIGTERM');
    signalAll(started, 'SIGCONT');
  }
  while (monotonicMs() < killAt()) {
    if (living(started).length === 0) return;
    await pause(Math.min(lookEveryMs, Math.max(1, killAt() - monotonicMs())));
  }
  const until = monotonicMs() + buryMs;
  do {
    signalAll(started, 'SIGKILL');
    await pause(5);
  } while (living(started).length > 0 && monotonicMs() < until);
}

function codeOf(
  { code, signal }: { code: number | null; signal: NodeJS.Signals | null },
  why: 'time' | 'cancelled' | 'failed' | undefined,
): number {
  if (why === 'time') return 81;
  if (why === 'cancelled') return 130;
  return code ?? 128 + ((signal && os.signals[signal]) || 0);
}

function problemOf(error: NodeJS.ErrnoException, program: string): Pick<ProcessEnd, 'exitCode' | 'problem'> {
  if (error.code === 'ENOENT') return { exitCode: 127, problem: `${program} is not there` };
  if (error.code === 'EACCES' || error.code === 'ENOEXEC') return { exitCode: 126, problem: `${program} cannot be run` };
  return { exitCode: 71, problem: error.message };
}

const nothing = (startedAt: bigint): ProcessEnd => ({
  ...{ exitCode: 0, timedOut: false, cancelled: false, durationMs: since(startedAt), stdout: new Uint8Array() },
  ...{ bytes: { stdout: 0, stderr: 0 }, isTruncated: false, leaked: 0 },
});

const since = (startedAt: bigint): number => Number((process.hrtime.bigint() - startedAt) / 1_000_000n);

/** `unheld`: this process may end meanwhile. */
const pause = (ms: number, how: 'held' | 'unheld' = 'held'): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (how === 'unheld') timer.unref();
  });

/** Takes what comes: the beginning of it for the primary output, and a redacted log. What is more is counted and let go. A log that
 *  cannot be written, or not be redacted, is a failure of the attempt and not of this process: `failed` tells it. */
function intake({ logs, redactor, onOutput }: ProcessSpec, which: 'stdout' | 'stderr', failed: AbortController) {
  const path = logs?.[which];
  const file = path === undefined ? undefined : writing(path, 73, () => openSync(path, logFlags, 0o600));
  const clean = redactor.stream();
  const parts: Buffer[] = [];
  let kept = 0;
  let bytes = 0;
  let logged = 0;
  let isTruncated = false;
  const log = (next: () => string): void => {
    if (file === undefined || logged >= logBytes || failed.signal.aborted) return;
    try {
      const text = next();
      if (text === '') return;
      onOutput?.(which, text);
      const part = Buffer.from(text).subarray(0, logBytes - logged);
      logged += part.length;
      writing(path!, 74, () => {
        for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
      });
    } catch (error) {
      failed.abort(error);
    }
  };
  return {
    take(part: Buffer): void {
      bytes += part.length;
      if (which === 'stdout' && kept < primaryBytes) {
        const some = Buffer.from(part.subarray(0, primaryBytes - kept));
        kept += some.length;
        parts.push(some);
      }
      if ((which === 'stdout' && bytes > primaryBytes) || bytes > logBytes) isTruncated = true;
      // Beyond what is logged nothing is looked at: a flood must not cost more than reading it.
      log(() => clean.push(part));
    },
    kept: () => Buffer.concat(parts),
    bytes: () => bytes,
    isTruncated: () => isTruncated,
    finish: () => log(() => clean.end()),
    close(): void {
      if (file !== undefined) closeSync(file);
    },
  };
}
