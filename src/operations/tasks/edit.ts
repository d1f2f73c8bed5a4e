import { CleoError } from '../../errors/error.ts';
import type { TaskId } from '../../model/scalars.ts';
import type { TaskFields, TaskRecord } from '../../model/task.ts';
import { replaceCriteria } from '../../rules/criteria.ts';
import { checkChildren, checkPlacement } from '../../rules/hierarchy.ts';
import type { MutationContext } from '../define.ts';
import { checkDependsExist, checkParentOpen, criteriaOf, parentChain, unique } from './build.ts';
import { checkHolder } from './moves.ts';
import { checkOrder } from './order.ts';
import { checkPlaceInScope } from './scope.ts';

/** What `update` changes of the record itself; a status is a move, and notes stand beside it. */
export interface Edits extends Omit<TaskFields, 'parent' | 'notes'> {
  title?: string | undefined;
  parent?: TaskId | 'none' | undefined;
  addDepends?: TaskId[] | undefined;
  removeDepends?: TaskId[] | undefined;
}

/** The record after the edits, checked against everything they touch. */
export async function editTask(here: MutationContext, before: TaskRecord, edits: Edits, reason: string | undefined): Promise<TaskRecord> {
  const { store } = here;
  const { parentId: _, description: __, ...rest } = before;
  const parentId = edits.parent === undefined ? before.parentId : edits.parent === 'none' ? undefined : edits.parent;
  const description = edits.description === undefined ? before.description : edits.description || undefined;
  const after: TaskRecord = {
    ...rest,
    ...(parentId ? { parentId } : {}),
    ...(description ? { description } : {}),
    title: edits.title ?? before.title,
    type: edits.type ?? before.type,
    priority: edits.priority ?? before.priority,
    ...(edits.size ? { size: edits.size } : {}),
    ...(edits.phase ? { phase: edits.phase } : {}),
    labels: edits.labels ? unique(edits.labels) : before.labels,
    files: edits.files ? unique(edits.files) : before.files,
    depends: newDepends(before, edits),
    acceptance: newCriteria(here, before, edits, reason),
  };
  const isMoved = after.parentId !== before.parentId || after.type !== before.type;
  const added = after.depends.filter((id) => !before.depends.includes(id));
  await checkDependsExist(store, added);
  if (isMoved) await checkHolder(here, before.id);
  const ancestry = isMoved && after.parentId ? await parentChain(store, after.parentId) : [];
  if (isMoved || added.length > 0)
    await checkOrder(store, [{ id: after.id, parentId: after.parentId, depends: after.depends }], isMoved ? 'parent' : 'depends');
  if (isMoved) await checkMoved(here, before, after, ancestry);
  return after;
}

function newDepends(before: TaskRecord, { depends, addDepends = [], removeDepends = [] }: Edits): TaskId[] {
  return unique([...(depends ?? before.depends), ...addDepends]).filter((id) => !removeDepends.includes(id));
}

/** Criteria are a promise made before the work; once it has begun, changing them takes a reason. */
function newCriteria(
  here: MutationContext,
  before: TaskRecord,
  { acceptance, acceptEvidence }: Edits,
  reason: string | undefined,
): TaskRecord['acceptance'] {
  if (!acceptance && !acceptEvidence) return before.acceptance;
  const after = replaceCriteria(before.acceptance, acceptance && criteriaOf(acceptance), acceptEvidence);
  const isChanged = JSON.stringify(after) !== JSON.stringify(before.acceptance);
  if (isChanged && before.startedAt && !reason)
    throw new CleoError('E_VALIDATION_FROZEN', { taskId: before.id, retry: here.commandWith({ reason: 'why the criteria change' }) });
  return after;
}

async function checkMoved(
  here: MutationContext,
  before: TaskRecord,
  after: TaskRecord,
  ancestry: Awaited<ReturnType<typeof parentChain>>,
): Promise<void> {
  const { store, config, session } = here;
  if (after.parentId !== before.parentId) {
    if (session?.scope.root !== after.id) checkPlaceInScope(session, ancestry, after.id);
    await (await import('./moved.ts')).checkSessionsAround(here, after.id, ancestry);
  }
  const isOpen = after.status !== 'done';
  const openSiblings = after.parentId && after.parentId !== before.parentId ? await store.tasks.countOpenChildren(after.parentId) : 0;
  checkPlacement({ id: after.id, type: after.type, ancestry, openSiblings, maxSiblings: config['hierarchy.maxSiblings'], isOpen });
  if (isOpen) checkParentOpen(ancestry[0]);
  checkChildren(after, await store.tasks.children(after.id));
}
