import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { isProcessRunning } from '../../src/platform/processes.ts';
import { parseSlotAgent } from '../../src/work/rules/names.ts';
import type { Json } from '../app.ts';
import { cleoPath, cleoRunner } from '../built-cli.ts';
import { isFull, pickSize } from '../faults/processes.ts';
import { createRandom } from '../random.ts';
import { createTempFolder } from '../temp-folder.ts';
import { trustProject } from '../trust.ts';
import { readLog } from '../work/plan.ts';
import { createWorkProject, listProcessesWith, startCleo, type WorkProject } from '../work/project.ts';

const machines = 4;
const tasks = pickSize(8, 200);
/** The limits over all machines, of which each can run two agents: in total, of the profile that two of them use, and of the label `db`. */
const limits = { total: 5, profile: 3, label: 2 };

/** Counts the tasks that agents of running `cleo work` hold, again and again; returns the highest numbers. */
function watchClaims({ folder, env }: WorkProject, labelled: ReadonlySet<string>): { stop(): Promise<typeof limits> } {
  const app = createApp(createPlatform(env, folder, '0.0.0-test'));
  const highest = { total: 0, profile: 0, label: 0 };
  let isOver = false;
  const watching = (async () => {
    const store = await app.openStore('read');
    for (; !isOver; await sleep(100)) {
      const { live, spawns } = await store.read(async (reads) => {
        const claims = await reads.claims.list();
        const held = claims.filter(({ process }) => process !== undefined && isProcessRunning(process)).map(({ taskId }) => taskId);
        return { live: held, spawns: await reads.spawns.listLatest(held) };
      });
      const ofProfile = spawns.filter(({ spawnedBy }) => parseSlotAgent(spawnedBy)?.profile === 'scripted');
      highest.total = Math.max(highest.total, live.length);
      highest.profile = Math.max(highest.profile, ofProfile.length);
      highest.label = Math.max(highest.label, live.filter((id) => labelled.has(id)).length);
    }
    await app.closeStores();
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return highest;
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
    config: { work: { maxParallel: limits.total, labels: { db: limits.label } }, claims: { awayMinutes: 0 } },
    profile: { concurrency: limits.profile },
    twin: 'other',
    key,
  });
  const ids: string[] = [];
  for (let i = 0; i < tasks; i += 1) {
    const flags = i % 3 === 0 ? ['--labels', 'db'] : [];
    ids.push(await project.add(`Step ${i + 1}`, 'agent: sleep 100\nagent: write out.txt', ...flags));
  }
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
    spawnSync(cleoRunner, [cleoPath, ...words], { cwd: folder, env: project.env, encoding: 'utf8', maxBuffer: 1 << 26 }).stdout;
  const start = (folder: string) => {
    const profile = clones.indexOf(folder) < 2 ? 'scripted' : 'other';
    return startCleo(['work', '--daemon', '--parallel', '2', '--profile', profile], folder, project.env);
  };
  const running = clones.map(start);
  const claims = watchClaims(project, new Set(ids.filter((_, i) => i % 3 === 0)));
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
  expect(Math.min(...Object.values(highest))).toBeGreaterThan(0);
  for (const [name, limit] of Object.entries(limits)) expect([name, highest[name as keyof typeof limits] <= limit]).toEqual([name, true]);
  if (isFull) expect(highest).toEqual(limits);
  const log = await readLog(project);
  const done = log.filter(({ operation, success }) => operation === 'tasks.complete' && success).map(({ updated }) => updated[0]);
  // What was not done once, with everything that happened to it.
  const wrong = ids.filter((id) => done.filter((each) => each === id).length !== 1);
  expect(wrong.map((id) => [id, ...listHistory(log, id)])).toEqual([]);
  expect(listProcessesWith(`CLEO_WORK_RUN=`).filter((pid) => listProcessesWith(`CLEO_ROOT=${project.folder}`).includes(pid))).toEqual([]);
  // Each machine reads the traces of all.
  const completed = log.filter(({ operation, success }) => operation === 'tasks.complete' && success);
  const prompts = completed.map(({ agent }) => `${agent}.md`);
  for (const clone of clones) {
    // This command brings the prompts up to date.
    runIn(clone, 'orchestrate', 'status', 'T001');
    expect(readdirSync(join(clone, '.cleo', 'research', 'prompts'))).toEqual(expect.arrayContaining(prompts));
    const { runs } = JSON.parse(runIn(clone, 'trace', 'list', '--limit', '0'));
    const ended = runs.filter(({ status }: Json) => status === 'success').map(({ name }: Json) => name);
    expect(completed.filter(({ agent }) => !ended.includes(agent))).toEqual([]);
    // A task that was resumed has several runs, and what its agent printed can be lost with the process that had not read it yet.
    const whole = completed.filter(({ agent }) => runs.filter(({ name }: Json) => name === agent).length === 1);
    expect(whole.length).toBeGreaterThanOrEqual(pickSize(0, 20));
    for (const { agent, updated } of whole.filter((_, i) => i === 0 || i === whole.length - 1)) {
      const { id } = runs.find(({ name }: Json) => name === agent);
      expect(runIn(clone, 'trace', 'output', id)).toContain(`working on ${updated[0]}`);
    }
  }
});
