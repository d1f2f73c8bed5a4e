import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Json } from '../app.ts';
import { cleoPath, cleoRunner } from '../built-cli.ts';
import { recordOutput } from '../fixes/record.ts';
import { createTempFolder } from '../temp-folder.ts';

/** True for `npm run test:faults`, which runs the long forms; `npm test` runs the short ones. */
export const isFull = process.env.CLEO_FAULTS === 'full';
export const pickSize = (short: number, full: number): number => (isFull ? full : short);

export const root = resolve(import.meta.dirname, '..', '..');
export const dist = resolve(root, process.env.CLEO_TEST_DIST ?? 'dist');

export interface EndedProcess {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** The envelope, if stdout contains one. */
  answer: Json;
}

export interface CleoOptions extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
  env?: Record<string, string>;
  /** Limits of the shell, e.g. `-f 100`. */
  ulimit?: string;
  /** Another copy of the build. */
  cleo?: string;
  stdin?: string;
  onStart?: (child: ChildProcess) => void;
}

export interface FaultProject {
  root: string;
  database: string;
  run(args: string[], options?: CleoOptions): Promise<EndedProcess>;
  /** Runs a command and throws unless it exits with 0. */
  runOk(args: string[], options?: CleoOptions): Promise<Json>;
}

/** Creates a project that is used only through real processes. */
export async function createFaultProject(folder = createFaultFolder(), env: Record<string, string> = {}): Promise<FaultProject> {
  const project = openFaultProject(folder, env);
  await project.runOk(['init']);
  return project;
}

export function openFaultProject(folder: string, env: Record<string, string> = {}): FaultProject {
  const run: FaultProject['run'] = (args, options = {}) =>
    runCleoProcess(args, { cwd: folder, ...options, env: { CLEO_HOME: join(folder, '.home'), ...env, ...options.env } });
  return {
    root: folder,
    database: join(folder, '.cleo', 'cleo.db'),
    run,
    async runOk(args, options) {
      const ended = await run(args, options);
      if (ended.exitCode !== 0) throw new Error(`cleo ${args.join(' ')} ended with ${ended.exitCode}: ${ended.stdout}${ended.stderr}`);
      return ended.answer;
    },
  };
}

export const createFaultFolder = createTempFolder;

let runningCount = 0;

export function runCleoProcess(args: string[], options: CleoOptions = {}): Promise<EndedProcess> {
  const { env, ulimit, cleo: file = cleoPath, stdin, onStart, ...rest } = options;
  const command = [file.endsWith('.js') ? process.execPath : cleoRunner, file, ...args];
  const words = ulimit ? ['bash', '-c', `ulimit ${ulimit} && exec "$@"`, 'bash', ...command] : command;
  const child = spawn(words[0]!, words.slice(1), {
    ...rest,
    env: { PATH: process.env.PATH ?? '', TMPDIR: tmpdir(), HOME: '/nonexistent', ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  runningCount++;
  onStart?.(child);
  child.stdin?.on('error', () => {});
  child.stdin?.end(stdin);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (exitCode, signal) => {
      runningCount--;
      // Other processes may be writing, and a limit or another user would be missing when the command is repeated.
      if (runningCount === 0 && !ulimit && rest.uid === undefined && typeof rest.cwd === 'string')
        recordOutput(args, { folder: rest.cwd, env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env } }, stdout);
      done({ exitCode, signal, stdout, stderr, answer: parseAnswer(stdout) });
    });
  });
}

/** Chooses moments in the life of a process to kill it. If a process ended before the kill, the assumed lifetime is reduced,
 *  because the machine may have been busy when it was measured. */
export function createKillTimer(lifeMs: number): {
  pickMoment(from: number, to: number): number;
  recordEnd(ended: Pick<EndedProcess, 'signal'>): void;
  countKills(): number;
} {
  let [life, kills] = [lifeMs, 0];
  return {
    pickMoment: (from, to) => life * (from + (to - from) * Math.random()),
    recordEnd({ signal }) {
      if (signal === 'SIGKILL') kills++;
      else life *= 0.8;
    },
    countKills: () => kills,
  };
}

/** Runs `crowd` rows concurrently; the calls of a row run one after another. */
export async function runInRows<T>(crowd: number, length: number, run: (row: number, place: number) => Promise<T>): Promise<T[]> {
  const rows = Array.from({ length: crowd }, async (_, row) => {
    const results: T[] = [];
    for (let place = 0; place < length; place++) results.push(await run(row, place));
    return results;
  });
  return (await Promise.all(rows)).flat();
}

function parseAnswer(stdout: string): Json {
  // A killed process may leave an incomplete answer.
  if (!stdout.endsWith('\n')) return {};
  try {
    return JSON.parse(stdout);
  } catch {
    return {};
  }
}

/** Queries the database in a process of its own, whose end closes the connection for certain. */
export function queryDatabase(path: string, query: string): Record<string, unknown>[] {
  const program = `const { DatabaseSync } = require('@photostructure/sqlite');
    const [path, query] = process.argv.slice(1);
    console.log(JSON.stringify(new DatabaseSync(path).prepare(query).all()));`;
  return JSON.parse(execFileSync(process.execPath, ['-e', program, path, query], { cwd: root, encoding: 'utf8' }));
}

export const checkIntegrity = (path: string): unknown => queryDatabase(path, 'pragma integrity_check')[0]?.integrity_check;
export const listTaskIds = (path: string): string[] =>
  queryDatabase(path, 'select id from tasks order by seq').map((row) => String(row.id));

/** Returns `T001` to `T00n`. */
export const createIds = (n: number): string[] => Array.from({ length: n }, (_, i) => `T${String(i + 1).padStart(3, '0')}`);

export const readBytes = (path: string): string => readFileSync(path, 'latin1');
export const ensureFolder = (path: string): string => {
  mkdirSync(path, { recursive: true });
  return path;
};
