import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

test.each<[why: string, world: string[], skill: string, rule: string, protocol: string]>([
  ['a protocol keyword', ['T001 epic', 'T002 in T001: Investigate slow starts'], 'ct-research-agent', 'keyword', 'research'],
  ['a trigger', ['T001 epic', 'T002 in T001: Cover the upload script with bats'], 'ct-test-writer-bats', 'keyword', 'implementation'],
  ['no match', ['T001 epic', 'T002 in T001: Upload'], 'ct-task-executor', 'fallback', 'implementation'],
  ['an epic', ['T001', 'T002 epic: Upload'], 'ct-epic-architect', 'type', 'decomposition'],
])('dispatches by %s', async (_, tasks, skill, rule, protocol) => {
  const { call } = await openApp({ tasks });
  expect(await call('skills.dispatch', { taskId: 'T2' })).toMatchObject({
    _meta: { resultsField: 'dispatch' },
    dispatch: { taskId: 'T002', skill, rule, protocol },
  });
});

test.each<[given: Record<string, unknown>, skill: string, rule: string, protocol: string, match: string]>([
  [{ labels: ['docs'] }, 'ct-documentor', 'label', 'implementation', 'docs'],
  [{ labels: ['adr'] }, 'ct-adr-recorder', 'label', 'consensus', 'adr'],
  [{ labels: ['protocol:release'] }, 'ct-task-executor', 'catalogue', 'release', 'protocol release'],
  [{ phase: 'documentation' }, 'ct-documentor', 'catalogue', 'implementation', 'phase documentation'],
  [{ phase: 'setup', size: 'large' }, 'ct-epic-architect', 'catalogue', 'decomposition', 'phase setup, size large'],
  [{ description: 'Weigh it, then write an ADR' }, 'ct-adr-recorder', 'keyword', 'consensus', 'adr in the description'],
])('dispatches a task with %j', async (given, skill, rule, protocol, match) => {
  const { call } = await openApp();
  const { task } = await call('tasks.add', { title: 'Uploads', ...given });
  expect((await call('skills.dispatch', { taskId: task.id })).dispatch).toMatchObject({ skill, rule, protocol, match });
});

test('uses the lifecycle stage of the epic in a project catalog', async () => {
  const { call, root, store } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T002', 'T004'] });
  put(join(root, '.cleo', 'skills', 'catalog.json'), '{"rows":[{"stage":"consensus","skill":"ct-validator"}]}');
  await store.write({ at: '2026-01-01T00:00:00.000Z', by: 'ada' }, (writes) =>
    writes.lifecycle.saveStage('T001', { stage: 'consensus', status: 'active', by: 'ada', at: '2026-01-01T00:00:00.000Z' }),
  );
  const chosen = { skill: 'ct-validator', rule: 'catalogue', match: 'stage consensus' };
  expect(await call('skills.dispatch', { taskId: 'T002' })).toMatchObject({ dispatch: chosen });
  expect(await call('skills.dispatch', { taskId: 'T003' })).toMatchObject({ dispatch: chosen });
  expect(await call('skills.dispatch', { taskId: 'T004' })).toMatchObject({ dispatch: { rule: 'fallback' } });
});

test('prefers a project skill and lists other matches', async () => {
  const { call, root } = await openApp({ tasks: ['T001: Explore caches'] });
  put(
    join(root, '.cleo', 'skills', 'caches', 'SKILL.md'),
    '---\nname: caches\ndescription: Knows caches\nmetadata:\n  triggers: caches\n---\n\nDo it.\n',
  );
  expect((await call('skills.dispatch', { taskId: 'T001' })).dispatch).toEqual({
    taskId: 'T001',
    skill: 'caches',
    rule: 'keyword',
    match: 'caches in the title',
    protocol: 'implementation',
    alsoMatched: [{ skill: 'ct-research-agent', rule: 'keyword', match: 'explore in the title' }],
  });
});

test('refuses an unknown task', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('skills.dispatch', { taskId: 'T9' })).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
});
