import { array, boolean, description, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { Label, SearchText, TaskId } from '#core/model/scalars.ts';
import { paged, pageParams } from '#core/page.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import { ConfirmationState, MemorySummary, MemoryType } from '../model/memory.ts';
import { summaryOf } from '../rules/memory-view.ts';
import { searchMemory } from './shared/search.ts';

export const memoryFind = query({
  name: 'memory.find',
  aliases: ['memory.list'],
  summary: 'Find entries by words, best match first; without words, the newest',
  params: strictObject({
    term: optional(pipe(SearchText, description('Words in title, content or tags; beginnings and typos are found too'))),
    type: optional(pipe(MemoryType, description('Only this type'))),
    state: optional(pipe(ConfirmationState, description('Only those in this state'))),
    task: optional(pipe(TaskId, description('Only those about this task'))),
    tag: optional(pipe(Label, description('Only those with this tag'))),
    near: optional(pipe(boolean(), description('Also what has only some of the words, or words like them'))),
    ...pageParams(20),
  }),
  paramAliases: { query: 'term', taskId: 'task' },
  result: strictObject({ memories: array(MemorySummary) }),
  errors: ['E_NOT_FOUND'],
  tier: 0,
  cli: { command: ['memory find', 'memory list'], args: ['term'] },
  example: { world: ['memory decision accepted: Tokens are structs', 'memory observation: The lexer is slow'], call: { term: 'tokens' } },
  async run({ store }, { term, near, limit, offset, budget, ...given }) {
    if (given.task && !(await store.tasks.exists(given.task))) throw await notFound(store, given.task);
    const page = { limit, offset, budget };
    const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const { hits, count } = await searchMemory(store, term?.trim() || undefined, filter, page, near);
    return paged({ memories: hits.map(summaryOf) }, hits.length, page, count);
  },
});
