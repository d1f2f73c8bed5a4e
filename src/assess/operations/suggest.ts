import { array, number, optional, picklist, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { paged, pageParams } from '#core/page.ts';
import { suggest, suggestionRules } from '../rules/suggest.ts';
import { factsIn, traceNames } from './shared/traces.ts';

const Suggestion = strictObject({
  rule: picklist(suggestionRules),
  phase: string(),
  skill: optional(string()),
  subject: string(),
  count: number(),
  of: number(),
  finding: string(),
  action: string(),
  runs: array(string()),
});

/** The last twenty runs of a skill that is seldom run lie far apart. */
export const looksBack = 200;

export const assessSuggest = query({
  name: 'assess.suggest',
  summary: 'Say what keeps going wrong in the last runs, and what to do about it',
  params: strictObject(pageParams(20)),
  result: strictObject({ suggestions: array(Suggestion), runs: number() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exits: 'skill',
  cli: { command: 'assess suggest' },
  example: { world: ['run run-1 2026-01-31 discovery/write'], call: {}, exit: 100 },
  async run({ platform, project }, page) {
    const place = { platform, project };
    const names = traceNames(place).slice(-looksBack);
    const all = suggest(names.map((name) => factsIn(place, name)));
    const suggestions = all.slice(page.offset, page.offset + page.limit);
    return paged({ suggestions, runs: names.length }, suggestions.length, page, async () => all.length);
  },
});
