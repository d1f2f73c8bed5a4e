import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readProjectKey } from '../folder.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import {
  createFaultFolder,
  createFaultProject,
  createKillTimer,
  type EndedProcess,
  type FaultProject,
  pickSize,
  queryDatabase,
  runInRows,
} from './processes.ts';
import { setConfig } from './set-config.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const asAgent = (agent: string, session?: string) => ({ env: { CLEO_AGENT_ID: agent, ...(session ? { CLEO_SESSION_ID: session } : {}) } });

/** Reads the claims with another program. */
async function readClaims(project: FaultProject, engine: string): Promise<Record<string, unknown>[]> {
  const query = 'select task_id, agent_id, session_id from claims order by task_id';
  if (engine === 'sqlite') return queryDatabase(project.database, query);
  const client = postgres(server.url, { max: 1, onnotice: () => {} });
  try {
    return (await client.unsafe(query.replace('claims', `"cleo_${readProjectKey(project.root)}".claims`))).map((row) => ({ ...row }));
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** Checks that one process won and the others name it; returns the winner's index. */
function findWinner(ended: EndedProcess[], session?: string): number {
  const winners = ended.flatMap((one, i) => (one.exitCode === 0 ? [i] : []));
  expect(winners).toHaveLength(1);
  const holder = `agent-${winners[0]}${session ? ` (${session})` : ''}`;
  expect(ended.filter((one) => one.exitCode !== 0).map((one) => [one.exitCode, one.answer.error?.details.holder])).toEqual(
    Array(ended.length - 1).fill([35, holder]),
  );
  return winners[0]!;
}

describe.each(['sqlite', 'postgres'])('%s', (engine) => {
  const open = async (): Promise<FaultProject> => {
    const env: Record<string, string> = engine === 'postgres' ? { CLEO_DATABASE_URL: server.url } : {};
    const project = await createFaultProject(createFaultFolder(), env);
    // With few cores, the process that holds the lock may have to wait for a core.
    await setConfig(project, 'store.busyTimeoutMs', '120000', env);
    return project;
  };
  const [few, some] = engine === 'sqlite' ? [8, 3] : [5, 2];

  test('exactly one of many concurrent claims wins, with and without a session', async () => {
    const [crowd, rounds] = [pickSize(few, 64), pickSize(some, 50)];
    const { run, runOk } = await open();
    let session: string | undefined;
    for (let round = 1; round <= rounds; round++) {
      if (round === Math.ceil(rounds / 2) + 1)
        session = (await runOk(['session', 'start', '--scope', 'global', '--auto-focus'])).session.id;
      const { task } = await runOk(['add', `Round ${round}`]);
      const ended = await Promise.all(
        Array.from({ length: crowd }, (_, i) => run(['focus', 'set', task.id], asAgent(`agent-${i}`, session))),
      );
      const winner = findWinner(ended, session);
      expect((await run(['focus', 'set', task.id], asAgent(`agent-${winner}`, session))).exitCode).toBe(102);
    }
    expect(session).toBeDefined();
  });

  test('concurrent next --claim assigns every task once and then reports that none is left', async () => {
    const [crowd, tasks] = [pickSize(few, 64), pickSize(few * some, 200)];
    const { run, runOk } = await open();
    await runOk(['add-batch', '--file', '-'], { stdin: JSON.stringify(Array.from({ length: tasks }, (_, i) => ({ title: `Part ${i}` }))) });
    await runOk(['session', 'start', '--scope', 'global', '--focus', 'T001']);
    const handed = (
      await runInRows(crowd, Math.ceil(tasks / crowd) + 1, async (row, place) =>
        // A new claim releases the previous one, so each call uses another agent.
        run(['next', '--claim'], asAgent(`agent-${row}.${place}`)),
      )
    ).map(({ exitCode, answer }) => (exitCode === 0 ? answer.task.id : exitCode));
    const ids = handed.filter((one) => typeof one === 'string');
    expect(handed.filter((one) => typeof one !== 'string' && one !== 100)).toEqual([]);
    expect(ids).toHaveLength(tasks - 1);
    expect(new Set(ids).size).toBe(tasks - 1);
    expect((await run(['next', '--claim'], asAgent('late'))).exitCode).toBe(100);
  });

  test('exactly one waiting agent gets the task of a session that ends', async () => {
    const [waiting, rounds] = [pickSize(4, 12), pickSize(1, 20)];
    const project = await open();
    const { run, runOk } = project;
    for (let round = 1; round <= rounds; round++) {
      const { task } = await runOk(['add', `Round ${round}`]);
      await runOk(['session', 'start', '--scope', `task:${task.id}`, '--auto-focus'], asAgent('holder'));
      const end = sleep(Math.random() * 200).then(() => run(['session', 'end', '--note', 'Made way'], asAgent('holder')));
      let isOver = false;
      const won: string[] = [];
      await Promise.all(
        Array.from({ length: waiting }, async (_, i) => {
          while (!isOver) {
            const { exitCode } = await run(['focus', 'set', task.id], asAgent(`agent-${i}`));
            if (exitCode === 0) won.push(`agent-${i}`);
            else expect(exitCode).toBe(35);
            if (won.length > 0) isOver = true;
          }
        }),
      );
      expect((await end).exitCode).toBe(0);
      expect(won).toHaveLength(1);
      expect(await readClaims(project, engine)).toContainEqual({ task_id: task.id, agent_id: won[0], session_id: '' });
      await runOk(['complete', task.id], asAgent(won[0]!));
    }
  });

  test('a process killed during a claim holds the task or does not, consistently for all others', async () => {
    const [crowd, kills] = [pickSize(3, 8), pickSize(4, 60)];
    const project = await open();
    const { run, runOk } = project;
    await runOk(['add', 'The first']);
    const began = performance.now();
    await runOk(['focus', 'set', 'T001'], asAgent('nobody'));
    const lifeMs = performance.now() - began;
    const aim = createKillTimer(lifeMs);
    let kept = 0;
    // A process that ends before it is killed makes the next kill come earlier.
    for (let round = 1; round <= kills || (aim.countKills() === 0 && round <= 4 * kills); round++) {
      const { task } = await runOk(['add', `Round ${round}`]);
      const killed = run(['focus', 'set', task.id], {
        ...asAgent('killed'),
        onStart: (child) => void sleep(aim.pickMoment(0, 1.6)).then(() => child.kill('SIGKILL')),
      });
      // It starts a little before the others.
      await sleep(lifeMs / 2);
      const others = await Promise.all(Array.from({ length: crowd }, (_, i) => run(['focus', 'set', task.id], asAgent(`agent-${i}`))));
      const first = await killed;
      aim.recordEnd(first);
      const [holder] = (await readClaims(project, engine)).filter(({ task_id }) => task_id === task.id);
      if (holder?.agent_id === 'killed') {
        kept++;
        expect(others.map((one) => [one.exitCode, one.answer.error?.details.holder])).toEqual(Array(crowd).fill([35, 'killed']));
      } else {
        expect(first.answer.success ?? false).toBe(false);
        expect(holder?.agent_id).toBe(`agent-${findWinner(others)}`);
      }
      await runOk(['complete', task.id], asAgent(String(holder?.agent_id)));
    }
    expect(aim.countKills()).toBeGreaterThan(0);
    if (kills > 20) expect(kept).toBeGreaterThan(0);
  });
});
