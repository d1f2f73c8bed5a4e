import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorkProject, listProcessesWith } from './work/project.ts';

test('an agent that hangs is ended after its time limit, with everything that it started, and the task is released', async () => {
  const project = await createWorkProject({ profile: { timeoutMinutes: 1 }, config: { work: { rounds: 1 } } });
  const id = await project.add('Work', 'agent: child\nagent: hang');
  const { answer, exitCode } = await project.run(['work']);
  expect(exitCode).toBe(0);
  const note = expect.stringContaining('The agent did not finish within 1 minute.');
  expect(answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'attention', note }]);
  expect(await project.show(id)).toMatchObject({ status: 'pending', labels: ['needs-attention'] });
  const tree = join(project.folder, '.cleo', 'worktrees', `${id}-work`);
  expect(readdirSync(tree)).toContain('child.pid');
  const stat = `/proc/${readFileSync(join(tree, 'child.pid'), 'utf8')}/stat`;
  // A process without a parent that waits for it stays as a zombie.
  expect(existsSync(stat) ? readFileSync(stat, 'utf8').split(')')[1] : ' Z ').toContain(' Z ');
  expect(listProcessesWith(`CLEO_ROOT=${project.folder}`)).toEqual([]);
});
