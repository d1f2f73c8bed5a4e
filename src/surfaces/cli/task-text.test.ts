import { expect, test } from 'vitest';
import { type EditedTaskText, formatTaskText, listTextChanges, parseTaskText } from './task-text.ts';

const names = ['title', 'priority', 'size', 'labels', 'parent'];
const task: EditedTaskText = {
  fields: { title: 'Write: the grammar', priority: 'high', size: '', labels: 'a, b', parent: 'T001' },
  description: 'First line\n\n# not a comment\n---\nlast line',
};

test('a text is parsed to what was formatted', () => {
  expect(parseTaskText(formatTaskText(task, 'T002'), names)).toEqual(task);
  expect(parseTaskText(formatTaskText({ ...task, description: '' }, 'T002'), names)).toEqual({ ...task, description: '' });
});

test('line breaks of Windows, a byte order mark and empty lines at the start are accepted', () => {
  expect(parseTaskText('\ufeff\r\n---\r\ntitle: A\r\n---\r\n\r\nText\r\n', names)).toEqual({ fields: { title: 'A' }, description: 'Text' });
});

test.each([
  ['', 'the text must begin with a line ---', 1],
  ['title: A', 'the text must begin with a line ---', 1],
  ['---\ntitle: A\nText', 'the line --- below the fields is missing', 3],
  ['---\ntitle: A\nText\n---\n', '"Text" is not a field; write "name: value"', 3],
  ['---\nname: A\n---\n', 'there is no field "name"; fields: title, priority, size, labels, parent', 2],
  ['---\ntitle: A\ntitle: B\n---\n', 'title is given twice', 3],
])('%j is a problem', (text, problem, line) => {
  expect(parseTaskText(text, names)).toEqual({ problem, line });
});

test.each<[Partial<EditedTaskText['fields']>, string | undefined, object]>([
  [{}, undefined, { changes: {} }],
  [{ labels: 'a,b' }, undefined, { changes: {} }],
  [{ title: 'B', labels: 'b, c' }, undefined, { changes: { title: 'B', labels: ['b', 'c'] } }],
  [{ labels: '', parent: '' }, undefined, { changes: { labels: [], parent: 'none' } }],
  [{ size: 'small' }, '', { changes: { size: 'small', description: '' } }],
  [{ title: '' }, undefined, { problem: 'title cannot be empty' }],
])('changing %j, description %j', (fields, description = task.description, expected) => {
  const after = { fields: { ...task.fields, ...fields } as Record<string, string>, description };
  expect(listTextChanges(task, after, { lists: ['labels'], clearable: ['parent'], body: 'description' })).toEqual(expected);
});
