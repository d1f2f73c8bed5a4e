import { expect, test } from 'vitest';
import type { RunEvent } from '#core/model/progress.ts';
import { workProgress } from './work-progress.ts';

const { initialState, step, formatStatus } = workProgress;
const createEvent = (event: string, task: string, data: RunEvent['data'] = {}): RunEvent => ({ event, data, about: { skill: task } });
const claim = (task: string) => createEvent('work_claimed', task, { title: 'Write the parser', agent: `${task}-worker-1` });
const print = (task: string, text: string) => createEvent('work_event', task, { text });

const play = (events: RunEvent[]) => events.reduce((state, event) => step(state, event, 0).state, initialState);

test.each([
  [80, 'T002 1:05 I write the code and run the · T003 1:05 I read the task and the file'],
  [40, 'T002 1:05 I write · T003 1:05 I read t'],
  [12, 'T002 1:05 · T003 1:05'],
])('each agent gets the same room in a line of %i columns', (columns, line) => {
  const state = play([
    claim('T002'),
    claim('T003'),
    print('T002', 'I write the code and run the tests'),
    print('T003', 'I read the task and the files'),
  ]);
  expect(formatStatus(state, 65_000, columns)).toBe(line);
});

test('a task that has ended leaves the line', () => {
  expect(formatStatus(play([claim('T002'), createEvent('work_ended', 'T002', { outcome: 'done' })]), 0, 80)).toBeUndefined();
});

test.each([
  [claim('T002'), 'phase', 'T002 Write the parser · T002-worker-1'],
  [createEvent('work_round', 'T002', { round: 2, findings: ['One.', 'Two.'] }), 'retry', 'T002 · round 2: One. Two.'],
  [
    createEvent('work_ended', 'T002', { outcome: 'done', branch: 'cleo/T002', note: 'merged' }),
    'success',
    'T002 done · cleo/T002 · merged',
  ],
  [createEvent('work_ended', 'T002', { outcome: 'attention', branch: 'b', note: 'gave up' }), 'failure', 'T002 needs attention · gave up'],
  [createEvent('work_draining', '', { running: 2 }), 'note', 'no further task is started; 2 agents still run; Ctrl-C again ends them'],
  [createEvent('work_draining', '', { running: 0 }), 'note', 'no further task is started; no agent runs'],
])('reports %j as a line', (event, mark, text) => {
  expect(step(initialState, event, 0).lines).toEqual([{ mark, text }]);
});
