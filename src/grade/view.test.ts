import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { gradeView } from './view.ts';

const render = renderWith(gradeView);

const dimension = (score: number, ...evidence: string[]) => ({ score, max: 20, evidence });
const grade = {
  sessionId: 'session-1',
  taskId: 'T001',
  totalScore: 71,
  maxScore: 100,
  dimensions: {
    sessionDiscipline: dimension(20, 'session.list called before first task op', 'session.end called'),
    discoveryEfficiency: dimension(13, 'tasks.show used 3x for detail'),
    taskHygiene: dimension(15),
    errorProtocol: dimension(20, ...Array(3).fill('E_NOT_FOUND followed by recovery lookup'), 'No error protocol violations'),
    disclosureUse: dimension(3),
  },
  flags: ['tasks.list used 1x (prefer tasks.find for discovery)', 'tasks.add without description (taskId: T002)'],
  timestamp: '2026-01-01T10:00:00.000Z',
  entryCount: 12,
  evaluator: 'auto',
  percent: 71,
  letter: 'C',
};
const loss = {
  dimension: 'taskHygiene',
  points: 5,
  reason: 'tasks.add without description (taskId: T002)',
  entries: [{ seq: 7, operation: 'tasks.add', timestamp: '2026-01-01T09:00:00.000Z' }],
  call: { gateway: 'cleo_mutate', domain: 'tasks', operation: 'add', params: {} },
  command: "cleo add 'Test it' --description '<what it is about>'",
};

test('draws a grade with its dimensions and flags', async () => {
  expect(await render({ grade })).toBe(
    `C  71 %  session-1
71/100 · T001 · 12 entries · graded 2026-01-01 10:00

session discipline    ██████████ 20/20  session.list called before first task op
                                        · session.end called
discovery efficiency  ███████░░░ 13/20  tasks.show used 3x for detail
task hygiene          ████████░░ 15/20
error protocol        ██████████ 20/20  E_NOT_FOUND followed by recovery lookup
                                        (3x) · No error protocol violations
disclosure use        ██░░░░░░░░  3/20

✗ tasks.list used 1x (prefer tasks.find for discovery)
✗ tasks.add without description (taskId: T002)
`,
  );
});

test('limits the number of flags', async () => {
  const text = await render({ grade: { ...grade, flags: Array.from({ length: 40 }, (_, i) => `flag ${i}`) } });
  expect(text.match(/^✗/gm)).toHaveLength(12);
  expect(text).toContain('  and 28 more\n');
});

test('explains each loss with its entries and the better call', async () => {
  const many = Array.from({ length: 10 }, (_, i) => ({ seq: i + 1, operation: 'tasks.list', timestamp: '2026-01-01T09:00:00.000Z' }));
  const mcp = { ...loss, points: 10, reason: 'No MCP query calls', entries: many, more: 20, command: undefined };
  expect(
    await render({ grade, explanation: [loss, { ...mcp, call: { gateway: 'cleo_query', domain: 'tasks', operation: 'find' } }] }),
  ).toContain(
    `
explanation
   -5  tasks.add without description (taskId: T002)
       #7 tasks.add 2026-01-01 09:00
       cleo add 'Test it' --description '<what it is about>'
  -10  No MCP query calls
       #1 tasks.list 2026-01-01 09:00 · #2 tasks.list 2026-01-01 09:00 · #3
       tasks.list 2026-01-01 09:00 · and 27 more
       cleo_query tasks find
`,
  );
});

test('draws the history as a table', async () => {
  expect(await render({ grades: [{ ...grade, score: '71/100' }] })).toBe(
    `TIMESTAMP         SCORE   LETTER  PERCENT  SESSION    FLAGS
2026-01-01 10:00  71/100  C            71  session-1      2
`,
  );
});

test('draws a trend line for each agent', async () => {
  const trend = [
    { agent: 'ada', sessions: 5, average: 60, last: 100, scores: [0, 20, 50, 90, 100] },
    { agent: 'benjamin', sessions: 1, average: 45, last: 45, scores: [45] },
  ];
  expect(await render({ trend })).toBe(
    `ada       ▁▂▅██  100 %  average 60 %, 5 sessions
benjamin  ▄   45 %  average 45 %, 1 session
`,
  );
  const long = { agent: 'ada', sessions: 40, average: 50, last: 50, scores: Array(40).fill(50) };
  expect(stringWidth((await render({ trend: [long] }, {}, 60)).trimEnd())).toBeLessThanOrEqual(60);
});

test('draws selected fields by their shape', async () => {
  expect(await render({ grade: { sessionId: 'session-1', letter: 'C' } })).toContain('session-1');
  expect(await render({ grades: [{ percent: 71 }, { percent: 80 }] })).toContain('80');
  expect(await render({ trend: [{ week: 1, n: 2 }] })).toContain('2');
  expect(await render({ explanation: [{ step: 'one', text: 'two' }] })).toContain('two');
});
