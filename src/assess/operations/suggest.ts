import { array, number, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { SuggestionSchema } from '../model/assessment.ts';
import { suggestFixes } from '../rules/suggest.ts';
import { listTraceNames, readRecentFacts } from './shared/traces.ts';

export const assessSuggest = query({
  name: 'assess.suggest',
  summary: 'Suggest fixes for recurring problems in recent runs',
  params: strictObject(pageParams(20)),
  result: strictObject({ suggestions: array(SuggestionSchema), runs: number() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs', 'reviews', 'scores'],
  cli: { command: 'assess suggest', view: async () => (await import('../view.ts')).assessView },
  example: { world: ['run run-1 2026-01-31 discovery/write'], call: {}, exit: 100 },
  async run(ctx, page) {
    const traces = readRecentFacts(ctx, listTraceNames(ctx));
    const all = suggestFixes(traces);
    const suggestions = all.slice(page.offset, page.offset + page.limit);
    return answerPage({ suggestions, runs: traces.length }, suggestions.length, page, async () => all.length);
  },
});
