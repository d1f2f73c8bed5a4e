import { expect, onTestFinished, test } from 'vitest';
import { dispatch } from '../../src/dispatch/dispatch.ts';
import { type AppOptions, createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { type Json, openApp } from '../app.ts';

const work = ['T001 epic: Parser', 'T002 in T001: Lexer', 'T003 in T001: Trees', 'T009 epic: Other', 'T010 in T009: Else'];

type Step = [operation: string, params: Record<string, unknown>, exitCode: number];

/** Repeated calls of one agent; some of them fail. */
const createSteps = (epic: string, task: string): Step[] => [
  ['session.list', {}, 0],
  ['tasks.find', { query: 'Lexer' }, 0],
  ['tasks.show', { taskId: task }, 0],
  ['tasks.show', { taskId: 'T900' }, 4],
  ['tasks.exists', { taskId: 'T900' }, 100],
  ['tasks.update', { taskId: task, notes: `By ${epic}` }, 0],
  ['tasks.find', { query: 'nothing like it' }, 100],
  ['tasks.update', { taskId: epic === 'T001' ? 'T010' : 'T002', notes: 'Not mine' }, 34],
  ['tasks.list', { parent: epic }, 0],
  ['admin.help', {}, 0],
];

const apps: [string, AppOptions][] = [
  ['one after another', { isSticky: true }],
  ['side by side', { isSticky: true, isServer: true }],
];

/** Opens a server app on a new project with the agent `ada`, and reads its log. */
async function openServer(options: AppOptions) {
  const project = await openApp({ tasks: work });
  const app = createApp(createPlatform({ ...project.env, CLEO_AGENT_ID: 'ada' }, project.root, '0.0.0-test'), options);
  onTestFinished(() => app.closeStores());
  const call = async (
    agent: string,
    operation: string,
    params: Record<string, unknown> = {},
  ): Promise<{ exitCode: number; envelope: Json }> => dispatch(app, { operation, params, agent, gateway: 'cleo_query' });
  const logOf = (session: string | undefined) =>
    project.store.read(async ({ audit }) =>
      (await audit.listAfter(0, 10_000))
        .filter((entry) => entry.session === session)
        .map((entry) => [entry.agent, `${entry.domain}.${entry.operation}`, entry.exitCode]),
    );
  return { call, logOf };
}

test.each(apps)('two agents of one server, %s: each session log contains the calls of its agent in order', async (_, options) => {
  const { call, logOf } = await openServer(options);
  const start = async (agent: string, epic: string): Promise<string> => {
    const { envelope } = await call(agent, 'session.start', { scope: `epic:${epic}`, autoFocus: true, grade: true });
    return envelope.session.id;
  };
  const ids = { ada: await start('ada', 'T001'), bob: await start('bob', 'T009') };
  const expected = Object.fromEntries(Object.keys(ids).map((agent) => [agent, [[agent, 'session.start', 0]] as unknown[]]));
  const work =
    (agent: 'ada' | 'bob', [operation, params, exitCode]: Step) =>
    async () => {
      expected[agent]!.push([agent, operation, exitCode]);
      const answer = await call(agent, operation, params);
      expect([operation, answer.exitCode, answer.envelope._meta.sessionId]).toEqual([operation, exitCode, ids[agent]]);
    };
  const rounds = Array.from({ length: 10 }, (_, round) => ({
    ada: createSteps('T001', round % 2 ? 'T002' : 'T003').map((step) => work('ada', step)),
    bob: createSteps('T009', 'T010').map((step) => work('bob', step)),
  }));
  for (const { ada, bob } of rounds) {
    const each = async (steps: (() => Promise<void>)[]) => {
      for (const step of steps) await step();
    };
    if (options.isServer) await Promise.all([each(ada), each(bob)]);
    else for (const [i, step] of ada.entries()) await each([step, bob[i]!]);
  }
  for (const agent of ['bob', 'ada'] as const) await work(agent, ['session.end', { note: 'Done' }, 0])();
  for (const agent of ['ada', 'bob'] as const) {
    expect(expected[agent]).toHaveLength(102);
    expect(await logOf(ids[agent])).toEqual(expected[agent]);
  }
  expect(await logOf(undefined)).toEqual([]);
});

test.each(apps)('reads outside a graded session are not logged, %s', async (_, options) => {
  const { call, logOf } = await openServer(options);
  const { session: graded } = (await call('ada', 'session.start', { scope: 'epic:T001', autoFocus: true, grade: true })).envelope;
  const { session: plain } = (await call('bob', 'session.start', { scope: 'epic:T009', autoFocus: true })).envelope;
  for (const agent of ['eve', 'bob', 'ada']) {
    await call(agent, 'tasks.show', { taskId: 'T002' });
    await call(agent, 'tasks.show', { taskId: 'T900' });
  }
  await call('eve', 'tasks.add', { title: 'By eve' });
  expect(await logOf(graded.id)).toEqual([
    ['ada', 'session.start', 0],
    ['ada', 'tasks.show', 0],
    ['ada', 'tasks.show', 4],
  ]);
  expect(await logOf(plain.id)).toEqual([['bob', 'session.start', 0]]);
  expect(await logOf(undefined)).toEqual([['eve', 'tasks.add', 0]]);
});
