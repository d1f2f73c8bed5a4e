import type { MutationContext } from '#core/define.ts';
import { CleoError, replaceFix } from '#core/errors/error.ts';
import { parseTaskId, type TaskId, type TaskType } from '#core/model/scalars.ts';
import type { Ancestor } from '#store/port/tasks.ts';
import type { TaskRecord } from '../../model/task.ts';
import { checkPlacement, getChildTier, sortParentsFirst } from '../../rules/hierarchy.ts';
import { isForwardOrder } from '../../rules/order.ts';
import { checkDependsExist, checkParentOpen, createTask, type NewTask, requireAncestry } from './create-task.ts';
import { checkNoCycle } from './order.ts';
import { checkAncestryInScope, findDefaultParent } from './scope.ts';

interface BatchEntry extends Omit<NewTask, 'depends'> {
  ref?: string | undefined;
  parent?: string | undefined;
  depends?: string[] | undefined;
}

/** Creates the records of a batch and checks each below its parent, which is stored or part of the batch. */
export async function planBatch(ctx: MutationContext, entries: BatchEntry[]): Promise<TaskRecord[]> {
  const { store, config } = ctx;
  const ids = await store.tasks.nextIds(entries.length);
  const refs = mapRefs(entries, ids);
  await addAliases(ctx, refs, entries);
  // Lists in the order of the entries: each table of a thousand ids takes a tenth of a megabyte.
  const indexes: Indexes = new Map();
  for (let i = 0; i < ids.length; i++) indexes.set(ids[i]!, i);
  const parents: (TaskId | undefined)[] = [];
  for (let i = 0; i < ids.length; i++) {
    const { parent, type } = entries[i]!;
    parents.push(parent === undefined ? ctx.session && (await findDefaultParent(ctx, type)) : resolveRef(refs, parent, i));
  }
  const types: TaskType[] = [];
  const chains: Chains = new Map();
  const openChildren = new Map<TaskId, number>();
  const maxSiblings = config['hierarchy.maxSiblings'];
  for (const id of sortEntries(ids, parents, indexes)) {
    const index = indexes.get(id)!;
    try {
      const parent = parents[index];
      // Waiting for each entry of a large batch would take longer than its checks.
      const ancestry =
        parent === undefined ? noAncestors : (chains.get(parent) ?? (await readChain(ctx, parent, { indexes, types, parents, chains })));
      if (parent && !indexes.has(parent)) checkAncestryInScope(ctx.session, ancestry, parent);
      const type = entries[index]!.type ?? getChildTier(ancestry[0]?.type);
      if (parent && !openChildren.has(parent))
        openChildren.set(parent, indexes.has(parent) ? 0 : await store.tasks.countOpenChildren(parent));
      const openSiblings = (parent && openChildren.get(parent)) || 0;
      checkPlacement({ type, ancestry, openSiblings, maxSiblings, isOpen: true });
      checkParentOpen(ancestry[0]);
      if (parent) openChildren.set(parent, openSiblings + 1);
      types[index] = type;
    } catch (error) {
      if (!(error instanceof CleoError)) throw error;
      throw addEntryIndex(isAboutBatch(error, indexes) ? replaceFix(error, help) : error, index);
    }
  }
  const tasks = ids.map((id, i) => {
    const entry = entries[i]!;
    const depends = entry.depends?.map((name) => resolveRef(refs, name, i));
    return createTask(ctx, id, entry, chains.get(parents[i])?.[0], types[i], depends);
  });
  const outside = new Set<TaskId>();
  for (const { depends } of tasks) for (const id of depends) if (!indexes.has(id)) outside.add(id);
  await checkDependsExist(store, [...outside]);
  try {
    if (!isForwardOrder(tasks, indexes)) await checkNoCycle(store, tasks, 'depends');
  } catch (error) {
    throw error instanceof CleoError && isAboutBatch(error, indexes) ? replaceFix(error, help) : error;
  }
  return tasks;
}

const help = 'cleo help add-batch';

const noAncestors: Ancestor[] = [];

/** The position of each entry. */
type Indexes = Map<TaskId, number>;

/** Sorts parents before children. Entries that contain each other are not stored, so that no tree shows them. */
function sortEntries(ids: TaskId[], parents: (TaskId | undefined)[], indexes: Indexes): TaskId[] {
  try {
    return sortParentsFirst(ids, parents, indexes);
  } catch (error) {
    throw error instanceof CleoError ? replaceFix(error, help) : error;
  }
}

/** No command can show what the batch alone contains: a parent of an entry, a cycle of entries, or too many entries below one parent. */
function isAboutBatch({ row, details }: CleoError, batch: Indexes): boolean {
  const names = [details.parent, ...((details.path as string[] | undefined) ?? [])] as (TaskId | undefined)[];
  return row === 'E_SIBLING_LIMIT' || row === 'E_INVALID_PARENT_TYPE' || names.some((id) => id !== undefined && batch.has(id));
}

/** A parent with its ancestors. All entries below a parent share one chain: a copy for each would be a tenth of the memory of a batch. */
type Chains = Map<TaskId | undefined, Ancestor[]>;

function mapRefs(entries: BatchEntry[], ids: TaskId[]): Map<string, TaskId> {
  const refs = new Map<string, TaskId>();
  entries.forEach(({ ref }, i) => {
    if (ref === undefined) return;
    if (refs.has(ref)) throw addEntryIndex(new CleoError('E_ID_COLLISION', { id: ref, fix: help }), i);
    refs.set(ref, ids[i]!);
  });
  return refs;
}

/** Adds the ids of other tools that the batch names. */
async function addAliases({ store }: MutationContext, refs: Map<string, TaskId>, entries: BatchEntry[]): Promise<void> {
  const unknown: string[] = [];
  const check = (name: string): void => {
    if (!refs.has(name) && parseTaskId(name) === undefined) unknown.push(name);
  };
  for (const { parent, depends } of entries) {
    if (parent !== undefined) check(parent);
    depends?.forEach(check);
  }
  if (unknown.length === 0) return;
  for (const [name, id] of await (await import('./aliases.ts')).findTasksByAlias(store, unknown)) refs.set(name, id);
}

/** Resolves a ref of the batch, or an id. */
function resolveRef(refs: Map<string, TaskId>, name: string, index: number): TaskId {
  const id = refs.get(name) ?? parseTaskId(name);
  if (id) return id;
  throw addEntryIndex(
    new CleoError('E_INVALID_INPUT', {
      problem: `${JSON.stringify(name)} is neither a ref of this batch nor an id`,
      fix: help,
    }),
    index,
  );
}

/** Builds the chain of a parent in the batch, whose type is known, or reads that of a stored one. */
async function readChain(
  { store }: MutationContext,
  parent: TaskId,
  { indexes, types, parents, chains }: { indexes: Indexes; types: TaskType[]; parents: (TaskId | undefined)[]; chains: Chains },
): Promise<Ancestor[]> {
  const index = indexes.get(parent) ?? -1;
  const type = types[index];
  const above = chains.get(parents[index]) ?? [];
  const chain: Ancestor[] = type ? [{ id: parent, type, status: 'pending' }, ...above] : await requireAncestry(store, parent);
  chains.set(parent, chain);
  return chain;
}

/** Adds the index of the entry, from 0, to the details of an error. */
function addEntryIndex(error: CleoError, index: number): CleoError {
  error.details.entry = index;
  return error;
}
