import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Json } from './app.ts';
import { isFull } from './faults/processes.ts';
import { createTempFolder } from './temp-folder.ts';
import { expectPlanDone, readLog } from './work/plan.ts';
import { createWorkProject, listProcessesWith, type WorkProject, waitForLine } from './work/project.ts';

/** Twelve tasks in four waves. Each needs the files of those it depends on, and one of each wave needs evidence. */
async function addPlan(project: WorkProject): Promise<Map<string, string[]>> {
  const plan = new Map<string, string[]>();
  const waves: string[][] = [];
  for (const wave of [0, 1, 2, 3]) {
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      const depends = wave === 0 ? [] : waves[wave - 1]!.filter((_, i) => i === n - 1 || wave === 3);
      const needs = depends.map((id) => `agent: need out/${id}.txt`);
      const id = `T${String(plan.size + 2).padStart(3, '0')}`;
      await project.add(
        `Step ${wave + 1} ${n}`,
        [...needs, `agent: write out/${id}.txt`].join('\n'),
        ...(depends.length > 0 ? ['--depends', depends.join(',')] : []),
        ...(n === 1 ? ['--accept-evidence', 'implemented,testsPassed'] : []),
      );
      plan.set(id, depends);
      ids.push(id);
    }
    waves.push(ids);
  }
  return plan;
}

test('three agents do an epic of twelve tasks, and the branches are merged in the order of the waves', async () => {
  const tested = join(createTempFolder(), 'tested.txt');
  const test = `fs.appendFileSync(${JSON.stringify(tested)}, process.env.CLEO_AGENT_ID + ' ' + process.cwd() + ' ' + fs.readdirSync('out') + '\\n')`;
  const project = await createWorkProject({
    config: {
      work: { integrate: 'merge', verify: 'git diff --check HEAD~1' },
      verification: { tools: { test: [process.execPath, '-e', test] } },
    },
  });
  const plan = await addPlan(project);
  const { answer, exitCode } = await project.run(['work', '--scope', 'epic:T001', '--parallel', '3']);
  expect([exitCode, JSON.stringify(answer.error ?? '')]).toEqual([0, '""']);
  expect(answer.work.tasks.map(({ outcome, rounds }: Json) => [outcome, rounds])).toEqual(Array.from({ length: 12 }, () => ['done', 1]));
  await expectPlanDone(project, plan);
  // Each gate was checked in the worktree of its task, which has the files of the task and of those that it depends on.
  const lines = readFileSync(tested, 'utf8').trim().split('\n').sort();
  expect(lines).toHaveLength(4);
  const gated = [...plan.keys()].filter((_, i) => i % 3 === 0);
  for (const [i, id] of gated.entries()) {
    const worktree = join(project.folder, '.cleo', 'worktrees', `${id}-step-${i + 1}-1`);
    expect(lines[i]).toMatch(new RegExp(`^${id}-worker-1 ${worktree} .*\\b${id}\\.txt`));
    const { verification } = await project.runOk(['verify', id]);
    const { commit } = answer.work.tasks.find(({ taskId }: Json) => taskId === id);
    expect(verification.gates.slice(0, 2)).toMatchObject([
      { gate: 'implemented', isHeld: true, evidence: [{ kind: 'commit', commit }] },
      { gate: 'testsPassed', isHeld: true, evidence: [{ kind: 'tool', name: 'test', exitCode: 0 }] },
    ]);
  }
  // The merge of each task brought the commit that its agent left, and the log names that agent.
  const log = await readLog(project);
  for (const { taskId, commit, agentId } of answer.work.tasks) {
    expect(project.git('log', '--first-parent', '--format=%P', `--grep=^${taskId}:`, 'main').split(' ')[1]).toBe(commit);
    const calls = log.filter(({ updated, operation }) => operation === 'tasks.complete' && updated[0] === taskId);
    expect(calls.map(({ agent }) => agent)).toEqual([agentId]);
  }
  expect(log.filter(({ operation, success }) => operation === 'work.claim' && success)).toHaveLength(12);
  expect(readdirSync(join(project.folder, '.cleo', 'worktrees')).filter((name) => !name.startsWith('.'))).toEqual(['integration']);
  // The checkout of the person has moved to the merges and is clean.
  expect(project.git('status', '--porcelain', '--', '.', ':(exclude).cleo')).toBe('');
});

