import { expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../../../test/app.ts';

/** Sets the last sign of life of all holders, in minutes before now. */
const setLastSeen = (app: TestApp, minutes: number): Promise<void> =>
  app.tamper(`update claims set renewed_at = '${new Date(Date.now() - minutes * 60_000).toISOString()}'`);

const takeOver = (app: Pick<TestApp, 'call'>, taskId: string, reason = 'the release waits for it'): Promise<Json> =>
  app.call('tasks.start', { taskId, takeOver: true, reason });

test('error 35 says who holds the task, since when, and whether the holder is present', async () => {
  const app = await openApp({ tasks: ['T001', 'T002'] });
  await app.as('ada').call('tasks.start', { taskId: 'T001' });
  const { error } = await app.call('tasks.start', { taskId: 'T001' });
  expect(error).toMatchObject({ code: 'E_TASK_CLAIMED', exitCode: 35, fix: 'cleo next', details: { holder: 'ada', state: 'present' } });
  expect(error.message).toBe(
    `T001 is held by ada since ${error.details.since}, who is present and was last seen at ${error.details.lastSeen}`,
  );
  expect(error.alternatives.map(({ command }: Json) => command)).toEqual(['cleo next', 'cleo focus set T002', 'cleo next --claim']);
});

test('error 35 offers a take-over of a silent holder, and the offered command works', async () => {
  const app = await openApp({ tasks: ['T001', 'T002'] });
  await app.as('ada').call('tasks.start', { taskId: 'T001' });
  await setLastSeen(app, 31);
  const { error } = await app.call('tasks.complete', { taskId: 'T001' });
  expect(error).toMatchObject({ exitCode: 35, details: { state: 'silent' } });
  const { command } = error.alternatives.at(-1);
  expect(command).toMatch(/^cleo start T001 --take-over --reason "?'?ada was last seen at /);
  expect((await app.cli(command)).envelope).toMatchObject({ success: true, takenOverFrom: 'ada', task: { id: 'T001', status: 'active' } });
});

test('an agent takes over from a silent holder, not from a present one', async () => {
  const app = await openApp({ tasks: ['T001'] });
  await app.as('ada').call('tasks.start', { taskId: 'T001' });
  expect(await takeOver(app, 'T001')).toMatchObject({ error: { exitCode: 35, details: { state: 'present' } } });
  await setLastSeen(app, 31);
  expect(await takeOver(app, 'T001')).toMatchObject({
    takenOverFrom: 'ada',
    task: { id: 'T001', status: 'active' },
    _meta: { warnings: ['taken over from ada: the release waits for it'] },
  });
});

test('a person takes over from any holder', async () => {
  const app = await openApp({ tasks: ['T001'], isAtTerminal: true });
  await app.as('ada').call('tasks.start', { taskId: 'T001' });
  const { error } = await app.call('tasks.start', { taskId: 'T001' });
  expect(error.alternatives.at(-1).command).toContain('--take-over');
  expect(await takeOver(app, 'T001')).toMatchObject({ takenOverFrom: 'ada' });
});

test('records a take-over in the log, in the history and as a note', async () => {
  const app = await openApp({ tasks: ['T001'] });
  await app.as('ada').call('tasks.start', { taskId: 'T001' });
  await setLastSeen(app, 31);
  await takeOver(app, 'T001');
  const [entry] = await app.store.read(({ audit }) => audit.list({}, { limit: 1, offset: 0 }));
  expect(entry).toMatchObject({ agent: 'tester', operation: 'start', success: true, updated: ['T001'] });
  expect(JSON.parse(entry!.params)).toEqual({ taskId: 'T001', takeOver: true, reason: 'the release waits for it' });
  const { task } = await app.call('tasks.show', { taskId: 'T001' });
  expect(task.notes).toEqual([expect.objectContaining({ by: 'tester', text: 'Taken over from ada: the release waits for it' })]);
  const { history } = await app.call('tasks.history', { taskId: 'T001' });
  expect(history).toContainEqual(expect.objectContaining({ field: 'status', new: 'pending', reason: 'the release waits for it' }));
  expect(task.revision).toBe(5);
});

test('the next call of the former holder says who took the task over, and why', async () => {
  const app = await openApp({ tasks: ['T001', 'T002'] });
  const ada = app.as('ada');
  await ada.call('tasks.start', { taskId: 'T001' });
  await setLastSeen(app, 31);
  await takeOver(app, 'T001');
  for (const params of [{ taskId: 'T001' }, {}]) {
    const { error } = await ada.call('tasks.complete', params);
    expect(error).toMatchObject({ exitCode: 35, details: { holder: 'tester', takenOver: { reason: 'the release waits for it' } } });
    expect(error.message).toContain('T001 was taken over from you: the release waits for it. It is held by tester since');
  }
  const warning = 'T001 was taken over from you by tester: the release waits for it';
  expect(await ada.call('tasks.current')).toMatchObject({ _meta: { exitCode: 100, warnings: [warning] } });
  expect(await ada.call('tasks.stop')).toMatchObject({ _meta: { exitCode: 102, warnings: [warning] } });
  // A new focus is what calls without a task refer to from now on.
  await ada.call('tasks.start', { taskId: 'T002' });
  expect(await ada.call('tasks.complete')).toMatchObject({ task: { id: 'T002' } });
});

test('a former holder that works in a session learns it too, not only the agent without one', async () => {
  const app = await openApp({ tasks: ['T001', 'T002 active by ada@s-1: Held', 'session s-1 global by ada'] });
  await setLastSeen(app, 31);
  await takeOver(app, 'T002');
  expect((await app.as('ada').call('tasks.complete', { taskId: 'T002' })).error).toMatchObject({
    exitCode: 35,
    details: { holder: 'tester', takenOver: { reason: 'the release waits for it' } },
  });
});

test('a claim that lapsed is taken over without being asked for, and its holder learns why', async () => {
  const app = await openApp({ tasks: ['T001'] });
  await app.as('ada').call('tasks.start', { taskId: 'T001' });
  await setLastSeen(app, 241);
  expect(await app.call('tasks.claim-next')).toMatchObject({
    takenOverFrom: 'ada',
    recommendation: { reasons: [{ term: 'priority medium' }, { term: 'taken over from ada', points: 0 }] },
    _meta: { warnings: ['taken over from ada: the claim of ada expired'] },
  });
  expect(await app.as('ada').call('tasks.complete')).toMatchObject({
    error: { exitCode: 35, details: { takenOver: { reason: 'the claim of ada expired' } } },
  });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task).not.toHaveProperty('notes');
});

test('needs a reason to take a task over', async () => {
  const app = await openApp({ tasks: ['T001'] });
  const { error } = await app.call('tasks.start', { taskId: 'T001', takeOver: true });
  expect(error).toMatchObject({ code: 'E_VALIDATION_REASON', exitCode: 6 });
  expect((await app.cli(error.fix)).envelope).toMatchObject({ success: true, task: { id: 'T001', status: 'active' } });
});

test('starts a free task, and changes nothing for the holder itself', async () => {
  const app = await openApp({ tasks: ['T001'] });
  expect(await takeOver(app, 'T001')).toMatchObject({ success: true, task: { status: 'active' } });
  expect(await takeOver(app, 'T001')).toMatchObject({ _meta: { exitCode: 102 } });
});

test('of many simultaneous take-overs exactly one wins', async () => {
  const app = await openApp({ tasks: ['T001'] });
  await app.as('ada').call('tasks.start', { taskId: 'T001' });
  await setLastSeen(app, 31);
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => takeOver(app.as(`agent-${i}`), 'T001')));
  const winners = answers.flatMap((answer, i) => (answer.success ? [`agent-${i}`] : []));
  expect(winners).toHaveLength(1);
  expect(answers.filter(({ error }) => error?.exitCode === 35 && error.details.holder === winners[0])).toHaveLength(11);
});

test('only the agent that a task was taken from is told so', async () => {
  const app = await openApp({ tasks: ['T001'] });
  await app.as('ada').call('tasks.start', { taskId: 'T001' });
  await setLastSeen(app, 31);
  await takeOver(app, 'T001');
  const start = async (agent: string) => (await app.as(agent).call('tasks.start', { taskId: 'T001' })).error.details;
  expect(await start('ada')).toMatchObject({ takenOver: { reason: 'the release waits for it' } });
  expect(await start('eve')).not.toHaveProperty('takenOver');
});
