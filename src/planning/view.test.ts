import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { sagaView } from './view.ts';

const render = renderWith(sagaView);
const task = (id: string, title: string, more: object = {}) => ({ id, title, status: 'pending', ...more });
const lines = (...all: string[]): string => [...all, ''].join('\n');

test('draws the rollup of a saga and a list of sagas', async () => {
  const saga = { id: 'T001', title: 'Any language', status: 'pending', type: 'saga' };
  const rollup = {
    ...saga,
    ...{ percent: 50, done: 2, total: 4, members: { done: 1, total: 3 }, byStatus: { pending: 1, active: 0, blocked: 1, done: 2 } },
    ready: [task('T004', 'Grammar', { priority: 'high', parentId: 'T002' })],
    blockers: [
      task('T006', 'Names', { status: 'blocked', type: 'task', kind: 'stated', text: 'no list' }),
      task('T007', 'Study', { type: 'epic', kind: 'unfinished', blocks: ['T008'] }),
      task('T021', 'Words', { kind: 'external', blocks: ['T008', 'T009'] }),
    ],
  };
  expect(await render({ rollup })).toBe(
    lines(
      '○ SG-T001  Any language',
      '  █████░░░░░ 50 %, 2 of 4 done',
      '  1 of 3 epics done; 1 pending, 1 blocked, 2 done',
      '',
      'ready',
      '  ○ T004  Grammar  high · parent T002',
      '',
      'blockers',
      '  ⊘ T006  Names',
      '    blocked: no list',
      '  ○ E-T007  Study',
      '    nothing is left inside; it waits to be completed; holds up T008',
      '  ○ T021  Words',
      '    outside the saga; holds up T008, T009',
    ),
  );
  const row = { ...saga, priority: 'medium', done: 2, total: 4, percent: 50 };
  expect(await render({ sagas: [{ ...row, members: 3 }] })).toBe(
    lines(
      'ID       STATUS     PRIORITY  TITLE         MEMBERS  PROGRESS',
      'SG-T001  ○ pending  medium    Any language        3  █████░░░░░ 50 %, 2/4',
    ),
  );
  expect(await render({ members: [{ ...row, type: 'epic', parentId: 'T009' }] })).toContain('E-T001');
});
