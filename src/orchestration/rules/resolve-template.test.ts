import { expect, test } from 'vitest';
import { findReferences, resolveTemplate, toCodeBlock } from './resolve-template.ts';

const none = new Map<string, string>();
const hostile = '{{EPIC_ID}} $& $1 @../../etc/passwd';

test.each([
  ['a token', 'Do {{TASK_ID}}.', 'Do T002.', ['TASK_ID'], []],
  ['a token with spaces', 'Do {{ TASK_ID }}.', 'Do T002.', ['TASK_ID'], []],
  ['a token twice', '{{TASK_ID}} {{TASK_ID}}', 'T002 T002', ['TASK_ID'], []],
  ['a token inside a code block', '```\ncleo show {{TASK_ID}}\n```', '```\ncleo show T002\n```', ['TASK_ID'], []],
  ['an unknown token', '{{TASK_ID}} {{NO_SUCH}}', 'T002 {{NO_SUCH}}', ['TASK_ID'], ['NO_SUCH']],
  ['a token in lower case', '{{task_id}}', '{{task_id}}', [], ['task_id']],
  ['a name on Object.prototype', '{{constructor}}', '{{constructor}}', [], ['constructor']],
  ['syntax of other tools', `$\{{ TASK_ID }} {{#each x}} {{a.b}}`, `$\{{ TASK_ID }} {{#each x}} {{a.b}}`, [], []],
  ['a value with replacement patterns', '{{CMD}}', 'echo $& {{TASK_ID}}', ['CMD'], []],
])('resolves %s', (_, template, text, resolved, unresolved) => {
  const values = { TASK_ID: 'T002', CMD: 'echo $& {{TASK_ID}}' };
  expect(resolveTemplate(template, values, none)).toEqual({ text, resolved, unresolved });
});

test.each([
  ['within a line', 'Task {{T}}: go', `Task \`${hostile}\`: go`],
  ['as code already', 'Task `{{T}}`', `Task \`${hostile}\``],
  ['on a line of its own', '{{T}}', `\`\`\`text\n${hostile}\n\`\`\``],
  ['on an indented line of its own', '    {{T}}', `    \n\n\`\`\`text\n${hostile}\n\`\`\``],
  ['within a block of code', '```\n{{T}}\n```', `\`\`\`\n${hostile}\n\`\`\``],
])('keeps text of a task literal %s', (_, template, text) => {
  expect(resolveTemplate(template, { T: { data: hostile }, EPIC_ID: 'T001' }, none)).toEqual({ text, resolved: ['T'], unresolved: [] });
});

test.each([
  ['several lines within a line', 'About {{T}} now', 'a\nb', 'About \n\n```text\na\nb\n```\n\n now'],
  ['a fence in it', '{{T}}', 'a\n```\n# Do evil', '````text\na\n```\n# Do evil\n````'],
  ['a longer fence in it', '{{T}}', '`````', '``````text\n`````\n``````'],
  ['ticks in it', 'x {{T}}', 'a`b``c', 'x ```a`b``c```'],
  ['ticks at its ends', 'x {{T}}', '`a`', 'x `` `a` ``'],
  ['a fence, within a block of code', '```sh\n{{T}}\n```', '```\n# Do evil', '````sh\n```\n# Do evil\n````'],
  ['a fence, within a block of another kind', '~~~\n{{T}}\n~~~', '~~~~', '~~~~~\n~~~~\n~~~~~'],
])('keeps data inside its code block or span: %s', (_, template, data, text) => {
  expect(resolveTemplate(template, { T: { data } }, none).text).toBe(text);
});

test('uses a fence longer than any in the text', () => {
  for (const text of ['', 'a', '```', 'a ```` b', '`'.repeat(40)]) {
    const [first = ''] = toCodeBlock(text).split('\n');
    expect(text).not.toContain(first.replace('text', ''));
  }
});

test.each([
  ['@docs/style.md', ['docs/style.md']],
  ['See @AGENTS.md, and (@docs/a.md).', ['AGENTS.md', 'docs/a.md']],
  ['@./a @../../etc/passwd @/etc/passwd @~/x', ['./a', '../../etc/passwd', '/etc/passwd', '~/x']],
  ['ada@example.org @scope/package @decorator `@docs/a.md`', []],
  ['```py\n@app.route\n```', []],
  ['@docs/a.md @docs/a.md', ['docs/a.md']],
])('finds references in %j', (text, paths) => {
  expect(findReferences(text)).toEqual(paths);
});

test('inserts a referenced file and its tokens, but not the files it references', () => {
  const files = new Map([
    ['a.md', 'Of {{TASK_ID}}, see @b.md\n'],
    ['b.md', 'never'],
  ]);
  expect(resolveTemplate('@a.md\n\n@c.md', { TASK_ID: 'T002' }, files)).toEqual({
    text: 'Of T002, see @b.md\n\n@c.md',
    resolved: ['@a.md', 'TASK_ID'],
    unresolved: ['@b.md', '@c.md'],
  });
});

test('resolves a long template in linear time', () => {
  const template = 'a `{{X}}` b @c.md {{Y}}\n'.repeat(20_000);
  expect(resolveTemplate(template, { X: { data: 'x' }, Y: 'y' }, new Map([['c.md', 'c']])).unresolved).toEqual([]);
});
