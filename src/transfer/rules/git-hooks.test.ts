import { expect, test } from 'vitest';
import { addAttributes, addHook, formatManagerSteps, removeAttributes, removeHook } from './git-hooks.ts';

const write = (edit: ReturnType<typeof addHook>): string => {
  if (edit.kind !== 'write') throw new Error(edit.kind);
  return edit.text;
};

test.each([
  ['no hook', undefined],
  ['a shell script', '#!/bin/sh\nnpm test\n'],
  ['a script that ends with exec', '#!/usr/bin/env bash\nset -e\nexec lint-staged\n'],
  ['a script without a first line', 'npm test\n'],
])('adds its lines to %s before the others, once, and removes them again', (_, before) => {
  const after = write(addHook(before, 'pre-commit'));
  expect(after).toContain('cleo sync --git-hook pre-commit');
  expect(addHook(after, 'pre-commit')).toEqual({ kind: 'unchanged' });
  const removed = removeHook(after);
  if (before === undefined) expect(removed).toEqual({ kind: 'delete' });
  else {
    expect(after.indexOf('cleo:end')).toBeLessThan(after.indexOf(before.split('\n').at(-2)!));
    expect(removed).toEqual({ kind: 'write', text: before });
  }
});

test.each([
  ['a program of another language', '#!/usr/bin/env python3\nprint()\n'],
  ['a broken block', '#!/bin/sh\n# cleo:begin\n'],
])('leaves %s to a person', (_, text) => expect(addHook(text, 'post-merge')).toEqual({ kind: 'manual' }));

test('replaces the lines of an older version', () => {
  const after = write(addHook('#!/bin/sh\n# cleo:begin\nold\n# cleo:end\nnpm test\n', 'post-merge'));
  expect(after).not.toContain('old');
  expect(after).toMatch(/# cleo:end\nnpm test\n$/);
});

test('lefthook gets the arguments of the hook in its own form', () => {
  expect(formatManagerSteps('lefthook')).toContain('{3}');
  expect(formatManagerSteps('husky')).toContain('.husky/post-checkout: [ "$3" = 0 ]');
});

test.each([undefined, '', '* text=auto\n', '* text=auto'])('adds the attributes to %j once and removes them', (before) => {
  const after = addAttributes(before);
  expect(after).toContain('plan/** text eol=lf merge=cleo-plan\n');
  expect(addAttributes(after)).toBe(after);
  expect(removeAttributes(after).trim()).toBe((before ?? '').trim());
});
