import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTempFolder } from './temp-folder.ts';
import { createWorkProject, type WorkProject } from './work/project.ts';

const createProject = (work: Record<string, unknown>, env: Record<string, string> = {}): Promise<WorkProject> =>
  createWorkProject({ config: { work }, env });

describe('work.integrate pr', () => {
  /** Adds an empty bare repository as remote. */
  const addRemote = (project: WorkProject): string => {
    const remote = join(createTempFolder(), 'remote.git');
    project.git('init', '--quiet', '--bare', remote);
    project.git('remote', 'add', 'origin', remote);
    return remote;
  };
  /** Writes a program `gh` that records its arguments, its folder and its tokens. */
  const addGh = ({ env }: WorkProject, log: string, end: string): void => {
    const record = `printf '%s\\n' "$@" "folder=$(pwd)" "token=$GH_TOKEN" "key=$AGENT_API_KEY" > '${log}'`;
    writeFileSync(join(env.PATH!.split(':')[0]!, 'gh'), `#!/bin/sh\n${record}\n${end}\n`, { mode: 0o755 });
  };

  test('pushes the branch and opens a pull request with gh', async () => {
    const project = await createProject({ integrate: 'pr' }, { GH_TOKEN: 'token-of-gh', AGENT_API_KEY: 'sk-not-for-gh' });
    const remote = addRemote(project);
    const log = join(createTempFolder(), 'gh.log');
    addGh(project, log, 'echo Creating pull request; echo https://forge.example/ada/demo/pull/7');
    const id = await project.add('Write the parser', 'agent: write a.txt');
    const { answer } = await project.run(['work']);
    const branch = `cleo/${id}-write-the-parser`;
    const note = 'pushed; pull request https://forge.example/ada/demo/pull/7';
    expect(answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'done', note }]);
    expect(project.git('--git-dir', remote, 'rev-parse', branch)).toBe(answer.work.tasks[0].commit);
    const called = readFileSync(log, 'utf8').trim().split('\n');
    const folder = join(project.folder, '.cleo', 'worktrees', `${id}-write-the-parser`);
    expect(called).toEqual([
      ...['pr', 'create', '--head', branch, '--base', 'main', '--title', `${id}: Write the parser`],
      ...['--body', `Done by ${id}-worker-1.`, `folder=${folder}`, 'token=token-of-gh', 'key='],
    ]);
    expect(JSON.stringify((await project.show(id)).notes)).toContain(note);
    // Nothing is merged here.
    expect(project.git('log', '--format=%s', 'main')).not.toContain(id);
  });

  test('prints the command if gh cannot open one', async () => {
    const project = await createProject({ integrate: 'pr' });
    addRemote(project);
    addGh(project, join(createTempFolder(), 'gh.log'), 'echo not logged in >&2; exit 4');
    const id = await project.add('Work', 'agent: write a.txt');
    const [task] = (await project.run(['work'])).answer.work.tasks;
    const command = `gh pr create --head cleo/${id}-work --base main --title '${id}: Work' --body 'Done by ${id}-worker-1.'`;
    expect(task).toMatchObject({ outcome: 'done', note: `pushed to origin; open a pull request: ${command}` });
  });

  test('waits if the branch cannot be pushed, and the next run pushes it', async () => {
    const project = await createProject({ integrate: 'pr' });
    addGh(project, join(createTempFolder(), 'gh.log'), 'exit 1');
    const id = await project.add('Work', 'agent: write a.txt');
    const waiting = { taskId: id, outcome: 'waiting', note: 'cannot be pushed: the repository has no remote' };
    expect((await project.run(['work'])).answer.work.tasks).toMatchObject([waiting]);
    const remote = addRemote(project);
    await project.run(['work']);
    expect(project.git('--git-dir', remote, 'log', '-1', '--format=%s', `cleo/${id}-work`)).toBe(`${id}: work`);
    expect((await project.runOk(['work', 'status'])).work.tasks).toMatchObject([{ taskId: id, state: 'done' }]);
  });

  test('starts a task with the work on its dependencies that another machine has pushed', async () => {
    const project = await createProject({ integrate: 'pr' });
    const remote = addRemote(project);
    addGh(project, join(createTempFolder(), 'gh.log'), 'exit 1');
    const first = await project.add('First', 'agent: write a.txt');
    const second = await project.add('Second', 'agent: need a.txt\nagent: write b.txt', '--depends', first);
    await project.run(['work', '--max-tasks', '1']);
    // This machine has neither done it nor fetched it.
    rmSync(join(project.folder, '.cleo', 'worktrees', '.state', first), { recursive: true });
    project.git('branch', '-D', `cleo/${first}-first`);
    project.git('update-ref', '-d', `refs/remotes/origin/cleo/${first}-first`);
    expect((await project.run(['work'])).answer.work.tasks).toMatchObject([{ taskId: second, outcome: 'done' }]);
    expect(project.git('--git-dir', remote, 'ls-tree', '--name-only', `cleo/${second}-second`).split('\n')).toEqual(
      expect.arrayContaining(['a.txt', 'b.txt']),
    );
    expect(project.git('branch', '--list', `cleo/${first}*`)).toBe('');
  });
});

describe('work.integrate merge', () => {
  test('moves a base branch that is not checked out, without touching the checkout', async () => {
    const project = await createProject({ integrate: 'merge', base: 'main' });
    project.git('checkout', '--quiet', '-b', 'feature');
    writeFileSync(join(project.folder, 'README.md'), 'changed by the person\n');
    const id = await project.add('Work', 'agent: write a.txt');
    const { answer } = await project.run(['work']);
    expect(answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'done', note: 'merged into main' }]);
    expect(project.git('show', 'main:a.txt')).toBe(id);
    expect(project.git('status', '--porcelain', '--', '.', ':(exclude).cleo')).toBe('M README.md');
    expect(project.git('branch', '--show-current')).toBe('feature');
  });

  test('waits while the base branch is checked out in another worktree', async () => {
    const project = await createProject({ integrate: 'merge', base: 'main' });
    project.git('checkout', '--quiet', '-b', 'feature');
    const other = join(createTempFolder(), 'other');
    mkdirSync(other);
    project.git('worktree', 'add', '--quiet', other, 'main');
    const id = await project.add('Work', 'agent: write a.txt');
    const before = project.git('rev-parse', 'main');
    const note = `waits to be merged into main: main is checked out in ${other}`;
    expect((await project.run(['work'])).answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'waiting', note }]);
    expect(project.git('rev-parse', 'main')).toBe(before);
    project.git('worktree', 'remove', other);
    await project.run(['work']);
    expect(project.git('show', 'main:a.txt')).toBe(id);
  });
});
