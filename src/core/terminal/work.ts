// Lines about `cleo work`, for its own answers and for `watch`.

import { formatUsage, type TokenUsage } from '#lib/format-usage.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import type { Fields } from './cell.ts';

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

/** The state or the outcome of a task in words. */
export const formatWorkState = (state: string): string => (state === 'attention' ? 'needs attention' : state);

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
    ending,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join('  ');

export function formatWorkTask({
  taskId,
  title,
  outcome: ended,
  state,
  rounds,
  round,
  branch,
  note,
  usage,
  elapsedMs,
  lastLine,
}: Fields): string {
  const outcome = ended ?? state;
  const parts = [
    `${marks[String(outcome)] ?? '!'} ${taskId}`,
    title,
    outcome === 'ready' ? undefined : formatWorkState(String(outcome)),
    Number(rounds) > 1 ? `${rounds} rounds` : Number(round) > 1 ? `round ${round}` : undefined,
    elapsedMs === undefined ? undefined : `${Math.round(Number(elapsedMs) / 1000)} s`,
    toUsageText(usage),
    branch,
    note ?? lastLine,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}

const toUsageText = (usage: unknown): string => (isPlainObject(usage) ? formatUsage(usage as unknown as TokenUsage) : '');
