import type { MutationContext, QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Claim } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port.ts';
import type { TaskRecord } from '../../model/task.ts';
import { holderOf, isExpired, isHolder } from '../../rules/claims.ts';
import { unmetTexts } from '../../rules/criteria.ts';
import { checkMove } from '../../rules/transitions.ts';
import { isWaitText } from '../../rules/wait-text.ts';
import { requireTask } from './require.ts';
import { checkScope } from './scope.ts';

type Needed = 'store' | 'now' | 'caller' | 'config' | 'session' | 'commandAs';
type Here = Pick<MutationContext, Needed | 'platform' | 'project' | 'commandWith'>;
type Asking = Pick<QueryContext, Needed>;
type Looking = Asking & Pick<QueryContext, 'commandWith'>;

/** The task a command means: the one it names, else the caller's focus. */
export async function namedOrFocused(ctx: Looking, id: TaskId | undefined, act: string): Promise<TaskRecord> {
  if (id) return requireTask(ctx.store, id);
  const focus = await ctx.store.claims.heldBy(ctx.caller);
  if (!focus) throw new CleoError('E_FOCUS_REQUIRED', { act, ...(await another(ctx)), retry: ctx.commandWith({}) });
  return requireTask(ctx.store, focus.taskId);
}

/** Refuses what only the holder may do to a held task. */
export async function checkHolder(ctx: Asking, id: TaskId): Promise<Claim | undefined> {
  const claim = await ctx.store.claims.of(id);
  if (claim && !isHolder(claim, ctx.caller) && !(await hasLapsed(ctx, claim)))
    throw new CleoError('E_TASK_CLAIMED', {
      taskId: id,
      holder: holderOf(claim),
      since: claim.claimedAt,
      ...(await another(ctx)),
      claim: ctx.commandAs(['next', '--claim']),
    });
  return claim;
}

/** What the caller could work on instead, and the command that begins it. */
async function another(ctx: Asking): Promise<{ suggestion: TaskId | undefined; focus: string }> {
  const { recommended } = await import('./recommend.ts');
  const [first] = await recommended(ctx, undefined, 1);
  return { suggestion: first?.taskId, focus: ctx.commandAs(['focus', 'set', first?.taskId ?? '']) };
}

export interface Started {
  task: TaskRecord;
  /** The caller holds it already; nothing changed. */
  isHeld: boolean;
  released?: TaskId;
  takenOverFrom?: string;
}

/** Makes it active and the caller's focus; of any number of callers at once exactly one gets it. */
export async function startTask(ctx: Here, task: TaskRecord): Promise<Started> {
  const { store, caller } = ctx;
  await checkScope(ctx, task.id);
  const claim = await checkHolder(ctx, task.id);
  if (claim && isHolder(claim, caller)) return { task, isHeld: true };
  if (task.status !== 'active') checkMove(task, 'active', 'starting it');
  const open = await store.tasks.openDepends(task.id);
  if (open.length > 0) throw new CleoError('E_VALIDATION_DEPENDS', { taskId: task.id, open, act: 'started' });
  if (isWaitText(task.blockedBy)) await (await import('#nexus/operations/shared/waiting.ts')).checkFarDepends(store, task.id);
  const released = await releaseFocus(ctx);
  return { ...(await claimTask(ctx, task, claim)), ...(released ? { released } : {}) };
}

/** The claim and the state that goes with it; `former` is a lapsed claim that is taken over. */
export async function claimTask(ctx: Here, task: TaskRecord, former?: Claim): Promise<Started> {
  const { store, now, caller } = ctx;
  let current = task;
  if (former) {
    await store.claims.release(task.id);
    if (current.status === 'active')
      current = await store.tasks.save(current, { ...current, status: 'pending' }, `the claim of ${holderOf(former)} expired`);
  }
  const { blockedBy: _, completedAt: __, archivedAt: ___, ...rest } = current;
  const started = await store.tasks.save(current, { ...rest, status: 'active', startedAt: current.startedAt ?? now });
  await store.claims.put({ taskId: task.id, ...caller, claimedAt: now, renewedAt: now });
  return { task: started, isHeld: false, ...(former ? { takenOverFrom: holderOf(former) } : {}) };
}

/** Lets go of the caller's focus, which goes back to pending. */
export async function releaseFocus(ctx: Here): Promise<TaskId | undefined> {
  const { store, caller } = ctx;
  const focus = await store.claims.heldBy(caller);
  if (!focus) return undefined;
  await release(ctx, await requireTask(store, focus.taskId));
  return focus.taskId;
}

