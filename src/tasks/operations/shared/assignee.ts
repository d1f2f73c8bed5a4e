import type { MutationContext, QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined, removeDuplicates } from '#lib/collections.ts';
import '../../errors.ts';
import type { PlannedTask } from '../../model/open-work.ts';
import type { TaskRecord } from '../../model/task.ts';
import { isForCaller, parseAssignee } from '../../rules/assignee.ts';
import { createNotes } from './create-task.ts';
import type { ClaimContext } from './task-transitions.ts';

type NamesContext = Pick<QueryContext, 'store' | 'caller' | 'platform' | 'token'>;
type AssigneeContext = NamesContext & Pick<QueryContext, 'config'>;

/** Lists the names that the caller goes by: its agent, the login that runs it, or its token and the owner of the token. */
async function listCallerNames({ store, caller, platform, token }: NamesContext): Promise<string[]> {
  if (token) return [caller.agent, token.name, (await store.tokens.get(token.name))?.createdBy ?? caller.agent];
  // The login of a server is not that of its callers.
  const login = platform.identity.kind === 'shared' ? undefined : platform.getLogin();
  return login === undefined ? [caller.agent] : [caller.agent, login];
}

/** Lists the assignees that a filter means. An agent `ada-reviewer` does the tasks of `ada` too. */
export async function listAssigneeNames(ctx: NamesContext, text: string): Promise<string[]> {
  if (text !== 'me') return [parseAssignee(text, '') ?? []].flat();
  const names = await listCallerNames(ctx);
  return removeDuplicates(names.flatMap((name) => [name, ...[...name.matchAll(/-/g)].map(({ index }) => name.slice(0, index))])).filter(
    Boolean,
  );
}

/** Finds the tasks that are reserved for others. A name that no agent or person of this project has reserves nothing. */
export async function findReserved(ctx: AssigneeContext, planned: PlannedTask[]): Promise<Set<TaskId>> {
  const assigned = planned.flatMap(({ taskId, assignee }) => (assignee === undefined ? [] : [{ taskId, assignee }]));
  if (assigned.length === 0) return new Set();
  const known = await findReservedNames(ctx, removeDuplicates(assigned.map(({ assignee }) => assignee)));
  return new Set(assigned.filter(({ assignee }) => known.has(assignee)).map(({ taskId }) => taskId));
}

/** Finds the assignees that are known here and are not the caller. */
export async function findReservedNames(ctx: AssigneeContext, assignees: string[]): Promise<Set<string>> {
  const names = await listCallerNames(ctx);
  return findKnownNames(
    ctx,
    assignees.filter((assignee) => !isForCaller(assignee, names)),
  );
}

async function findKnownNames({ store, config, platform }: AssigneeContext, names: string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const login = platform.identity.kind === 'shared' ? undefined : platform.getLogin();
  const listed = names.filter((name) => name === login || config.agents.includes(name));
  return new Set([...listed, ...(await store.audit.findKnownNames(names.filter((name) => !listed.includes(name))))]);
}

/** Rejects (35) a task that is reserved for another agent or person. `command` takes it over. */
export async function checkAssignee(
  ctx: ClaimContext & AssigneeContext,
  { id, assignee }: TaskRecord,
  command: 'start' | 'reopen' = 'start',
): Promise<void> {
  if (assignee === undefined || !(await findReserved(ctx, [{ taskId: id, assignee }])).has(id)) return;
  const { suggestAnother } = await import('./task-transitions.ts');
  throw new CleoError('E_TASK_ASSIGNED', {
    taskId: id,
    assignee,
    ...(await suggestAnother(ctx)),
    retry: ctx.commandAs([command, id, '--take-over', '--reason', `${assignee} is not available`]),
  });
}

/** Leaves a note in a task that was taken over from its assignee. */
export async function noteTakeOver(
  ctx: AssigneeContext & Pick<MutationContext, 'store' | 'now'>,
  task: TaskRecord,
  reason: string | undefined,
): Promise<{ takenOverFrom?: string; takenReason?: string }> {
  const { id, assignee } = task;
  if (assignee === undefined || !(await findReserved(ctx, [{ taskId: id, assignee }])).has(id)) return {};
  await ctx.store.tasks.appendNotes(task, createNotes(ctx, `Taken over from ${assignee}: ${reason}`));
  return defined({ takenOverFrom: assignee, takenReason: reason });
}
