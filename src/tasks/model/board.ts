import { array, type InferOutput, literal, number, optional, strictObject, string } from 'valibot';
import { Priority, Status, type TaskId, TaskType } from '#core/model/scalars.ts';
import { TaskClaim, Timestamp } from './task.ts';

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

export const Card = strictObject({
  id: string(),
  title: string(),
  status: Status,
  type: TaskType,
  priority: Priority,
  epicId: optional(string()),
  /** `lapsed`: the lease has expired, so another agent may take the task over. */
  claim: optional(strictObject({ ...TaskClaim.entries, lapsed: optional(literal(true)) })),
  /** The reason why it is blocked, if one was given. */
  blockedBy: optional(string()),
  completedAt: optional(Timestamp),
});

export const Column = strictObject({ status: Status, count: number(), cards: array(Card) });

export type Card = InferOutput<typeof Card>;
export type Column = InferOutput<typeof Column>;
