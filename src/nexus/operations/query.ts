import '../errors.ts';
import { array, description, optional, pipe, strictObject } from 'valibot';
import { answer, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { SearchText } from '#core/model/texts.ts';
import { limitParam } from '#core/page.ts';
import { omitEmpty } from '#lib/defined.ts';
import { maxCounted, toTruncation } from '#lib/page.ts';
import type { ReadStore } from '#store/port/store.ts';
import { searchTasks } from '#tasks/operations/shared/search.ts';
import { toTask } from '#tasks/rules/view.ts';
import { type RemoteTask, RemoteTaskSchema, type Unanswered, UnansweredSchema } from '../model/nexus.ts';
import { interleave, parseNexusQuery, querySyntax } from '../rules/nexus-query.ts';
import { openRegistry, requireRegisteredProject } from './shared/registry.ts';
import { askAll, createRemoteNotFoundError, listReadable, remoteErrors, warnSkipped, withRemoteStores } from './shared/remote-project.ts';

export const nexusQuery = query({
  name: 'nexus.query',
  summary: 'Show a task of another project, or search projects',
  params: strictObject({ query: pipe(SearchText, description(querySyntax)), limit: limitParam(20) }),
  result: strictObject({ tasks: array(RemoteTaskSchema), unanswered: optional(array(UnansweredSchema)) }),
  errors: [...remoteErrors, 'E_VALIDATION'],
  tier: 2,
  runsOn: 'both',
  usesHost: true,
  needs: 'nothing',
  cli: { command: 'nexus query', args: ['query'], variadic: true, view: async () => (await import('../view.ts')).nexusView },
  example: { world: ['T001: Write the parser', 'nexus here'], call: { query: 'here:parser' } },
  async run(ctx, { query, limit }) {
    const parsed = parseNexusQuery(query);
    if ('problem' in parsed) {
      const fix = parsed.suggestion ? ctx.commandWith({ query: parsed.suggestion }) : 'cleo help nexus query';
      throw new CleoError('E_NEXUS_INVALID_SYNTAX', { query, problem: parsed.problem, fix, syntax: querySyntax });
    }
    const registry = (await openRegistry(ctx.platform)).read();
    const { project: name } = parsed;
    return withRemoteStores(ctx, registry, async (ask) => {
      const retry = (near: string) => ctx.commandWith({ query: `${near}:${'id' in parsed ? parsed.id : parsed.text}` });
      if ('id' in parsed) {
        const task = await ask(requireRegisteredProject(registry, name, retry), (store) => readRemoteTask(store, name, parsed.id));
        return { tasks: [task] };
      }
      const search = (store: ReadStore) => searchProject(store, parsed.text, limit);
      if (name !== '*') {
        const project = requireRegisteredProject(registry, name, retry);
        return mergeAnswers([{ project, answer: await ask(project, search) }], limit, []);
      }
      const { answers, unanswered } = await askAll(ask, listReadable(registry), search);
      if (answers.length === 0 && unanswered[0]) throw new CleoError('E_NEXUS_QUERY_FAILED', { ...unanswered[0], fix: 'cleo nexus list' });
      return mergeAnswers(answers, limit, warnSkipped(registry, unanswered), unanswered);
    });
  },
});

async function searchProject(store: ReadStore, text: string, limit: number) {
  const { hits, count } = await searchTasks(store, text, { archived: 'no' }, { limit, offset: 0 });
  return { hits, total: hits.length < limit ? hits.length : await count(maxCounted) };
}

function mergeAnswers(
  answers: { project: { name: string }; answer: Awaited<ReturnType<typeof searchProject>> }[],
  limit: number,
  warnings: string[],
  unanswered: Unanswered[] = [],
) {
  const tasks = interleave(
    answers.map(({ project, answer: { hits } }) => hits.map((hit): RemoteTask => ({ project: project.name, ...hit }))),
    limit,
  );
  const total = answers.reduce((sum, each) => sum + each.answer.total, 0);
  return answer(
    { tasks, ...omitEmpty({ unanswered }) },
    {
      ...(tasks.length === 0 ? { exit: 100 as const } : {}),
      truncated: toTruncation(tasks.length, total),
      warnings,
    },
  );
}

async function readRemoteTask(store: ReadStore, project: string, id: TaskId): Promise<RemoteTask> {
  const task = await store.tasks.get(id);
  if (!task) throw await createRemoteNotFoundError(store, { project, id });
  const context = {
    ancestry: await store.tasks.getAncestry(id),
    children: await store.tasks.listChildren(id),
    notes: (await store.tasks.getNotes([id])).get(id) ?? [],
    relations: await store.tasks.listRelations(id),
  };
  return { project, ...toTask(task, context) };
}
