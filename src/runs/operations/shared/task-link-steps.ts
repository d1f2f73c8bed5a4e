import { type InferOutput, maxLength, optional, pipe, strictObject, string } from 'valibot';
import { readStep, writeStep } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { StageNameSchema } from '#planning/model/lifecycle.ts';

const RunTask = strictObject({ id: TaskIdSchema, stage: optional(StageNameSchema) });
export type RunTaskRequest = InferOutput<typeof RunTask>;

const TaskLinkParams = strictObject({
  ...RunTask.entries,
  run: pipe(string(), maxLength(200, 'must have at most 200 characters')),
  note: pipe(string(), maxLength(100_000, 'must have at most 100000 characters')),
  at: pipe(string(), maxLength(40, 'must have at most 40 characters')),
});
export type TaskLinkRequest = InferOutput<typeof TaskLinkParams>;

export const taskStep = readStep({
  name: 'task',
  params: RunTask,
  run: async (ctx, request) => (await import('./link-task.ts')).readRunTask(ctx, request),
});
export const linkStep = writeStep({
  name: 'link',
  params: TaskLinkParams,
  run: async (ctx, request) => (await import('./link-task.ts')).linkTask(ctx, request),
});

/** The reads and writes of a run that has a task. */
export const taskLinkSteps = [taskStep, linkStep];
