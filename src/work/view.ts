import { type Fields, isRecords, type Screen, toOneLine, truncate } from '#core/terminal/index.ts';
import type { View } from '#core/terminal/view.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';

export const workView: View = { forms: { work: drawWork }, titledKeys: ['work'] };

function drawWork(value: unknown, screen: Screen): string[] {
  return isPlainObject(value) ? drawFields(value as Fields, screen) : [];
}

function drawFields(work: Fields, screen: Screen): string[] {
  const tasks = isRecords(work.tasks) ? work.tasks : [];
  const obstacles = isRecords(work.obstacles) ? work.obstacles : [];
  const processes = isRecords(work.processes) ? work.processes : [];
  const elsewhere = isRecords(work.elsewhere) ? work.elsewhere : [];
  return [
    ...processes.map((process) => truncate(formatProcess(process), screen.columns)),
    ...elsewhere.map(({ taskId, profile }) => `◐ ${taskId}  on another machine  ${profile}`),
    ...tasks.map((task) => truncate(formatTask(task), screen.columns)),
    ...obstacles.map(({ reason, tasks: ids }) => truncate(`· ${[ids].flat().join(', ')}: ${toOneLine(String(reason))}`, screen.columns)),
    ...(work.limit === undefined ? [] : [`· ${work.limit}`]),
  ];
}

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

const formatProcess = ({ id, pid, profile, parallel, scope, tasks, failures, ending }: Fields): string =>
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

function formatTask({ taskId, title, outcome: ended, state, rounds, round, branch, note, usage, elapsedMs, lastLine }: Fields): string {
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
  return toOneLine(parts.filter((part) => part !== undefined && part !== '').join('  '));
}
