import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from './app.ts';
import { cleoPath, cleoRunner } from './built-cli.ts';
import { gitIdentity } from './repository.ts';
import { createTempFolder } from './temp-folder.ts';

interface Clone {
  folder: string;
  git(...words: string[]): string;
  /** Runs git, which may fail. */
  tryGit(...words: string[]): { status: number | null; out: string };
  cleo(...words: string[]): Json;
  /** Runs the command; returns everything that it printed. */
  run(...words: string[]): { status: number | null; out: string; err: string };
  /** The tasks of the store, without what belongs to one clone. */
  readTasks(): Json[];
}

/** Creates a folder with clones of one repository. `git` finds the built command as `cleo`, as after an installation. */
function createWorld() {
  const top = createTempFolder();
  const bin = join(top, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'cleo'), `#!/bin/sh\nexec "${cleoRunner}" "${cleoPath}" "$@"\n`);
  chmodSync(join(bin, 'cleo'), 0o755);
  const env = {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    HOME: top,
    CLEO_HOME: join(top, 'home'),
    CLEO_AGENT_ID: 'tester',
    ...gitIdentity,
  };
  const open = (name: string, more: Record<string, string> = {}): Clone => {
    const folder = join(top, name);
    const options = { cwd: folder, env: { ...env, ...more }, encoding: 'utf8' as const };
    const run = (...words: string[]) => {
      const { status, stdout, stderr } = spawnSync(cleoRunner, [cleoPath, ...words], options);
      return { status, out: stdout, err: stderr };
    };
    return {
      folder,
      git: (...words) => execFileSync('git', words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }).trim(),
      tryGit: (...words) => {
        const { status, stdout, stderr } = spawnSync('git', words, options);
        return { status, out: stdout + stderr };
      },
      cleo: (...words) => JSON.parse(run(...words, '--json').out),
      run,
      readTasks: () =>
        run('export')
          .out.split('\n')
          .filter((line) => line !== '')
          .map((line) => {
            const { revision: _, ...task } = JSON.parse(line);
            return task;
          }),
    };
  };
  return {
    open,
    create(name: string): Clone {
      mkdirSync(join(top, name));
      const clone = open(name);
      clone.git('init', '--quiet', '--initial-branch', 'main');
      clone.cleo('init');
      return clone;
    },
    clone(from: Clone, name: string, more: Record<string, string> = {}): Clone {
      execFileSync('git', ['clone', '--quiet', from.folder, join(top, name)], { env });
      return open(name, more);
    },
  };
}

/** A repository whose plan is committed, with its hooks. */
function createOrigin(world: ReturnType<typeof createWorld>): Clone {
  const a = world.create('a');
  a.cleo('add', 'Epic', '--type', 'epic');
  for (const title of ['One', 'Two', 'Three']) a.cleo('add', title, '--parent', 'T001', '--description', `About ${title}`);
  expect(a.cleo('setup', 'git')).toMatchObject({ success: true, publishes: { tasks: 4 } });
  a.git('add', '-A');
  a.git('commit', '--quiet', '-m', 'Plan');
  return a;
}

/** Changes that two people make at the same time, on both sides of a merge. */
function changeBoth(a: Clone, b: Clone): void {
  a.cleo('add', 'Added in a');
  a.cleo('update', 'T002', '--title', 'One, renamed in a', '--notes', 'Note of a');
  a.cleo('complete', 'T003');
  b.cleo('add', 'Added in b', '--depends', 'T004');
  b.cleo('update', 'T002', '--priority', 'high', '--notes', 'Note of b');
  b.cleo('delete', 'T004', '--orphan');
  for (const clone of [a, b]) clone.git('commit', '--quiet', '--allow-empty', '-m', 'Work');
}

function expectMerged(a: Clone, b: Clone): void {
  const tasks = a.readTasks();
  expect(b.readTasks()).toEqual(tasks);
  const titles = tasks.map(({ title }) => title);
  expect(titles).toEqual(expect.arrayContaining(['One, renamed in a', 'Two', 'Added in a', 'Added in b']));
  expect(titles).not.toContain('Three');
  const one = tasks.find(({ id }) => id === 'T002')!;
  expect(one).toMatchObject({ priority: 'high' });
  expect(one.notes.map(({ text }: Json) => text)).toEqual(expect.arrayContaining(['Note of a', 'Note of b']));
  expect(tasks.find(({ id }) => id === 'T003')).toMatchObject({ status: 'done' });
  for (const clone of [a, b]) {
    expect(clone.run('sync', '--check').status).toBe(0);
    expect(clone.git('status', '--porcelain')).toBe('');
  }
}