export async function release({ store }: Here, task: TaskRecord): Promise<TaskRecord> {
  await store.claims.release(task.id);
  return task.status === 'active' ? store.tasks.save(task, { ...task, status: 'pending' }) : task;
}

export async function blockTask(ctx: Here, task: TaskRecord, reason: string | undefined): Promise<TaskRecord> {
  await checkHolder(ctx, task.id);
  if (task.status !== 'blocked') checkMove(task, 'blocked', 'blocking it');
  await ctx.store.claims.release(task.id);
  return ctx.store.tasks.save(task, { ...task, status: 'blocked', ...(reason ? { blockedBy: reason } : {}) });
}

export interface Completed {
  task: TaskRecord;
  unblocked: TaskId[];
  parentReady?: TaskId;
  warnings: string[];
}

/** Done, once everything it needs is: depends, children, criteria. */
export async function completeTask(ctx: Here, task: TaskRecord): Promise<Completed> {
  const { store, now, config } = ctx;
  await checkScope(ctx, task.id);
  await checkHolder(ctx, task.id);
  checkMove(task, 'done', 'completing it');
  const open = await store.tasks.openDepends(task.id);
  if (open.length > 0) throw new CleoError('E_VALIDATION_DEPENDS', { taskId: task.id, open, act: 'completed' });
  const children = await store.tasks.children(task.id);
  const openChildren = children.filter((child) => child.status !== 'done').map((child) => child.id);
  if (openChildren.length > 0) throw new CleoError('E_HAS_CHILDREN', { taskId: task.id, children: openChildren, act: 'complete' });
  await checkEvidence(ctx, task, children.length === 0 && config['verification.required']);
  const unmet = unmetTexts(task.acceptance);
  if (unmet.length > 0 && children.length > 0) throw new CleoError('E_VALIDATION_ACCEPTANCE', { taskId: task.id, unmet });
  await store.claims.release(task.id);
  const done = await store.tasks.save(task, { ...task, status: 'done', completedAt: now });
  const warnings = unmet.length > 0 ? [`completed with unchecked criteria: ${unmet.map((c) => `${c.n}. ${c.text}`).join('; ')}`] : [];
  const unblocked = await unblockedBy(store, task.id);
  const parentReady = await readyParent(store, done);
  if (!parentReady || !config['hierarchy.autoCompleteParents'])
    return { task: done, unblocked, ...(parentReady ? { parentReady } : {}), warnings };
  return withParent(ctx, { task: done, unblocked, parentReady, warnings });
}

/** Refuses (45) what lacks evidence, or whose evidence is no longer what it was. */
async function checkEvidence(ctx: Here, task: TaskRecord, isAllRequired: boolean): Promise<void> {
  const attempts = await ctx.store.gates.of(task.id);
  if (attempts.length === 0 && !isAllRequired && !task.acceptance.some(({ gate }) => gate)) return;
  await (await import('#verification/operations/shared/complete.ts')).checkEvidence(ctx, task, attempts, isAllRequired);
}

/** Completes the parent too where the project asks for it; a parent that cannot be completed stays ready. */
async function withParent(ctx: Here, child: Completed & { parentReady: TaskId }): Promise<Completed> {
  try {
    const parent = await completeTask(ctx, await requireTask(ctx.store, child.parentReady));
    const { parentReady: _, ...rest } = child;
    return {
      ...rest,
      unblocked: [...child.unblocked, ...parent.unblocked],
      ...(parent.parentReady ? { parentReady: parent.parentReady } : {}),
    };
  } catch (error) {
    if (error instanceof CleoError) return child;
    throw error;
  }
}

/** Tasks that waited for this one and now wait for nothing. */
async function unblockedBy(store: ReadStore, id: TaskId): Promise<TaskId[]> {
  const free: TaskId[] = [];
  for (const dependent of await store.tasks.dependents(id))
    if (dependent.status !== 'done' && (await store.tasks.openDepends(dependent.id)).length === 0) free.push(dependent.id);
  return free;
}

async function readyParent(store: ReadStore, task: TaskRecord): Promise<TaskId | undefined> {
  if (!task.parentId) return undefined;
  const siblings = await store.tasks.children(task.parentId);
  return siblings.every((sibling) => sibling.status === 'done') ? task.parentId : undefined;
}

async function hasLapsed({ store, now, config }: Asking, claim: Claim): Promise<boolean> {
  return isExpired(claim, await store.claims.moment(now), config['claims.ttlMinutes']);
}