test('agents that conflict with each other: the second task is released with the conflict as note, nothing is lost', async () => {
  const project = await createWorkProject({ config: { work: { integrate: 'merge' } } });
  const first = await project.add('First', 'agent: sleep 1500\nagent: write same.txt one');
  const second = await project.add('Second', 'agent: sleep 1500\nagent: write same.txt two');
  const { answer } = await project.run(['work', '--parallel', '2']);
  const outcomes = new Map(answer.work.tasks.map((task: Json) => [task.outcome, task]));
  expect([...outcomes.keys()].sort()).toEqual(['attention', 'done']);
  const lost = outcomes.get('attention') as Json;
  expect(lost.note).toContain('conflicts in same.txt');
  expect(await project.show(lost.taskId)).toMatchObject({ status: 'pending', labels: ['needs-attention'] });
  expect(project.git('show', `${lost.branch}:same.txt`)).toBe(lost.taskId === first ? 'one' : 'two');
  expect([first, second]).toContain(lost.taskId);
  expect(project.git('status', '--porcelain', '--', '.', ':(exclude).cleo')).toBe('');
});

test('tasks that share files are not done at the same time', async () => {
  const project = await createWorkProject({ config: { work: { integrate: 'merge' } } });
  for (const title of ['First', 'Second']) await project.add(title, 'agent: append same.txt', '--files', 'same.txt');
  const { answer } = await project.run(['work', '--parallel', '2']);
  expect(answer.work.tasks.map(({ outcome }: Json) => outcome)).toEqual(['done', 'done']);
  expect(readFileSync(join(project.folder, 'same.txt'), 'utf8')).toBe('T002\nT003\n');
});

test('an agent that breaks the build: the merge is rejected, and the base stays as it was', async () => {
  const project = await createWorkProject({
    config: {
      work: {
        integrate: 'merge',
        rounds: 1,
        verify: [process.execPath, '-e', 'process.exit(require("fs").existsSync("broken.txt") ? 1 : 0)'],
      },
    },
  });
  const id = await project.add('Work', 'agent: write broken.txt');
  const before = project.git('rev-parse', 'main');
  const { answer } = await project.run(['work']);
  expect(answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'attention', note: expect.stringContaining('work.verify') }]);
  expect(project.git('rev-parse', 'main')).toBe(before);
  expect((await project.show(id)).status).toBe('pending');
});

test('a checkout with changes is not touched: the work waits, and the next run merges it', async () => {
  const project = await createWorkProject({ config: { work: { integrate: 'merge' } } });
  const id = await project.add('Work', 'agent: write a.txt');
  writeFileSync(join(project.folder, 'README.md'), 'changed by the person\n');
  const { answer } = await project.run(['work']);
  expect(answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'waiting', note: expect.stringContaining('uncommitted changes') }]);
  expect(readFileSync(join(project.folder, 'README.md'), 'utf8')).toBe('changed by the person\n');
  project.git('checkout', '--quiet', '--', 'README.md');
  await project.run(['work']);
  expect(existsSync(join(project.folder, 'a.txt'))).toBe(true);
  expect((await project.runOk(['work', 'status'])).work.tasks).toMatchObject([{ taskId: id, state: 'done' }]);
});

// A daemon looks at the checkout again after 30 s.
test.each([['a run'], ...(isFull ? [['a daemon', '--daemon']] : [])])(
  '%s merges work that had to wait when the checkout is clean, and starts what depends on it',
  async (_, ...flags) => {
    const project = await createWorkProject({ config: { work: { integrate: 'merge' } } });
    const first = await project.add('First', 'agent: write a.txt');
    const second = await project.add('Second', 'agent: need a.txt\nagent: write b.txt', '--depends', first);
    const other = await project.add('Other', 'agent: until .cleo/worktrees/go\nagent: write c.txt');
    writeFileSync(join(project.folder, 'README.md'), 'changed by the person\n');
    const work = project.start(['work', '--parallel', '2', ...flags]);
    const readState = async (id: string): Promise<string | undefined> =>
      (await project.run(['work', 'status'])).answer.work.tasks.find(({ taskId }: Json) => taskId === id)?.state;
    await expect.poll(() => readState(first), { timeout: 20_000 }).toBe('waiting');
    project.git('checkout', '--quiet', '--', 'README.md');
    if (flags.length === 0) writeFileSync(join(project.folder, '.cleo', 'worktrees', 'go'), '');
    await expect.poll(() => readState(second), { timeout: 50_000, interval: 500 }).toBe('done');
    writeFileSync(join(project.folder, '.cleo', 'worktrees', 'go'), '');
    await expect.poll(() => readState(other), { timeout: 20_000 }).toBe('done');
    work.child.kill('SIGTERM');
    const { tasks } = (await work.whenEnded).answer.work;
    expect(tasks.map(({ outcome, note }: Json) => [outcome, note])).toEqual(tasks.map(() => ['done', 'merged into main']));
    expect(tasks).toHaveLength(3);
  },
);

