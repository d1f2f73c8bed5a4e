import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import { createSlotAgent, createWorktreeName, toBranch } from '../../rules/names.ts';
import type { WorkRun } from './work-run.ts';

interface Preview {
  tasks: { taskId: TaskId; title: string; outcome: 'ready'; branch?: string }[];
  obstacles: { reason: string; tasks: TaskId[] }[];
  limit?: string;
}

/** Lists the tasks that would be started, in their order. Later tasks become ready as earlier ones are done. */
export async function previewWork(work: WorkRun, { root, isRetry }: { root: TaskId | undefined; isRetry: boolean }): Promise<Preview> {
  const { ctx, profile, process, isInPlace } = work;
  const { result, error } = await ctx.call(
    'work.claim',
    { ...defined({ epic: root }), profile: profile.name, retry: isRetry, inPlace: isInPlace, dryRun: true },
    { agent: createSlotAgent(profile.name, process.workId, 0) },
  );
  if (error) throw error;
  const { ready = [], obstacles = [], limit } = result as { ready?: { taskId: TaskId; title: string }[] } & Partial<Preview>;
  const tasks = ready.map(({ taskId, title }) => ({
    ...{ taskId, title, outcome: 'ready' as const },
    ...(isInPlace ? {} : { branch: toBranch(createWorktreeName(taskId, title)) }),
  }));
  return { tasks, obstacles, ...defined({ limit }) };
}
