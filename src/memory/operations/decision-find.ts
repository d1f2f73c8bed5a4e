import { array, boolean, description, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { SearchText, TaskId } from '#core/model/scalars.ts';
import { paged, pageParams } from '#core/page.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import { ConfirmationState, MemorySummary } from '../model/memory.ts';
import { summaryOf } from '../rules/memory-view.ts';
import { searchMemory } from './shared/search.ts';

export const memoryDecisionFind = query({
  name: 'memory.decision-find',
  aliases: ['memory.decision.find'],
  summary: 'Find decisions by words, or those about an epic and what is inside it',
  params: strictObject({
    query: optional(pipe(SearchText, description('Words in title, content or tags'))),
    epic: optional(pipe(TaskId, description('Only those about this one or anything inside it'))),
    state: optional(pipe(ConfirmationState, description('Only those in this state'))),
    near: optional(pipe(boolean(), description('Also what has only some of the words, or words like them'))),
    ...pageParams(20),
  }),
  paramAliases: { term: 'query', epicId: 'epic' },
  result: strictObject({ decisions: array(MemorySummary) }),
  errors: ['E_INVALID_INPUT', 'E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'memory decision-find' },
  example: { world: ['T001 epic', 'T002 in T001', 'memory decision about T002: Tokens are structs'], call: { epic: 'T001' } },
  async run({ store }, { query: given, epic, state, near, limit, offset, budget }) {
    const words = given?.trim() || undefined;
    if (!words && !epic)
      throw new CleoError('E_INVALID_INPUT', {
        problem: 'decision-find needs --query or --epic',
        fix: 'cleo memory find --type decision',
        field: 'query',
      });
    if (epic && !(await store.tasks.exists(epic))) throw await notFound(store, epic);
    const page = { limit, offset, budget };
    const filter = { type: 'decision' as const, ...(epic ? { inside: epic } : {}), ...(state ? { state } : {}) };
    const { hits, count } = await searchMemory(store, words, filter, page, near);
    return paged({ decisions: hits.map(summaryOf) }, hits.length, page, count);
  },
});
