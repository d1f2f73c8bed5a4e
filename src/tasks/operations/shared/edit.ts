import '../../errors.ts';
import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { Ancestor } from '#store/port/tasks.ts';
import type { TaskRecord } from '../../model/task.ts';
import { changesFrozenCriteria, editRecord, type TaskEdits } from '../../rules/edit.ts';
import { checkChildren } from '../../rules/hierarchy.ts';
import { checkDependsExist, checkPosition, requireAncestry } from './create-task.ts';
import { checkNoCycle } from './order.ts';
import { checkAncestryInScope } from './scope.ts';
import { checkHolder } from './task-transitions.ts';

/** Applies edits to a record and checks them against dependencies, hierarchy, scope and claims. */
export async function editTask(
  ctx: MutationContext,
  before: TaskRecord,
  edits: TaskEdits,
  reason: string | undefined,
): Promise<TaskRecord> {
  const { store, today, caller } = ctx;
  const after = editRecord(before, edits, { agent: caller.agent, today });
  if (changesFrozenCriteria(before, after, reason))
    throw new CleoError('E_VALIDATION_FROZEN', { taskId: before.id, retry: ctx.commandWith({ reason: 'why the criteria change' }) });
  const isMoved = after.parentId !== before.parentId || after.type !== before.type;
  const added = after.depends.filter((id) => !before.depends.includes(id));
  await checkDependsExist(store, added);
  if (isMoved) await checkHolder(ctx, before.id);
  const ancestry = isMoved && after.parentId ? await requireAncestry(store, after.parentId) : [];
  if (isMoved || added.length > 0) await checkNoCycle(store, [after], isMoved ? 'parent' : 'depends');
  if (isMoved) await checkReparent(ctx, before, after, ancestry);
  return applyGateEvidence(store, before, after);
}

/** Marks new criteria as met if their gate already has evidence. */
async function applyGateEvidence(store: ReadStore, before: TaskRecord, after: TaskRecord): Promise<TaskRecord> {
  const isNew = after.acceptance !== before.acceptance && after.acceptance.some(({ gate, metAt }) => gate && !metAt);
  if (!isNew) return after;
  const { findHeldGates, updateBoundCriteria } = await import('#verification/rules/gates.ts');
  return { ...after, acceptance: updateBoundCriteria(after.acceptance, findHeldGates(await store.gates.listAttempts(after.id))) };
}

async function checkReparent(ctx: MutationContext, before: TaskRecord, after: TaskRecord, ancestry: Ancestor[]): Promise<void> {
  const { store, session } = ctx;
  const isMoved = after.parentId !== before.parentId;
  if (isMoved) {
    await checkUnrelated(store, after);
    if (session?.scope.root !== after.id) checkAncestryInScope(session, ancestry, after.id);
    await (await import('./reparent-checks.ts')).checkSessionScopes(ctx, after.id, ancestry);
  }
  await checkPosition(ctx, after, ancestry, isMoved);
  checkChildren(after, await store.tasks.listChildren(after.id));
}

/** A task cannot be related to its new parent: containment is not a relation. */
async function checkUnrelated(store: ReadStore, { id, parentId }: TaskRecord): Promise<void> {
  if (parentId === undefined) return;
  const relation = (await store.tasks.listRelations(id)).find(({ taskId }) => taskId === parentId);
  if (!relation) return;
  const [from, to] = relation.direction === 'to' ? [id, parentId] : [parentId, id];
  throw new CleoError('E_INVALID_RELATION', { from, to, fix: `cleo relates remove ${from} ${to}` });
}