test('a daemon with several agents starts a task as soon as the work that it depends on is merged', async () => {
  const project = await createWorkProject({ config: { work: { integrate: 'merge' } } });
  const first = await project.add('First', 'agent: sleep 1500\nagent: write a.txt');
  const second = await project.add('Second', 'agent: need a.txt\nagent: write b.txt', '--depends', first);
  const daemon = project.start(['work', '--daemon', '--parallel', '2', '--max-tasks', '2', '--for', '30s']);
  expect((await daemon.whenEnded).answer.work).toMatchObject({
    reason: 'tasks',
    tasks: [
      { taskId: first, outcome: 'done' },
      { taskId: second, outcome: 'done' },
    ],
  });
});

test('work that waited and conflicts now is released with the conflict as note', async () => {
  const project = await createWorkProject({ config: { work: { integrate: 'merge' } } });
  const id = await project.add('Work', 'agent: write a.txt');
  writeFileSync(join(project.folder, 'a.txt'), 'of the person\n');
  expect((await project.run(['work'])).answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'waiting' }]);
  project.git('add', 'a.txt');
  project.git('commit', '--quiet', '-m', 'Of the person');
  await project.run(['work']);
  expect((await project.runOk(['work', 'status'])).work.tasks).toMatchObject([
    { state: 'attention', note: expect.stringContaining('conflicts in a.txt') },
  ]);
  expect(await project.show(id)).toMatchObject({ status: 'pending', labels: ['needs-attention'] });
});

test('a validator judges work with qaPassed in a fresh worktree, and a rejection starts the next round', async () => {
  const tool = [process.execPath, '-e', ''];
  const project = await createWorkProject({ config: { verification: { tools: { test: tool } } } });
  const flags = ['--accept-evidence', 'implemented,testsPassed,qaPassed'];
  const id = await project.add('Work', 'agent: write a.txt\nagent: reject\nagent: learn-late', ...flags);
  const { answer } = await project.run(['work']);
  expect(answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'done', rounds: 2 }]);
  const verdicts = (await readLog(project))
    .filter(({ operation }) => operation.startsWith('validator.'))
    .map(({ agent, operation }) => `${agent} ${operation}`);
  expect(verdicts).toEqual([`${id}-validator-1 validator.reject`, `${id}-validator-2 validator.attest`]);
  // The secret of the validator is in no file.
  expect(project.readFiles('.cleo').filter(({ text }) => /CLEO_VALIDATOR_SECRET=cleo_\w/.test(text))).toEqual([]);
});

test('a validator that gives no verdict passes nothing', async () => {
  const tool = [process.execPath, '-e', ''];
  const project = await createWorkProject({ config: { verification: { tools: { test: tool } }, work: { rounds: 1 } } });
  const flags = ['--accept-evidence', 'implemented,testsPassed,qaPassed'];
  const id = await project.add('Work', 'agent: write a.txt\nagent: no-verdict', ...flags);
  const note = 'gave up after 1 round: The validator gave no verdict.';
  expect((await project.run(['work'])).answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'attention', note }]);
  expect(await project.show(id)).toMatchObject({ status: 'pending', labels: ['needs-attention'] });
});

