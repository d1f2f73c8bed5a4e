import { description, literal, maxLength, metadata, optional, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { createEntryNotFoundError, findEntry, formatManifestWarnings, openManifest, ResearchEntry } from './shared/manifest.ts';

/** Any string, because agents write entry ids by hand. */
export const EntryIdParam = pipe(
  string(),
  maxLength(200, 'must have at most 200 characters'),
  description('Entry id, e.g. T002-parsers'),
  metadata({ value: 'ENTRY' }),
);

export const researchShow = query({
  name: 'research.show',
  summary: 'Show a research entry, archived or not',
  params: strictObject({ entryId: EntryIdParam }),
  synonyms: ['get', 'view', 'read'],
  result: strictObject({ entry: ResearchEntry, archived: optional(literal(true)) }),
  errors: ['E_NOT_FOUND', 'E_FILE_ERROR'],
  tier: 0,
  needs: 'project',
  runsOn: 'server',
  shares: ['research', 'researchArchive'],
  cli: { command: 'research show', args: ['entryId'] },
  example: { world: ['T001', 'research T001-parsers: Which parsers there are'], call: { entryId: 'T001-parsers' } },
  async run({ project, config }, { entryId }) {
    const manifest = await openManifest(project, config);
    const content = manifest.read();
    const entry = findEntry(content, entryId);
    if (entry) return answer({ entry }, { warnings: formatManifestWarnings(manifest.name, content.problems) });
    const archivedEntry = findEntry(manifest.archived(), entryId);
    if (!archivedEntry) throw createEntryNotFoundError(entryId, content);
    return { entry: archivedEntry, archived: true as const };
  },
});
