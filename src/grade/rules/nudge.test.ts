import { expect, test } from 'vitest';
import { type LogLine, operationNames, parseLog } from '../../../test/grade-log.ts';
import { createNudge } from './nudge.ts';

const nudge = (lines: LogLine[], isWhole = true): string | undefined => {
  const log = parseLog(lines);
  return createNudge(log.slice(0, -1), log.at(-1)!, { names: operationNames, isWhole });
};

test.each<[why: string, lines: LogLine[], says: RegExp | undefined]>([
  ['an add without a description', ['session.list', 'tasks.add T001'], /^-5: tasks.add without a description$/],
  ['by an alias too', ['session.list', 'tasks.create T001'], /without a description/],
  ['an add with one', ['session.list', 'tasks.add T001 d'], undefined],
  [
    'the fifth add without a description costs nothing more',
    ['session.list', ...[1, 2, 3, 4, 5].map((n) => `tasks.add T00${n}`)],
    undefined,
  ],
  ['an unknown id', ['session.list', 'tasks.show !4'], /^-5 unless tasks.find or tasks.exists is among the next 4 calls$/],
  ['an unknown id is reported once', ['session.list', 'tasks.show !4', 'admin.dash'], undefined],
  ['a lookup after an unknown id', ['session.list', 'tasks.show !4', 'tasks.find'], undefined],
  ['a list without any find', ['session.list', 'tasks.list'], /^-15: tasks.list used for discovery/],
  ['one list too many among finds', ['session.list', ...Array(4).fill('tasks.find'), 'tasks.list', 'tasks.list'], /^-5: tasks.list/],
  ['a list among many finds', ['session.list', ...Array(4).fill('tasks.find'), 'tasks.list'], undefined],
  ['a duplicate title', ['session.list', 'tasks.add T001 d t=A', 'tasks.add T002 d t=a'], /^-5: a task with that title exists/],
  ['a parent that was not checked', ['session.list', 'tasks.add T002 d p=T001'], /^-3: call tasks.exists/],
  ['a parent that was checked', ['session.list', 'tasks.exists', 'tasks.add T002 d p=T001'], undefined],
  ['a task operation before session.list', ['session.start', 'tasks.next'], /^-10: a task operation before session.list/],
  ['a task operation as first call', ['tasks.next'], /^-10: a task operation/],
  ['a second task operation', ['session.start', 'tasks.next', 'tasks.next'], undefined],
  ['a call that costs nothing', ['session.start'], undefined],
  ['a call after the end of the session', ['session.list', 'session.end', 'tasks.add T001'], undefined],
])('%s', (_, lines, says) => {
  const said = nudge(lines);
  if (says) expect(said).toMatch(says);
  else expect(said).toBeUndefined();
});

test('skips rules that need the whole log if only a part is known', () => {
  expect(nudge(['tasks.next'], false)).toBeUndefined();
  expect(nudge(['tasks.add T002 d p=T001'], false)).toBeUndefined();
  expect(nudge(['tasks.add T002'], false)).toBe('-5: tasks.add without a description');
});

test('a nudge is short', () => {
  for (const lines of [['tasks.next'], ['tasks.add T001'], ['tasks.list'], ['tasks.show !4'], ['tasks.add T002 d p=T001']])
    for (const isWhole of [true, false]) expect(nudge(lines, isWhole)?.length ?? 0).toBeLessThan(90);
});
