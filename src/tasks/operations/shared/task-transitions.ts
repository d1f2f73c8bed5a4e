import type { MutationContext, QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Claim } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { Ancestor } from '#store/port/tasks.ts';
import '../../errors.ts';
import type { TaskRecord } from '../../model/task.ts';
import { isHolder, toFocusTime } from '../../rules/claims.ts';
import { listUnmetTexts } from '../../rules/criteria.ts';
import { checkTransition } from '../../rules/transitions.ts';
import { isWaitText } from '../../rules/wait-text.ts';
import type { noteTakeOver } from './assignee.ts';
import { recordBaseline } from './baseline.ts';
import { createClaimJudge } from './claim-judge.ts';
import { requireTask } from './require.ts';
import { checkScope } from './scope.ts';

/** Checks of claims. */
export type ClaimContext = Pick<
  QueryContext,
  | 'store'
  | 'session'
  | 'isNamed'
  | 'now'
  | 'today'
  | 'config'
  | 'platform'
  | 'caller'
  | 'token'
  | 'commandAs'
  | 'requireScope'
  | 'mayHaveScope'
>;

/** Status changes of a task. */
type TransitionContext = Pick<MutationContext, keyof ClaimContext | 'project' | 'commandWith' | 'getFacts'>;

/** Returns the named task, or the caller's focus. */
export async function requireTaskOrFocus(
  ctx: ClaimContext & Pick<QueryContext, 'commandWith'>,
  id: TaskId | undefined,
  act: string,
): Promise<TaskRecord> {
  if (id) return requireTask(ctx.store, id);
  const focus = await ctx.store.claims.getHeldBy(ctx.caller);
  if (focus) return requireTask(ctx.store, focus.taskId);
  const { createClaimedError, findTakenOver } = await import('./take-over.ts');
  const taken = await findTakenOver(ctx);
  if (taken) throw await createClaimedError(ctx, taken, await createClaimJudge(ctx, [taken]));
  throw new CleoError('E_FOCUS_REQUIRED', { act, ...(await suggestAnother(ctx)), retry: ctx.commandWith({}) });
}

/** Finds a claim in force that another agent holds. */
export async function findForeignClaim(ctx: ClaimContext, claims: Claim[]): Promise<Claim | undefined> {
  const foreign = claims.filter((claim) => !isHolder(claim, ctx.caller));
  if (foreign.length === 0) return undefined;
  const { isLapsed } = await createClaimJudge(ctx, foreign);
  return foreign.find((claim) => !isLapsed(claim));
}

/** Rejects a change that only the holder of the task may make. Lapsed claims do not count. */
export async function checkHolder(ctx: ClaimContext, id: TaskId): Promise<Claim | undefined> {
  const claim = await ctx.store.claims.get(id);
  const foreign = claim && (await findForeignClaim(ctx, [claim]));
  if (foreign) throw await (await import('./take-over.ts')).createClaimedError(ctx, foreign, await createClaimJudge(ctx, [foreign]));
  return claim;
}

/** Suggests another task, with the command that starts it. */
export async function suggestAnother(ctx: ClaimContext): Promise<{ suggestion: TaskId | undefined; focus: string; look: string }> {
  const { recommendTasks } = await import('./recommend.ts');
  const [first] = await recommendTasks(ctx, undefined, 1);
  const look = first || (await ctx.store.tasks.count({}, 1)) > 0 ? 'cleo dash' : 'cleo help add';
  return { suggestion: first?.taskId, focus: ctx.commandAs(['focus', 'set', first?.taskId ?? '']), look };
}

export interface StartResult {
  task: TaskRecord;
  /** The caller already held it; nothing changed. */
  isHeld: boolean;
  released?: TaskId;
  takenOverFrom?: string;
  takenReason?: string;
}

export interface StartOptions {
  /** Does not release the current focus. */
  also?: boolean | undefined;
  /** Takes the task from a holder that is away or silent; a person takes it from any holder. */
  takeOver?: boolean | undefined;
  reason?: string | undefined;
  /** Takes a task that is assigned to another agent or person. */
  isForAny?: boolean | undefined;
}

