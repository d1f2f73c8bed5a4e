import type { EditorForm } from '#core/model/editor-form.ts';
import type { taskInput } from './task-fields.ts';

/** The fields that people edit as text; the description is below them. */
export const taskEditor = {
  fields: ['title', 'priority', 'size', 'labels', 'phase', 'parent', 'depends', 'files', 'assignee', 'due'],
  body: 'description',
  clearable: ['parent', 'assignee', 'due'],
} satisfies EditorForm & Record<'fields' | 'clearable', (keyof typeof taskInput)[]> & { body: keyof typeof taskInput };

/** The form of an existing task. */
export const taskChangeEditor: EditorForm = {
  ...taskEditor,
  record: { read: 'tasks.show', readDefault: 'tasks.current', names: { parent: 'parentId' }, revision: 'expectRevision' },
};