test('a fresh clone has the plan with the first command, which says so once', () => {
  const world = createWorld();
  const b = world.clone(createOrigin(world), 'b');
  const first = b.run('show', 'T002');
  expect(JSON.parse(first.out)).toMatchObject({ success: true, task: { title: 'One' } });
  expect(first.err).toBe('cleo: built the task database of this clone from .cleo/plan (4 records)\n');
  expect(b.run('show', 'T002').err).toBe('');
  expect(existsSync(join(b.folder, '.cleo', 'local.json'))).toBe(true);
  rmSync(join(b.folder, '.cleo', 'cleo.db'));
  const damaged = b.cleo('show', 'T002');
  expect(damaged.error).toMatchObject({ code: 'E_STORE_DAMAGED', exitCode: 3, fix: expect.stringContaining('cleo sync --rebuild') });
});

test('a clone without plan files says so', () => {
  const world = createWorld();
  const a = world.create('a');
  a.git('add', '-A');
  a.git('commit', '--quiet', '-m', 'No plan');
  const b = world.clone(a, 'b');
  expect(b.cleo('list').error).toMatchObject({
    code: 'E_NOT_INITIALIZED',
    exitCode: 8,
    message: 'This clone has no task database; the plan is not in git here',
    fix: 'cleo init',
  });
});

test('two branches of two clones merge without a conflict, with hooks and driver, and both stores are equal', () => {
  const world = createWorld();
  const a = createOrigin(world);
  const b = world.clone(a, 'b');
  b.cleo('setup', 'git');
  changeBoth(a, b);
  a.git('pull', '--quiet', '--no-rebase', b.folder, 'main');
  b.git('pull', '--quiet', '--no-rebase', a.folder, 'main');
  expectMerged(a, b);
});

test('a rebase brings the same', () => {
  const world = createWorld();
  const a = createOrigin(world);
  const b = world.clone(a, 'b');
  b.cleo('setup', 'git');
  changeBoth(a, b);
  b.git('pull', '--quiet', '--rebase', a.folder, 'main');
  a.git('pull', '--quiet', '--no-rebase', b.folder, 'main');
  b.cleo('sync');
  expect(b.readTasks()).toEqual(a.readTasks());
});

test('git merges branches that change different tasks without cleo, as a forge does', () => {
  const world = createWorld();
  const a = createOrigin(world);
  const b = world.clone(a, 'b');
  b.cleo('setup', 'git');
  a.cleo('add', 'Added in a');
  a.cleo('update', 'T002', '--title', 'One, renamed in a');
  a.cleo('complete', 'T003');
  b.cleo('add', 'Added in b');
  b.cleo('delete', 'T004');
  for (const clone of [a, b]) clone.git('commit', '--quiet', '--allow-empty', '-m', 'Work');
  const forge = world.clone(a, 'forge', { PATH: process.env.PATH ?? '' });
  forge.git('pull', '--quiet', '--no-rebase', b.folder, 'main');
  for (const clone of [a, b]) clone.git('pull', '--quiet', '--no-rebase', forge.folder, 'main');
  expect(b.readTasks()).toEqual(a.readTasks());
  expect(a.readTasks().map(({ title }) => title)).toEqual(expect.arrayContaining(['One, renamed in a', 'Added in a', 'Added in b']));
  const c = world.clone(forge, 'c');
  expect(c.readTasks()).toEqual(a.readTasks());
});

