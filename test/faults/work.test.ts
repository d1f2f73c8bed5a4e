import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRandom } from '../random.ts';
import { expectPlanDone } from '../work/plan.ts';
import { createWorkProject, listProcessesWith } from '../work/project.ts';
import { pickSize } from './processes.ts';

test('kill -9 of cleo work at random moments: the next one finishes the plan, each task once, with nothing left running', async () => {
  const kills = pickSize(4, 100);
  const project = await createWorkProject({ config: { work: { integrate: 'merge' } } });
  const plan = new Map<string, string[]>();
  for (let n = 0; n < kills + 2; n += 1) {
    const id = `T${String(n + 2).padStart(3, '0')}`;
    plan.set(await project.add(`Step ${n + 1}`, `agent: sleep 150\nagent: write out/${id}.txt`), []);
  }
  const random = createRandom(3);
  for (let n = 0; n < kills; n += 1) {
    const { child, whenEnded } = project.start(['work', '--parallel', '2']);
    await sleep(300 + random() * 1700);
    child.kill('SIGKILL');
    await whenEnded;
  }
  const { answer, exitCode } = await project.run(['work', '--parallel', '2']);
  expect([exitCode === 0 || exitCode === 100, JSON.stringify(answer.error ?? '')]).toEqual([true, '""']);
  await expectPlanDone(project, plan);
  // Every worktree was used to its end, and nothing is left of those that were.
  expect(readdirSync(join(project.folder, '.cleo', 'worktrees')).sort()).toEqual(['.gitignore', '.state', 'integration']);
  // Neither are temporary files, nor the state of the killed processes.
  const state = join(project.folder, '.cleo', 'worktrees', '.state');
  expect(project.readFiles('.cleo/worktrees/.state').filter(({ path }) => path.includes('.tmp-'))).toEqual([]);
  expect(readdirSync(state).filter((name) => !plan.has(name))).toHaveLength(1);
  expect(project.git('worktree', 'list').split('\n')).toHaveLength(2);
  expect(listProcessesWith(`CLEO_ROOT=${project.folder}`)).toEqual([]);
});
