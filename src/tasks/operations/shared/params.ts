import { boolean, description, metadata, optional, pipe } from 'valibot';
import { TaskIdSchema } from '#core/model/scalars.ts';

/** Parameter of operations that can be limited to a part of the project. */
export const Root = optional(pipe(TaskIdSchema, description('Only inside this saga, epic or task')));
export const rootAliases = { epicId: 'epic', sagaId: 'epic' };

export const TaskParam = pipe(TaskIdSchema, description('The task'));

export const AnyAssignee = optional(pipe(boolean(), description('Also tasks that are assigned to others'), metadata({ isRare: true })));
