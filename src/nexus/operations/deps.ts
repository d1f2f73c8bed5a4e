import { array, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, type QueryContext, query } from '#core/define.ts';
import { canonicalId, type TaskId } from '#core/model/scalars.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import { type FarDepend, FarEnd, type FarId, type RegisteredProject, type Registry, Unanswered } from '../model/nexus.ts';
import { permits } from '../rules/nexus-registry.ts';
import { isSound } from '../rules/nexus-wait.ts';
import { endOf, farIdOf } from './shared/depends.ts';
import { type Ask, askAll, asking, closedWarning, isUnanswered, notThere, ownEntry, reachErrors, readable } from './shared/far.ts';
import { registryOf, requireProject } from './shared/registry.ts';

export const nexusDeps = query({
  name: 'nexus.deps',
  summary: 'Show what a task waits for in other projects, and what waits for it there',
  params: strictObject({ task: pipe(string(), description('The task: T001, or web:T003 for one of another project')) }),
  paramAliases: { taskId: 'task' },
  result: strictObject({
    deps: strictObject({
      task: FarEnd,
      waitsFor: array(FarEnd),
      waitedForBy: array(FarEnd),
      unanswered: optional(array(Unanswered)),
    }),
  }),
  errors: [...reachErrors, 'E_NOT_INITIALIZED'],
  tier: 2,
  scope: 'admin',
  needs: 'nothing',
  cli: { command: 'nexus deps', args: ['task'] },
  example: { world: ['T001', 'nexus here'], call: { task: 'T001' } },
  async run(ctx, { task: named }) {
    const ownId = canonicalId(named);
    const far = ownId ? undefined : farIdOf(ctx, 'task', named);
    const registry = (await registryOf(ctx.platform)).read();
    return asking(ctx, registry, async (ask) => {
      const own = ownEntry(ctx.platform, registry);
      const entry = far
        ? requireProject(registry, { name: far.project, retry: (near) => ctx.commandWith({ task: `${near}:${far.id}` }) })
        : own;
      const id = (far?.id ?? ownId) as TaskId;
      const { task, rows } = await middle(ctx, ask, entry, id, far);
      const waitsFor = await Promise.all(rows.filter(isSound).map((row) => upstream(ask, registry, row)));
      const others = entry ? readable(registry).filter(({ name }) => name !== entry.name) : [];
      const { answers, unanswered } = await askAll(ask, others, (store) => store.nexus.waitingFor(entry!.name, id));
      const waitedForBy = answers.flatMap(({ project, answer }) => answer.map((hit) => shown(project.name, hit)));
      return answer(
        {
          deps: {
            task: shown(entry?.name ?? '', task),
            waitsFor,
            waitedForBy,
            ...(unanswered.length > 0 ? { unanswered } : {}),
          },
        },
        { warnings: [...(entry ? [] : ['this project is not registered, so no other can wait for it']), ...closedWarning(registry)] },
      );
    });
  },
});

/** The task in the middle, and what it waits for in other projects. */
async function middle(ctx: QueryContext, ask: Ask, entry: RegisteredProject | undefined, id: TaskId, far: FarId | undefined) {
  // A task of this project is its own business, whatever it allows to others.
  const read = entry && far ? <T>(work: Parameters<typeof ask<T>>[1]) => ask(entry, work) : ctx.read;
  return read(async (store) => {
    const task = await store.tasks.hit(id);
    if (!task) throw await (far ? notThere(store, far) : notFound(store, id));
    return { task, rows: await store.nexus.of(id) };
  });
}

/** As it is now; where it cannot be read, as it was seen last; where nobody may look, only its name. */
async function upstream(ask: Ask, { projects }: Registry, row: FarDepend): Promise<FarEnd> {
  const { project, farId: id } = row;
  const entry = projects.find(({ name }) => name === project);
  if (entry && !permits(entry.permission, 'read')) return { project, id, note: 'the project is closed' };
  if (!entry) return { ...endOf(row), seenAt: row.syncedAt, note: 'the project is not registered' };
  try {
    const hit = await ask(entry, (store) => store.tasks.hit(id));
    if (!hit) return { project, id, title: row.farTitle, seenAt: row.syncedAt, note: 'is not there any more' };
    const isNews = hit.status !== row.farStatus;
    return { ...shown(project, hit), ...(isNews ? { note: `was ${row.farStatus} at the last sync` } : {}) };
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    return { ...endOf(row), seenAt: row.syncedAt, note: error.message };
  }
}

const shown = (project: string, { id, title, status }: TaskHit): FarEnd => ({ project, id, title, status });