test('a conflict that git leaves in a plan file is resolved by cleo sync --resolve', () => {
  const world = createWorld();
  const a = createOrigin(world);
  const b = world.clone(a, 'b');
  for (const [clone, title] of [
    [a, 'Title of a'],
    [b, 'Title of b'],
  ] as const) {
    clone.cleo('update', 'T002', '--title', title);
    clone.cleo('sync');
    clone.git('add', '.cleo/plan');
    clone.git('commit', '--quiet', '-m', title);
  }
  const forge = world.clone(a, 'forge', { PATH: process.env.PATH ?? '' });
  expect(forge.tryGit('pull', '--quiet', '--no-rebase', b.folder, 'main').status).not.toBe(0);
  expect(forge.cleo('sync', '--resolve').resolved).toHaveLength(1);
  forge.git('add', '-A');
  forge.git('commit', '--quiet', '-m', 'Merged');
  const { task } = forge.cleo('show', 'T002');
  expect([task.title, ...task.notes.map(({ text }: Json) => text)].join('\n')).toMatch(/Title of [ab][\s\S]*Title of [ab]/);
});

test('the first commands of a fresh clone wait for one builder', async () => {
  const world = createWorld();
  const b = world.clone(createOrigin(world), 'b');
  const { spawn } = await import('node:child_process');
  const env = { PATH: process.env.PATH, HOME: b.folder, CLEO_HOME: join(b.folder, '..', 'home'), CLEO_AGENT_ID: 'tester' };
  const results = await Promise.all(
    Array.from(
      { length: 6 },
      () =>
        new Promise<{ out: string; err: string }>((done) => {
          const child = spawn(cleoRunner, [cleoPath, 'show', 'T002'], { cwd: b.folder, env });
          const result = { out: '', err: '' };
          child.stdout.setEncoding('utf8').on('data', (text) => {
            result.out += text;
          });
          child.stderr.setEncoding('utf8').on('data', (text) => {
            result.err += text;
          });
          child.on('close', () => done(result));
        }),
    ),
  );
  for (const { out } of results) expect([JSON.parse(out).error, JSON.parse(out).task?.title]).toEqual([undefined, 'One']);
  expect(results.filter(({ err }) => err !== '')).toHaveLength(1);
  expect(readdirSync(join(b.folder, '.cleo')).filter((name) => name.includes('.new-'))).toEqual([]);
});

test('a commit with a secret is refused, names file and field, and anything else never stops git', () => {
  const world = createWorld();
  const a = createOrigin(world);
  a.cleo('update', 'T002', '--description', `token ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`);
  const refused = a.tryGit('commit', '--allow-empty', '-m', 'Secret');
  expect(refused.status).not.toBe(0);
  expect(refused.out).toMatch(/\.cleo\/plan\/tasks\/\w+\.json: description contains a\s+secret/);
  a.cleo('update', 'T002', '--description', 'No secret');
  expect(a.tryGit('commit', '--quiet', '-m', 'Clean').status).toBe(0);
  writeFileSync(join(a.folder, '.cleo', 'cleo.db'), 'not a database');
  writeFileSync(join(a.folder, 'file.txt'), 'text');
  a.git('add', 'file.txt');
  expect(a.tryGit('commit', '--quiet', '-m', 'With a damaged store').status).toBe(0);
});

test('git commit --all contains the plan, and git commit <file> leaves it to the next commit', () => {
  const a = createOrigin(createWorld());
  const file = join(a.folder, 'file.txt');
  const commit = (...words: string[]): string => {
    a.git('commit', '--quiet', ...words);
    return a.git('show', '--stat', '--format=', 'HEAD');
  };
  writeFileSync(file, 'one');
  a.git('add', 'file.txt');
  commit('-m', 'One');
  a.cleo('update', 'T002', '--title', 'Renamed');
  writeFileSync(file, 'two');
  expect(commit('-am', 'Two')).toMatch(/\.cleo\/plan\/tasks[\s\S]*file\.txt/);
  expect(a.git('status', '--porcelain')).toBe('');
  a.cleo('update', 'T002', '--title', 'Renamed again');
  writeFileSync(file, 'three');
  expect(commit('-m', 'Three', '--', 'file.txt')).not.toContain('.cleo');
  expect(a.git('status', '--porcelain')).toMatch(/^M \.cleo\/plan\/replicas\/.*\n ?M \.cleo\/plan\/tasks/);
  a.git('commit', '--quiet', '-am', 'Four');
  expect(a.git('status', '--porcelain')).toBe('');
});

