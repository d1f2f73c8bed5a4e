import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { cleoPath, cleoRunner } from '../built-cli.ts';
import { readProjectKey } from '../folder.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { createFaultFolder, createFaultProject, createIds, type FaultProject, isFull, pickSize, queryDatabase } from './processes.ts';
import { setConfig } from './set-config.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** The number of workers and tasks can be chosen for a run: `CLEO_WORKERS=20x200`. */
const [workerCount, taskCount] = process.env.CLEO_WORKERS?.split('x').map(Number) ?? [pickSize(4, 50), pickSize(20, 1000)];
/** One of so many claims ends with a kill. */
const claimsPerKill = 4;
const maxKillDelayMs = 1000;
/** Tasks that nobody gets again are found when nothing has been completed for so long. */
const maxIdleMs = 60_000;

/** An agent client in a shell: it claims a task, works on it and completes it. Its name makes it the client process of its calls. */
const worker = `#!/bin/bash
while [ ! -e stop ]; do
  task=$("$NODE" "$CLEO" next --claim --quiet)
  case $? in
    0) echo "claimed $task"; sleep 0.1; "$NODE" "$CLEO" complete --quiet >/dev/null || echo "failed to complete $task: $?" ;;
    100) sleep 0.3 ;;
    *) echo "failed to claim: $?" ;;
  esac
done
`;

interface Crowd {
  kills: number;
  problems: string[];
  stop(): Promise<void>;
}

/** Runs workers until they are stopped. A worker that has just claimed a task may be killed with its children or without them; a new
 *  conversation takes its place. */
function startWorkers({ root }: FaultProject, env: Record<string, string>, count: number): Crowd {
  writeFileSync(join(root, 'claude'), worker);
  const running = new Set<ChildProcess>();
  let [started, claims, isStopped] = [0, 0, false];
  const crowd: Crowd = {
    kills: 0,
    problems: [],
    async stop() {
      isStopped = true;
      writeFileSync(join(root, 'stop'), '');
      await Promise.all([...running].map((child) => new Promise((ended) => child.once('close', ended))));
    },
  };
  const start = (): void => {
    const conversation = `${process.pid}-${++started}`;
    const child = spawn('bash', [join(root, 'claude')], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: '/nonexistent',
        CLEO_HOME: join(root, '.home'),
        ...env,
        CLAUDECODE: '1',
        CLAUDE_CODE_SESSION_ID: conversation,
        NODE: cleoRunner,
        CLEO: cleoPath,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    running.add(child);
    child.once('exit', () => {
      running.delete(child);
      if (!isStopped) start();
    });
    let isKilled = false;
    // A call that outlives its worker finds that the task was taken over, and says so.
    child.stderr.setEncoding('utf8').on('data', (text) => isKilled || crowd.problems.push(text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!text.startsWith('claimed ')) crowd.problems.push(text);
      else if (++claims % claimsPerKill === 0) {
        crowd.kills++;
        const target = crowd.kills % 2 === 0 ? child.pid! : -child.pid!;
        // The first worker dies while it works on its task; later ones also while they complete it or claim the next one.
        const delayMs = crowd.kills === 1 ? 0 : Math.random() * maxKillDelayMs;
        setTimeout(() => {
          if (!running.has(child)) return;
          isKilled = true;
          process.kill(target, 'SIGKILL');
        }, delayMs);
      }
    });
  };
  for (let i = 0; i < count; i++) start();
  onTestFinished(() => {
    isStopped = true;
    for (const child of running) process.kill(-child.pid!, 'SIGKILL');
  });
  return crowd;
}

describe.each(['sqlite', 'postgres'])('%s', (engine) => {
  const env: Record<string, string> = {};
  const query = async (project: FaultProject, text: string): Promise<Record<string, unknown>[]> => {
    if (engine === 'sqlite') return queryDatabase(project.database, text);
    const client = postgres(server.url, { max: 1, onnotice: () => {} });
    try {
      await client.unsafe(`set search_path to "cleo_${readProjectKey(project.root)}"`);
      return (await client.unsafe(text)).map((row) => ({ ...row }));
    } finally {
      await client.end({ timeout: 5 });
    }
  };

  test('every task is done exactly once although workers are killed at random', async () => {
    if (engine === 'postgres') env.CLEO_DATABASE_URL = server.url;
    const project = await createFaultProject(createFaultFolder(), env);
    const { run, runOk } = project;
    await setConfig(project, 'claims.awayMinutes', '0', env);
    await setConfig(project, 'store.busyTimeoutMs', '120000', env);
    const titles = Array.from({ length: taskCount! }, (_, i) => ({ title: `Part ${i + 1}` }));
    for (let i = 0; i < titles.length; i += 500)
      await runOk(['add-batch', '--file', '-'], { stdin: JSON.stringify(titles.slice(i, i + 500)) });
    const crowd = startWorkers(project, env, workerCount!);
    const began = performance.now();
    let [done, changedAt] = [0, began];
    while (done < taskCount! && crowd.problems.length === 0 && performance.now() - changedAt < maxIdleMs) {
      await sleep(isFull ? 2000 : 300);
      const count = (await runOk(['dash'])).summary.byStatus.done ?? 0;
      if (count > done) changedAt = performance.now();
      done = count;
    }
    const seconds = (performance.now() - began) / 1000;
    await crowd.stop();
    expect(crowd.problems).toEqual([]);
    expect(done).toBe(taskCount);
    const completed = await query(
      project,
      "select updated_ids from audit_log where domain = 'tasks' and operation = 'complete' and success = 1 and exit_code = 0",
    );
    expect(completed.flatMap((row) => JSON.parse(String(row.updated_ids))).sort()).toEqual(createIds(taskCount!).sort());
    expect(await query(project, 'select task_id from claims')).toEqual([]);
    const takenOver = await query(project, "select distinct task_id from task_history where reason like '% was away'");
    expect(crowd.kills).toBeGreaterThan(0);
    expect(takenOver.length).toBeGreaterThan(0);
    // All views agree that nothing is left.
    const { summary } = await runOk(['dash']);
    expect(summary).toMatchObject({ ready: 0, active: [], byStatus: { done: taskCount } });
    expect((await run(['next'])).exitCode).toBe(100);
    expect((await run(['ready'])).exitCode).toBe(100);
    console.log(
      `${engine}: ${workerCount} workers, ${taskCount} tasks done once in ${seconds.toFixed(0)} s; ${crowd.kills} kills, ${takenOver.length} tasks taken over`,
    );
  }, 1_800_000);
});
