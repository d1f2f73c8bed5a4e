import { array, description, maxLength, metadata, minLength, optional, pipe, string } from 'valibot';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { removeDuplicates } from '#lib/collections.ts';

/** The most tasks of one call. */
const maxTasks = 1000;

/** The parameter of operations that take one task or several. On the command line the ids follow the command. */
export const TaskIdsParam = optional(
  pipe(
    array(TaskIdSchema),
    minLength(1, 'must not be empty'),
    maxLength(maxTasks, `must have at most ${maxTasks} ids`),
    description('Several tasks instead of one; all or none are changed'),
    metadata({ isRare: true }),
  ),
);

/** The parameter `taskId` of these operations, which is required without `taskIds`; `parseParams` checks that. */
export const createTaskIdParam = (about: string) => optional(pipe(TaskIdSchema, description(about), metadata({ isRequired: true })));

export const severalAliases = { id: 'taskId', ids: 'taskIds' };

/** Ids of a call with several tasks that needed no change. */
export const Unchanged = optional(array(string()));

/** Returns the ids of a call with several tasks, or undefined for a call with one task. */
export function listTaskIds(taskId: TaskId | undefined, taskIds: TaskId[] | undefined): TaskId[] | undefined {
  return taskIds && removeDuplicates(taskId === undefined ? taskIds : [taskId, ...taskIds]);
}
