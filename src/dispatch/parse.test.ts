import { expect, test } from 'vitest';
import { openApp } from '../../test/app.ts';

const decisions = ['A', 'B', 'C'].map((title) => `memory decision: ${title}`);

test.each([
  ['two aliases', { id: 'D-001', oldId: 'D-002' }, 'oldId'],
  ['its name and an alias', { old: 'D-001', oldId: 'D-002' }, 'oldId'],
  ['an alias and its name', { oldId: 'D-002', old: 'D-001' }, 'oldId'],
])('rejects a parameter that is passed under %s, and changes nothing', async (_, twice, field) => {
  const { call } = await openApp({ tasks: decisions });
  expect(await call('memory.supersede', { ...twice, by: 'D-003' })).toMatchObject({
    error: { code: 'E_INVALID_INPUT', details: { field } },
  });
  expect((await call('memory.find', { state: 'superseded' })).memories).toEqual([]);
});
