import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { researchView } from './view.ts';

const render = renderWith(researchView);

const entries = [
  {
    id: 'T002-parsers',
    title: 'Which parsers there are',
    status: 'complete',
    date: '2026-01-01',
    agent_type: 'research',
    topics: ['lexing', 'speed'],
    linked_tasks: ['T002'],
  },
  {
    id: 'by-hand',
    title: 'A plan\nof two lines',
    status: 'partial',
    topics: [],
    linked_tasks: [],
    needs_followup: ['Split the tests', 'Ask'],
  },
];

test('draws entries with status, tasks and follow-ups', async () => {
  expect(await render({ entries }, {}, 60)).toBe(`✓ Which parsers there are
    T002-parsers
    complete · 2026-01-01 · research · T002 · lexing, speed
◐ A plan ↵ of two lines
    by-hand
    partial
    → Split the tests
    → Ask
`);
});

test('wraps everything except ids', async () => {
  const long = entries.map((entry) => ({
    ...entry,
    title: 'word '.repeat(40),
    topics: Array(30).fill('a long topic'),
    needs_followup: ['x '.repeat(90)],
  }));
  const text = await render({ entries: long }, {}, 40);
  expect(Math.max(...text.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(40);
});
