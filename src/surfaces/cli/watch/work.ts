import { formatRemoteTask, formatWorkProcess, formatWorkTask, noWork, type Screen, toOneLine, truncate } from '#core/terminal/index.ts';
import { listVisibleWork, type WatchState } from './state.ts';
import { getWindowStart, selectionMark } from './window.ts';

/** Draws each `cleo work` of this machine, and below it the tasks that agents work on, with the last line of their output. */
export function drawWork(state: WatchState, { columns, paint }: Screen, height: number): string[] {
  const { work, filter, workRow } = state;
  const rows = listVisibleWork(state);
  const heads = work.processes.map((process) => ` ${paint('dim', truncate(toOneLine(formatWorkProcess(process)), columns - 1))}`);
  if (heads.length + rows.length === 0) return ['', `  ${filter ? `nothing matches ${toOneLine(filter)}` : noWork}`];
  const room = Math.max(1, height - heads.length);
  const first = getWindowStart(workRow, room, rows.length);
  const lines = rows.slice(first, first + room).map((row, i) => {
    const text = truncate(toOneLine(row.state === undefined ? formatRemoteTask(row) : formatWorkTask(row, columns)), columns - 1);
    return first + i === workRow ? `${paint('cyan', selectionMark)}${paint('bold', text)}` : ` ${text}`;
  });
  return [...heads, ...lines];
}
