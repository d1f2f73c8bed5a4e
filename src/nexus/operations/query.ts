import '../errors.ts';
import { array, description, optional, pipe, strictObject } from 'valibot';
import { answer, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { SearchText, type TaskId } from '#core/model/scalars.ts';
import { limitParam } from '#core/page.ts';
import { countedTo, cutOf } from '#lib/page.ts';
import type { ReadStore } from '#store/port.ts';
import { searchTasks } from '#tasks/operations/shared/search.ts';
import { wholeTask } from '#tasks/rules/view.ts';
import { FarTask, Unanswered } from '../model/nexus.ts';
import { inTurn, parseQuery, querySyntax } from '../rules/nexus-query.ts';
import { askAll, asking, closedWarning, notThere, reachErrors, readable } from './shared/far.ts';
import { registryOf, requireProject } from './shared/registry.ts';

export const nexusQuery = query({
  name: 'nexus.query',
  summary: 'Show a task of another project, or search one project or all of them',
  params: strictObject({ query: pipe(SearchText, description(querySyntax)), limit: limitParam(20) }),
  result: strictObject({ tasks: array(FarTask), unanswered: optional(array(Unanswered)) }),
  errors: [...reachErrors, 'E_VALIDATION'],
  tier: 2,
  scope: 'admin',
  needs: 'nothing',
  cli: { command: 'nexus query', args: ['query'], variadic: true },
  example: { world: ['T001: Write the parser', 'nexus here'], call: { query: 'here:parser' } },
  async run(ctx, { query, limit }) {
    const asked = parseQuery(query);
    if ('problem' in asked) {
      const fix = asked.meant ? ctx.commandWith({ query: asked.meant }) : 'cleo help nexus query';
      throw new CleoError('E_NEXUS_INVALID_SYNTAX', { query, problem: asked.problem, fix, syntax: querySyntax });
    }
    const registry = (await registryOf(ctx.platform)).read();
    const { project: name } = asked;
    return asking(ctx, registry, async (ask) => {
      const retry = (near: string) => ctx.commandWith({ query: `${near}:${'id' in asked ? asked.id : asked.text}` });
      if ('id' in asked) {
        const task = await ask(requireProject(registry, { name, retry }), (store) => taskThere(store, name, asked.id));
        return { tasks: [task] };
      }
      const search = (store: ReadStore) => found(store, asked.text, limit);
      if (name !== '*') {
        const project = requireProject(registry, { name, retry });
        const { hits, total } = await ask(project, search);
        return page([{ project, answer: { hits, total } }], limit, []);
      }
      const { answers, unanswered } = await askAll(ask, readable(registry), search);
      if (answers.length === 0 && unanswered[0]) throw new CleoError('E_NEXUS_QUERY_FAILED', { ...unanswered[0], fix: 'cleo nexus list' });
      return page(answers, limit, closedWarning(registry), unanswered);
    });
  },
});

type Found = Awaited<ReturnType<typeof found>>;

async function found(store: ReadStore, text: string, limit: number) {
  const { hits, count } = await searchTasks(store, text, { archived: 'no' }, { limit, offset: 0 });
  return { hits, total: hits.length < limit ? hits.length : await count(countedTo) };
}

function page(answers: { project: { name: string }; answer: Found }[], limit: number, warnings: string[], unanswered: Unanswered[] = []) {
  const tasks = inTurn(
    answers.map(({ project, answer: { hits } }) => hits.map((hit): FarTask => ({ project: project.name, ...hit }))),
    limit,
  );
  const total = answers.reduce((sum, each) => sum + each.answer.total, 0);
  return answer(
    { tasks, ...(unanswered.length > 0 ? { unanswered } : {}) },
    {
      ...(tasks.length === 0 ? { exit: 100 as const } : {}),
      truncated: cutOf(tasks.length, total),
      warnings: [...warnings, ...unanswered.map(({ project, problem }) => `${project} gave no answer: ${problem}`)],
    },
  );
}

async function taskThere(store: ReadStore, project: string, id: TaskId): Promise<FarTask> {
  const task = await store.tasks.get(id);
  if (!task) throw await notThere(store, { project, id });
  const around = {
    ancestry: await store.tasks.ancestry(id),
    children: await store.tasks.children(id),
    notes: (await store.tasks.notes([id])).get(id) ?? [],
    relations: await store.tasks.relations(id),
  };
  return { project, ...wholeTask(task, around) };
}
