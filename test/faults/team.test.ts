import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../app.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { type AgentCall, connectAgent } from './agent-client.ts';
import { createFaultFolder, isFull, openFaultProject, pickSize } from './processes.ts';
import { startServer } from './server-process.ts';
import { setConfig } from './set-config.ts';

/** `npm run bench:team` runs the full sizes and requires the figures of the team store; `npm test` runs the short form of the same. */
let server: PostgresServer;
beforeAll(async () => {
  // Commits are synced, as on the server of a team.
  server = await startPostgres(['-c', 'fsync=on', '-c', 'full_page_writes=on']);
});
afterAll(() => server?.stop());

async function startTeam() {
  const env = { CLEO_DATABASE_URL: server.url };
  const project = openFaultProject(createFaultFolder(), env);
  await project.runOk(['init']);
  await setConfig(project, 'serve.callsPerMinute', '0', env);
  const { port } = await startServer(project, [], env);
  const failed: Json[] = [];
  const startAgent = async (agent: string): Promise<AgentCall> => {
    const call = await connectAgent(port, agent);
    return async (path, params) => {
      const answer = await call(path, params);
      if (!answer.success) failed.push(answer);
      return answer;
    };
  };
  const addTasks = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 500) {
      const tasks = Array.from({ length: Math.min(500, count - i) }, (_, at) => ({ title: `Part ${i + at + 1}` }));
      await project.runOk(['add-batch', '--file', '-'], { stdin: JSON.stringify(tasks) });
    }
  };
  return { startAgent, failed, addTasks };
}

/** Measures plain inserts of one row, one commit each, over one connection. */
async function measureCommits(durationMs: number): Promise<number> {
  const client = postgres(server.url, { max: 1, onnotice: () => {} });
  await client.unsafe('create table if not exists plain (n int primary key, t text)');
  const [last] = await client.unsafe('select coalesce(max(n), 0) as n from plain');
  const began = performance.now();
  let commits = 0;
  while (performance.now() - began < durationMs)
    await client.unsafe(`insert into plain values (${Number(last?.n) + ++commits}, 'one row')`);
  const seconds = (performance.now() - began) / 1000;
  await client.end();
  return commits / seconds;
}

test('claim-and-complete cycles through one server', async () => {
  const [agents, tasks, measureMs] = [pickSize(4, 16), pickSize(16, 4000), pickSize(200, 3000)];
  // The rate of a server that runs for days: V8 compiles its code in the first seconds, on the two cores that the database needs too.
  const warmUpTasks = tasks / 4;
  const { startAgent, failed, addTasks } = await startTeam();
  await addTasks(tasks);
  const before = await measureCommits(measureMs);
  const done: string[] = [];
  const began = performance.now();
  let warmAt = began;
  await Promise.all(
    Array.from({ length: agents }, async (_, i) => {
      const call = await startAgent(`agent-${i}`);
      for (;;) {
        const { task } = await call('mutate/tasks/claim-next', {});
        if (!task?.id) return;
        await call('mutate/tasks/complete', { taskId: task.id });
        done.push(task.id);
        if (done.length === warmUpTasks) warmAt = performance.now();
      }
    }),
  );
  const ended = performance.now();
  const cycles = (tasks - warmUpTasks) / ((ended - warmAt) / 1000);
  const firstCycles = warmUpTasks / ((warmAt - began) / 1000);
  const commits = (before + (await measureCommits(measureMs))) / 2;
  console.log(
    `${agents} agents, ${tasks} tasks: ${cycles.toFixed(0)} cycles/s (${firstCycles.toFixed(0)} in the first ${warmUpTasks}); ${commits.toFixed(0)} plain commits/s`,
  );
  expect(failed).toEqual([]);
  expect(new Set(done).size).toBe(tasks);
  expect(done).toHaveLength(tasks);
  if (isFull) expect(cycles).toBeGreaterThanOrEqual(Math.min(300, 0.3 * commits));
});

test('waiting agents get every task once, soon after it was added', async () => {
  const [agents, tasks] = [pickSize(16, 500), pickSize(24, 1000)];
  const { startAgent, failed } = await startTeam();
  const addedAt = new Map<string, number>();
  const claimedAt = new Map<string, number>();
  const doubles: string[] = [];
  const running = Array.from({ length: agents }, async (_, i) => {
    const call = await startAgent(`agent-${i}`);
    while (claimedAt.size < tasks) {
      const { task } = await call('mutate/tasks/claim-next', { wait: true, timeout: pickSize(1, 3) });
      if (!task?.id) continue;
      if (claimedAt.has(task.id)) doubles.push(task.id);
      claimedAt.set(task.id, performance.now());
      await call('mutate/tasks/complete', { taskId: task.id });
    }
  });
  const plan = await startAgent('planner');
  for (let i = 0; i < tasks; i++) {
    const { task } = await plan('mutate/tasks/add', { title: `Part ${i}` });
    addedAt.set(task.id, performance.now());
  }
  await Promise.all(running);
  const delays = [...addedAt].map(([id, at]) => Math.max(0, claimedAt.get(id)! - at)).sort((a, b) => a - b);
  const p99 = delays[Math.ceil(delays.length * 0.99) - 1]!;
  console.log(
    `${agents} waiting agents, ${tasks} tasks: median ${delays[delays.length >> 1]!.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms from add to claim`,
  );
  expect(failed).toEqual([]);
  expect(doubles).toEqual([]);
  expect(claimedAt.size).toBe(tasks);
  if (isFull) expect(p99).toBeLessThanOrEqual(1000);
});
