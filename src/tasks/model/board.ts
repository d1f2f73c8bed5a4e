import { array, type InferOutput, literal, number, optional, strictObject, string } from 'valibot';
import {
  type Priority,
  PrioritySchema,
  type Status,
  StatusSchema,
  type TaskId,
  type TaskType,
  TaskTypeSchema,
} from '#core/model/scalars.ts';
import { TaskClaimSchema, Timestamp } from './task.ts';

/** The fields of a task that a board sorts and filters by. */
export interface BoardTask {
  id: TaskId;
  type: TaskType;
  status: Status;
  priority: Priority;
  title: string;
  parentId?: TaskId | undefined;
  completedAt?: string | undefined;
}

export const CardSchema = strictObject({
  id: string(),
  title: string(),
  status: StatusSchema,
  type: TaskTypeSchema,
  priority: PrioritySchema,
  epicId: optional(string()),
  /** `lapsed`: the lease has expired, so another agent may take the task over. */
  claim: optional(strictObject({ ...TaskClaimSchema.entries, lapsed: optional(literal(true)) })),
  /** The reason why it is blocked, if one was given. */
  blockedBy: optional(string()),
  completedAt: optional(Timestamp),
});

export const ColumnSchema = strictObject({ status: StatusSchema, count: number(), cards: array(CardSchema) });

export type Card = InferOutput<typeof CardSchema>;
export type Column = InferOutput<typeof ColumnSchema>;
