import '../errors.ts';
import { alreadyExists, answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { findCycle } from '#tasks/rules/order.ts';
import { formatRemoteId, type ProjectRegistry, type RemoteDependency, type RemoteTaskId } from '../model/nexus.ts';
import { readCrossProjectLinks } from './shared/cross-project-links.ts';
import { nexusReads, nexusWrites } from './shared/nexus-steps.ts';
import { openRegistry, requireRegisteredProject } from './shared/registry.ts';
import { DependParams, DependResult, requireRemoteId, toRemoteTaskRef, toWaitingTaskReceipt } from './shared/remote-dependency.ts';
import { type AskProject, findOwnEntry, remoteErrors, withRemoteStores } from './shared/remote-project.ts';

export const nexusDepsAdd = job({
  name: 'nexus.deps.add',
  summary: 'Add a dependency on a task of another project',
  params: DependParams,
  result: DependResult,
  errors: [...remoteErrors, 'E_NEXUS_GRAPH_ERROR', 'E_TASK_COMPLETED', 'E_TASK_CLAIMED', 'E_TASK_NOT_IN_SCOPE', 'E_VALIDATION'],
  tier: 2,
  steps: [...Object.values(nexusReads), nexusWrites.depend],
  usesHost: true,
  cli: { command: 'nexus deps add', args: ['taskId', 'on'], view: async () => (await import('../view.ts')).nexusView },
  example: { world: ['T001', 'nexus web T003'], call: { taskId: 'T001', on: 'web:T003' } },
  async run(ctx, { taskId, on }) {
    const remote = requireRemoteId(ctx, 'on', on);
    const registry = (await openRegistry(ctx.platform)).read();
    await ctx.runStep(nexusReads.links, { id: taskId });
    const { dependency, warnings } = await withRemoteStores(ctx, registry, (ask) => readDependency(ctx, ask, registry, taskId, remote));
    const { task, isNew } = await ctx.runStep(nexusWrites.depend, dependency);
    const result = { task: toWaitingTaskReceipt(task), on: toRemoteTaskRef(dependency) };
    return isNew ? answer(result, { warnings }) : alreadyExists(result);
  },
});

/** Reads the remote task and checks that the dependency is allowed. */
async function readDependency(
  ctx: JobContext,
  ask: AskProject,
  registry: ProjectRegistry,
  taskId: TaskId,
  remote: RemoteTaskId,
): Promise<{ dependency: RemoteDependency; warnings: string[] }> {
  const entry = requireRegisteredProject(registry, remote.project, (near) => ctx.commandWith({ on: `${near}:${remote.id}` }));
  const own = findOwnEntry(ctx.platform, registry);
  if (entry.name === own?.name)
    throw new CleoError('E_VALIDATION', {
      field: 'on',
      problem: `is a task of this project, which is registered as ${own.name}`,
      fix: `cleo update ${taskId} --add-depends ${remote.id}`,
    });
  const { task: hit } = await ask(entry, nexusReads.links, remote);
  const dependency = {
    taskId,
    project: remote.project,
    remoteId: remote.id,
    remoteTitle: hit.title,
    remoteStatus: hit.status,
    syncedAt: ctx.now,
  };
  // No project can depend on an unregistered one, so there cannot be a cycle.
  if (!own) return { dependency, warnings: [] };
  const from = { project: own.name, id: taskId };
  const { links, unreadProjects } = await readCrossProjectLinks(ask, registry, [from], { from, to: remote });
  const path = findCycle([formatRemoteId(from)], links);
  if (path) throw new CleoError('E_NEXUS_GRAPH_ERROR', { path, fix: `cleo nexus deps ${taskId}` });
  return { dependency, warnings: unreadProjects.map((name) => `${name} could not be read; a cycle through it would go unnoticed`) };
}
