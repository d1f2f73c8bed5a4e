import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import type { WorkItem, WorkProcess } from '../../model/work-item.ts';
import { itemFile, parseWorkItem, parseWorkProcess, processFile } from '../../rules/stored-work.ts';

/** Lists the tasks that agents of this machine have worked on, the newest first. */
export const listItems = (runner: RunnerPlatform): WorkItem[] =>
  runner.work
    .list()
    .flatMap((name) => parseWorkItem(runner.work.read(name, itemFile)) ?? [])
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));

/** Lists the `cleo work` that run on this machine. */
export const listProcesses = (runner: RunnerPlatform): WorkProcess[] =>
  runner.work
    .list()
    .flatMap((name) => parseWorkProcess(runner.work.read(name, processFile)) ?? [])
    .filter((process) => process.endedAt === undefined && runner.isAlive(process));

/** Returns the item of a task. */
export function requireItem(runner: RunnerPlatform, taskId: TaskId): WorkItem {
  const item = parseWorkItem(runner.work.read(taskId, itemFile));
  if (item) return item;
  const known = listItems(runner).slice(0, 3);
  throw new CleoError('E_NOT_FOUND', {
    ...{ what: 'work of an agent of this machine on', id: taskId, fix: known.length > 0 ? 'cleo work status' : 'cleo help work' },
    ...(known.length > 0 ? { suggestions: known.map((each) => each.taskId) } : {}),
  });
}
