import { answer, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { SearchText } from '#core/model/search-texts.ts';
import { limitParam } from '#core/page.ts';
import { omitEmpty } from '#lib/collections.ts';
import { maxCounted, toTruncation } from '#lib/page.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import '../errors.ts';
import { array, description, optional, pipe, strictObject } from 'valibot';
import { type RemoteTask, RemoteTaskSchema, type Unanswered, UnansweredSchema } from '../model/nexus.ts';
import { interleave, parseNexusQuery, querySyntax } from '../rules/nexus-query.ts';
import { nexusReads } from './shared/nexus-steps.ts';
import { openRegistry, requireRegisteredProject } from './shared/registry.ts';
import { askAll, listReadable, remoteErrors, warnSkipped, withRemoteStores } from './shared/remote-project.ts';

export const nexusQuery = query({
  name: 'nexus.query',
  summary: 'Show a task of another project, or search projects',
  params: strictObject({ query: pipe(SearchText, description(querySyntax)), limit: limitParam(20) }),
  result: strictObject({ tasks: array(RemoteTaskSchema), unanswered: optional(array(UnansweredSchema)) }),
  errors: [...remoteErrors, 'E_VALIDATION'],
  tier: 2,
  steps: Object.values(nexusReads),
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
        const task = await ask(requireRegisteredProject(registry, name, retry), nexusReads.task, { project: name, id: parsed.id });
        return { tasks: [task] };
      }
      const search = { text: parsed.text, limit, maxCounted };
      if (name !== '*') {
        const project = requireRegisteredProject(registry, name, retry);
        return mergeAnswers([{ project, answer: await ask(project, nexusReads.search, search) }], limit, []);
      }
      const { answers, unanswered } = await askAll(ask, listReadable(registry), nexusReads.search, () => search);
      if (answers.length === 0 && unanswered[0]) throw new CleoError('E_NEXUS_QUERY_FAILED', { ...unanswered[0], fix: 'cleo nexus list' });
      return mergeAnswers(answers, limit, warnSkipped(registry, unanswered), unanswered);
    });
  },
});

function mergeAnswers(
  answers: { project: { name: string }; answer: { hits: TaskHit[]; total: number } }[],
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
