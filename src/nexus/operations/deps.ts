import { array, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, type QueryContext, query } from '#core/define.ts';
import { parseTaskId, type TaskId } from '#core/model/scalars.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import {
  type ProjectRegistry,
  type RegisteredProject,
  type RemoteDependency,
  type RemoteTaskId,
  type RemoteTaskRef,
  RemoteTaskRefSchema,
  UnansweredSchema,
} from '../model/nexus.ts';
import { hasPermission } from '../rules/nexus-registry.ts';
import { isValidDependency } from '../rules/nexus-wait.ts';
import { nexusReads } from './shared/nexus-steps.ts';
import { openRegistry, requireRegisteredProject } from './shared/registry.ts';
import { requireRemoteId, toRemoteTaskRef } from './shared/remote-dependency.ts';
import {
  type AskProject,
  askAll,
  findOwnEntry,
  isUnanswered,
  listReadable,
  remoteErrors,
  toTaskRef,
  warnSkipped,
  withRemoteStores,
} from './shared/remote-project.ts';

export const nexusDeps = query({
  name: 'nexus.deps',
  summary: 'Show dependencies of a task across projects',
  params: strictObject({ task: pipe(string(), description('Task id, or web:T003 for a task of another project')) }),
  paramAliases: { taskId: 'task' },
  result: strictObject({
    deps: strictObject({
      task: RemoteTaskRefSchema,
      waitsFor: array(RemoteTaskRefSchema),
      waitedForBy: array(RemoteTaskRefSchema),
      unanswered: optional(array(UnansweredSchema)),
    }),
  }),
  errors: [...remoteErrors, 'E_NOT_INITIALIZED'],
  tier: 2,
  steps: Object.values(nexusReads),
  usesHost: true,
  needs: 'nothing',
  cli: { command: 'nexus deps', args: ['task'], view: async () => (await import('../view.ts')).nexusView },
  example: { world: ['T001', 'nexus here'], call: { task: 'T001' } },
  async run(ctx, { task: taskParam }) {
    const ownId = parseTaskId(taskParam);
    const remote = ownId ? undefined : requireRemoteId(ctx, 'task', taskParam);
    const registry = (await openRegistry(ctx.platform)).read();
    return withRemoteStores(ctx, registry, async (ask) => {
      const own = findOwnEntry(ctx.platform, registry);
      const entry = remote
        ? requireRegisteredProject(registry, remote.project, (near) => ctx.commandWith({ task: `${near}:${remote.id}` }))
        : own;
      const id = (remote?.id ?? ownId) as TaskId;
      const { task, rows } = await readTask(ctx, ask, entry, id, remote);
      const waitsFor = await Promise.all(rows.filter(isValidDependency).map((row) => readWaitedFor(ask, registry, row)));
      const others = entry ? listReadable(registry).filter(({ name }) => name !== entry.name) : [];
      const { answers, unanswered } = await askAll(ask, others, nexusReads.waitingFor, () => ({ project: entry!.name, id }));
      const waitedForBy = answers.flatMap(({ project, answer }) => answer.map((hit) => toTaskRef(project.name, hit)));
      return answer(
        {
          deps: { task: toTaskRef(entry?.name ?? '', task), waitsFor, waitedForBy, ...omitEmpty({ unanswered }) },
        },
        {
          warnings: [...(entry ? [] : ['this project is not registered, so no other project can depend on it']), ...warnSkipped(registry)],
        },
      );
    });
  },
});

/** Reads a task and its dependencies on other projects. */
async function readTask(
  ctx: QueryContext,
  ask: AskProject,
  entry: RegisteredProject | undefined,
  id: TaskId,
  remote: RemoteTaskId | undefined,
) {
  const request = { id, ...defined({ project: remote?.project }) };
  // The permission of this project applies only to other projects.
  return entry && remote ? ask(entry, nexusReads.links, request) : ctx.runStep(nexusReads.links, request);
}

/** Reads the current state of a dependency. If it cannot be read, returns the state at the last sync; for a closed project, only the id. */
async function readWaitedFor(ask: AskProject, { projects }: ProjectRegistry, row: RemoteDependency): Promise<RemoteTaskRef> {
  const { project, remoteId: id } = row;
  const entry = projects.find(({ name }) => name === project);
  if (entry && !hasPermission(entry.permission, 'read')) return { project, id, note: 'the project is closed' };
  if (!entry) return { ...toRemoteTaskRef(row), seenAt: row.syncedAt, note: 'the project is not registered' };
  try {
    const [hit] = await ask(entry, nexusReads.hits, { ids: [id] });
    if (!hit) return { project, id, title: row.remoteTitle, seenAt: row.syncedAt, note: 'no longer exists' };
    const isNews = hit.status !== row.remoteStatus;
    return { ...toTaskRef(project, hit), ...(isNews ? { note: `was ${row.remoteStatus} at the last sync` } : {}) };
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    return { ...toRemoteTaskRef(row), seenAt: row.syncedAt, note: error.message };
  }
}
