import { array, description, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { SearchText } from '#core/model/search-texts.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { defined } from '#lib/collections.ts';
import { checkTaskExists } from '#tasks/operations/shared/require.ts';
import { ConfirmationStateSchema, MemorySummary } from '../model/memory.ts';
import { toMemorySummary } from '../rules/memory-view.ts';
import { nearParam, searchMemory } from './shared/search.ts';

export const memoryDecisionFind = query({
  name: 'memory.decision-find',
  aliases: ['memory.decision.find'],
  summary: 'Find decisions by words or by epic',
  params: strictObject({
    query: optional(pipe(SearchText, description('Words in title, content or tags'))),
    epic: optional(pipe(TaskIdSchema, description('Only decisions about this epic or a task inside it'))),
    state: optional(pipe(ConfirmationStateSchema, description('Only decisions in this state'))),
    near: nearParam,
    ...pageParams(20),
  }),
  paramAliases: { term: 'query', epicId: 'epic' },
  result: strictObject({ decisions: array(MemorySummary) }),
  errors: ['E_INVALID_INPUT', 'E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'memory decision-find', view: async () => (await import('../view.ts')).memoryView },
  example: { world: ['T001 epic', 'T002 in T001', 'memory decision about T002: Tokens are structs'], call: { epic: 'T001' } },
  async run({ store }, { query: text, epic, state, near, limit, offset, budget }) {
    const words = text?.trim();
    if (!words && !epic)
      throw new CleoError('E_INVALID_INPUT', {
        problem: 'decision-find needs `query` or `epic`',
        fix: 'cleo memory find --type decision',
        field: 'query',
      });
    await checkTaskExists(store, epic);
    const page = { limit, offset, budget };
    const filter = { type: 'decision' as const, ...defined({ inside: epic, state }) };
    const { hits, count } = await searchMemory(store, words, filter, page, near);
    return answerPage({ decisions: hits.map(toMemorySummary) }, hits.length, page, count);
  },
});
