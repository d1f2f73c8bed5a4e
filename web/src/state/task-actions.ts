import { parseTaskId } from '#core/model/scalars.ts';
import { isLegalTransition } from '#tasks/rules/legal-transitions.ts';
import type { Params } from '../api/operations.generated.ts';
import { ask } from '../components/ask-dialog.tsx';
import type { Priority } from '../components/priority-icon.tsx';
import type { TaskStatus } from '../components/state-badge.tsx';
import { runAction } from './actions.ts';
import { notify } from './notices.ts';
import { taskIndex } from './task-index.ts';

/** A task that is moved: its id and its status are enough. */
type MovedTask = { id: string; status: TaskStatus };

const formatIds = (ids: string[]): string => (ids.length === 1 ? ids[0]! : `${ids.length} tasks`);
const plural = (ids: string[], one: string, several: string): string => `${formatIds(ids)} ${ids.length === 1 ? one : several}`;

/** Explains why a task cannot get a status; undefined if it can. */
export function explainMove(from: TaskStatus, to: TaskStatus): string | undefined {
  if (from === to || isLegalTransition(from, to)) return undefined;
  if (from === 'done') return 'A done task can only be reopened: move it to active';
  if (from === 'blocked') return 'A blocked task cannot be completed: move it to pending or active first';
  return `A task cannot go from ${from} to ${to}`;
}

/** Moves tasks to a status with the operation that a person would run for it. Nothing is moved if one of them cannot be. */
export async function moveTasks(tasks: MovedTask[], to: TaskStatus): Promise<boolean> {
  const moved = tasks.filter(({ status }) => status !== to);
  if (moved.length === 0) return false;
  const problem = moved.map(({ id, status }) => ({ id, text: explainMove(status, to) })).find(({ text }) => text !== undefined);
  if (problem) {
    notify('failed', `${problem.id}: ${problem.text}`);
    return false;
  }
  const ids = moved.map(({ id }) => id);
  if (to === 'blocked') return blockTasks(ids);
  if (to === 'done') return completeTasks(ids);
  if (to === 'pending') return updateTasks(ids, { status: 'pending' }, plural(ids, 'is', 'are').concat(' pending'));
  const reopened = moved.filter(({ status }) => status === 'done').map(({ id }) => id);
  const started = ids.filter((id) => !reopened.includes(id));
  if (reopened.length > 0 && !(await runAction('tasks.reopen', { taskIds: reopened }, `Reopened ${formatIds(reopened)}`))) return false;
  return started.length === 0 || startTasks(started);
}

/** Starts tasks without releasing the task that this page holds already. */
async function startTasks(ids: string[]): Promise<boolean> {
  for (const taskId of ids) {
    const isStarted = await runAction('tasks.start', { taskId, also: true }, ids.length === 1 ? `Started ${taskId}` : undefined);
    if (!isStarted) return false;
  }
  if (ids.length > 1) notify('done', `Started ${formatIds(ids)}`);
  return true;
}

export async function takeOverTask(taskId: string): Promise<boolean> {
  const holder = taskIndex.get().tasks.get(taskId)?.claim?.agent;
  const reason = await ask({
    title: `Take over ${taskId}`,
    label: 'Reason',
    hint: `${holder ?? 'Its holder'} will see it.`,
    confirm: 'Take over',
  });
  if (reason === undefined) return false;
  return (await runAction('tasks.start', { taskId, takeOver: true, also: true, reason }, `You took over ${taskId}`)) !== undefined;
}

export const stopTask = async (taskId: string): Promise<boolean> =>
  (await runAction('tasks.stop', { taskId }, `Released ${taskId}`)) !== undefined;

export async function completeTasks(ids: string[]): Promise<boolean> {
  const answer = await runAction('tasks.complete', ids.length === 1 ? { taskId: ids[0]! } : { taskIds: ids }, ({ unblocked }) =>
    [`Completed ${formatIds(ids)}`, ...(unblocked ? [`unblocked ${unblocked.join(', ')}`] : [])].join('; '),
  );
  return answer !== undefined;
}

async function blockTasks(ids: string[]): Promise<boolean> {
  const blockedBy = await ask({
    title: `Block ${formatIds(ids)}`,
    label: 'Reason',
    hint: 'In words. Tasks that must be done first belong in its dependencies.',
    confirm: 'Block',
  });
  return blockedBy !== undefined && updateTasks(ids, { blockedBy }, `Blocked ${formatIds(ids)}`);
}

type CancelResolution = NonNullable<Params<'tasks.cancel'>['resolution']>;
const cancelTitles: Record<CancelResolution, string> = {
  cancelled: 'Cancel the work',
  duplicate: 'Close as a duplicate',
  wontfix: "Close as won't fix",
};

export async function cancelTasks(ids: string[], resolution: CancelResolution = 'cancelled'): Promise<boolean> {
  const reason = await ask({
    title: `${cancelTitles[resolution]}: ${formatIds(ids)}`,
    label: 'Reason',
    hint: 'It becomes a note.',
    confirm: cancelTitles[resolution],
    isDanger: true,
  });
  if (reason === undefined) return false;
  return (await runAction('tasks.cancel', { taskIds: ids, reason, resolution, cascade: true }, `Closed ${formatIds(ids)}`)) !== undefined;
}

