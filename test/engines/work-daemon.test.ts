import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../postgres.ts';
import { createTempFolder } from '../temp-folder.ts';
import { trustProject } from '../trust.ts';
import { createWorkProject, startCleo } from '../work/project.ts';

test('a daemon does tasks that are added after its database was restarted, and those whose agent was running then', {
  timeout: 240_000,
}, async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const project = await createWorkProject({ env: { CLEO_DATABASE_URL: server.url }, key: 'work_daemon' });
  const waitUntilDone = async (id: string): Promise<void> => {
    for (let i = 0; i < 300 && (await project.show(id)).status !== 'done'; i += 1) await sleep(100);
    expect((await project.show(id)).status).toBe('done');
  };
  const daemon = project.start(['work', '--daemon', '--parallel', '2']);
  const first = await project.add('First', 'agent: write a.txt');
  await waitUntilDone(first);
  const second = await project.add('Second', 'agent: sleep 4000\nagent: write b.txt');
  while ((await project.show(second)).status !== 'active') await sleep(50);
  await server.restart(1000);
  await waitUntilDone(second);
  const third = await project.add('Third', 'agent: write c.txt');
  await waitUntilDone(third);
  // Another machine reads their traces within a minute, while the daemon only waits.
  const clone = join(createTempFolder(), 'clone');
  project.git('clone', '--quiet', project.folder, clone);
  await trustProject(clone, project.env);
  const listTraced = async (): Promise<string[]> => {
    const { answer } = await startCleo(['trace', 'list'], clone, project.env).whenEnded;
    return (answer.runs ?? []).map(({ taskId }: { taskId: string }) => taskId);
  };
  for (let i = 0; i < 40 && !(await listTraced()).includes(third); i += 1) await sleep(2000);
  expect((await listTraced()).sort()).toEqual([first, second, third]);
  daemon.child.kill('SIGTERM');
  const { answer, exitCode, err } = await daemon.whenEnded;
  expect([exitCode, err, answer.work?.reason]).toEqual([0, '', 'stopped']);
  expect(answer.work.tasks.map(({ taskId, outcome }: { taskId: string; outcome: string }) => `${taskId} ${outcome}`).sort()).toEqual(
    [first, second, third].map((id) => `${id} done`),
  );
});
