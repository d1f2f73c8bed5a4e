import { expect, test } from 'vitest';
import type { WorkItem } from '../model/work-item.ts';
import { parseWorkItem, parseWorkProcess } from './stored-work.ts';

const item: WorkItem = {
  ...{ pid: 1, began: '', boot: '', taskId: 'T001', title: 'Write', agentId: 'T001-worker-1', profile: 'claude', runId: 'run-a1' },
  ...{ workId: 'w1', worktree: 'T001-write', branch: 'cleo/T001-write', base: 'main', start: 'a'.repeat(40) },
  ...{ promptFile: '/p/prompt.md', outputDir: '/p/out', round: 1, state: 'working', startedAt: '2026-01-01T00:00:00.000Z' },
  ...{ usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 }, lastLine: '' },
};

test('reads an item that cleo work has written, also without a worktree and before its start is known', () => {
  expect(parseWorkItem(JSON.stringify(item))).toEqual(item);
  const { worktree: _, branch: __, ...inPlace } = item;
  expect(parseWorkItem(JSON.stringify({ ...inPlace, start: '' }))).toEqual({ ...inPlace, start: '' });
});

test.each<[keyof WorkItem, string]>([
  ['taskId', '../../..'],
  ['taskId', '..'],
  ['agentId', '../x'],
  ['runId', '../../../home'],
  ['workId', 'a/b'],
  ['worktree', '../../other'],
  ['worktree', '-f'],
  ['branch', '--output=/tmp/x'],
  ['branch', 'main'],
  ['branch', 'cleo/../main'],
  ['start', '--output=/tmp/x'],
  ['start', 'HEAD'],
  ['commit', '--exec=id'],
])('ignores an item of a clone whose %s is %s', (field, value) => {
  expect(parseWorkItem(JSON.stringify({ ...item, [field]: value }))).toBeUndefined();
});

test('ignores a process of a clone whose id is a path', () => {
  const { pid, began, boot, workId, profile, startedAt, usage } = item;
  const process = { pid, began, boot, workId, profile, startedAt, usage, parallel: 1, tasks: 0, failures: 0 };
  expect(parseWorkProcess(JSON.stringify(process))).toEqual(process);
  expect(parseWorkProcess(JSON.stringify({ ...process, workId: '../x' }))).toBeUndefined();
});
