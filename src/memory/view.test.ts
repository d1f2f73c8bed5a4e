import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { memoryView } from './view.ts';

const render = renderWith(memoryView);

const entry = (id: string, title: string, confirmation_state: string, more: object = {}) => ({
  id,
  type: 'decision',
  title,
  confirmation_state,
  ...more,
});
const all = [
  entry('D-003', 'Tokens are classes', 'accepted'),
  entry('D-1000', 'Tokens are numbers', 'proposed'),
  entry('D-002', 'Tokens are words', 'rejected'),
  entry('D-001', 'Tokens are structs', 'superseded', { supersededBy: 'D-003' }),
];

test('marks the state of each entry in a list', async () => {
  expect(await render({ memories: all })).toBe(`✓ D-003   Tokens are classes
? D-1000  Tokens are numbers
✗ D-002   Tokens are words
~ D-001   Tokens are structs → D-003
`);
});

const whole = {
  ...all[3],
  content: 'They are fast.\n\nAnd small, as D-002 says.',
  tags: ['lexer'],
  tasks: ['T001'],
  source_table: 'research',
  source_rowid: 'T001-parsers',
  decidedBy: 'eva',
  decidedAt: '2025-12-31T10:00:00.000Z',
  reason: 'Too slow',
  cites: ['D-002'],
  stale: [{ id: 'D-002', supersededBy: 'D-003' }],
  createdAt: '2025-12-30T10:00:00.000Z',
  createdBy: 'ada',
  sessionId: 'session-1',
};

test('draws an entry with content, source and stale citations', async () => {
  expect(await render({ memory: whole })).toBe(`~ D-001  Tokens are structs
  superseded decision, by D-003, as eva said 2025-12-31 10:00

  They are fast.

  And small, as D-002 says.

  reason  Too slow
  tags    lexer
  tasks   T001
  source  research:T001-parsers
  cites   D-002
  ! D-002 was superseded by D-003

  written 2025-12-30 10:00 by ada in session-1
`);
});

test('draws the entry in the middle of a timeline', async () => {
  const timeline = {
    memory: all[0],
    supersedes: [all[3]],
    citedBy: [{ kind: 'task', id: 'T001', title: 'Lexer' }],
    before: [all[3], all[2]],
    after: [all[1]],
  };
  expect(await render({ timeline })).toBe(`before
  ✗ D-002  Tokens are words
  ~ D-001  Tokens are structs → D-003
took the place of
  ~ D-001  Tokens are structs → D-003
✓ D-003  Tokens are classes
  accepted decision
cited by
  · T001  Lexer
after
  ? D-1000  Tokens are numbers
`);
});

test('wraps everything and removes control characters', async () => {
  const long = { ...whole, title: 'word '.repeat(39), content: 'wide '.repeat(60), reason: 'x\u001b[31m\n'.repeat(20) };
  const text = `${await render({ memory: long }, {}, 40)}${await render({ memories: [long] }, {}, 40)}`;
  expect(Math.max(...text.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(40);
  expect(text).not.toContain('\u001b');
});
