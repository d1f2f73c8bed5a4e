// Lines about `cleo work`, for its own answers and for `watch`.

import { formatDuration } from '#lib/ago.ts';
import { isPlainObject } from '#lib/collections.ts';
import { formatTokenUsage, type TokenUsage } from '#lib/format-usage.ts';
import { formatWorkState } from '../model/work-state.ts';
import type { Fields } from './cell.ts';
import { truncate } from './text.ts';

const marks: Record<string, string> = {
  done: '✓',
  ready: '○',
  waiting: '…',
  attention: '✗',
  crashed: '✗',
  working: '◐',
  checking: '◐',
  judging: '◐',
  integrating: '◐',
};

export const noWork = 'no agent has worked here: cleo work';

export const formatRemoteTask = ({ taskId, profile }: Fields): string => `◐ ${taskId}  on another machine  ${profile}`;

export const formatWorkProcess = ({ id, pid, profile, parallel, scope, tasks, failures, usage, ending }: Fields): string =>
  [
    `cleo work ${id}`,
    `pid ${pid}`,
    `${profile} × ${parallel}`,
    scope,
    `${tasks} done or released`,
    Number(failures) > 0 ? `${failures} given up` : undefined,
    toUsageText(usage),
    ending === undefined ? undefined : `starts no further task: ${ending}`,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join('  ');

/** States of a task that its agent, or `cleo work`, is at. */
const running = ['working', 'checking', 'judging', 'integrating', 'crashed'];

/** Shows a task that agents worked on: while it is in work with the last line of the output, and after that with its branch and the note. */
export function formatWorkTask(task: Fields, columns: number): string {
  const { taskId, title, outcome: ended, state, rounds, round, branch, note, usage, durationMs, elapsedMs = durationMs, lastLine } = task;
  const outcome = String(ended ?? state);
  const count = Number(rounds ?? round);
  const isRunning = running.includes(outcome);
  const parts = [
    `${marks[outcome] ?? '!'} ${taskId}`,
    // Without a limit a long title would leave no room for the rest.
    title === undefined ? undefined : truncate(String(title), Math.max(minTitleLength, Math.floor(columns / 3))),
    outcome === 'ready' ? undefined : formatWorkState(outcome),
    count > 1 ? (isRunning ? `round ${count}` : `${count} rounds`) : undefined,
    elapsedMs === undefined ? undefined : formatDuration(Number(elapsedMs)),
    toUsageText(usage),
    ...(isRunning ? [lastLine] : [branch, note]),
  ];
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}

const minTitleLength = 12;

const toUsageText = (usage: unknown): string => (isPlainObject(usage) ? formatTokenUsage(usage as unknown as TokenUsage) : '');
