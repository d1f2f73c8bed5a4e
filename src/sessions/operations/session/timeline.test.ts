import { expect, test } from 'vitest';
import { openApp } from '../../../../test/app.ts';

test('shows the focus, completions, errors and handoffs of each agent', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' };
  const app = await openApp({ clock, tasks: ['T001 epic', 'T002 in T001: Parser', 'T003 in T001: Docs'] });
  const ada = app.as('ada');
  const { session } = await ada.call('session.start', { scope: 'epic:T001', focus: 'T002' });
  clock.now = '2026-03-01T10:30:00.000Z';
  await ada.call('tasks.complete', { taskId: 'T002' });
  await ada.reply('tasks.update', { taskId: 'T099', notes: 'x' });
  clock.now = '2026-03-01T11:00:00.000Z';
  await app.as('eve').call('tasks.start', { taskId: 'T003' });
  await ada.call('session.end', { note: 'done' });
  const found = await app.call('session.timeline');
  expect(found.lanes).toMatchObject([
    {
      agent: 'ada',
      focus: [{ taskId: 'T002', title: 'Parser', from: '2026-03-01T10:00:00.000Z', to: '2026-03-01T10:30:00.000Z' }],
      marks: [
        { kind: 'done', taskId: 'T002', session: session.id },
        { kind: 'error', text: 'tasks.update: E_NOT_FOUND' },
        { kind: 'handoff', at: '2026-03-01T11:00:00.000Z' },
      ],
    },
    { agent: 'eve', focus: [{ taskId: 'T003', from: '2026-03-01T11:00:00.000Z' }], marks: [] },
  ]);
  expect(found.sessions).toMatchObject([{ id: session.id, agent: 'ada' }]);
  expect(
    (await app.call('session.timeline', { since: '2026-03-01T10:45:00Z' })).lanes.map(({ agent }: { agent: string }) => agent),
  ).toEqual(['eve', 'ada']);
  expect((await app.call('session.timeline', { session: session.id })).lanes).toHaveLength(1);
});

test('shows the task that an agent changes to', async () => {
  const app = await openApp({ tasks: ['T001', 'T002'] });
  for (const taskId of ['T002', 'T001']) await app.call('tasks.start', { taskId });
  const [lane] = (await app.call('session.timeline')).lanes;
  expect(lane.focus).toMatchObject([{ taskId: 'T002', to: expect.any(String) }, { taskId: 'T001' }]);
});

test('shows the sessions that did not end before the first entry', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' };
  const app = await openApp({ clock, tasks: ['T001', 'T002'] });
  const start = (agent: string, focus: string) => app.as(agent).call('session.start', { scope: `task:${focus}`, focus });
  const first = (await start('ada', 'T001')).session.id;
  await app.as('ada').call('session.end', { note: 'done' });
  clock.now = '2026-03-02T10:00:00.000Z';
  const second = (await start('eve', 'T002')).session.id;
  const listSessions = async (params: object) =>
    (await app.call('session.timeline', { ...params })).sessions.map(({ id }: { id: string }) => id).toSorted();
  expect(await listSessions({})).toEqual([first, second].toSorted());
  expect(await listSessions({ since: '2026-03-02' })).toEqual([second]);
  expect(await listSessions({ session: first })).toEqual([first]);
});