test('a validator whose command does not exist ends the run, and the task stays open without a label', async () => {
  const tool = [process.execPath, '-e', ''];
  const project = await createWorkProject({
    config: {
      verification: { tools: { test: tool } },
      work: { validator: 'judge' },
      profiles: { judge: { argv: ['/nonexistent/judge'] } },
    },
  });
  const flags = ['--accept-evidence', 'implemented,testsPassed,qaPassed'];
  const id = await project.add('Work', 'agent: write a.txt', ...flags);
  const { answer, exitCode } = await project.run(['work']);
  expect([exitCode, answer.error?.message]).toEqual([5, 'profile judge: /nonexistent/judge does not exist']);
  expect((await project.show(id)).labels).toBeUndefined();
  // The work is on its branch, and the next run continues in the worktree.
  expect(project.git('show', `cleo/${id}-work:a.txt`)).toBe(id);
});

test('Ctrl-C once finishes what runs, and twice ends it', async () => {
  const project = await createWorkProject();
  const ids = [await project.add('First', 'agent: sleep 2000\nagent: write a.txt'), await project.add('Second', 'agent: hang')] as const;
  const first = project.start(['work']);
  await waitForLine(project, ids[0], `working on ${ids[0]}`);
  first.child.kill('SIGINT');
  expect((await first.whenEnded).answer.work).toMatchObject({ reason: 'stopped', tasks: [{ taskId: ids[0], outcome: 'done' }] });
  const second = project.start(['work']);
  await waitForLine(project, ids[1], 'hanging');
  second.child.kill('SIGINT');
  await sleep(300);
  second.child.kill('SIGINT');
  expect((await second.whenEnded).answer.work).toMatchObject({ reason: 'stopped', tasks: [{ taskId: ids[1], outcome: 'stopped' }] });
  expect((await project.show(ids[1])).status).toBe('pending');
});

test('a daemon waits for ready tasks and drains on SIGTERM', async () => {
  const project = await createWorkProject();
  const daemon = project.start(['work', '--daemon', '--parallel', '2']);
  await sleep(1000);
  const id = await project.add('Work', 'agent: write a.txt');
  for (let i = 0; i < 100 && (await project.show(id)).status !== 'done'; i += 1) await sleep(100);
  await sleep(500);
  daemon.child.kill('SIGTERM');
  const { answer, exitCode } = await daemon.whenEnded;
  expect([exitCode, answer.work]).toMatchObject([0, { reason: 'stopped', tasks: [{ taskId: id, outcome: 'done' }] }]);
});

describe('a task that somebody else completed', () => {
  const other = { CLEO_AGENT_ID: 'other' };
  const expectDoneByOther = async (project: WorkProject, id: string): Promise<void> => {
    expect((await project.show(id)).status).toBe('done');
    const calls = (await readLog(project)).filter(({ operation }) => ['tasks.complete', 'tasks.reopen'].includes(operation));
    expect(calls.filter(({ success }) => success).map(({ agent, operation }) => `${agent} ${operation}`)).toEqual(['other tasks.complete']);
  };

  test('while cleo work was gone is not reopened by the next one', async () => {
    const project = await createWorkProject({ config: { claims: { awayMinutes: 0 } } });
    const id = await project.add('Work', 'agent: sleep 600000');
    const { child, whenEnded } = project.start(['work']);
    await waitForLine(project, id, `working on ${id}`);
    child.kill('SIGKILL');
    await whenEnded;
    await project.run(['start', id, '--take-over', '--reason', 'its machine is gone'], other);
    expect((await project.run(['complete', id], other)).exitCode).toBe(0);
    expect((await project.run(['work'])).exitCode).toBe(100);
    await expectDoneByOther(project, id);
    expect((await project.runOk(['work', 'status'])).work.tasks).toMatchObject([{ state: 'stopped', note: `other completed ${id}` }]);
    expect(listProcessesWith(`CLEO_ROOT=${project.folder}`)).toEqual([]);
  });

  test('while its agent was running is not reopened', async () => {
    const project = await createWorkProject();
    const id = await project.add('Work', 'agent: release 4000');
    const { whenEnded } = project.start(['work']);
    await waitForLine(project, id, 'released');
    for (const act of ['start', 'complete']) expect((await project.run([act, id], other)).exitCode).toBe(0);
    expect((await whenEnded).answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'lost', note: `other completed ${id}` }]);
    await expectDoneByOther(project, id);
  });
});
