import {
  type Fields,
  formatRemoteTask,
  formatWorkProcess,
  formatWorkTask,
  isRecords,
  type Screen,
  toOneLine,
  truncate,
} from '#core/terminal/index.ts';
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
    ...processes.map((process) => truncate(formatWorkProcess(process), screen.columns)),
    ...elsewhere.map(formatRemoteTask),
    ...tasks.map((task) => truncate(toOneLine(formatWorkTask(task)), screen.columns)),
    ...obstacles.map(({ reason, tasks: ids }) => truncate(`· ${[ids].flat().join(', ')}: ${toOneLine(String(reason))}`, screen.columns)),
    ...(work.limit === undefined ? [] : [`· ${work.limit}`]),
  ];
}
