import { readStep, writeStep } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import { createNotFoundError, requireTask } from '#tasks/operations/shared/require.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { searchTasks } from '#tasks/operations/shared/search.ts';
import { blockTask } from '#tasks/operations/shared/task-transitions.ts';
import { toTask } from '#tasks/rules/view.ts';
import '../../errors.ts';
import { array, number, object, optional, string, tuple } from 'valibot';
import type { RemoteDependency, RemoteTask } from '../../model/nexus.ts';
import { formatRemoteEnd, formatWaitReason, isValidDependency } from '../../rules/nexus-wait.ts';
import { updateWaitState } from './remote-dependency.ts';
import { createRemoteNotFoundError } from './remote-project.ts';
import { syncStore } from './sync-store.ts';

const Ids = array(TaskIdSchema);
const DependencySchema = object({
  taskId: TaskIdSchema,
  project: string(),
  remoteId: TaskIdSchema,
  remoteTitle: string(),
  remoteStatus: string(),
  syncedAt: string(),
});

/** Reads of one project by operations across projects. They use only the store of their context, so that they also read the stores of other
 *  projects. */
export const nexusReads = {
  /** A task with its details; `project` is its name in the error. */
  task: readStep({
    name: 'task',
    params: object({ project: string(), id: TaskIdSchema }),
    async run({ store }, { project, id }): Promise<RemoteTask> {
      const task = await store.tasks.get(id);
      if (!task) throw await createRemoteNotFoundError(store, { project, id });
      const context = {
        ancestry: await store.tasks.getAncestry(id),
        children: await store.tasks.listChildren(id),
        notes: (await store.tasks.getNotes([id])).get(id) ?? [],
        relations: await store.tasks.listRelations(id),
      };
      return { project, ...toTask(task, context) };
    },
  }),
  search: readStep({
    name: 'search',
    params: object({ text: string(), limit: number(), maxCounted: number() }),
    async run({ store }, { text, limit, maxCounted }) {
      const { hits, count } = await searchTasks(store, text, { archived: 'no' }, { limit, offset: 0 });
      return { hits, total: hits.length < limit ? hits.length : await count(maxCounted) };
    },
  }),
  /** A task in short, with its dependencies on other projects. `project` is its name in the error; without one it is a task of the caller's. */
  links: readStep({
    name: 'links',
    params: object({ project: optional(string()), id: TaskIdSchema }),
    async run({ store }, { project, id }) {
      const task = await store.tasks.getHit(id);
      if (!task) throw await (project === undefined ? createNotFoundError(store, id) : createRemoteNotFoundError(store, { project, id }));
      return { task, rows: await store.nexus.listForTask(id) };
    },
  }),
  waitingFor: readStep({
    name: 'waiting-for',
    params: object({ project: string(), id: TaskIdSchema }),
    run: ({ store }, { project, id }) => store.nexus.listWaitingFor(project, id),
  }),
  hits: readStep({ name: 'hits', params: object({ ids: Ids }), run: ({ store }, { ids }) => store.tasks.getHits(ids) }),
  /** All dependencies on other projects. */
  dependencies: readStep({ name: 'dependencies', params: object({}), run: ({ store }) => store.nexus.list() }),
  /** The prerequisites of tasks that are to begin, and the children of those that have to finish. */
  prerequisites: readStep({
    name: 'prerequisites',
    params: object({ begin: Ids, finish: Ids }),
    async run({ store }, { begin, finish }) {
      const links = await store.tasks.getLinks(begin);
      const remote = await Promise.all(
        links.map(async ({ id }) => (await store.nexus.listForTask(id)).filter(isValidDependency).map(formatRemoteEnd)),
      );
      return { links: links.map((link, i) => ({ ...link, remote: remote[i]! })), children: await store.tasks.listChildIds(finish) };
    },
  }),
};

export const nexusWrites = {
  /** Adds a dependency, and blocks the task if it has to wait. */
  depend: writeStep({
    name: 'depend',
    params: DependencySchema,
    async run(ctx, dependency) {
      const { store } = ctx;
      const { taskId, project, remoteId } = dependency;
      const task = await requireTask(store, taskId);
      await checkScope(ctx, taskId);
      if (task.status === 'done')
        throw new CleoError('E_TASK_COMPLETED', { taskId, act: 'adding a dependency', fix: `cleo reopen ${taskId}` });
      const before = await store.nexus.listForTask(taskId);
      if (before.some((each) => each.project === project && each.remoteId === remoteId)) return { task, isNew: false };
      await store.nexus.save(dependency);
      const after: RemoteDependency[] = [...before, dependency];
      const reason = formatWaitReason(after);
      // A new open dependency stops the work on an active task.
      if (task.status === 'active' && reason) return { task: await blockTask(ctx, task, reason), isNew: true };
      return { task: (await updateWaitState(store, task, before, after)).task, isNew: true };
    },
  }),
  /** Updates the state of the dependencies, with the tasks of other projects by their names. */
  sync: writeStep({
    name: 'sync',
    params: object({ tasks: array(tuple([string(), array(object({ id: TaskIdSchema, title: string(), status: string() }))])) }),
    run: ({ store, now }, { tasks }) =>
      syncStore(store, new Map(tasks.map(([name, hits]) => [name, new Map(hits.map((hit) => [hit.id, hit as TaskHit]))])), now),
  }),
};
