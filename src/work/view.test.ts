import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { workView } from './view.ts';

const render = renderWith(workView);
const usage = { inputTokens: 900, outputTokens: 100, costUsd: 1.25 };

test('the answer of cleo work ends with what was done, what it cost, and why it ended', async () => {
  const tasks = ['done', 'attention', 'done'].map((outcome, i) => ({ taskId: `T00${i + 2}`, outcome }));
  const lines = (await render({ work: { tasks, usage, reason: 'cost' } })).trim().split('\n');
  expect(lines.at(-1)).toBe('· 2 done, 1 needs attention; 1000 tokens, $1.25; the budget is used up');
  const failed = { work: { tasks: tasks.map((task) => ({ ...task, outcome: 'attention' })), reason: 'stopped' } };
  expect(await render(failed)).toMatch(/· 3 need attention; the run was stopped\n$/);
  expect(await render({ work: { tasks: [], reason: 'nothing-ready' } })).toBe('· nothing is ready\n');
});

test('a dry run begins with the command of the agents', async () => {
  const tasks = [{ taskId: 'T002', title: 'Write the parser', outcome: 'ready', branch: 'cleo/T002-write-the-parser' }];
  expect(await render({ work: { profile: 'mine', argv: ['my-agent', '--yes'], tasks } })).toBe(
    '· profile mine: my-agent --yes\n○ T002  Write the parser  cleo/T002-write-the-parser\n',
  );
});

test('a status without work says how it begins', async () => {
  expect(await render({ work: { processes: [], tasks: [] } })).toBe('no agent has worked here: cleo work\n');
});
