import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

test('lists open epics with progress, active and blocked tasks', async () => {
  const { call } = await openApp({
    tasks: ['T001 epic: Parser', 'T002 in T001 done', 'T003 in T001 active by ada', 'T004 in T001 blocked', 'T005 epic done', 'T006'],
  });
  const { epics } = await call('orchestrate.epics');
  expect(epics).toMatchObject([{ id: 'T001', title: 'Parser', done: 1, total: 3, percent: 33, active: 1, blocked: 1 }]);
  expect((await call('orchestrate.epics', { all: true })).epics.map(({ id }: Json) => id)).toEqual(['T001', 'T005']);
});

test('says that there is no epic', async () => {
  const { reply } = await openApp({ tasks: ['T001'] });
  expect(await reply('orchestrate.epics')).toMatchObject({ exitCode: 100, envelope: { epics: [] } });
});

test('lists blocked epics, and done ones only if asked', async () => {
  const { call } = await openApp({ tasks: ['T001 epic blocked', 'T002 epic done', 'T003 epic active'] });
  const listIds = async (params: object) => (await call('orchestrate.epics', { ...params })).epics.map(({ id }: { id: string }) => id);
  expect(await listIds({})).toEqual(['T001', 'T003']);
  expect(await listIds({ all: true })).toEqual(['T001', 'T002', 'T003']);
});
