import { expect, test } from 'vitest';
import { parseFrontMatter } from '#lib/yaml/front-matter.ts';
import { readSample } from '../../../test/imports/sample.ts';
import { parseSimpleFields, readBacklogFrontMatter } from './backlog.ts';

const heads = [
  ...readSample('backlog').flatMap(({ name, text }) => (name.endsWith('.md') ? [text] : [])),
  "---\nid: TASK-1\ntitle: 'It''s: \"so\" # x'\nlabels: []\ndependencies:\n  - TASK-2\n  - 'a b'\n---\nBody\n\n---\n\nmore",
  '---\r\nid: TASK-1\r\ntitle: Read\r\n---\r\nBody',
  '---\nid: TASK-1\n---',
  '---\nid: TASK-1\n---not the end\ntitle: x\n---\n',
  '---\nid: TASK-1\n--- # the end\n',
];

test.each(heads)('parses %j like the YAML parser', (text) => {
  expect(readBacklogFrontMatter(text)).toEqual(parseFrontMatter(text));
});

test.each([
  'a: b: c\n',
  'a: "b"\n',
  'a: b # c\n',
  'a: >-\n  b\n',
  'a: |\n  b\n',
  'a: [b, c]\n',
  'a: {b: c}\n',
  'a: &x b\n',
  'a: *x\n',
  'a: !!str b\n',
  'a: -\n',
  'a: - b\n',
  'a: b\na: c\n',
  'a:\nb: c\n',
  'a:\n',
  'a: b\n  c\n',
  'a:\n- b\n',
  '  - b\n',
  "a: 'b\n  c'\n",
  'a: @b\n',
  'a: %b\n',
  'a: b \n',
  '? a\n: b\n',
  '# a\n',
])('leaves %j to the YAML parser', (head) => {
  expect(parseSimpleFields(head)).toBeUndefined();
});

test('accepts unquoted names with an @ in the front matter only', () => {
  expect(readBacklogFrontMatter('---\nid: TASK-1\nassignee: @mira\n---\nassignee: @jon\n- @ada')).toEqual({
    fields: { id: 'TASK-1', assignee: '@mira' },
    body: 'assignee: @jon\n- @ada',
  });
});
