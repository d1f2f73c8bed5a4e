import { expect, test } from 'vitest';
import { openApp } from '../app.ts';

/** Words that people and models type first: the operation, and a call of the word as other tools write it. */
const words: [word: string, operation: string, params: Record<string, unknown>, line: string][] = [
  ['new', 'tasks.add', { title: 'A' }, 'A'],
  ['create', 'tasks.add', { title: 'A' }, 'A'],
  ['ls', 'tasks.list', {}, ''],
  ['rm', 'tasks.delete', { taskId: 'T003' }, 'T003'],
  ['remove', 'tasks.delete', { taskId: 'T003' }, 'T003'],
  ['get', 'tasks.show', { taskId: 'T001' }, 'T001'],
  ['view', 'tasks.show', { taskId: 'T001' }, 'T001'],
  ['read', 'tasks.show', { taskId: 'T001' }, 'T001'],
  ['search', 'tasks.find', { query: 'grammar' }, 'grammar'],
  ['query', 'tasks.find', { query: 'grammar' }, 'grammar'],
  ['grep', 'tasks.find', { query: 'grammar' }, 'grammar'],
  ['edit', 'tasks.update', { taskId: 'T001', title: 'B' }, 'T001 --title B'],
  ['close', 'tasks.complete', { taskId: 'T001' }, 'T001'],
  ['finish', 'tasks.complete', { taskId: 'T001' }, 'T001'],
  ['resolve', 'tasks.complete', { taskId: 'T001' }, 'T001'],
  ['take', 'tasks.start', { taskId: 'T001' }, 'T001'],
  ['claim', 'tasks.start', { taskId: 'T001' }, 'T001'],
  ['unclaim', 'tasks.stop', {}, ''],
  ['comment', 'tasks.update', { taskId: 'T001', text: 'Seen' }, 'T001 Seen it'],
  ['note', 'tasks.update', { taskId: 'T001', text: 'Seen' }, 'T001 Seen it'],
  ['block', 'tasks.update', { taskId: 'T001', reason: 'no time' }, 'T001 no time'],
  ['unblock', 'tasks.update', { taskId: 'T002' }, 'T002'],
  ['tag', 'tasks.update', { taskId: 'T001', labels: ['a'] }, 'T001 a'],
  ['label', 'tasks.update', { taskId: 'T001', labels: ['a'] }, 'T001 a'],
  ['untag', 'tasks.update', { taskId: 'T001', labels: ['a'] }, 'T001 a'],
  ['assign', 'tasks.update', { taskId: 'T001', assignee: 'ben' }, 'T001 ben'],
  ['depend', 'tasks.update', { taskId: 'T001', on: ['T003'] }, 'T001 T003'],
  ['undepend', 'tasks.update', { taskId: 'T001', on: ['T003'] }, 'T001 T003'],
  ['status', 'admin.dash', {}, ''],
];

test.each(words)('%s means %s on every surface and in help', async (word, operation, params, line) => {
  const open = () => openApp({ tasks: ['T001: Write the grammar', 'T002 blocked', 'T003'], agent: 'ada' });
  const name = operation.startsWith('tasks.') ? `tasks.${word}` : `admin.${word}`;
  const app = await open();
  const kind = ['tasks.list', 'tasks.show', 'tasks.find', 'admin.dash'].includes(operation) ? 'query' : 'mutate';
  for (const gateway of [kind === 'query' ? 'cleo_query' : 'cleo_mutate', 'http'] as const) {
    const fresh = await open();
    const answer = await fresh.call(name, params, { gateway, kind });
    expect([answer._meta.command, answer.error?.message]).toEqual([operation, undefined]);
  }
  const { envelope } = await app.cli(`cleo ${word} ${line}`.trim());
  expect([envelope._meta.command, envelope.error?.message]).toEqual([operation, undefined]);
  expect((await app.call('admin.help', { operation: word })).help).toMatchObject({ operation, synonyms: expect.arrayContaining([word]) });
});

test('the value after another name of a flag is a value, not a pair', async () => {
  const app = await openApp({ agent: 'ada' });
  const { envelope } = await app.cli('cleo add "Fix it" --label type:bug');
  expect(envelope.error?.message).toBeUndefined();
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.labels).toEqual(['type:bug']);
});
