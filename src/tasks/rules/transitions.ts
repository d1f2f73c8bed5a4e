import { CleoError } from '#core/errors/error.ts';
import type { Status, TaskId } from '#core/model/scalars.ts';

const moves: Record<Status, Status[]> = {
  pending: ['active', 'blocked', 'done'],
  active: ['pending', 'blocked', 'done'],
  blocked: ['pending', 'active'],
  done: ['active'],
};

/** Refuses a move that is not in the table; a done task only comes back by `reopen`. */
export function checkMove(task: { id: TaskId; status: Status }, to: Status, act: string): void {
  if (task.status === 'done') throw new CleoError('E_TASK_COMPLETED', { taskId: task.id, act, fix: `cleo reopen ${task.id}` });
  if (!moves[task.status].includes(to))
    throw new CleoError('E_VALIDATION_TRANSITION', { taskId: task.id, from: task.status, to, via: `cleo focus set ${task.id}` });
}
