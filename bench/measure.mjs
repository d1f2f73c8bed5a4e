import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...clean } = process.env;
/** The environment of measured processes. NODE_EXTRA_CA_CERTS alone doubles the start time of Node 20. */
export const cleanEnv = Object.fromEntries(Object.entries(clean).filter(([name]) => !name.startsWith('CLEO_')));

const bare = { name: 'node', argv: ['-e', '0'] };

/** Returns the program and its words: a script and flags are for Node, another file is an executable. */
export const toProgram = ([first, ...rest]) =>
  first.startsWith('-') || /\.[cm]?js$/.test(first) ? [process.execPath, [first, ...rest]] : [first, rest];

/** Measures the median milliseconds of each case (`{name, argv, cwd, env}`) and of bare Node, interleaved. The result of a case that
 *  fails is its exit code. */
export function measureMedians(cases, rounds) {
  const toCall = ({ name, argv, cwd, env }) => {
    const [program, words] = toProgram(argv);
    return { name, program, words, cwd, env: { ...cleanEnv, ...env } };
  };
  const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(new URL('time-calls.mjs', import.meta.url))], {
    env: cleanEnv,
    input: JSON.stringify({ cases: cases.map(toCall), rounds, bare: toCall(bare) }),
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  if (status !== 0) throw new Error(`time-calls.mjs ended with ${status}: ${stderr}`);
  const { times, failed } = JSON.parse(stdout);
  return new Map(Object.entries(times).map(([name, list]) => [name, failed[name] ?? median(list)]));
}

/** Measures the peak memory of a process in megabytes. Returns the exit code if it fails. On Linux nothing is loaded into the process: a script
 *  that Bun preloads takes 1.3 to 2.4 MB, because Bun loads its transpiler for it. */
export async function measurePeakMemory(one) {
  const measured = process.platform === 'linux' ? await measureBlocked(one) : undefined;
  if (measured === undefined) return measurePreloaded(one);
  return typeof measured === 'string' ? measured : measured.peak;
}

/** Measures the memory of a process in megabytes when it prints its answer, which is its last step: the peak, and what the process does not
 *  share with files. Its standard output is a full pipe, so that it waits there while its memory is read from outside. Returns the exit code
 *  if it fails, or undefined if it never waits or the system does not show what it waits for. */
export async function measureBlocked({ argv, cwd, env }) {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-bench-memory-'));
  const path = join(folder, 'output');
  let pipe;
  try {
    execFileSync('mkfifo', [path]);
    pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    fillPipe(pipe);
    const output = openSync(path, constants.O_WRONLY);
    const [program, words] = toProgram(argv);
    const child = spawn(program, words, { cwd, env: { ...cleanEnv, ...env }, stdio: ['ignore', output, 'ignore'] });
    const exited = once(child, 'exit');
    closeSync(output);
    while (isRunning(child.pid) && !isWriting(child.pid)) waitMs(1);
    const memory = isRunning(child.pid) ? readMemory(child.pid) : undefined;
    const draining = setInterval(() => drainPipe(pipe), 1);
    const [status, signal] = await exited.finally(() => clearInterval(draining));
    return status === 0 ? memory : `exit ${status ?? signal}`;
  } finally {
    if (pipe !== undefined) closeSync(pipe);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes until the pipe is full, to the last byte. */
function fillPipe(pipe) {
  for (const size of [4096, 1]) while (tryOrFull(() => writeSync(pipe, Buffer.alloc(size))) !== undefined);
}

function drainPipe(pipe) {
  while (tryOrFull(() => readSync(pipe, Buffer.alloc(65_536))) !== undefined);
}

/** Returns undefined if the pipe is full or empty. */
function tryOrFull(step) {
  try {
    return step();
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
    return undefined;
  }
}

const waitMs = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const readProcess = (pid, name) => readFileSync(`/proc/${pid}/${name}`, 'utf8');

/** A process that has exited stays until its parent has seen that. */
const isRunning = (pid) => !/^\d+ \(.*\) [ZX]/.test(readProcess(pid, 'stat'));

/** Numbers of the system calls `write` and `writev`. */
const writeCalls = { x64: [1, 20], arm64: [64, 66] }[process.arch] ?? [];

/** Checks whether a process waits in a write to its standard output. */
function isWriting(pid) {
  const [call, file] = readProcess(pid, 'syscall').split(' ');
  return writeCalls.includes(Number(call)) && Number(file) === 1;
}

function readMemory(pid) {
  const status = readProcess(pid, 'status');
  const read = (name) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)[1]) / 1024;
  return { peak: read('VmHWM'), own: read('RssAnon') };
}

/** Measures the peak memory with a script that is preloaded into the process. */
function measurePreloaded({ argv, cwd, env }) {
  const preload = fileURLToPath(new URL('peak-memory.cjs', import.meta.url));
  const [program, words] = toProgram(argv);
  const { status, output } = spawnSync(program, program === process.execPath ? ['--require', preload, ...words] : words, {
    cwd,
    env: { ...cleanEnv, BUN_OPTIONS: `--preload=${preload}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  return status === 0 ? Number.parseInt(output[3], 10) / 1024 : `exit ${status}`;
}

export function median(list) {
  const sorted = list.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
