import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { sessionView } from './view.ts';

const render = renderWith(sessionView);

const now = '2026-01-01T00:00:00.000Z';
const own = { id: 'session-1', name: 'Parser', scope: 'epic:T001', status: 'active', agent: 'ann', startedAt: '2025-12-31T21:30:00.000Z' };

test('draws sessions as rows with their ages', async () => {
  const sessions = [
    { ...own, name: 'A name that is longer than there is room for it', graded: true },
    { ...own, id: 'session-2', status: 'suspended', agent: 'bob', startedAt: now, scope: 'global' },
    { ...own, id: 'session-3', status: 'ended', endedAt: '2025-12-20T00:00:00.000Z' },
  ];
  expect(await render({ sessions }, {}, 60)).toBe(
    [
      'ID            SCOPE      AGENT  SINCE   GRADED  NAME',
      'session-1  ◐  epic:T001  ann    2h ago  yes     A name that…',
      'session-2  ‖  global     bob    now             Parser',
      'session-3  ■  epic:T001  ann    1w ago          Parser',
      '',
    ].join('\n'),
  );
});

const handoff = {
  note: 'The grammar is done; errors have no line yet',
  done: [{ id: 'T002', title: 'Write the grammar' }],
  open: [],
  blocked: [{ id: 'T007', title: 'Ask for a logo', blockedBy: 'no answer yet' }],
  decisions: [{ taskId: 'T002', text: 'amounts are always metric, as they are in every one of the recipes that we were sent' }],
  next: Array.from({ length: 12 }, (_, i) => ({ id: `T1${i}`, title: 'Later' })),
};

test('draws an ended session with released claims and handoff', async () => {
  const session = { ...own, status: 'ended', endedAt: now, phase: 'core' };
  const lines = (await render({ session, released: ['T003'], handoff, data: { updated: ['T003'] } })).split('\n');
  expect(lines.slice(0, 12)).toEqual([
    '■ session-1  Parser',
    '  ended · epic:T001 · ann · started 2h ago · ended now · phase core',
    '',
    'released  T003',
    '',
    'handoff',
    '  The grammar is done; errors have no line yet',
    '  done      T002  Write the grammar',
    '  blocked   T007  Ask for a logo: no answer yet',
    '  decision  T002  amounts are always metric, as they are in every one of the',
    '                  recipes that we were sent',
    '  next      T10  Later',
  ]);
  expect(lines.slice(-4)).toEqual(['            … 2 more', '', 'updated T003', '']);
});

test('draws a session with agents and claims, and the note unless the handoff has it', async () => {
  const focus = { id: 'T002', title: 'Write the grammar', status: 'active', type: 'task', parentId: 'T001', startedAt: now };
  expect(await render({ session: own, focus })).toBe(
    '◐ session-1  Parser\n  active · epic:T001 · ann · started 2h ago\n\nfocus  ◐ T002  Write the grammar\n',
  );
  const claims = [{ taskId: 'T002', agent: 'bob', since: '2025-12-31T23:55:00.000Z' }];
  expect(await render({ session: { ...own, agents: ['ann', 'bob'], claims, note: 'Mind the gap' } })).toBe(
    [
      '◐ session-1  Parser',
      '  active · epic:T001 · ann · started 2h ago',
      '',
      '  agents  ann, bob',
      '  note    Mind the gap',
      '  holds  T002  bob, 5m ago',
      '',
    ].join('\n'),
  );
  expect(await render({ session: { ...own, agents: ['ann'], note: handoff.note, handoff } })).not.toMatch(/agents|note/);
});

test('draws a briefing as Markdown without empty parts', async () => {
  const briefing = {
    session: { ...own, graded: true },
    focus: { id: 'T003', title: 'Generate the tables', status: 'active', type: 'task' },
    next: [{ id: 'T004', title: 'Print errors' }],
    handoff: { sessionId: 'session-0', scope: 'epic:T001', endedAt: '2025-12-29T00:00:00.000Z', ...handoff, next: [] },
    blocked: [{ id: 'T007', title: 'Ask for a logo', blockedBy: 'no answer yet' }],
    sessions: [{ id: 'session-9', scope: 'epic:T005', agent: 'bob' }],
  };
  expect(await render({ briefing, omitted: [{ section: 'done', count: 4, expand: 'cleo session show session-0' }] })).toBe(
    [
      '# Where we are',
      'Focus: T003 Generate the tables (active)',
      'Session: session-1 Parser',
      'Scope: epic:T001 (active, graded, started 2h ago by ann)',
      '',
      '## Next',
      '- T004 Print errors',
      '',
      '## Handoff of session-0 (epic:T001, ended 3d ago)',
      'The grammar is done; errors have no line yet',
      '- done: T002 Write the grammar',
      '- blocked: T007 Ask for a logo: no answer yet',
      '- decision: T002: amounts are always metric, as they are in every one of the',
      '  recipes that we were sent',
      '',
      '## Blocked',
      '- T007 Ask for a logo: no answer yet',
      '',
      '## Other sessions',
      '- session-9: epic:T005, bob',
      '',
      '## Left out',
      '- 4 done: cleo session show session-0',
      '',
    ].join('\n'),
  );
  expect(await render({ briefing: { next: [], blocked: [], sessions: [] }, omitted: [] })).toBe('# Where we are\nNo session.\n');
});

test.each([
  [{ state: 'stale' }, '· stale  context window usage has not been reported\n'],
  [
    { state: 'critical', percent: 91, used: 182, max: 200, reportedAt: '2025-12-31T23:58:00.000Z' },
    '✗ critical  91% of the context window: 182 of 200 tokens, reported 2m ago\n',
  ],
])('draws the context window in one line: %j', async (context, text) => {
  expect(await render({ context })).toBe(text);
});