/** Changes the title of a task in a dialog, where the list has no room for a field. */
export async function renameTask(id: string, title: string): Promise<boolean> {
  const next = await ask({ title: `Edit ${id}`, label: 'Title', initial: title, confirm: 'Save' });
  return next !== undefined && next !== title && updateTasks([id], { title: next });
}

export const setPriority = (ids: string[], priority: Priority): Promise<boolean> =>
  updateTasks(ids, { priority }, `${formatIds(ids)}: ${priority} priority`);

export async function assignTasks(ids: string[]): Promise<boolean> {
  const { tasks, summaries } = taskIndex.get();
  const assignee = await ask({
    title: `Assign ${formatIds(ids)}`,
    label: 'Agent or person',
    hint: 'Empty: not assigned.',
    initial: ids.length === 1 ? (tasks.get(ids[0]!)?.assignee ?? '') : '',
    confirm: 'Assign',
    isOptional: true,
    suggestions: ['me', ...summaries.people],
  });
  return (
    assignee !== undefined && updateTasks(ids, { assignee: assignee || 'none' }, assignee ? `Assigned to ${assignee}` : 'Not assigned')
  );
}

export async function moveToParent(ids: string[]): Promise<boolean> {
  const { tasks, summaries } = taskIndex.get();
  const parent = await ask({
    title: `Move ${formatIds(ids)} into`,
    label: 'Id of the epic, saga or task',
    hint: 'Empty: the top level.',
    initial: ids.length === 1 ? (tasks.get(ids[0]!)?.parentId ?? '') : '',
    confirm: 'Move',
    isOptional: true,
    suggestions: summaries.containers.map(({ id, title }) => `${id} ${title}`),
  });
  if (parent === undefined) return false;
  const id = parent.split(/\s/)[0] || 'none';
  return updateTasks(ids, { parent: id }, `Moved ${formatIds(ids)} ${id === 'none' ? 'to the top level' : `into ${id}`}`);
}

export async function labelTasks(ids: string[]): Promise<boolean> {
  const text = await ask({
    title: `Label ${formatIds(ids)}`,
    label: 'Labels to add',
    hint: 'Separated by commas; one with a dash in front is removed.',
    confirm: 'Apply',
    suggestions: taskIndex.get().summaries.labels,
  });
  if (text === undefined) return false;
  const words = text.split(/[\s,]+/).filter(Boolean);
  const addLabels = words.filter((word) => !word.startsWith('-'));
  const removeLabels = words.filter((word) => word.startsWith('-')).map((word) => word.slice(1));
  return updateTasks(
    ids,
    { ...(addLabels.length > 0 ? { addLabels } : {}), ...(removeLabels.length > 0 ? { removeLabels } : {}) },
    `Labelled ${formatIds(ids)}`,
  );
}

/** Adds a dependency. The text begins with the id of the task that must be done first. The server explains a cycle. */
export async function addDependency(id: string, text: string): Promise<boolean> {
  const other = parseOtherTask(text);
  return other !== undefined && updateTasks([id], { addDepends: [other] }, `${id} depends on ${other}`);
}

/** Lets another task wait for this one. The text begins with the id of the other task. */
export async function addDependent(id: string, text: string): Promise<boolean> {
  const other = parseOtherTask(text);
  return other !== undefined && addDependency(other, id);
}

function parseOtherTask(text: string): string | undefined {
  const id = parseTaskId(text.split(/\s/)[0]!);
  if (id === undefined) notify('failed', `${text} is not a task id such as T001`);
  return id;
}

export const removeDependency = (id: string, dependsOn: string): Promise<boolean> =>
  updateTasks([id], { removeDepends: [dependsOn] }, `${id} no longer depends on ${dependsOn}`);

const maxSuggestions = 100;

/** Lists open tasks other than this one, as suggestions for a dependency. */
export const listOtherTasks = (own: string): string[] =>
  [...taskIndex.get().tasks.values()]
    .filter(({ id, status }) => id !== own && status !== 'done')
    .slice(0, maxSuggestions)
    .map(({ id, title }) => `${id} ${title}`);

/** Changes fields of one task or of several; all of them are changed or none. */
export async function updateTasks(
  ids: string[],
  changes: Omit<Params<'tasks.update'>, 'taskId' | 'taskIds'>,
  done?: string,
): Promise<boolean> {
  const target = ids.length === 1 ? { taskId: ids[0]! } : { taskIds: ids };
  return (await runAction('tasks.update', { ...target, ...changes }, done)) !== undefined;
}

/** Adds a task and returns its id. */
export async function addTask(input: Params<'tasks.add'>): Promise<string | undefined> {
  const answer = await runAction('tasks.add', input, ({ task }) => `Added ${task.id}`);
  return answer?.task.id;
}
