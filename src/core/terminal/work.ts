// Lines about `cleo work`, for its own answers and for `watch`.
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

export const formatRemoteTask = ({ taskId, profile }: Fields): string => `◐ ${taskId}  on another machine  ${profile}`;

export const formatWorkProcess = ({ id, pid, profile, parallel, scope, tasks, failures, ending }: Fields): string =>
  [
    `cleo work ${id}`,
    `pid ${pid}`,
    `${profile} × ${parallel}`,
    scope,
    `${tasks} done or released`,
    Number(failures) > 0 ? `${failures} given up` : undefined,
    ending,
  ]
    .filter((part) => part !== undefined)
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
  const tokens = isPlainObject(usage) ? Number((usage as Fields).inputTokens) + Number((usage as Fields).outputTokens) : 0;
  const parts = [
    `${marks[String(outcome)] ?? '!'} ${taskId}`,
    title,
    outcome === 'ready' ? undefined : outcome,
    Number(rounds) > 1 ? `${rounds} rounds` : Number(round) > 1 ? `round ${round}` : undefined,
    elapsedMs === undefined ? undefined : `${Math.round(Number(elapsedMs) / 1000)} s`,
    tokens > 0 ? `${tokens} tokens` : undefined,
    branch,
    note ?? lastLine,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}
