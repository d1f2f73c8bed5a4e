import { CleoError } from '#core/errors/error.ts';
import type { Status, TaskId } from '#core/model/scalars.ts';
import { isLegalTransition } from './legal-transitions.ts';

/** Rejects a status change that is not in the table. Only `reopen` changes a done task. */
export function checkTransition(task: { id: TaskId; status: Status }, to: Status, act: string): void {
  if (task.status === 'done') throw new CleoError('E_TASK_COMPLETED', { taskId: task.id, act, fix: `cleo reopen ${task.id}` });
  if (!isLegalTransition(task.status, to))
    throw new CleoError('E_VALIDATION_TRANSITION', { taskId: task.id, from: task.status, to, via: `cleo focus set ${task.id}` });
}
