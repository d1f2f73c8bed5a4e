import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { isProcessRunning } from '../../src/platform/processes.ts';
import type { Json } from '../app.ts';
import { cleoPath } from '../built-cli.ts';
import { pickSize } from '../faults/processes.ts';
import { createRandom } from '../random.ts';
import { createTempFolder } from '../temp-folder.ts';
import { trustProject } from '../trust.ts';
import { readLog } from '../work/plan.ts';
import { createWorkProject, listProcessesWith, startCleo, type WorkProject } from '../work/project.ts';

const machines = 4;
const tasks = pickSize(8, 200);
const maxParallel = 5;

/** Counts the tasks that agents of running `cleo work` hold, again and again; returns the highest number. */
function watchClaims({ folder, env }: WorkProject): { stop(): Promise<number> } {
  const app = createApp(createPlatform(env, folder, '0.0.0-test'));
  let max = 0;
  let isOver = false;
  const watching = (async () => {
    const store = await app.openStore('read');
    for (; !isOver; await sleep(100)) {
      const claims = await store.read((reads) => reads.claims.list());
      max = Math.max(max, claims.filter(({ process }) => process !== undefined && isProcessRunning(process)).length);
    }
    await app.closeStores();
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return max;
    },
  };
}

/** Lists the entries of the log that name a task, in one line each. */
const listHistory = (log: Json[], id: string): string[] =>
  log
    .filter((entry) => JSON.stringify(entry).includes(`"${id}`))
    .map(({ at, agent, operation, success, error }) => `${at} ${agent} ${operation} ${success ? 'ok' : JSON.stringify(error)}`);

test('four machines with one plan in PostgreSQL lose machines again and again: each task is done once, and limits hold', {
  timeout: 1_800_000,
}, async () => {
  const url = inject('databaseUrl');
  const key = `work_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  onTestFinished(async () => {
    const client = postgres(url, { max: 1, onnotice: () => {} });
    await client.unsafe(`drop schema if exists "cleo_${key}" cascade`);
    await client.end({ timeout: 5 });
  });
  const project = await createWorkProject({
    env: { CLEO_DATABASE_URL: url },
    config: { work: { maxParallel }, claims: { awayMinutes: 0 } },
    key,
  });
  const ids: string[] = [];
  for (let i = 0; i < tasks; i += 1) ids.push(await project.add(`Step ${i + 1}`, 'agent: sleep 100\nagent: write out.txt'));
  const clones = await Promise.all(
    Array.from({ length: machines }, async (_, i) => {
      if (i === 0) return project.folder;
      const folder = `${createTempFolder()}/clone`;
      execFileSync('git', ['clone', '--quiet', project.folder, folder], { env: project.env });
      await trustProject(folder, project.env);
      return folder;
    }),
  );
  const runIn = (folder: string, ...words: string[]): string =>
    spawnSync(process.execPath, [cleoPath, ...words], { cwd: folder, env: project.env, encoding: 'utf8', maxBuffer: 1 << 26 }).stdout;
  const start = (folder: string) => startCleo(['work', '--daemon', '--parallel', '2'], folder, project.env);
  const running = clones.map(start);
  const claims = watchClaims(project);
  const random = createRandom(7);
  const readOpen = async (): Promise<number> =>
    ((await project.run(['list', '--parent', 'T001', '--limit', '500'])).answer.tasks ?? []).filter((task: Json) => task.status !== 'done')
      .length;
  const end = Date.now() + 1_500_000;
  while ((await readOpen()) > 0 && Date.now() < end) {
    await sleep(1500);
    const lost = Math.floor(random() * machines);
    running[lost]!.child.kill('SIGKILL');
    await running[lost]!.whenEnded;
    running[lost] = start(clones[lost]!);
  }
  const highest = await claims.stop();
  // A process that has just been started does not listen for signals yet.
  await sleep(3000);
  for (const { child } of running) child.kill('SIGTERM');
  const ended = await Promise.all(running.map(({ whenEnded }) => whenEnded));
  expect(ended.map(({ exitCode }) => exitCode)).toEqual(running.map(() => 0));
  expect(highest).toBeGreaterThan(0);
  expect(highest).toBeLessThanOrEqual(maxParallel);
  const log = await readLog(project);
  const done = log.filter(({ operation, success }) => operation === 'tasks.complete' && success).map(({ updated }) => updated[0]);
  // What was not done once, with everything that happened to it.
  const wrong = ids.filter((id) => done.filter((each) => each === id).length !== 1);
  expect(wrong.map((id) => [id, ...listHistory(log, id)])).toEqual([]);
  expect(listProcessesWith(`CLEO_WORK_RUN=`).filter((pid) => listProcessesWith(`CLEO_ROOT=${project.folder}`).includes(pid))).toEqual([]);
  // Each machine reads the traces of all.
  const completed = log.filter(({ operation, success }) => operation === 'tasks.complete' && success);
  for (const clone of clones) {
    const { runs } = JSON.parse(runIn(clone, 'trace', 'list', '--limit', '0'));
    const ended = runs.filter(({ status }: Json) => status === 'success').map(({ name }: Json) => name);
    expect(completed.filter(({ agent }) => !ended.includes(agent))).toEqual([]);
    // The agent of a task whose `cleo work` was lost has printed into an earlier run.
    for (const { agent, updated } of [completed[0]!, completed.at(-1)!]) {
      const outputs = runs.filter(({ name }: Json) => name === agent).map(({ id }: Json) => runIn(clone, 'trace', 'output', id));
      expect(outputs.join('')).toContain(`working on ${updated[0]}`);
    }
  }
});
