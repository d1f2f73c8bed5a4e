import { array, type InferOutput, literal, number, optional, pick, strictObject, string } from 'valibot';
import { StatusSchema } from '#core/model/scalars.ts';
import { type Task, TaskClaimSchema, TaskSchema } from './task.ts';

/** The fields of a task that a board sorts and filters by. */
export type BoardTask = Pick<Task, 'id' | 'type' | 'status' | 'priority' | 'title' | 'parentId' | 'completedAt'>;

/** Further fields of a task on a board; a field without a value is left out. */
export type BoardDetails = Partial<Pick<Task, 'labels' | 'depends' | 'assignee' | 'due'>>;

export const CardSchema = strictObject({
  ...pick(TaskSchema, ['id', 'title', 'status', 'type', 'priority', 'epicId']).entries,
  /** `lapsed`: the lease has expired or its holder is away, so another agent may take the task over. */
  claim: optional(strictObject({ ...TaskClaimSchema.entries, lapsed: optional(literal(true)) })),
  /** The reason why it is blocked, if one was given. */
  blockedBy: optional(string()),
  completedAt: TaskSchema.entries.completedAt,
  /** Only with `details`. */
  ...pick(TaskSchema, ['parentId', 'labels', 'depends', 'assignee', 'due']).entries,
});

export const ColumnSchema = strictObject({ status: StatusSchema, count: number(), cards: array(CardSchema) });

export type Card = InferOutput<typeof CardSchema>;
export type Column = InferOutput<typeof ColumnSchema>;
