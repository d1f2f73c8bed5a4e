import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { canonicalId, type TaskId, type TaskType } from '#core/model/scalars.ts';
import type { Ancestor } from '#store/port.ts';
import type { TaskRecord } from '../../model/task.ts';
import { checkPlacement, tierBelow } from '../../rules/hierarchy.ts';
import { checkDependsExist, checkParentOpen, type NewTask, newTask, parentChain } from './build.ts';
import { checkOrder } from './order.ts';
import { checkPlaceInScope, parentInScope } from './scope.ts';

export interface BatchEntry extends Omit<NewTask, 'depends'> {
  ref?: string | undefined;
  parent?: string | undefined;
  depends?: string[] | undefined;
}

/** The records of a batch, with their ids, each checked where it will stand: under what exists and under each other. */
export async function planBatch(ctx: MutationContext, entries: BatchEntry[]): Promise<TaskRecord[]> {
  const { store, config } = ctx;
  const ids = await store.tasks.nextIds(entries.length);
  const refs = refsOf(entries, ids);
  const entryOf = new Map(ids.map((id, i) => [id, entries[i]!]));
  const indexOf = new Map(ids.map((id, i) => [id, i]));
  const parentOf = new Map<TaskId, TaskId | undefined>();
  for (const [i, id] of ids.entries()) {
    const { parent, type } = entries[i]!;
    parentOf.set(id, parent === undefined ? ctx.session && (await parentInScope(ctx, type)) : resolve(refs, parent, i));
  }
  const places = new Map<TaskId, { type: TaskType; ancestry: Ancestor[] }>();
  const openChildren = new Map<TaskId, number>();
  const maxSiblings = config['hierarchy.maxSiblings'];
  for (const id of parentsFirst(ids, parentOf))
    try {
      const parent = parentOf.get(id);
      const ancestry = parent ? (ancestryInBatch(places, parent) ?? (await known(ctx, places, parent))) : none;
      if (parent && !entryOf.has(parent)) checkPlaceInScope(ctx.session, ancestry, parent);
      const type = entryOf.get(id)?.type ?? tierBelow(ancestry[0]?.type);
      if (parent && !openChildren.has(parent))
        openChildren.set(parent, entryOf.has(parent) ? 0 : await store.tasks.countOpenChildren(parent));
      const openSiblings = (parent && openChildren.get(parent)) || 0;
      checkPlacement({ type, ancestry, openSiblings, maxSiblings, isOpen: true });
      checkParentOpen(ancestry[0]);
      if (parent) openChildren.set(parent, openSiblings + 1);
      places.set(id, { type, ancestry });
    } catch (error) {
      throw error instanceof CleoError ? named(error, indexOf.get(id) ?? 0) : error;
    }
  const tasks = ids.map((id, i) => {
    const entry = entries[i]!;
    const place = places.get(id)!;
    return newTask(
      ctx,
      id,
      { ...entry, type: place.type, depends: (entry.depends ?? []).map((name) => resolve(refs, name, i)) },
      place.ancestry[0],
    );
  });
  await checkDependsExist(
    store,
    [...new Set(tasks.flatMap((task) => task.depends))].filter((id) => !entryOf.has(id)),
  );
  const ordered = tasks.filter((task) => task.depends.length > 0);
  if (ordered.length > 0) await checkOrder(store, tasks, 'depends');
  return tasks;
}

const none: Ancestor[] = [];

function refsOf(entries: BatchEntry[], ids: TaskId[]): Map<string, TaskId> {
  const refs = new Map<string, TaskId>();
  entries.forEach(({ ref }, i) => {
    if (ref === undefined) return;
    if (refs.has(ref)) throw named(new CleoError('E_ID_COLLISION', { id: ref, fix: 'cleo help add-batch' }), i);
    refs.set(ref, ids[i]!);
  });
  return refs;
}

/** A ref of the batch, else an id. */
function resolve(refs: Map<string, TaskId>, name: string, index: number): TaskId {
  const id = refs.get(name) ?? canonicalId(name);
  if (id) return id;
  throw named(
    new CleoError('E_INVALID_INPUT', {
      problem: `${JSON.stringify(name)} is neither a ref of this batch nor an id`,
      fix: 'cleo help add-batch',
    }),
    index,
  );
}

/** Parents before children; entries that contain each other in a circle are refused. */
function parentsFirst(ids: TaskId[], parentOf: Map<TaskId, TaskId | undefined>): TaskId[] {
  const order: TaskId[] = [];
  const state = new Map<TaskId, 'open' | 'done'>();
  for (const id of ids) {
    const chain: TaskId[] = [];
    for (let up: TaskId | undefined = id; up !== undefined && parentOf.has(up) && state.get(up) !== 'done'; up = parentOf.get(up)) {
      if (state.get(up) === 'open')
        throw new CleoError('E_CIRCULAR_REFERENCE', { path: [...chain.slice(chain.indexOf(up)), up], what: 'parent' });
      state.set(up, 'open');
      chain.push(up);
    }
    for (const one of chain.reverse()) {
      state.set(one, 'done');
      order.push(one);
    }
  }
  return order;
}

function ancestryInBatch(places: Map<TaskId, { type: TaskType; ancestry: Ancestor[] }>, id: TaskId): Ancestor[] | undefined {
  const place = places.get(id);
  return place && [{ id, type: place.type, status: 'pending' }, ...place.ancestry];
}

/** What exists is looked up once, however many entries stand under it. */
async function known(
  { store }: MutationContext,
  places: Map<TaskId, { type: TaskType; ancestry: Ancestor[] }>,
  id: TaskId,
): Promise<Ancestor[]> {
  const chain = await parentChain(store, id);
  const [self, ...ancestry] = chain;
  if (self && self.status !== 'done') places.set(id, { type: self.type, ancestry });
  return chain;
}

/** Which entry it was, counted from 0. */
function named(error: CleoError, index: number): CleoError {
  error.details.entry = index;
  return error;
}
