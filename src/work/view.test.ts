import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { workView } from './view.ts';

const render = renderWith(workView);
const usage = { inputTokens: 900, outputTokens: 100, costUsd: 1.25 };

test('the answer of cleo work ends with what was done, what it cost, and why it ended', async () => {
  const tasks = ['done', 'attention', 'done'].map((outcome, i) => ({ taskId: `T00${i + 2}`, outcome }));
  const lines = (await render({ work: { tasks, usage, reason: 'cost' } })).trim().split('\n');
  expect(lines.at(-1)).toBe('· 2 done, 1 needs attention; 1000 tokens, $1.25; the budget is used up');
  expect(await render({ work: { tasks: [], reason: 'nothing-ready' } })).toBe('· nothing is ready\n');
});

test('a status without work says how it begins', async () => {
  expect(await render({ work: { processes: [], tasks: [] } })).toBe('no agent has worked here: cleo work\n');
});
