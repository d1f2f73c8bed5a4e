import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Json } from './app.ts';
import { createWorkProject, listProcessesWith, type WorkProject } from './work/project.ts';

const getBranch = (id: string, slug: string): string => `cleo/${id}-${slug}`;
const listWorktrees = ({ folder }: WorkProject): string[] =>
  readdirSync(join(folder, '.cleo', 'worktrees')).filter((name) => !name.startsWith('.'));
const readNotes = async (project: WorkProject, id: string): Promise<string> => JSON.stringify((await project.show(id)).notes ?? []);

test('does one task in a worktree of its own and leaves the branch', async () => {
  const project = await createWorkProject();
  const id = await project.add('Write the parser', 'agent: write src/parser.txt');
  const { answer, exitCode, err } = await project.run(['work']);
  expect([exitCode, err, JSON.stringify(answer.error ?? '')]).toEqual([0, '', '""']);
  const branch = getBranch(id, 'write-the-parser');
  expect(answer.work).toMatchObject({
    reason: 'nothing-ready',
    tasks: [{ taskId: id, outcome: 'done', agentId: `${id}-worker-1`, rounds: 1, branch, commit: project.git('rev-parse', branch) }],
  });
  expect(project.readCalls()).toEqual([`${id}-worker-1 show ${id} 0`, `${id}-worker-1 start ${id} 102`, `${id}-worker-1 complete ${id} 0`]);
  expect(await project.show(id)).toMatchObject({ status: 'done' });
  expect(project.git('show', '--stat', '--format=%s', branch)).toContain('src/parser.txt');
  // The checkout of the person is as before, and the worktree is gone.
  expect(project.git('status', '--porcelain', '--', '.', ':(exclude).cleo')).toBe('');
  expect(listWorktrees(project)).toEqual([]);
  const { runs } = await project.runOk(['trace', 'list']);
  expect(runs).toMatchObject([{ kind: 'work', status: 'success', name: `${id}-worker-1`, taskId: id }]);
  expect(await project.runOk(['trace', 'verify', runs[0].id])).toMatchObject({ success: true });
  const { entries } = await project.runOk(['log', '--limit', '20']);
  const calls = entries.map(({ agent, operation }: Json) => `${agent} ${operation}`);
  expect(calls).toContain(`${id}-worker-1 tasks.complete`);
  expect(calls.filter((call: string) => call.endsWith('work.claim'))).toEqual([
    expect.stringMatching(/^work\/scripted\/\w+\/1 work\.claim$/),
  ]);
});

test('the next worktree gets the files of the last one, without what its agent left, and is set up again', async () => {
  const setup = 'fs.mkdirSync("node_modules"); fs.writeFileSync("node_modules/setup.txt", "")';
  const project = await createWorkProject({ config: { work: { setup: [process.execPath, '-e', setup] } } });
  const first = await project.add('First', 'agent: need node_modules/setup.txt\nagent: write a.txt\nagent: write node_modules/x.txt');
  const second = await project.add(
    'Second',
    ['need node_modules/setup.txt', 'absent node_modules/x.txt', 'absent a.txt', 'write b.txt'].map((step) => `agent: ${step}`).join('\n'),
  );
  const { answer } = await project.run(['work']);
  expect(answer.work.tasks.map(({ taskId, outcome, note }: Json) => [taskId, outcome, note])).toEqual([
    [first, 'done', undefined],
    [second, 'done', undefined],
  ]);
  expect(existsSync(join(project.folder, '.cleo', 'worktrees', '.spare'))).toBe(false);
});

test('a worktree whose files were not all written when cleo work was killed is made anew', async () => {
  const project = await createWorkProject();
  const id = await project.add('Work', 'agent: write a.txt');
  const branch = getBranch(id, 'work');
  const folder = join(project.folder, '.cleo', 'worktrees', `${id}-work`);
  project.git('worktree', 'add', '--quiet', '--no-checkout', '-b', branch, folder);
  const state = join(project.folder, '.cleo', 'worktrees', '.state', id);
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'setup.json'), '{"started":true}');
  // The git that the killed process had started is still at it.
  project.git('worktree', 'lock', '--reason', 'initializing', folder);
  const { whenEnded } = project.start(['work']);
  await waitFor(() => existsSync(join(state, 'item.json')));
  await sleep(500);
  writeFileSync(join(folder, 'late.txt'), 'late');
  project.git('worktree', 'unlock', folder);
  expect((await whenEnded).answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'done' }]);
  expect(project.git('diff', '--name-status', 'main', branch)).toBe('A\ta.txt');
});

test('worktrees whose folder is gone are forgotten', async () => {
  const project = await createWorkProject();
  const folder = join(project.folder, '.cleo', 'worktrees', 'T099-lost');
  project.git('worktree', 'add', '--quiet', '--detach', folder);
  rmSync(folder, { recursive: true });
  expect(project.git('worktree', 'list')).toContain('T099-lost');
  await project.add('Work', 'agent: write a.txt');
  await project.run(['work']);
  expect(project.git('worktree', 'list')).not.toContain('T099-lost');
});

