import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('the same content with another title or type is another document', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002'] });
  const add = (more: object) => call('docs.add', { taskId: 'T001', slug: 'parsers', content: '# Parsers', type: 'note', ...more });
  expect(await add({ title: 'One' })).toMatchObject({ doc: { version: 1 } });
  expect(await add({})).toMatchObject({ _meta: { exitCode: 101 } });
  for (const more of [{ title: 'Two' }, { type: 'spec' }, { content: '# Other' }])
    expect(await add(more)).toMatchObject({ error: { code: 'E_VALIDATION_SLUG', details: { free: 'parsers-2' } } });
  expect(await add({ taskId: 'T002' })).toMatchObject({ success: true, doc: { version: 1 } });
  expect((await call('docs.fetch', { slug: 'parsers' })).doc.tasks).toEqual(['T001', 'T002']);
});

test('a type that was removed from the configuration can be listed while there are documents of it', async () => {
  const { call, tamper } = await openApp({ tasks: ['T001', 'T002', 'doc one T001: One'] });
  await tamper("update docs set kind = 'runbook'");
  expect(await call('docs.list', { type: 'runbook' })).toMatchObject({ docs: [{ slug: 'one' }] });
  expect(await call('docs.list', { type: 'runbook', task: 'T002' })).toMatchObject({ _meta: { exitCode: 100 } });
  expect(await call('docs.list', { type: 'manual' })).toMatchObject({ error: { code: 'E_INVALID_INPUT' } });
});
