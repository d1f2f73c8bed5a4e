import { array, type InferOutput, literal, number, optional, strictObject, string } from 'valibot';
import { Priority, Status, type TaskId, TaskType } from '#core/model/scalars.ts';
import { TaskClaim, Timestamp } from './task.ts';

/** What a board has to know of a task. */
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
  /** Nothing was heard of its holder for too long where it has lapsed; another may take it over. */
  claim: optional(strictObject({ ...TaskClaim.entries, lapsed: optional(literal(true)) })),
  /** Why it is blocked, where somebody wrote it. */
  blockedBy: optional(string()),
  completedAt: optional(Timestamp),
});

export const Column = strictObject({ status: Status, count: number(), cards: array(Card) });

export type Card = InferOutput<typeof Card>;
export type Column = InferOutput<typeof Column>;