test('lists what would be started without starting it', async () => {
  const project = await createWorkProject();
  const first = await project.add('First', 'agent: write a.txt', '--files', 'a.txt');
  await project.add('Second', 'agent: write b.txt', '--depends', first);
  const label = await project.add('Hard', 'agent: lie', '--labels', 'needs-attention');
  const gpu = await project.add('Train', 'agent: lie', '--requires', 'gpu');
  const { answer } = await project.run(['work', '--dry-run', '--scope', 'epic:T001']);
  expect(answer).toMatchObject({ data: { dryRun: true }, work: { profile: 'scripted', tasks: [{ taskId: first, outcome: 'ready' }] } });
  expect(answer.work.obstacles).toEqual([
    { reason: 'it has the label needs-attention; --retry ignores it', tasks: [label] },
    { reason: 'it requires gpu', tasks: [gpu] },
  ]);
  expect((await project.show(first)).status).toBe('pending');
  await project.configure({ work: { capabilities: ['gpu'] } });
  const { answer: capable } = await project.run(['work', '--dry-run', '--retry']);
  expect(capable.work.tasks.map(({ taskId }: Json) => taskId).sort()).toEqual([first, label, gpu].sort());
});

describe('an agent that misbehaves', () => {
  test.each([
    ['says done and changed nothing', 'agent: lie', /Nothing was changed/],
    ['completes the task and changed nothing', 'agent: lie-complete', /Nothing was changed/],
    ['never commits', 'agent: write a.txt\nagent: no-commit', /Files are not committed: a\.txt/],
    ['crashes', 'agent: write a.txt\nagent: crash', /without completing the task/],
    ['is blocked', 'agent: block', /returned blocked/],
  ])('%s: the task is released with a label after its rounds', async (_, agent, finding) => {
    const project = await createWorkProject();
    const id = await project.add('Work', agent);
    const { answer, exitCode } = await project.run(['work']);
    expect(exitCode).toBe(0);
    expect(answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'attention', rounds: 2, note: expect.stringMatching(finding) }]);
    expect(await project.show(id)).toMatchObject({ status: 'pending', labels: ['needs-attention'] });
    expect(await readNotes(project, id)).toMatch(finding);
    expect(listWorktrees(project)).toEqual([`${id}-work`]);
    // It is not taken again until somebody has looked at it.
    expect((await project.run(['work'])).exitCode).toBe(100);
  });

  test('hangs without a time limit: it is ended by a stop, with everything that it started', async () => {
    const project = await createWorkProject({ profile: { timeoutMinutes: 0 } });
    const id = await project.add('Work', 'agent: child\nagent: hang');
    const { whenEnded } = project.start(['work']);
    await waitFor(() => readText(project, `.cleo/worktrees/.state/${id}/item.json`).includes('hanging'));
    expect((await project.runOk(['work', 'status'])).work.tasks).toMatchObject([{ taskId: id, state: 'working', lastLine: 'hanging' }]);
    await project.runOk(['work', 'stop', id, '--now']);
    const { answer } = await whenEnded;
    expect(answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'stopped' }]);
    expect(await project.show(id)).toMatchObject({ status: 'pending' });
    expect(listProcessesWith(`CLEO_WORK_RUN=${answer.work.id}`)).toEqual([]);
    expect(listWorktrees(project)).toEqual([`${id}-work`]);
  });

  test('leaves a child: the child is ended, and the task is done', async () => {
    const project = await createWorkProject();
    const id = await project.add('Work', 'agent: child\nagent: write a.txt');
    const { answer } = await project.run(['work']);
    expect(answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'done' }]);
    const pid = project.git('show', `${getBranch(id, 'work')}:child.pid`);
    // A process without a parent that waits for it stays as a zombie.
    expect(readStat(pid)).toMatch(/^(| Z .*)$/s);
  });

  test('floods its output: the log is cut and the task is done', async () => {
    const project = await createWorkProject();
    const id = await project.add('Work', 'agent: write a.txt\nagent: flood 20');
    const { answer } = await project.run(['work']);
    expect(answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'done' }]);
    const { runs } = await project.runOk(['trace', 'list']);
    const log = readText(project, `.cleo/runs/${runs[0].id}/round-1/scripted/1/stdout.log`);
    expect(log.length).toBeLessThanOrEqual(50 * 2 ** 20);
  });

  test('prints a secret: it is in no file of the project', async () => {
    const secret = 'sk-live-Zx81kPq07LmNb33vRt';
    const project = await createWorkProject({ env: { AGENT_API_KEY: secret }, profile: { env: ['AGENT_API_KEY', 'AGENT_LOG'] } });
    await project.configure({ profiles: { scripted: { env: ['AGENT_API_KEY', 'AGENT_LOG', ...gitVariables] } } });
    const id = await project.add('Work', 'agent: write a.txt\nagent: secret');
    expect((await project.run(['work'])).answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'done' }]);
    const leaks = project
      .readFiles('.cleo')
      .filter(({ text }) => text.includes(secret))
      .map(({ path }) => path);
    expect(leaks).toEqual([]);
    expect((await project.runOk(['work', 'logs', id, '--json'])).log).toContain('the key is [REDACTED');
  });

  test('edits outside its worktree: its task is not done by that, and the files are reported', async () => {
    const project = await createWorkProject({ config: { work: { rounds: 1 } } });
    const id = await project.add('Work', 'agent: outside outside.txt\nagent: no-commit');
    const { answer } = await project.run(['work']);
    expect(answer.work.tasks).toMatchObject([{ outcome: 'attention', note: expect.stringContaining('Nothing was changed') }]);
    expect(answer.work.tasks[0].note).toContain('Files of the project folder changed while the agent ran: outside.txt');
    // What it wrote is still there for the person to look at.
    expect(readText(project, 'outside.txt')).toBe('written outside\n');
    expect((await project.show(id)).status).toBe('pending');
  });

  test('edits outside its worktree as well: its task is done, and changes of changed files are reported too', async () => {
    const project = await createWorkProject();
    const id = await project.add('Work', 'agent: write a.txt\nagent: outside README.md');
    for (const name of ['README.md', 'draft.txt']) writeFileSync(join(project.folder, name), 'changed by the person\n');
    const text = 'Files of the project folder changed while the agent ran: README.md';
    expect((await project.run(['work'])).answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'done', note: text }]);
    expect(await readNotes(project, id)).toContain(`cleo work: ${text}`);
    expect((await project.runOk(['work', 'status'])).work.tasks).toMatchObject([{ state: 'done', note: text }]);
  });

  test('starts cleo work itself: it gets 64', async () => {
    const project = await createWorkProject();
    const id = await project.add('Work', 'agent: write a.txt\nagent: nest');
    await project.run(['work']);
    expect(project.readCalls()).toContain(`${id}-worker-1 work --dry-run 64`);
  });
});

