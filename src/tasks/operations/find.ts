import { array, custom, description, metadata, optional, pipe, strictObject, transform } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { SearchText } from '#core/model/search-texts.ts';
import { answerPage, pageParams } from '#core/page.ts';
import type { SearchResult } from '#core/search.ts';
import { type TaskHit, TaskHitSchema } from '../model/task.ts';
import { toTaskHit } from '../rules/view.ts';
import { resolveTaskFilter, taskFilterParams } from './shared/filter.ts';
import { searchTasks } from './shared/search.ts';

const idPrefixPattern = /^\s*(?:SG-|E-|T-)?T?(\d{1,15})\s*$/i;

const IdPrefix = pipe(
  custom<string | number>(
    (value) => (typeof value === 'string' || typeof value === 'number') && idPrefixPattern.test(String(value)),
    'Expected an id or its first digits, such as 14 or T014',
  ),
  transform((value) => idPrefixPattern.exec(String(value))![1]!),
  metadata({ jsonSchema: { type: ['string', 'integer'] }, value: 'N' }),
);

export const tasksFind = query({
  name: 'tasks.find',
  summary: 'Find tasks by text, id prefix or filters',
  params: strictObject({
    query: optional(pipe(SearchText, description('Words in title, description, labels or notes; prefixes and typos match too'))),
    id: optional(pipe(IdPrefix, description('Digits that the id begins with'))),
    ...taskFilterParams,
    ...pageParams(20),
  }),
  synonyms: ['search', 'query', 'grep'],
  result: strictObject({ tasks: array(TaskHitSchema) }),
  errors: ['E_INVALID_INPUT', 'E_NOT_FOUND'],
  tier: 0,
  cli: { command: 'find', args: ['query'] },
  example: { world: ['T001: Write the parser', 'T002: Test the lexer'], call: { query: 'parser' } },
  async run(ctx, { query, id, limit, offset, budget, ...filterParams }) {
    const { store } = ctx;
    const page = { limit, offset, budget };
    const text = query?.trim() || undefined;
    if (text && id)
      throw new CleoError('E_INVALID_INPUT', {
        problem: 'find takes a query or an id, not both',
        fix: `cleo find --id ${id}`,
        field: 'id',
      });
    if (!text && !id && Object.values(filterParams).every((value) => value === undefined || value === false))
      throw new CleoError('E_INVALID_INPUT', { problem: 'find needs a query, an id or a filter', fix: 'cleo help find', field: 'query' });
    const filter = await resolveTaskFilter(ctx, filterParams);
    const { hits, count }: SearchResult<TaskHit> = text
      ? await searchTasks(store, text, filter, page)
      : id
        ? {
            hits: await store.tasks.findByIdPrefix(id, filter, page),
            count: (atMost) => store.tasks.countByIdPrefix(id, filter, atMost),
          }
        : {
            hits: (await store.tasks.list(filter, 'id', page)).map(toTaskHit),
            count: (atMost) => store.tasks.count(filter, atMost),
          };
    return answerPage({ tasks: hits }, hits.length, page, count);
  },
});
