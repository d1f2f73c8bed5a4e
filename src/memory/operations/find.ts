import { array, description, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { Label, SearchText } from '#core/model/search-texts.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { defined } from '#lib/collections.ts';
import { checkTaskExists } from '#tasks/operations/shared/require.ts';
import { ConfirmationStateSchema, MemorySummary, MemoryTypeSchema } from '../model/memory.ts';
import { toMemorySummary } from '../rules/memory-view.ts';
import { nearParam, searchMemory } from './shared/search.ts';

export const memoryFind = query({
  name: 'memory.find',
  aliases: ['memory.list'],
  summary: 'Find memory entries, best match first',
  params: strictObject({
    term: optional(pipe(SearchText, description('Words in title, content or tags; prefixes and typos match too'))),
    type: optional(pipe(MemoryTypeSchema, description('Only entries of this type'))),
    state: optional(pipe(ConfirmationStateSchema, description('Only entries in this state'))),
    task: optional(pipe(TaskIdSchema, description('Only entries about this task'))),
    tag: optional(pipe(Label, description('Only entries with this tag'))),
    near: nearParam,
    ...pageParams(20),
  }),
  paramAliases: { query: 'term', taskId: 'task' },
  synonyms: ['search', 'query'],
  result: strictObject({ memories: array(MemorySummary) }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  cli: { command: ['memory find', 'memory list'], args: ['term'], view: async () => (await import('../view.ts')).memoryView },
  example: { world: ['memory decision accepted: Tokens are structs', 'memory observation: The lexer is slow'], call: { term: 'tokens' } },
  async run({ store }, { term, near, limit, offset, budget, ...filters }) {
    await checkTaskExists(store, filters.task);
    const page = { limit, offset, budget };
    const { hits, count } = await searchMemory(store, term?.trim(), defined(filters), page, near);
    return answerPage({ memories: hits.map(toMemorySummary) }, hits.length, page, count);
  },
});