const gitVariables = [
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_NOSYSTEM',
];

const readStat = (pid: string): string => {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) ? (readFileSync(path, 'utf8').split(')')[1] ?? '') : '';
};

const readText = ({ folder }: WorkProject, path: string): string => {
  const full = join(folder, path);
  return existsSync(full) ? readFileSync(full, 'utf8') : '';
};

async function waitFor(isReady: () => boolean, timeoutMs = 20_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; !isReady(); await sleep(50)) if (Date.now() > end) throw new Error('timed out');
}

test('work completes a task that the agent left open, and reopens one that does not hold', async () => {
  const project = await createWorkProject();
  const open = await project.add('Open', 'agent: write a.txt\nagent: leave-open');
  expect((await project.run(['work'])).answer.work.tasks).toMatchObject([{ taskId: open, outcome: 'done' }]);
  expect(await readNotes(project, open)).toContain(`completed by cleo work for ${open}-worker-1`);
});

test('a second round gets the findings and can succeed', async () => {
  const project = await createWorkProject();
  const id = await project.add('Work', 'agent: write a.txt\nagent: learn');
  expect((await project.run(['work'])).answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'done', rounds: 2 }]);
});

test('ends after several failures in a row with an error', async () => {
  const project = await createWorkProject({ config: { work: { rounds: 1, maxFailures: 2 } } });
  const ids: string[] = [];
  for (const mode of ['lie', 'write b.txt', 'lie', 'lie', 'lie']) ids.push(await project.add('Work', `agent: ${mode}`));
  const { answer, exitCode } = await project.run(['work']);
  expect([exitCode, answer.error?.code]).toEqual([44, 'E_WORK_FAILED']);
  expect(answer.error.message).toMatch(/^2 tasks in a row were given up/);
  expect(answer.error.details.tasks).toMatchObject([{ taskId: ids[2] }, { taskId: ids[3] }]);
  expect(answer.error.details.work.tasks).toHaveLength(4);
});

test('a command that does not exist ends the run and releases the task without a label', async () => {
  const project = await createWorkProject({ profile: { argv: ['/nonexistent/agent'] } });
  const id = await project.add('Work', 'agent: lie');
  const { answer, exitCode } = await project.run(['work']);
  expect([exitCode, answer.error?.message]).toEqual([5, 'profile scripted: /nonexistent/agent does not exist']);
  expect(await project.show(id)).toMatchObject({ status: 'pending' });
  expect((await project.show(id)).labels).toBeUndefined();
});

test('needs trust for what a clone brings along, and the user for a profile without permission checks', async () => {
  const project = await createWorkProject();
  await project.add('Work', 'agent: write a.txt');
  const path = join(project.folder, '.cleo', 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...config, work: { ...config.work, setup: 'touch owned' } }));
  expect((await project.run(['work'])).answer.error).toMatchObject({ code: 'E_PROJECT_UNTRUSTED', exitCode: 8 });
  expect(existsSync(join(project.folder, 'owned'))).toBe(false);
  await project.configure({ work: { setup: '' }, profiles: { wild: { argv: ['claude', '--dangerously-skip-permissions', '-p'] } } });
  expect((await project.run(['work', '--profile', 'wild'])).answer.error).toMatchObject({
    exitCode: 8,
    message: expect.stringContaining('works only from the user'),
  });
});
