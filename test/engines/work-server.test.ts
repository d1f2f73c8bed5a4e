import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import type { Json } from '../app.ts';
import { grantToken } from '../remote-client.ts';
import { createTempFolder } from '../temp-folder.ts';
import { trustProject } from '../trust.ts';
import { createWorkProject, startCleo, type WorkProject } from '../work/project.ts';

const tasks = 6;

/** Starts the server of a project; returns its address. */
async function serve({ folder, env }: WorkProject): Promise<string> {
  const { child } = startCleo(['serve', '--port', '0'], folder, env);
  const [line] = await once(child.stdout!, 'data');
  return JSON.parse(String(line)).listening.url;
}

/** Creates a clone whose store is behind the server, with a token of its own. */
async function createClone(project: WorkProject, url: string, name: string): Promise<{ folder: string; env: Record<string, string> }> {
  const folder = join(createTempFolder(), name);
  execFileSync('git', ['clone', '--quiet', project.folder, folder], { env: project.env });
  const app = createApp(createPlatform(project.env, project.folder, '0.0.0-test'));
  const secret = await grantToken({ store: await app.openStore('write') }, 'mutate', name);
  await app.closeStores();
  const env = { ...project.env, CLEO_HOME: join(folder, '..', `${name}-home`), LOGNAME: name, CLEO_SERVER: url, CLEO_TOKEN: secret };
  await trustProject(folder, env);
  return { folder, env };
}

test('two machines work on one plan through a server, and one is killed: each task is done once, by agents of both', {
  timeout: 300_000,
}, async () => {
  const project = await createWorkProject({ config: { claims: { awayMinutes: 0 } } });
  const ids: string[] = [];
  for (let i = 0; i < tasks; i += 1) ids.push(await project.add(`Step ${i + 1}`, 'agent: sleep 300\nagent: write out.txt'));
  const url = await serve(project);
  const clones = [await createClone(project, url, 'ada'), await createClone(project, url, 'bob')];
  const start = ({ folder, env }: (typeof clones)[number]) => startCleo(['work', '--daemon'], folder, env);
  const running = clones.map(start);
  const readTasks = async (): Promise<Json[]> => (await project.run(['list', '--parent', 'T001'])).answer.tasks ?? [];
  const countDone = async (): Promise<number> => (await readTasks()).filter(({ status }) => status === 'done').length;
  const end = Date.now() + 200_000;
  let isKilled = false;
  while ((await countDone()) < tasks && Date.now() < end) {
    await sleep(500);
    if (isKilled || (await countDone()) < 2) continue;
    isKilled = true;
    running[0]!.child.kill('SIGKILL');
    await running[0]!.whenEnded;
    running[0] = start(clones[0]!);
  }
  await sleep(1000);
  for (const { child } of running) child.kill('SIGTERM');
  const ended = await Promise.all(running.map(({ whenEnded }) => whenEnded));
  expect(ended.map(({ exitCode, out }) => [exitCode, out])).toEqual(running.map(() => [0, expect.any(String)]));
  const { entries } = (await project.run(['log', '--limit', '200'])).answer;
  const completions = entries.filter((entry: Json) => entry.operation === 'tasks.complete' && entry.success);
  expect(completions.map(({ updated }: Json) => updated[0]).sort()).toEqual(ids);
  const agents = new Set(completions.map(({ agent }: Json) => agent.split('/')[0]));
  expect([...agents].sort()).toEqual(['ada', 'bob']);
  // Worktrees and branches are on the machines of the agents.
  expect(existsSync(join(project.folder, '.cleo', 'worktrees'))).toBe(false);
  expect(isKilled).toBe(true);
});
