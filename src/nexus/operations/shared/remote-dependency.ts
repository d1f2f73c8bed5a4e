import '../../errors.ts';
import { description, type InferOutput, pipe, strictObject, string } from 'valibot';
import type { JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type Status, TaskIdSchema } from '#core/model/scalars.ts';
import type { WriteStore } from '#store/port/store.ts';
import { TaskReceiptSchema, type TaskRecord } from '#tasks/model/task.ts';
import { toTaskReceipt } from '#tasks/rules/view.ts';
import { type RemoteDependency, type RemoteTaskId, RemoteTaskRefSchema } from '../../model/nexus.ts';
import { parseRemoteId } from '../../rules/nexus-query.ts';
import { decideWaitTransition, type WaitTransition } from '../../rules/nexus-wait.ts';

/** Parameters of `nexus.deps.add` and `nexus.deps.remove`. */
export const DependParams = strictObject({
  taskId: pipe(TaskIdSchema, description('The dependent task')),
  on: pipe(string(), description('Task of another project, e.g. web:T003')),
});
export const DependResult = strictObject({ task: TaskReceiptSchema, on: RemoteTaskRefSchema });

/** Parses a parameter such as `web:T003`. Throws E_NEXUS_INVALID_SYNTAX. */
export function requireRemoteId({ commandWith }: Pick<JobContext, 'commandWith'>, param: 'on' | 'task', text: string): RemoteTaskId {
  const parsed = parseRemoteId(text);
  if (!('problem' in parsed)) return parsed;
  const { problem, suggestion } = parsed;
  const fix = suggestion ? commandWith({ [param]: suggestion }) : `cleo help nexus deps${param === 'on' ? ' add' : ''}`;
  throw new CleoError('E_NEXUS_INVALID_SYNTAX', { query: text.slice(0, 200), problem, fix, syntax: '<project>:T001' });
}

/** Blocks or frees a task according to the state of its remote dependencies. */
export async function updateWaitState(
  store: WriteStore,
  task: TaskRecord,
  before: RemoteDependency[],
  after: RemoteDependency[],
): Promise<{ task: TaskRecord; kind: WaitTransition['kind'] }> {
  const transition = decideWaitTransition(task, before, after);
  const { blockedBy: _, ...rest } = task;
  if (transition.kind === 'freed')
    return {
      task: await store.tasks.save(task, { ...rest, status: 'pending' }, 'its dependencies in other projects are done'),
      kind: 'freed',
    };
  if (transition.kind === 'blocked' || transition.kind === 'reworded')
    return { task: await store.tasks.save(task, { ...rest, status: 'blocked', blockedBy: transition.blockedBy }), kind: transition.kind };
  return { task, kind: transition.kind };
}

export const toRemoteTaskRef = ({
  project,
  remoteId,
  remoteTitle,
  remoteStatus,
}: RemoteDependency): InferOutput<typeof RemoteTaskRefSchema> => ({
  project,
  id: remoteId,
  ...(remoteTitle ? { title: remoteTitle } : {}),
  ...(remoteStatus === 'missing' ? { note: 'no longer exists' } : { status: remoteStatus as Status }),
});

export const toWaitingTaskReceipt = (task: TaskRecord): InferOutput<typeof TaskReceiptSchema> => toTaskReceipt(task, ['blockedBy']);