/** Rejects a take-over without a reason. */
export function checkTakeOverReason(
  ctx: Pick<QueryContext, 'commandWith'>,
  taskId: TaskId,
  { takeOver, reason }: Pick<StartOptions, 'takeOver' | 'reason'>,
): void {
  if (!takeOver || reason !== undefined) return;
  throw new CleoError('E_VALIDATION', {
    field: 'reason',
    problem: `is required to take over ${taskId}; its holder will see it`,
    fix: ctx.commandWith({ reason: 'its holder stopped working on it' }),
  });
}

/** Makes the task active and the caller's focus. If several callers try at once, exactly one succeeds. */
export async function startTask(ctx: TransitionContext, task: TaskRecord, options: StartOptions = {}): Promise<StartResult> {
  const { store, caller } = ctx;
  const { also, takeOver, reason, isForAny } = options;
  await checkScope(ctx, task.id);
  const claim = takeOver ? await (await import('./take-over.ts')).checkTakeOver(ctx, task.id) : await checkHolder(ctx, task.id);
  if (claim && isHolder(claim, caller)) {
    await focusHeldTask(ctx, task.id);
    return { task, isHeld: true };
  }
  if (task.assignee !== undefined && !takeOver && !isForAny) await (await import('./assignee.ts')).checkAssignee(ctx, task);
  if (task.status !== 'active') checkTransition(task, 'active', 'starting it');
  await checkDependsDone(store, task.id, 'started');
  if (isWaitText(task.blockedBy))
    await (await import('#nexus/operations/shared/check-remote-depends.ts')).checkRemoteDepends(store, task.id);
  const released = also ? undefined : await releaseFocus(ctx);
  const started = await claimTask(ctx, task, claim, reason);
  const taken = takeOver && !claim && task.assignee !== undefined ? await noteAssigneeTakeOver(ctx, started.task, reason) : {};
  return { ...started, ...taken, ...defined({ released }) };
}

export const noteAssigneeTakeOver: typeof noteTakeOver = async (...args) => (await import('./assignee.ts')).noteTakeOver(...args);

/** Makes a task that the caller holds its focus. */
export async function focusHeldTask({ store, caller, now }: TransitionContext, id: TaskId): Promise<void> {
  const focus = await store.claims.getHeldBy(caller);
  if (focus?.taskId !== id) await store.claims.setFocus(id, toFocusTime(now, focus));
}

export async function checkDependsDone(store: ReadStore, taskId: TaskId, act: string): Promise<void> {
  const open = await store.tasks.listOpenDependencies(taskId);
  if (open.length > 0) throw new CleoError('E_VALIDATION_DEPENDS', { taskId, open, act });
}

/** Claims the task and makes it active. `former` is a claim that is taken over. */
export async function claimTask(ctx: TransitionContext, task: TaskRecord, former?: Claim, reason?: string): Promise<StartResult> {
  const { store, now, caller } = ctx;
  const ended = former && (await (await import('./take-over.ts')).endFormerClaim(ctx, task, former, reason));
  const { task: current, takenFrom, takenReason } = ended ?? { task };
  const focusedAt = toFocusTime(now, await store.claims.getHeldBy(caller));
  const { blockedBy: _, completedAt: __, archivedAt: ___, resolution: ____, ...rest } = current;
  const started = await store.tasks.save(current, { ...rest, status: 'active', startedAt: current.startedAt ?? now }, reason);
  await store.claims.insert({
    taskId: task.id,
    ...caller,
    claimedAt: now,
    focusedAt,
    renewedAt: now,
    ...defined({ takenFrom, takenReason }),
  });
  await recordBaseline(ctx, task);
  return defined({ task: started, isHeld: false, takenOverFrom: takenFrom, takenReason });
}

/** Releases the caller's focus, which becomes pending again. */
export async function releaseFocus(ctx: TransitionContext): Promise<TaskId | undefined> {
  const { store, caller } = ctx;
  const focus = await store.claims.getHeldBy(caller);
  if (!focus) return undefined;
  await releaseTask(ctx, await requireTask(store, focus.taskId));
  return focus.taskId;
}

export async function releaseTask({ store }: TransitionContext, task: TaskRecord): Promise<TaskRecord> {
  await store.claims.release(task.id);
  return task.status === 'active' ? store.tasks.save(task, { ...task, status: 'pending' }) : task;
}

export async function blockTask(ctx: TransitionContext, task: TaskRecord, reason: string | undefined): Promise<TaskRecord> {
  await checkHolder(ctx, task.id);
  if (task.status !== 'blocked') checkTransition(task, 'blocked', 'blocking it');
  await ctx.store.claims.release(task.id);
  return ctx.store.tasks.save(task, { ...task, status: 'blocked', ...(reason ? { blockedBy: reason } : {}) });
}

