import '../errors.ts';
import { description, pipe, strictObject, string } from 'valibot';
import { alreadyThere, answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskId } from '#core/model/scalars.ts';
import { blockTask } from '#tasks/operations/shared/moves.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { circle } from '#tasks/rules/order.ts';
import { type FarDepend, type FarId, farName, type Registry } from '../model/nexus.ts';
import { waitText } from '../rules/nexus-wait.ts';
import { linksAcross } from './shared/across.ts';
import { DependResult, endOf, farIdOf, follow, inside, taskReceipt } from './shared/depends.ts';
import { type Ask, asking, notThere, ownEntry, reachErrors } from './shared/far.ts';
import { registryOf, requireProject } from './shared/registry.ts';

export const nexusDepsAdd = job({
  name: 'nexus.deps.add',
  summary: 'Let a task wait for a task of another project; it is blocked until nexus sync finds that one done',
  params: strictObject({
    taskId: pipe(TaskId, description('The task that waits')),
    on: pipe(string(), description('What it waits for, e.g. web:T003')),
  }),
  result: DependResult,
  errors: [...reachErrors, 'E_NEXUS_GRAPH_ERROR', 'E_TASK_COMPLETED', 'E_TASK_CLAIMED', 'E_TASK_NOT_IN_SCOPE', 'E_VALIDATION'],
  tier: 2,
  scope: 'admin',
  cli: { command: 'nexus deps add', args: ['taskId', 'on'] },
  example: { world: ['T001', 'nexus web T003'], call: { taskId: 'T001', on: 'web:T003' } },
  async run(ctx, { taskId, on }) {
    const far = farIdOf(ctx, 'on', on);
    const registry = (await registryOf(ctx.platform)).read();
    await ctx.read((store) => requireTask(store, taskId));
    const { depend, warnings } = await asking(ctx, registry, (ask) => seen(ctx, ask, registry, taskId, far));
    const { task, isNew } = await ctx.write(async (store) => {
      const within = inside(ctx, store);
      const task = await requireTask(store, taskId);
      await checkScope(within, taskId);
      if (task.status === 'done') throw new CleoError('E_TASK_COMPLETED', { taskId, act: 'letting it wait', fix: `cleo reopen ${taskId}` });
      const before = await store.nexus.of(taskId);
      if (before.some(({ project, farId }) => project === far.project && farId === far.id)) return { task, isNew: false };
      await store.nexus.put(depend);
      const after = [...before, depend];
      const reason = waitText(after);
      // Who lets a task wait that is being worked on stops the work.
      if (task.status === 'active' && reason) return { task: await blockTask(within, task, reason), isNew: true };
      return { task: (await follow(store, task, before, after)).task, isNew: true };
    });
    const result = { task: taskReceipt(task), on: endOf(depend) };
    return isNew ? answer(result, { warnings }) : alreadyThere(result);
  },
});

/** The far task as it is now, once nothing speaks against waiting for it. */
async function seen(
  ctx: JobContext,
  ask: Ask,
  registry: Registry,
  taskId: TaskId,
  far: FarId,
): Promise<{ depend: FarDepend; warnings: string[] }> {
  const entry = requireProject(registry, { name: far.project, retry: (near) => ctx.commandWith({ on: `${near}:${far.id}` }) });
  const own = ownEntry(ctx.platform, registry);
  if (entry.name === own?.name)
    throw new CleoError('E_VALIDATION', {
      field: 'on',
      problem: `is a task of this project, which is registered as ${own.name}`,
      fix: `cleo update ${taskId} --add-depends ${far.id}`,
    });
  const hit = await ask(entry, async (store) => {
    const found = await store.tasks.hit(far.id);
    if (!found) throw await notThere(store, far);
    return found;
  });
  const depend = { taskId, project: far.project, farId: far.id, farTitle: hit.title, farStatus: hit.status, syncedAt: ctx.now };
  // Nobody can wait for a project that is not registered, so nothing leads back to it.
  if (!own) return { depend, warnings: [] };
  const from = { project: own.name, id: taskId };
  const { links, unseen } = await linksAcross(ask, registry, [from], { from, to: far });
  const path = circle([farName(from)], links);
  if (path) throw new CleoError('E_NEXUS_GRAPH_ERROR', { path, fix: `cleo nexus deps ${taskId}` });
  return { depend, warnings: unseen.map((name) => `${name} could not be looked into; a circle through it would not be seen`) };
}
