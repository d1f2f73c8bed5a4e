import { expect, test } from 'vitest';
import { registry } from '#core/index.generated.ts';
import { renderAnswer } from './render-answer.ts';

// In a file of its own: once the width tables are loaded, plain text is measured with them too.
test('aligns columns the same with and without colour', async () => {
  const tasks = [
    { id: 'T001', title: 'Build the reader', status: 'pending', priority: 'critical', parentId: 'T009' },
    { id: 'T1002', title: 'Test', status: 'done', priority: 'low', parentId: 'T001' },
  ];
  const envelope = { _meta: { command: 'tasks.list', timestamp: '', version: '', resultsField: 'tasks' }, success: true, tasks };
  const plain = await renderAnswer(envelope, { columns: 80, hasColour: false, registry });
  const coloured = await renderAnswer(envelope, { columns: 80, hasColour: true, registry });
  expect(coloured).not.toBe(plain);
  expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(plain);
});
