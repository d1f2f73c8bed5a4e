import { formatWorkState } from '#core/model/work-state.ts';
import {
  type Fields,
  formatRemoteTask,
  formatWorkProcess,
  formatWorkTask,
  isRecords,
  noWork,
  type Screen,
  toOneLine,
  truncate,
} from '#core/terminal/index.ts';
import type { View } from '#core/terminal/view.ts';
import { isPlainObject } from '#lib/collections.ts';
import { formatTokenUsage, type TokenUsage } from '#lib/format-usage.ts';

export const workView: View = { forms: { work: drawWork }, titledKeys: ['work'] };

function drawWork(value: unknown, screen: Screen): string[] {
  return isPlainObject(value) ? drawFields(value as Fields, screen) : [];
}

function drawFields(work: Fields, screen: Screen): string[] {
  const tasks = isRecords(work.tasks) ? work.tasks : [];
  const obstacles = isRecords(work.obstacles) ? work.obstacles : [];
  const processes = isRecords(work.processes) ? work.processes : [];
  const elsewhere = isRecords(work.elsewhere) ? work.elsewhere : [];
  const isEmptyStatus = work.processes !== undefined && processes.length + tasks.length + elsewhere.length === 0;
  return [
    ...(isEmptyStatus ? [noWork] : []),
    ...(work.argv === undefined ? [] : [truncate(`· profile ${work.profile}: ${toOneLine([work.argv].flat().join(' '))}`, screen.columns)]),
    ...processes.map((process) => truncate(formatWorkProcess(process), screen.columns)),
    ...elsewhere.map(formatRemoteTask),
    ...tasks.map((task) => truncate(toOneLine(formatWorkTask(task, screen.columns)), screen.columns)),
    ...obstacles.map(({ reason, tasks: ids }) => truncate(`· ${[ids].flat().join(', ')}: ${toOneLine(String(reason))}`, screen.columns)),
    ...(work.limit === undefined ? [] : [`· ${work.limit}`]),
    ...(work.reason === undefined ? [] : [truncate(formatSummary(work, tasks), screen.columns)]),
  ];
}

const reasons: Record<string, string> = {
  'nothing-ready': 'nothing else is ready',
  tasks: 'the limit --max-tasks is reached',
  time: 'the time limit is reached',
  cost: 'the budget is used up',
  stopped: 'the run was stopped',
};

/** Says what a run has done, what it has cost, and why it ended. */
function formatSummary({ reason, usage }: Fields, tasks: Fields[]): string {
  const outcomes = [...new Set(tasks.map(({ outcome }) => String(outcome)))];
  const counts = outcomes.map((name) => {
    const count = tasks.filter(({ outcome }) => outcome === name).length;
    return `${count} ${formatWorkState(name, count)}`;
  });
  const why = tasks.length === 0 && reason === 'nothing-ready' ? 'nothing is ready' : (reasons[String(reason)] ?? String(reason));
  const cost = isPlainObject(usage) ? formatTokenUsage(usage as unknown as TokenUsage) : '';
  return ['·', [counts.join(', '), cost, why].filter(Boolean).join('; ')].join(' ');
}