export interface CompleteResult {
  task: TaskRecord;
  unblocked: TaskId[];
  parentReady?: TaskId;
  warnings: string[];
}

/** Completes a task whose dependencies, children, evidence and criteria allow it. */
export async function completeTask(ctx: TransitionContext, task: TaskRecord): Promise<CompleteResult> {
  const { store, now, config } = ctx;
  await checkScope(ctx, task.id);
  await checkHolder(ctx, task.id);
  checkTransition(task, 'done', 'completing it');
  await checkDependsDone(store, task.id, 'completed');
  const children = await store.tasks.listChildren(task.id);
  const openChildren = children.filter((child) => child.status !== 'done').map((child) => child.id);
  if (openChildren.length > 0) throw new CleoError('E_HAS_CHILDREN', { taskId: task.id, children: openChildren, act: 'complete' });
  await checkEvidence(ctx, task, config['verification.required'] && !(await hasWorkOfChildren(store, children)));
  const unmet = listUnmetTexts(task.acceptance);
  if (unmet.length > 0 && children.length > 0) throw new CleoError('E_VALIDATION_ACCEPTANCE', { taskId: task.id, unmet });
  const dependents = await store.tasks.listDependents(task.id);
  await store.claims.release(task.id);
  const done = await store.tasks.save(task, { ...task, status: 'done', resolution: 'done', completedAt: now });
  const warnings = unmet.length > 0 ? [`completed with unchecked criteria: ${unmet.map((c) => `${c.n}. ${c.text}`).join('; ')}`] : [];
  const [unblocked, parentReady] = await Promise.all([listUnblocked(store, task.id, dependents), findReadyParent(store, done)]);
  if (!parentReady || !config['hierarchy.autoCompleteParents']) return defined({ task: done, unblocked, parentReady, warnings });
  return completeParent(ctx, { task: done, unblocked, parentReady, warnings });
}

async function hasWorkOfChildren(store: ReadStore, children: { id: TaskId }[]): Promise<boolean> {
  if (children.length === 0) return false;
  return (await import('#verification/operations/shared/work-of-children.ts')).hasWorkOfChildren(store, children);
}

/** Rejects (exit 45) a task whose evidence is missing or stale. */
async function checkEvidence(ctx: TransitionContext, task: TaskRecord, isAllRequired: boolean): Promise<void> {
  const attempts = await ctx.store.gates.listAttempts(task.id);
  if (attempts.length === 0 && !isAllRequired && !task.acceptance.some(({ gate }) => gate)) return;
  await (await import('#verification/operations/shared/verification.ts')).checkEvidence(ctx, task, attempts, isAllRequired);
}

/** Completes the parent too, if the project is configured so. A parent that cannot be completed is reported as ready. */
async function completeParent(ctx: TransitionContext, child: CompleteResult & { parentReady: TaskId }): Promise<CompleteResult> {
  try {
    const parent = await completeTask(ctx, await requireTask(ctx.store, child.parentReady));
    const { parentReady: _, ...rest } = child;
    return { ...rest, unblocked: [...child.unblocked, ...parent.unblocked], ...defined({ parentReady: parent.parentReady }) };
  } catch (error) {
    if (error instanceof CleoError) return child;
    throw error;
  }
}

/** Lists open tasks that depended on this one and have no open dependency left. `dependents` are the tasks that depend on it, if they are
 *  known. */
export async function listUnblocked(store: ReadStore, id: TaskId, dependents?: Ancestor[]): Promise<TaskId[]> {
  const open = (dependents ?? (await store.tasks.listDependents(id))).filter(({ status }) => status !== 'done');
  const dependencies = await Promise.all(open.map((dependent) => store.tasks.listOpenDependencies(dependent.id)));
  return open.filter((_, i) => dependencies[i]?.length === 0).map((dependent) => dependent.id);
}

export async function findReadyParent(store: ReadStore, task: TaskRecord): Promise<TaskId | undefined> {
  if (!task.parentId) return undefined;
  const siblings = await store.tasks.listChildren(task.parentId);
  return siblings.every((sibling) => sibling.status === 'done') ? task.parentId : undefined;
}
