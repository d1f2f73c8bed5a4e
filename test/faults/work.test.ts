import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRandom } from '../random.ts';
import { expectPlanDone } from '../work/plan.ts';
import { createWorkProject, listProcessesWith } from '../work/project.ts';
import { isFull, pickSize } from './processes.ts';

test('kill -9 of cleo work at random moments: the next one finishes the plan, each task once, with nothing left running', async () => {
  const kills = pickSize(4, 100);
  const project = await createWorkProject({ config: { work: { integrate: 'merge' } } });
  const plan = new Map<string, string[]>();
  const addTask = async (): Promise<void> => {
    const id = `T${String(plan.size + 2).padStart(3, '0')}`;
    // Every third one builds on the one before it.
    const [before] = plan.size % 3 === 2 ? [...plan.keys()].slice(-1) : [];
    const needs = before === undefined ? '' : `agent: need out/${before}.txt\n`;
    const flags = before === undefined ? [] : ['--depends', before];
    await project.add(`Step ${plan.size + 1}`, `agent: sleep 150\n${needs}agent: write out/${id}.txt`, ...flags);
    plan.set(id, before === undefined ? [] : [before]);
  };
  for (let n = 0; n < 6; n += 1) await addTask();
  const random = createRandom(3);
  for (let killed = 0; killed < kills; ) {
    const { child, whenEnded } = project.start(['work', '--parallel', '2']);
    await sleep(300 + random() * 1700);
    // One that has ended because nothing is left to do is not killed.
    if (child.exitCode === null) killed += 1;
    else await addTask();
    child.kill('SIGKILL');
    const { exitCode, out } = await whenEnded;
    expect([null, 0, 100], out).toContain(exitCode);
    await addTask();
  }
  const { answer, exitCode } = await project.run(['work', '--parallel', '2']);
  expect([exitCode === 0 || exitCode === 100, JSON.stringify(answer.error ?? '')]).toEqual([true, '""']);
  await expectPlanDone(project, plan);
  // A killed task is continued in its worktree.
  const worktrees = new Map<string, Set<string>>();
  for (const { task, worktree } of project.readStarts()) worktrees.set(task, (worktrees.get(task) ?? new Set()).add(worktree));
  expect([...worktrees].filter(([, marks]) => marks.size > 1)).toEqual([]);
  const continued = project.readStarts().filter(({ act }) => act === 'Continue').length;
  expect(continued).toBeGreaterThanOrEqual(isFull ? 10 : 0);
  // Every worktree was used to its end, and nothing is left of those that were.
  expect(readdirSync(join(project.folder, '.cleo', 'worktrees')).sort()).toEqual(['.gitignore', '.state', 'integration']);
  // Neither are temporary files, nor the state of the killed processes.
  const state = join(project.folder, '.cleo', 'worktrees', '.state');
  expect(project.readFiles('.cleo/worktrees/.state').filter(({ path }) => path.includes('.tmp-'))).toEqual([]);
  expect(readdirSync(state).filter((name) => !plan.has(name))).toHaveLength(1);
  expect(project.git('worktree', 'list').split('\n')).toHaveLength(2);
  expect(listProcessesWith(`CLEO_ROOT=${project.folder}`)).toEqual([]);
});
