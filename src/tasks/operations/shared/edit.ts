import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { ReadStore } from '#store/port.ts';
import type { TaskRecord } from '../../model/task.ts';
import { breaksPromise, type Edits, editRecord } from '../../rules/edit.ts';
import { checkChildren, checkPlacement } from '../../rules/hierarchy.ts';
import { checkDependsExist, checkParentOpen, parentChain } from './build.ts';
import { checkHolder } from './moves.ts';
import { checkOrder } from './order.ts';
import { checkPlaceInScope } from './scope.ts';

/** The record after the edits, checked against everything they touch. */
export async function editTask(ctx: MutationContext, before: TaskRecord, edits: Edits, reason: string | undefined): Promise<TaskRecord> {
  const { store } = ctx;
  const after = editRecord(before, edits);
  if (breaksPromise(before, after, reason))
    throw new CleoError('E_VALIDATION_FROZEN', { taskId: before.id, retry: ctx.commandWith({ reason: 'why the criteria change' }) });
  const isMoved = after.parentId !== before.parentId || after.type !== before.type;
  const added = after.depends.filter((id) => !before.depends.includes(id));
  await checkDependsExist(store, added);
  if (isMoved) await checkHolder(ctx, before.id);
  const ancestry = isMoved && after.parentId ? await parentChain(store, after.parentId) : [];
  if (isMoved || added.length > 0)
    await checkOrder(store, [{ id: after.id, parentId: after.parentId, depends: after.depends }], isMoved ? 'parent' : 'depends');
  if (isMoved) await checkMoved(ctx, before, after, ancestry);
  return boundToGates(store, before, after);
}

/** A gate that holds evidence meets a new criterion too. */
async function boundToGates(store: ReadStore, before: TaskRecord, after: TaskRecord): Promise<TaskRecord> {
  const isNew = after.acceptance !== before.acceptance && after.acceptance.some(({ gate, metAt }) => gate && !metAt);
  if (!isNew) return after;
  const { heldGates, withGates } = await import('#verification/rules/gates.ts');
  return { ...after, acceptance: withGates(after.acceptance, heldGates(await store.gates.of(after.id))) };
}

async function checkMoved(
  ctx: MutationContext,
  before: TaskRecord,
  after: TaskRecord,
  ancestry: Awaited<ReturnType<typeof parentChain>>,
): Promise<void> {
  const { store, config, session } = ctx;
  await checkUnrelated(store, before, after);
  if (after.parentId !== before.parentId) {
    if (session?.scope.root !== after.id) checkPlaceInScope(session, ancestry, after.id);
    await (await import('./moved.ts')).checkSessionsAround(ctx, after.id, ancestry);
  }
  const isOpen = after.status !== 'done';
  const openSiblings = after.parentId && after.parentId !== before.parentId ? await store.tasks.countOpenChildren(after.parentId) : 0;
  checkPlacement({ id: after.id, type: after.type, ancestry, openSiblings, maxSiblings: config['hierarchy.maxSiblings'], isOpen });
  if (isOpen) checkParentOpen(ancestry[0]);
  checkChildren(after, await store.tasks.children(after.id));
}

/** Containment and relations are two things: nobody is related to what it is to be part of. */
async function checkUnrelated(store: ReadStore, before: TaskRecord, { id, parentId }: TaskRecord): Promise<void> {
  if (parentId === undefined || parentId === before.parentId) return;
  const tie = (await store.tasks.relations(id)).find(({ taskId }) => taskId === parentId);
  if (!tie) return;
  const [from, to] = tie.direction === 'to' ? [id, parentId] : [parentId, id];
  throw new CleoError('E_INVALID_RELATION', { from, to, fix: `cleo relates remove ${from} ${to}` });
}
