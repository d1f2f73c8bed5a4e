import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { pickSize } from '../faults/processes.ts';
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

test('a daemon that waits asks its database nothing, and is woken at once', { timeout: 240_000 }, async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const project = await createWorkProject({ env: { CLEO_DATABASE_URL: server.url }, key: 'work_idle' });
  await project.add('Hard', 'agent: lie', '--labels', 'needs-attention');
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  onTestFinished(() => admin.end({ timeout: 5 }));
  const listQueries = async (): Promise<string[]> =>
    (await admin`select pid, query_start::text as at from pg_stat_activity where application_name like 'cleo%' order by pid`).map(
      ({ pid, at }) => `${pid} ${at}`,
    );
  const daemon = project.start(['work', '--daemon', '--parallel', '2']);
  // It waits as soon as nothing was asked for a while.
  let before = ['starting'];
  for (let same = 0; same < 4; ) {
    await sleep(500);
    const now = await listQueries();
    same = now.length > 0 && now.join() === before.join() ? same + 1 : 0;
    before = now;
  }
  await sleep(pickSize(12_000, 65_000));
  // A connection may close meanwhile, but none is asked anything, except once a minute whether it is still alive.
  expect((await listQueries()).filter((query) => !before.includes(query)).length).toBeLessThanOrEqual(pickSize(0, 1));
  const added = Date.now();
  const id = await project.add('Work', 'agent: write a.txt');
  while ((await project.show(id)).status === 'pending' && Date.now() < added + 20_000) await sleep(50);
  expect(Date.now() - added).toBeLessThan(10_000);
  daemon.child.kill('SIGTERM');
  expect((await daemon.whenEnded).answer.work).toMatchObject({ reason: 'stopped', tasks: [{ taskId: id }] });
});
