import '../../errors.ts';
import { type InferOutput, strictObject } from 'valibot';
import type { JobContext, MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Status } from '#core/model/scalars.ts';
import type { WriteStore } from '#store/port.ts';
import { TaskReceipt, type TaskRecord } from '#tasks/model/task.ts';
import { receiptOf } from '#tasks/rules/view.ts';
import { type FarDepend, FarEnd, type FarId } from '../../model/nexus.ts';
import { parseFarId } from '../../rules/nexus-query.ts';
import { type Settled, settle } from '../../rules/nexus-wait.ts';

export const DependResult = strictObject({ task: TaskReceipt, on: FarEnd });

/** The task that a parameter names, or the refusal (73). */
export function farIdOf({ commandWith }: Pick<JobContext, 'commandWith'>, param: 'on' | 'task', text: string): FarId {
  const parsed = parseFarId(text);
  if (!('problem' in parsed)) return parsed;
  const { problem, meant } = parsed;
  const fix = meant ? commandWith({ [param]: meant }) : `cleo help nexus deps${param === 'on' ? ' add' : ''}`;
  throw new CleoError('E_NEXUS_INVALID_SYNTAX', { query: text.slice(0, 200), problem, fix, syntax: '<project>:T001' });
}

/** What an operation of a task needs, made of what a job has and the store of its write. */
export const inside = (ctx: JobContext, store: WriteStore): MutationContext =>
  ({ ...ctx, store, config: ctx.config(), isDryRun: false }) as unknown as MutationContext;

/** Lets a task follow what is known of the tasks that it waits for in other projects. */
export async function follow(
  store: WriteStore,
  task: TaskRecord,
  before: FarDepend[],
  after: FarDepend[],
): Promise<{ task: TaskRecord; is: Settled['is'] }> {
  const settled = settle(task, before, after);
  const { blockedBy: _, ...rest } = task;
  if (settled.is === 'freed')
    return {
      task: await store.tasks.save(task, { ...rest, status: 'pending' }, 'what it waited for in other projects is done'),
      is: 'freed',
    };
  if (settled.is === 'blocked' || settled.is === 'reworded')
    return { task: await store.tasks.save(task, { ...rest, status: 'blocked', blockedBy: settled.blockedBy }), is: settled.is };
  return { task, is: settled.is };
}

export const endOf = ({ project, farId, farTitle, farStatus }: FarDepend): InferOutput<typeof FarEnd> => ({
  project,
  id: farId,
  ...(farTitle ? { title: farTitle } : {}),
  ...(farStatus === 'missing' ? { note: 'is not there any more' } : { status: farStatus as Status }),
});

export const taskReceipt = (task: TaskRecord): InferOutput<typeof TaskReceipt> => receiptOf(task, ['blockedBy']);
