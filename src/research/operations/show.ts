import { description, literal, maxLength, metadata, optional, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { Entry, entryIn, manifestOf, noEntry, warningsOf } from './shared/manifest.ts';

/** Agents write ids by hand: any that is in the file may be asked for. */
export const entryParam = pipe(
  string(),
  maxLength(200, 'must have at most 200 characters'),
  description('The entry, e.g. T002-parsers'),
  metadata({ value: 'ENTRY' }),
);

export const researchShow = query({
  name: 'research.show',
  summary: 'Show an entry of the research manifest, put away or not',
  params: strictObject({ entryId: entryParam }),
  result: strictObject({ entry: Entry, archived: optional(literal(true)) }),
  errors: ['E_NOT_FOUND', 'E_FILE_ERROR'],
  tier: 0,
  needs: 'project',
  cli: { command: 'research show', args: ['entryId'] },
  example: { world: ['T001', 'research T001-parsers: Which parsers there are'], call: { entryId: 'T001-parsers' } },
  async run({ project, config }, { entryId }) {
    const manifest = await manifestOf(project, config);
    const now = manifest.read();
    const entry = entryIn(now, entryId);
    if (entry) return answer({ entry }, { warnings: warningsOf(manifest.name, now.problems) });
    const old = entryIn(manifest.archived(), entryId);
    if (!old) throw noEntry(entryId, now);
    return { entry: old, archived: true as const };
  },
});
