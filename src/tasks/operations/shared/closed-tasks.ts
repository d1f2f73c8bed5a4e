import { array, optional, strictObject, string } from 'valibot';
import { StageReadySchema, TaskReceiptSchema, Timestamp } from '../../model/task.ts';
import { Unchanged } from './several.ts';

/** The result keys of `complete` and `cancel`: `task` and `completedAt` of one task, `tasks` and `unchanged` of several. */
export const closedTasks = {
  completedAt: optional(Timestamp),
  task: optional(TaskReceiptSchema),
  tasks: optional(array(strictObject({ ...TaskReceiptSchema.entries, completedAt: Timestamp }))),
  unchanged: Unchanged,
  /** Open tasks inside a cancelled one that were cancelled too. */
  cancelled: optional(array(string())),
  /** Open tasks that depend on a cancelled one; their dependency counts as met. */
  dependents: optional(array(string())),
  unblocked: optional(array(string())),
  parentReady: optional(string()),
  /** The active stage of the epic whose last open task this was, and the command that completes it. */
  stageReady: optional(StageReadySchema),
  /** The same of several tasks. */
  parentsReady: optional(array(string())),
  stagesReady: optional(array(StageReadySchema)),
};
