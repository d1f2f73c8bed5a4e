import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId, TaskType } from '#core/model/scalars.ts';
import type { Ancestor, ReadStore } from '#store/port.ts';
import type { Note, TaskFields, TaskRecord } from '../../model/task.ts';
import { criteriaOf } from '../../rules/criteria.ts';
import { tierBelow } from '../../rules/hierarchy.ts';
import { notFound } from './require.ts';

/** What `add` and one entry of `add-batch` have in common; the parent is looked up before. */
export type NewTask = Omit<TaskFields, 'parent'> & { title: string };

type Here = Pick<MutationContext, 'now' | 'caller'>;

export function newTask({ now, caller }: Here, id: TaskId, given: NewTask, parent: { id: TaskId; type: TaskType } | undefined): TaskRecord {
  return {
    id,
    type: given.type ?? tierBelow(parent?.type),
    title: given.title,
    ...(given.description ? { description: given.description } : {}),
    status: 'pending',
    priority: given.priority ?? 'medium',
    ...(given.size ? { size: given.size } : {}),
    ...(parent ? { parentId: parent.id } : {}),
    labels: unique(given.labels ?? []),
    ...(given.phase ? { phase: given.phase } : {}),
    depends: unique(given.depends ?? []),
    acceptance: criteriaOf(given.acceptance, given.acceptEvidence),
    files: unique(given.files ?? []),
    createdAt: now,
    createdBy: caller.agent,
    updatedAt: now,
    revision: 1,
  };
}

export const notesOf = ({ now, caller }: Here, text: string | undefined): Note[] => (text ? [{ at: now, by: caller.agent, text }] : []);

export async function parentChain(store: ReadStore, parent: TaskId): Promise<Ancestor[]> {
  const ancestry = await store.tasks.ancestry(parent);
  if (ancestry.length === 0) throw new CleoError('E_PARENT_NOT_FOUND', { parent });
  return ancestry;
}

/** A finished or archived parent takes no new open children: it would no longer be finished. */
export function checkParentOpen(parent: Ancestor | undefined): void {
  if (parent && parent.status === 'done')
    throw new CleoError('E_TASK_COMPLETED', { taskId: parent.id, act: 'adding to it', fix: `cleo reopen ${parent.id}` });
}

export async function checkDependsExist(store: ReadStore, depends: TaskId[]): Promise<void> {
  const [missing] = await store.tasks.missing(depends);
  if (missing) throw await notFound(store, missing);
}

const unique = <T>(items: T[]): T[] => (items.length < 2 ? items : [...new Set(items)]);
