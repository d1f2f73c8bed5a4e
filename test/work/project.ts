import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Json } from '../app.ts';
import { type CommandResult, cleoPath, cleoRunner } from '../built-cli.ts';
import { createRepository, gitIdentity, type Repository } from '../repository.ts';
import { createTempFolder } from '../temp-folder.ts';
import { trustProject } from '../trust.ts';

const agentPath = resolve(import.meta.dirname, 'agent.mjs');

/** A git repository with a project whose tasks the scripted agent does. Every command is a real process. */
export interface WorkProject extends Repository {
  env: Record<string, string>;
  /** Runs a command and returns its answer. */
  run(words: string[], env?: Record<string, string>): Promise<CommandResult & { answer: Json }>;
  /** Runs a command that must succeed. */
  runOk(words: string[]): Promise<Json>;
  /** Starts a command without waiting for it. */
  start(words: string[], env?: Record<string, string>): { child: ChildProcess; whenEnded: Promise<CommandResult & { answer: Json }> };
  /** Adds a task inside the epic T001. */
  add(title: string, agent: string, ...flags: string[]): Promise<string>;
  show(taskId: string): Promise<Json>;
  /** The lines of what the agents called. */
  readCalls(): string[];
  /** The starts of all agents, each with its task, the kind of its prompt, and a mark of its worktree. */
  readStarts(): { task: string; act: string; worktree: string }[];
  configure(config: Json): Promise<void>;
  /** Reads all files below a folder. */
  readFiles(path: string): { path: string; text: string }[];
}

export interface WorkProjectOptions {
  config?: Json;
  profile?: Json;
  /** The name of a second profile that starts the same agent, without limits. */
  twin?: string;
  env?: Record<string, string>;
  folder?: string;
  /** The key of the project in a shared database. */
  key?: string;
}

/** Creates the project with the epic T001. Lifecycle stages are off: agents implement at once. */
export async function createWorkProject({
  config = {},
  profile = {},
  twin,
  env: more = {},
  folder = createTempFolder(),
  key,
}: WorkProjectOptions = {}): Promise<WorkProject> {
  const scratch = createTempFolder();
  const bin = join(scratch, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'cleo'), `#!/bin/sh\nexec ${quote(cleoRunner)} ${quote(cleoPath)} "$@"\n`, { mode: 0o755 });
  const env: Record<string, string> = {
    ...gitIdentity,
    PATH: `${bin}:${process.env.PATH}`,
    HOME: scratch,
    TMPDIR: tmpdir(),
    CLEO_HOME: join(scratch, 'home'),
    LOGNAME: 'sam',
    AGENT_LOG: join(scratch, 'calls.log'),
    ...more,
  };
  const repository = createRepository(folder);
  repository.commit({ '.gitignore': 'node_modules\n', 'README.md': 'demo\n' });
  const start: WorkProject['start'] = (words, extra = {}) => startCleo(words, repository.folder, { ...env, ...extra });
  const run: WorkProject['run'] = (words, extra) => start(words, extra).whenEnded;
  const runOk: WorkProject['runOk'] = async (words) => {
    const { exitCode, out, err, answer } = await run(words);
    if (exitCode !== 0) throw new Error(`cleo ${words.join(' ')} ended with ${exitCode}: ${out}${err}`);
    return answer;
  };
  if (key !== undefined) {
    mkdirSync(join(folder, '.cleo'));
    writeFileSync(join(folder, '.cleo', 'config.json'), JSON.stringify({ project: { key } }));
  }
  await runOk(['init']);
  const configure = async (change: Json): Promise<void> => {
    const path = join(repository.folder, '.cleo', 'config.json');
    const before = JSON.parse(readFileSync(path, 'utf8')) as Json;
    writeFileSync(path, JSON.stringify(merge(before, change)));
    await trustProject(repository.folder, env);
  };
  const scripted = { argv: [process.execPath, agentPath], env: ['AGENT_LOG', ...Object.keys(gitIdentity)] };
  await configure(
    merge(
      {
        lifecycleEnforcement: { mode: 'off' },
        hierarchy: { maxSiblings: 0 },
        store: { durability: 'normal' },
        work: { profile: 'scripted' },
        profiles: { scripted: { ...scripted, ...profile }, ...(twin === undefined ? {} : { [twin]: scripted }) },
      },
      config,
    ),
  );
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '-m', 'Project');
  await runOk(['add', 'The plan', '--type', 'epic']);
  return {
    ...repository,
    ...{ env: { ...repository.env, ...env }, run, runOk, start, configure },
    async add(title, agent, ...flags) {
      const { task } = await runOk(['add', title, '--parent', 'T001', '--description', agent, ...flags]);
      return task.id;
    },
    show: async (taskId) => (await runOk(['show', taskId])).task,
    readFiles: (path) =>
      readdirSync(join(repository.folder, path), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => ({ path: join(parentPath, name), text: readFileSync(join(parentPath, name), 'latin1') })),
    readCalls: () => readLines(join(scratch, 'calls.log')),
    readStarts: () =>
      readLines(join(scratch, 'calls.log.worktrees')).map((line) => {
        const [task = '', act = '', worktree = ''] = line.split(' ');
        return { task, act, worktree };
      }),
  };
}

export function startCleo(words: string[], cwd: string, env: Record<string, string>): ReturnType<WorkProject['start']> {
  const child = spawn(cleoRunner, [cleoPath, ...words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const result: CommandResult = { exitCode: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    result.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    result.err += text;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const whenEnded = new Promise<CommandResult & { answer: Json }>((done) => {
    child.on('close', (exitCode) => done({ ...result, exitCode, answer: parseAnswer(result.out) }));
  });
  return { child, whenEnded };
}

const parseAnswer = (text: string): Json => (text.startsWith('{') ? JSON.parse(text) : {});
const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

function merge(a: Json, b: Json): Json {
  const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
  const all = { ...a };
  for (const [key, value] of Object.entries(b)) all[key] = isObject(value) && isObject(a[key]) ? merge(a[key], value) : value;
  return all;
}

/** Waits until the agent of a task has printed a line. */
export async function waitForLine({ folder }: Pick<WorkProject, 'folder'>, id: string, line: string): Promise<void> {
  const path = join(folder, '.cleo', 'worktrees', '.state', id, 'item.json');
  for (const end = Date.now() + 20_000; !(existsSync(path) && readFileSync(path, 'utf8').includes(line)); await sleep(50))
    if (Date.now() > end) throw new Error(`the agent did not print ${line}`);
}

/** Lists the processes whose environment has this text, such as an execution of `cleo work`. */
export function listProcessesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'latin1').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}
