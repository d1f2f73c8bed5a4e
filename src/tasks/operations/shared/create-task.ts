import type { MutationContext } from '#core/define.ts';
import { CleoError, replaceFix } from '#core/errors/error.ts';
import type { Status, TaskId, TaskType } from '#core/model/scalars.ts';
import { toUid } from '#core/rules/uid.ts';
import { removeDuplicates } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { Ancestor } from '#store/port/tasks.ts';
import type { Note, TaskRecord } from '../../model/task.ts';
import type { TaskFields } from '../../model/task-fields.ts';
import { parseAssignee } from '../../rules/assignee.ts';
import { toCriteria } from '../../rules/criteria.ts';
import { parseDue } from '../../rules/due.ts';
import { checkPlacement, getChildTier } from '../../rules/hierarchy.ts';
import { createNotFoundError, createParentNotFoundError } from './require.ts';

type AuthorContext = Pick<MutationContext, 'now' | 'caller'>;
type CreateContext = Pick<MutationContext, 'now' | 'today' | 'caller' | 'platform'>;

/** Input of `add` and of an entry of `add-batch`, without the parent, which is resolved first. */
export type NewTask = Omit<TaskFields, 'parent'> & { title: string };

/** A batch resolves types and dependencies first. */
export function createTask(
  ctx: CreateContext,
  id: TaskId,
  input: NewTask,
  parent: { id: TaskId; type: TaskType } | undefined,
  type = input.type,
  depends = input.depends,
): TaskRecord {
  // `today` is computed when it is read.
  const { now, caller, platform } = ctx;
  // A batch creates thousands, so optional fields are set one by one: each copy of an object was a tenth of the memory of a batch.
  const task: TaskRecord = {
    id,
    type: type ?? getChildTier(parent?.type),
    title: input.title,
    status: 'pending',
    priority: input.priority ?? 'medium',
    labels: input.labels ? removeDuplicates(input.labels) : [],
    depends: depends ? removeDuplicates(depends) : [],
    acceptance: input.acceptance || input.acceptEvidence ? toCriteria(input.acceptance, input.acceptEvidence) : [],
    files: input.files ? removeDuplicates(input.files) : [],
    uid: toUid(now, platform.randomHex(12)),
    createdAt: now,
    createdBy: caller.agent,
    updatedAt: now,
    revision: 1,
  };
  const assignee = input.assignee && parseAssignee(input.assignee, caller.agent);
  const due = input.due && parseDue(input.due, ctx.today);
  if (input.description) task.description = input.description;
  if (input.size) task.size = input.size;
  if (parent) task.parentId = parent.id;
  if (input.phase !== undefined) task.phase = input.phase;
  if (assignee) task.assignee = assignee;
  if (due) task.due = due;
  if (input.requires?.length) task.requires = removeDuplicates(input.requires);
  return task;
}

export const createNotes = ({ now, caller }: AuthorContext, text: string | undefined): Note[] =>
  text ? [{ at: now, by: caller.agent, text }] : [];

export async function requireAncestry(store: ReadStore, parent: TaskId): Promise<Ancestor[]> {
  const ancestry = await store.tasks.getAncestry(parent);
  if (ancestry.length === 0) throw await createParentNotFoundError(store, parent);
  return ancestry;
}

/** Checks a task below its parent, `ancestry[0]`, or at the top level. It counts towards the siblings unless it is there already. */
export async function checkPosition(
  { store, config }: Pick<MutationContext, 'store' | 'config'>,
  task: { id?: TaskId; type: TaskType; status: Status },
  ancestry: Ancestor[],
  isMoved = true,
): Promise<void> {
  const [parent] = ancestry;
  const isOpen = task.status !== 'done';
  const openSiblings = parent && isMoved ? await store.tasks.countOpenChildren(parent.id) : 0;
  try {
    checkPlacement({ ...task, ancestry, openSiblings, maxSiblings: config['hierarchy.maxSiblings'], isOpen });
  } catch (error) {
    throw error instanceof CleoError && error.row === 'E_INVALID_PARENT_TYPE' ? await suggestParents(store, error) : error;
  }
  if (isOpen) checkParentOpen(parent);
}

/** A list of possible parents helps only if there is one. */
async function suggestParents(store: ReadStore, error: CleoError): Promise<CleoError> {
  const type = error.details.allowed as TaskType | 'none';
  return type === 'none' || (await store.tasks.count({ type: [type] }, 1)) > 0 ? error : replaceFix(error, 'cleo help add');
}

/** A done or archived parent cannot get open children: it would no longer be done. */
export function checkParentOpen(parent: Ancestor | undefined, act = 'adding to it'): void {
  if (parent?.status === 'done') throw new CleoError('E_TASK_COMPLETED', { taskId: parent.id, act, fix: `cleo reopen ${parent.id}` });
}

export async function checkDependsExist(store: ReadStore, depends: TaskId[]): Promise<void> {
  const [missing] = await store.tasks.findMissing(depends);
  if (missing) throw await createNotFoundError(store, missing);
}
