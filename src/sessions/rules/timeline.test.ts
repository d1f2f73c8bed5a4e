import { expect, test } from 'vitest';
import { buildTimeline, type TimelineEntry } from './timeline.ts';

/** Creates entries, one a minute: `ada tasks.start T001`, `ada tasks.update ! E_NOT_FOUND`, `ada tasks.show ? T001` for a read. */
const toEntries = (lines: string[]): TimelineEntry[] =>
  lines.map((line, i) => {
    const [agent = '', operation = '', ...words] = line.split(' ');
    const isError = words[0] === '!';
    return {
      seq: i + 1,
      timestamp: `10:0${i}`,
      agent,
      operation,
      success: !isError,
      ...(isError ? { errorCode: words[1]! } : {}),
      isQuery: words[0] === '?',
      created: [],
      updated: words.filter((word) => /^[TD]/.test(word)),
    };
  });

const describeLanes = (lines: string[]): string[] =>
  buildTimeline(toEntries(lines)).map(
    ({ agent, focus, marks }) =>
      `${agent} ${[
        ...focus.map(({ taskId, from, to = '' }) => `${taskId} ${from}-${to}`),
        ...marks.map(({ kind, at, taskId, text }) => [kind, at, taskId ?? text].filter(Boolean).join(' ')),
      ].join(', ')}`,
  );

test.each([
  ['a focus until the task is done', ['ada tasks.start T001', 'ada tasks.complete T001'], ['ada T001 10:00-10:01, done 10:01 T001']],
  ['a focus that lasts', ['ada tasks.claim-next T001'], ['ada T001 10:00-']],
  ['a new focus ends the one before', ['ada tasks.start T001', 'ada tasks.start T002'], ['ada T001 10:00-10:01, T002 10:01-']],
  [
    'the task that is started, not the one that this releases',
    ['ada tasks.start T004', 'ada tasks.start T004 T002'],
    ['ada T004 10:00-10:01, T002 10:01-'],
  ],
  [
    'a take-over ends the focus of the other',
    ['ada tasks.start T001', 'eve tasks.start T001'],
    ['ada T001 10:00-10:01', 'eve T001 10:01-'],
  ],
  ['a session with a focus, and its end', ['ada session.start T001', 'ada session.end'], ['ada T001 10:00-10:01, handoff 10:01']],
  ['an error with its code', ['ada tasks.update ! E_NOT_FOUND'], ['ada error 10:00 tasks.update: E_NOT_FOUND']],
  ['no lane for an agent that only reads or notes', ['ada tasks.show ? T001', 'eve tasks.update T001'], []],
])('shows %s', (_, lines, expected) => {
  expect(describeLanes(lines)).toEqual(expected);
});
