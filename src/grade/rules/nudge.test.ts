import { expect, test } from 'vitest';
import { type LogLine, logOf, names } from '../../../test/graded-log.ts';
import { nudgeFor } from './nudge.ts';

const nudge = (lines: LogLine[], isWhole = true): string | undefined => {
  const log = logOf(lines);
  return nudgeFor(log.slice(0, -1), log.at(-1)!, { names, isWhole });
};

test.each<[why: string, lines: LogLine[], says: RegExp | undefined]>([
  ['an add without a description', ['session.list', 'tasks.add T001'], /^-5: tasks.add without a description$/],
  ['by an alias too', ['session.list', 'tasks.create T001'], /without a description/],
  ['an add with one', ['session.list', 'tasks.add T001 d'], undefined],
  ['the fifth bare add costs nothing more', ['session.list', ...[1, 2, 3, 4, 5].map((n) => `tasks.add T00${n}`)], undefined],
  ['an id that is not there', ['session.list', 'tasks.show !4'], /^-5 unless tasks.find or tasks.exists is among the next 4 calls$/],
  ['is said once', ['session.list', 'tasks.show !4', 'admin.dash'], undefined],
  ['and not after the lookup', ['session.list', 'tasks.show !4', 'tasks.find'], undefined],
  ['list where find would do', ['session.list', 'tasks.list'], /^-15: tasks.list; tasks.find is enough/],
  ['one list too many', ['session.list', ...Array(4).fill('tasks.find'), 'tasks.list', 'tasks.list'], /^-5: tasks.list/],
  ['a list among many finds', ['session.list', ...Array(4).fill('tasks.find'), 'tasks.list'], undefined],
  ['a title again', ['session.list', 'tasks.add T001 d t=A', 'tasks.add T002 d t=a'], /^-5: there is a task with that title/],
  ['a parent nobody looked for', ['session.list', 'tasks.add T002 d p=T001'], /^-3: ask tasks.exists/],
  ['a parent somebody looked for', ['session.list', 'tasks.exists', 'tasks.add T002 d p=T001'], undefined],
  ['the first task before the sessions', ['session.start', 'tasks.next'], /^-10: a task operation before session.list/],
  ['the very first call', ['tasks.next'], /^-10: a task operation/],
  ['not again for the second', ['session.start', 'tasks.next', 'tasks.next'], undefined],
  ['what is harmless', ['session.start'], undefined],
  ['what comes after the end', ['session.list', 'session.end', 'tasks.add T001'], undefined],
])('%s', (_, lines, says) => {
  const said = nudge(lines);
  if (says) expect(said).toMatch(says);
  else expect(said).toBeUndefined();
});

test('what only the whole log could tell is not said of a part of it', () => {
  expect(nudge(['tasks.next'], false)).toBeUndefined();
  expect(nudge(['tasks.add T002 d p=T001'], false)).toBeUndefined();
  expect(nudge(['tasks.add T002'], false)).toBe('-5: tasks.add without a description');
});

test('a nudge is short', () => {
  for (const lines of [['tasks.next'], ['tasks.add T001'], ['tasks.list'], ['tasks.show !4'], ['tasks.add T002 d p=T001']])
    for (const isWhole of [true, false]) expect(nudge(lines, isWhole)?.length ?? 0).toBeLessThan(90);
});
