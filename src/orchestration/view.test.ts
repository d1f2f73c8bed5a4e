import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { orchestrationView } from './view.ts';

const render = renderWith(orchestrationView);

const task = (id: string, title: string, more: object = {}) => ({ id, title, status: 'pending', ...more });
const root = { id: 'T001', title: 'Reader', status: 'pending', type: 'epic' };
const lines = (...all: string[]): string => [...all, ''].join('\n');

test('draws a plan as a tree of waves, then progress and blockers', async () => {
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
  expect(await render(found)).toBe(
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
      '    ← T001 is blocked: no reason given',
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

test('fills the bar only when everything is done', async () => {
  const bar = async (percent: number) => (await render({ running: [], progress: { done: 1, total: 1, percent } })).split(/ +/)[1];
  expect([await bar(0), await bar(9), await bar(99), await bar(100)]).toEqual(['░░░░░░░░░░', '░░░░░░░░░░', '█████████░', '██████████']);
});

test('lists agents at work with the age of their claims', async () => {
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
  expect(await render({ running, wavesLeft: 2 })).toBe(
    lines(
      'TASK  TITLE    AGENT  SESSION  SINCE   UNTIL    LAPSED',
      'T002  Grammar  ada    s-1      1h ago  in 3h',
      'T003  Trees    ben             1d ago  20h ago  yes',
      '',
      'waves left  2',
    ),
  );
});

test('draws the groups of a report without empty ones', async () => {
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
  expect(await render({ report })).toBe(
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

test('prints selected or unexpected fields unchanged', async () => {
  expect(await render({ report: { title: 'Reader' } })).toBe(lines('title  Reader'));
  expect(
    await render({ waves: [{ wave: 1 }], blocked: [{ id: 'T001' }], externalBlockers: [{ id: 'T002' }], members: [{ id: 'T003' }] }),
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
      expect(typeof (await render({ [key]: value }))).toBe('string');
});

const packTask = { id: 'T003', type: 'task', title: 'Write the parser', status: 'blocked', priority: 'high', size: 'small', holder: 'ada' };

test('draws a pack as text with its omissions below', async () => {
  const pack = {
    task: { ...packTask, description: 'Line one\n\nLine\ttwo \u001b[31m', labels: ['core'], files: ['a.ts'] },
    acceptance: [
      { n: 1, text: 'reads\nall', met: true },
      { n: 2, gate: 'testsPassed' },
      { n: 3, target: 'T009' },
      { n: '4-9', met: 2 },
    ],
    blockers: [{ reason: 'no grammar' }, { id: 'T002', title: 'Grammar', status: 'pending' }],
    docs: [{ slug: 'plan', kind: 'plan', title: 'The plan' }],
    research: [{ id: 'T003-a', title: 'Parsers', status: 'complete', findings: ['Two are fast'] }],
    decisions: [{ id: 'D-001', title: 'Structs', state: 'superseded', supersededBy: 'D-002' }],
    memory: [{ id: 'L-001', type: 'learning', title: 'It is slow' }],
    notes: [{ at: '2026-01-02T10:20:30.000Z', by: 'ada', text: '## Files\n- forged' }],
    history: [{ at: '2026-01-02T10:20:30.000Z', by: 'ada', field: 'status', old: 'pending', new: 'blocked', reason: 'stuck' }],
  };
  expect(await render({ pack, omitted: [{ section: 'notes', count: 3, expand: 'cleo show T003' }] })).toBe(
    `# T003 Write the parser
task, blocked, high, small, held by ada
Labels: core

  Line one

  Line  two ␛[31m

## Acceptance criteria
- [x] 1. reads all
- [ ] 2. evidence for testsPassed
- [ ] 3. T009 is done
- [ ] 4-9. 2 of them met

## Blocked by
- no grammar
- T002 (pending) Grammar

## Files
- a.ts

## Documents
- plan (plan) The plan

## Research
- T003-a (complete) Parsers
  - Two are fast

## Decisions
- D-001 (superseded by D-002) Structs

## Memory
- L-001 (learning) It is slow

## Notes, newest first
- 2026-01-02 ada: ## Files - forged

## History, newest first
- 2026-01-02 ada: status pending → blocked (stuck)

## Left out
- 3 notes: cleo show T003
`,
  );
});

test('prints selected fields of a pack unchanged', async () => {
  expect(await render({ pack: { docs: [{ slug: 'plan', kind: 'plan' }] } })).toContain('plan');
});

const spawn = {
  taskId: 'T002',
  agentId: 'T002-worker-1',
  skill: 'ct-research-agent',
  protocol: 'research',
  tier: 0,
  promptTokens: 5000,
  env: { CLEO_AGENT_ID: 'T002-worker-1', CLEO_SESSION_ID: 'session-1772359200000-abcdef' },
};

test('prints a prompt unwrapped and without terminal control characters', async () => {
  const long = 'long '.repeat(30).trim();
  expect(await render({ spawn: { ...spawn, prompt: `# Do T002\n\n\u001b[31m${long}\n` } }, {}, 50)).toBe(
    [
      'T002 → T002-worker-1',
      '  ct-research-agent · research · tier 0 · 5000',
      '  tokens',
      '  CLEO_AGENT_ID=T002-worker-1 CLEO_SESSION_ID=session-1772359200000-abcdef',
      '',
      '# Do T002',
      '',
      `␛[31m${long}`,
      '',
      '',
    ].join('\n'),
  );
});

test('draws several spawns and prompt files', async () => {
  const second = {
    ...spawn,
    taskId: 'T003',
    agentId: 'T003-worker-1',
    prompt: 'Read it.',
    promptFile: '.cleo/research/prompts/T003-worker-1.md',
  };
  expect(await render({ spawns: [spawn, second] }, {}, 120)).toBe(
    [
      'T002 → T002-worker-1',
      '  ct-research-agent · research · tier 0 · 5000 tokens',
      '  CLEO_AGENT_ID=T002-worker-1 CLEO_SESSION_ID=session-1772359200000-abcdef',
      '',
      'T003 → T003-worker-1',
      '  ct-research-agent · research · tier 0 · 5000 tokens · .cleo/research/prompts/T003-worker-1.md',
      '  CLEO_AGENT_ID=T002-worker-1 CLEO_SESSION_ID=session-1772359200000-abcdef',
      '',
      'Read it.',
      '',
    ].join('\n'),
  );
});

test('prints selected fields of a spawn by name', async () => {
  expect(await render({ spawn: { agentId: 'T002-worker-1', skill: 'ct-research-agent' } }, {}, 80)).toBe(
    'agent  T002-worker-1\nskill  ct-research-agent\n',
  );
});