test('recorded grades of two branches are all there after a merge', () => {
  const world = createWorld();
  const a = createOrigin(world);
  const b = world.clone(a, 'b');
  b.cleo('setup', 'git');
  for (const clone of [a, b]) {
    const { session } = clone.cleo('session', 'start', '--scope', 'epic:T001', '--auto-focus', '--grade');
    clone.cleo('session', 'end', '--note', 'Done');
    expect(clone.cleo('grade', session.id)).toMatchObject({ success: true });
    clone.git('commit', '--quiet', '--allow-empty', '-m', 'Work');
    expect(clone.git('show', '--stat', '--format=', 'HEAD')).toContain('.cleo/metrics/GRADES.jsonl');
  }
  a.git('pull', '--quiet', '--no-rebase', b.folder, 'main');
  expect(a.cleo('grade', '--list').grades).toHaveLength(2);
  expect(a.cleo('setup', 'git', '--dry-run').publishes).toMatchObject({ grades: 2, handoffs: 2 });
});

test('a linked worktree uses the store of the main one and the plan files of its own', () => {
  const world = createWorld();
  const a = createOrigin(world);
  a.git('worktree', 'add', '--quiet', '-b', 'feature', '../feature');
  const feature = world.open('feature');
  feature.cleo('add', 'Added in the worktree');
  feature.git('commit', '--quiet', '--allow-empty', '-m', 'In the worktree');
  expect(feature.git('show', '--stat', '--format=', 'HEAD')).toMatch(/\.cleo\/plan\/tasks/);
  expect(existsSync(join(feature.folder, '.cleo', 'cleo.db'))).toBe(false);
  expect(a.git('status', '--porcelain')).toBe('');
  a.git('merge', '--quiet', 'feature');
  expect(a.run('sync', '--check').status).toBe(0);
  expect(a.readTasks().map(({ title }) => title)).toContain('Added in the worktree');
  feature.cleo('update', 'T002', '--title', 'Changed in the worktree');
  feature.git('commit', '--quiet', '--allow-empty', '-m', 'Again');
  expect(a.cleo('sync').files).toHaveLength(2);
  a.cleo('update', 'T003', '--title', 'Changed in the main tree');
  a.cleo('sync');
  expect(feature.cleo('sync')).toMatchObject({ sync: { read: 0, written: 2 } });
  expect(feature.git('diff', '--stat')).toContain('.cleo/plan/tasks');
  expect([a, feature].map((clone) => clone.run('sync').status)).toEqual([102, 102]);
  // Sizes and times decide whether a file is read, in every worktree.
  const folder = join(feature.folder, '.cleo', 'plan', 'tasks');
  const file = join(folder, readdirSync(folder)[0]!);
  const { atime, mtime, size } = statSync(file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, ' '.repeat(size));
  utimesSync(file, atime, mtime);
  expect(feature.run('sync').status).toBe(102);
  writeFileSync(file, text);
  expect(feature.run('sync', '--check').status).toBe(0);
});

test('setup git keeps existing hooks, says what husky needs, and removes only its own lines', () => {
  const world = createWorld();
  const a = world.create('a');
  const hook = join(a.folder, '.git', 'hooks', 'pre-commit');
  const own = '#!/bin/sh\necho "own hook"\nexit 0\n';
  mkdirSync(join(hook, '..'), { recursive: true });
  writeFileSync(hook, own, { mode: 0o755 });
  a.cleo('setup', 'git');
  expect(readFileSync(hook, 'utf8')).toMatch(/^#!\/bin\/sh\n# cleo:begin\n[\s\S]*# cleo:end\necho "own hook"\nexit 0\n$/);
  expect(a.cleo('setup', 'git')).toMatchObject({ _meta: { exitCode: 101 } });
  a.cleo('setup', 'git', '--remove');
  expect(readFileSync(hook, 'utf8')).toBe(own);
  expect(existsSync(join(a.folder, '.git', 'hooks', 'post-merge'))).toBe(false);
  expect(a.tryGit('config', '--get', 'merge.cleo-plan.driver').status).toBe(1);
  a.git('config', 'core.hooksPath', '.husky/_');
  expect(a.cleo('setup', 'git').steps[0]).toContain('.husky/pre-commit: cleo sync --git-hook pre-commit');
});
