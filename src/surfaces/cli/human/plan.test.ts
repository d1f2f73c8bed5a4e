import { expect, test } from 'vitest';
import { shown } from '../../../../test/shown.ts';
import { quietText } from '../select.ts';

const task = (id: string, title: string, more: object = {}) => ({ id, title, status: 'pending', ...more });
const root = { id: 'T001', title: 'Reader', status: 'pending', type: 'epic' };
const lines = (...all: string[]): string => [...all, ''].join('\n');

test('a plan: waves as a tree, then what it says of itself, then what stands in the way', async () => {
  const found = {
    waves: [
      { wave: 1, tasks: [task('T002', 'Write the grammar', { size: 'small' }), task('T003', 'Collect samples', { status: 'active' })] },
      { wave: 2, tasks: [task('T004', 'Generate the tables')] },
    ],
    root,
    progress: { done: 7, total: 10, percent: 70 },
    parallelism: 2,
    criticalPath: ['T002', 'T004'],
    blocked: [
      task('T005', 'Messages', {
        reasons: [
          { kind: 'external', on: 'T020' },
          { kind: 'waits', on: 'T006', via: 'T001' },
        ],
      }),
      task('T006', 'Names', { status: 'blocked', reasons: [{ kind: 'stated', text: 'the list of names\nis not there' }] }),
      task('T007', 'Docs', {
        reasons: [
          { kind: 'stated', via: 'T001' },
          { kind: 'unfinished', on: 'T009' },
        ],
      }),
    ],
    externalBlockers: [task('T020', 'Words', { blocks: ['T005'] })],
    conflicts: [],
    cycles: [['T030', 'T031', 'T030']],
  };
  expect(await shown(found)).toBe(
    lines(
      'wave 1',
      '├─ ○ T002  Write the grammar  size small',
      '└─ ◐ T003  Collect samples',
      'wave 2',
      '└─ ○ T004  Generate the tables',
      '',
      'root           ○ E-T001  Reader',
      'progress       ███████░░░ 70 %, 7 of 10 done',
      'parallelism    2',
      'critical path  T002, T004',
      '',
      'blocked',
      '  ○ T005  Messages',
      '    ← T020, which is outside',
      '    ← T006 (through T001)',
      '  ⊘ T006  Names',
      '    ← the list of names ↵ is not there',
      '  ○ T007  Docs',
      '    ← T001 is blocked: nobody wrote why',
      '    ← T009, which has nothing left inside and waits to be completed',
      '',
      'external blockers',
      '  ○ T020  Words',
      '    → T005',
      '',
      'cycles',
      '  T030 → T031 → T030',
    ),
  );
});

test('a bar is full only when all is done', async () => {
  const bar = async (percent: number) => (await shown({ running: [], progress: { done: 1, total: 1, percent } })).split(/ +/)[1];
  expect([await bar(0), await bar(9), await bar(99), await bar(100)]).toEqual(['░░░░░░░░░░', '░░░░░░░░░░', '█████████░', '██████████']);
});

test('who is at what, by age', async () => {
  const running = [
    {
      taskId: 'T002',
      title: 'Grammar',
      agent: 'ada',
      session: 's-1',
      since: '2025-12-31T23:00:00.000Z',
      until: '2026-01-01T03:00:00.000Z',
    },
    { taskId: 'T003', title: 'Trees', agent: 'ben', since: '2025-12-31T00:00:00.000Z', until: '2025-12-31T04:00:00.000Z', lapsed: true },
  ];
  expect(await shown({ running, wavesLeft: 2 })).toBe(
    lines(
      'TASK  TITLE    AGENT  SESSION  SINCE   UNTIL    LAPSED',
      'T002  Grammar  ada    s-1      1h ago  in 3h',
      'T003  Trees    ben             1d ago  20h ago  yes',
      '',
      'waves left  2',
    ),
  );
});

test('the work of a task in groups, empty ones left out', async () => {
  const report = {
    ...root,
    progress: { done: 1, total: 4, percent: 25 },
    counts: { ready: 0, running: 1, waiting: 1, blocked: 1, done: 12 },
    ready: [],
    running: [
      task('T002', 'Grammar', {
        status: 'active',
        agent: 'ada',
        session: 's-1',
        since: '2025-12-31T23:00:00.000Z',
        until: '2026-01-01T03:00:00.000Z',
      }),
    ],
    waiting: [task('T003', 'Tables', { on: [task('T002', 'Grammar', { status: 'active' }), task('T009', 'Samples', { via: 'T001' })] })],
    blocked: [task('T004', 'Names', { status: 'blocked', reasons: [{ kind: 'stated', text: 'no list' }] })],
    done: [{ id: 'T005', title: 'Lexer' }],
  };
  expect(await shown({ report })).toBe(
    lines(
      '○ E-T001  Reader',
      '  ██░░░░░░░░ 25 %, 1 of 4 done',
      '',
      'running 1',
      '  ◐ T002  Grammar',
      '    ada in s-1, 1h ago',
      '',
      'waiting 1',
      '  ○ T003  Tables',
      '    ← T002 Grammar',
      '    ← T009 Samples (through T001)',
      '',
      'blocked 1',
      '  ⊘ T004  Names',
      '    ← no list',
      '',
      'done 12',
      '  ✓ T005  Lexer',
    ),
  );
});

test('a saga summed up, and sagas below one another', async () => {
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
  expect(await shown({ rollup })).toBe(
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
  expect(await shown({ sagas: [{ ...row, members: 3 }] })).toBe(
    lines(
      'ID       STATUS     PRIORITY  TITLE         MEMBERS  PROGRESS',
      'SG-T001  ○ pending  medium    Any language        3  █████░░░░░ 50 %, 2/4',
    ),
  );
  expect(await shown({ members: [{ ...row, type: 'epic', parentId: 'T009' }] })).toContain('E-T001');
});

test('what was picked out of an answer, or is no answer, is shown as it came', async () => {
  expect(await shown({ report: { title: 'Reader' } })).toBe(lines('title  Reader'));
  expect(
    await shown({ waves: [{ wave: 1 }], blocked: [{ id: 'T001' }], externalBlockers: [{ id: 'T002' }], members: [{ id: 'T003' }] }),
  ).toContain('T003');
  for (const key of [
    'waves',
    'blocked',
    'externalBlockers',
    'cycles',
    'running',
    'report',
    'rollup',
    'members',
    'sagas',
    'progress',
    'root',
  ])
    for (const value of [null, 7, 'text', [], {}, [null], [[]], [{}], { percent: 'x' }, [{ tasks: 3, reasons: 1 }]])
      expect(typeof (await shown({ [key]: value }))).toBe('string');
});

test('--quiet prints the tasks wave by wave', () => {
  const waves = [
    { wave: 1, tasks: [task('T002', 'a'), task('T003', 'b')] },
    { wave: 2, tasks: [task('T004', 'c')] },
  ];
  expect(quietText({ _meta: { command: 'x', timestamp: '', version: '', resultsField: 'waves' }, success: true, waves })).toBe(
    'T002\nT003\nT004\n',
  );
});
