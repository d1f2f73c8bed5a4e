import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

const world = ['T001 saga', 'T002 in T001: Parser', 'T003 in T002 high', 'T004 in T002 depends T003', 'T005 in T003', 'T009: Alone'];

test('starts a session on the epic without focus and returns the plan', async () => {
  const { call } = await openApp({ tasks: world });
  const started = await call('orchestrate.start', { epicId: 'T002', name: 'Parser' });
  expect(started).toMatchObject({
    _meta: { resultsField: 'session', sessionId: started.session.id },
    success: true,
    session: {
      id: expect.stringMatching(/^session-\d+-[0-9a-f]{6}$/),
      name: 'Parser',
      scope: 'epic:T002',
      status: 'active',
      agent: 'tester',
    },
    tier: 'orchestrator',
    root: { id: 'T002' },
    waves: [
      { wave: 1, tasks: [{ id: 'T005' }] },
      { wave: 2, tasks: [{ id: 'T004' }] },
    ],
    progress: { done: 0, total: 3, percent: 0 },
    data: { created: [started.session.id] },
  });
  expect(await call('tasks.current')).toMatchObject({ _meta: { exitCode: 100 } });
  expect(await call('session.status')).toMatchObject({ session: { id: started.session.id } });
});

test('starts on a saga, and accepts every alias of the parameter', async () => {
  const { call, cli } = await openApp({ tasks: world });
  expect(await call('orchestrate.start', { sagaId: 'T001' })).toMatchObject({ session: { scope: 'saga:T001' } });
  await call('session.end');
  const { out, exitCode } = await cli('cleo orchestrator start --epic T002 --export --grade');
  expect([out.split('\n')[0], exitCode]).toEqual([expect.stringMatching(/^export CLEO_SESSION_ID=session-/), 0]);
  expect(await call('session.status')).toMatchObject({ session: { scope: 'epic:T002', graded: true } });
});

test('follows the session rules (30, 32, 67), and every fix works', async () => {
  const { call, as, cli } = await openApp({ tasks: world });
  await as('ada').call('orchestrate.start', { epic: 'T002' });
  const same = await call('orchestrate.start', { epic: 'T002' });
  expect(same.error).toMatchObject({ code: 'E_SESSION_EXISTS', exitCode: 30 });
  expect((await call('orchestrate.start', { epic: 'T001' })).error).toMatchObject({ code: 'E_SCOPE_CONFLICT', exitCode: 32 });
  expect((await cli(same.error.fix)).exitCode).toBe(0);
  const strict = await openApp({ tasks: [...world, 'T010 epic'], config: { session: { exclusive: true } } });
  await strict.call('orchestrate.start', { epic: 'T002' });
  const { error } = await strict.call('orchestrate.start', { epic: 'T010' });
  expect(error).toMatchObject({ code: 'E_CONCURRENT_SESSION', exitCode: 67 });
  expect((await strict.cli(error.fix)).exitCode).toBe(0);
});

test('refuses a task with 33 and suggests its epic or a session on the task', async () => {
  const { call, cli } = await openApp({ tasks: world });
  const inside = (await call('orchestrate.start', { epic: 'T005' })).error;
  expect(inside).toMatchObject({ code: 'E_SCOPE_INVALID', exitCode: 33, fix: 'cleo orchestrate start T002' });
  expect((await cli(inside.fix)).envelope).toMatchObject({ session: { scope: 'epic:T002' } });
  const alone = (await call('orchestrate.start', { epic: 'T009' })).error;
  expect(alone).toMatchObject({ exitCode: 33 });
  await call('session.end');
  expect((await cli(alone.fix)).envelope).toMatchObject({ session: { scope: 'task:T009' }, focus: { id: 'T009' } });
  expect((await call('orchestrate.start', { epic: 'T099' })).error).toMatchObject({ code: 'E_NOT_FOUND', exitCode: 4 });
});

test('needs no session even if writes require one', async () => {
  const { call } = await openApp({ tasks: world, config: { session: { required: true } } });
  expect((await call('saga.create', { title: 'x' })).error).toMatchObject({ exitCode: 36 });
  expect(await call('orchestrate.start', { epic: 'T002' })).toMatchObject({ success: true });
});

test('sets the spawn budget, and system.context shows the rest', async () => {
  const { call, cli } = await openApp({ tasks: [...world, 'T020 epic', 'T021 in T020: Write it'] });
  const { session } = await call('orchestrate.start', { epicId: 'T002' });
  expect((await call('system.context', {}, { session: session.id })).context.budget).toEqual({ max: 10_000, used: 0, left: 10_000 });
  await call('session.end');
  const { envelope } = await cli('cleo orchestrate start T020 --budget 6000');
  const named = { session: envelope.session.id };
  expect((await call('system.context', {}, named)).context.budget).toEqual({ max: 6000, used: 0, left: 6000 });
  await call('orchestrate.spawn', { taskId: 'T021', promptFile: true }, named);
  expect((await call('system.context', {}, named)).context.budget).toMatchObject({ max: 6000, used: expect.any(Number) });
});
