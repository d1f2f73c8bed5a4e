import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Seen } from '../app.ts';

/** The long forms are for `npm run test:faults`; `npm test` runs the short ones. */
export const isFull = process.env.CLEO_FAULTS === 'full';
export const size = (short: number, full: number): number => (isFull ? full : short);

export const root = resolve(import.meta.dirname, '..', '..');
export const dist = resolve(root, process.env.CLEO_TEST_DIST ?? 'dist');

export interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** The envelope, where stdout holds one. */
  answer: Seen;
}

export interface RunOptions extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
  env?: Record<string, string>;
  /** Limits of the shell, e.g. `-f 100`. */
  ulimit?: string;
  /** Another copy of the build. */
  cleo?: string;
  stdin?: string;
  onStart?: (child: ChildProcess) => void;
}

export interface Project {
  root: string;
  database: string;
  run(args: string[], options?: RunOptions): Promise<Ended>;
  /** Runs and expects exit 0. */
  done(args: string[], options?: RunOptions): Promise<Seen>;
}

/** An initialised project in a folder of its own, reached only through real processes. */
export async function openProject(folder = temporary(), env: Record<string, string> = {}): Promise<Project> {
  const project = projectAt(folder, env);
  await project.done(['init']);
  return project;
}

export function projectAt(folder: string, env: Record<string, string> = {}): Project {
  const run: Project['run'] = (args, options = {}) =>
    cleo(args, { cwd: folder, ...options, env: { CLEO_HOME: join(folder, '.home'), ...env, ...options.env } });
  return {
    root: folder,
    database: join(folder, '.cleo', 'cleo.db'),
    run,
    async done(args, options) {
      const ended = await run(args, options);
      if (ended.exitCode !== 0) throw new Error(`cleo ${args.join(' ')} ended with ${ended.exitCode}: ${ended.stdout}${ended.stderr}`);
      return ended.answer;
    },
  };
}

export function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-fault-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function cleo(args: string[], options: RunOptions = {}): Promise<Ended> {
  const { env, ulimit, cleo: file = join(dist, 'cleo.js'), stdin, onStart, ...rest } = options;
  const command = [process.execPath, file, ...args];
  const words = ulimit ? ['bash', '-c', `ulimit ${ulimit} && exec "$@"`, 'bash', ...command] : command;
  const child = spawn(words[0]!, words.slice(1), {
    ...rest,
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
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
    child.once('close', (exitCode, signal) => done({ exitCode, signal, stdout, stderr, answer: parsed(stdout) }));
  });
}

/** `crowd` processes at a time, each followed by the next of its row. */
/** Chooses moments in the life of a process. A machine that was busy when the life was measured may be quick later: whoever ended
 *  before the kill has lived for less. */
export function aimAt(lifeMs: number): {
  moment(from: number, to: number): number;
  saw(ended: Pick<Ended, 'signal'>): void;
  struck(): number;
} {
  let [life, struck] = [lifeMs, 0];
  return {
    moment: (from, to) => life * (from + (to - from) * Math.random()),
    saw({ signal }) {
      if (signal === 'SIGKILL') struck++;
      else life *= 0.8;
    },
    struck: () => struck,
  };
}

export async function inRows<T>(crowd: number, length: number, act: (row: number, place: number) => Promise<T>): Promise<T[]> {
  const rows = Array.from({ length: crowd }, async (_, row) => {
    const results: T[] = [];
    for (let place = 0; place < length; place++) results.push(await act(row, place));
    return results;
  });
  return (await Promise.all(rows)).flat();
}

function parsed(stdout: string): Seen {
  // What a killed process left unfinished is no answer.
  if (!stdout.endsWith('\n')) return {};
  try {
    return JSON.parse(stdout);
  } catch {
    return {};
  }
}

/** Rows of the database as another program sees it; in a process of its own, whose end surely closes it. */
export function inspect(path: string, query: string): Record<string, unknown>[] {
  const program = `const { DatabaseSync } = require('@photostructure/sqlite');
    const [path, query] = process.argv.slice(1);
    console.log(JSON.stringify(new DatabaseSync(path).prepare(query).all()));`;
  return JSON.parse(execFileSync(process.execPath, ['-e', program, path, query], { cwd: root, encoding: 'utf8' }));
}

export const integrity = (path: string): unknown => inspect(path, 'pragma integrity_check')[0]?.integrity_check;
export const idsIn = (path: string): string[] => inspect(path, 'select id from tasks order by seq').map((row) => String(row.id));

/** `T001` … `T00n`. */
export const sequence = (n: number): string[] => Array.from({ length: n }, (_, i) => `T${String(i + 1).padStart(3, '0')}`);

export const bytesOf = (path: string): string => readFileSync(path, 'latin1');
export const makeFolder = (path: string): string => {
  mkdirSync(path, { recursive: true });
  return path;
};
