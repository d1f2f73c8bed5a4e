import { requireSuccess } from './sample-plan.ts';
import type { ServedProject } from './served-project.ts';

/** Adds memory in all states and a document of three versions to the sample plan. */
export async function addSampleRecords(project: ServedProject): Promise<void> {
  const post = (path: string, params: object) => project.post(`mutate/${path}`, params).then(requireSuccess);
  const store = (type: string, title: string, content: string, more: object = {}) =>
    post('memory/store', { type, title, content, ...more });
  await store('decision', 'Errors are values', 'Functions return errors. Nothing is thrown.', { tags: ['errors'], task: 'T005' });
  await store('decision', 'Errors are classes', 'Replaces D-002: **one class** per error, with its position.', { tags: ['errors'] });
  await store('learning', 'Long lines are slow', 'Follows from D-002, measured on 10,000 lines.', { task: 'T003' });
  await store('pattern', 'Every parser has a lexer', 'All three do.');
  await store('observation', 'The lexer reads each line twice', 'Seen in the profile.');
  await post('memory/reject', { id: 'P-001', reason: 'Ours has none' });
  await post('memory/supersede', { old: 'D-002', by: 'D-003', reason: 'Positions are needed' });
  await post('docs/add', {
    taskId: 'T001',
    slug: 'grammar-notes',
    title: 'Notes on the grammar',
    content: '# Grammar\n\nStatements end with `;`.\n\nSee D-002.\n\n## Open\n\n- comments\n',
  });
  await post('docs/update', {
    slug: 'grammar-notes',
    content: '# Grammar\n\nStatements end with `;` or a line break.\n\nSee D-002.\n\n## Open\n\n- comments\n- strings\n',
  });
  await post('docs/update', {
    slug: 'grammar-notes',
    content: '# Grammar\n\nStatements end with `;` or a line break.\n\nSee D-002.\n\n## Open\n\n- strings\n',
  });
  await post('docs/add', { taskId: 'T002', slug: 'logo', title: 'Logo', content: 'AAEC', encoding: 'base64' });
}
