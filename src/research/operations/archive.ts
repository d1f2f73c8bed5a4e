import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, type JobContext, job, noChange } from '#core/define.ts';
import { DateText } from '#core/model/date-text.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ParsedEntry } from '../model/manifest.ts';
import { dropEntries, type LineChange, listEntryTasks, parseManifest } from '../rules/manifest.ts';
import { createEntryNotFoundError, findEntry, openManifest } from './shared/manifest.ts';
import { EntryIdParam } from './show.ts';

export const researchArchive = job({
  name: 'research.archive',
  summary: 'Archive complete research entries of done tasks',
  params: strictObject({
    entryId: optional(pipe(EntryIdParam, description('Archive this entry, whatever its state'))),
    before: optional(pipe(DateText, description('Only entries dated before this day'))),
    dryRun: optional(pipe(boolean(), description('Only say what would be put away'))),
  }),
  result: strictObject({ archived: array(string()) }),
  errors: ['E_NOT_FOUND', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT'],
  tier: 1,
  shares: ['research', 'researchArchive'],
  cli: { command: 'research archive', args: ['entryId'] },
  example: { world: ['T001 done', 'research T001-parsers: Which parsers there are'], call: {} },
  async run(ctx, { entryId, before, dryRun }) {
    const manifest = await openManifest(ctx.project, ctx.config());
    const content = manifest.read();
    if (entryId !== undefined && !findEntry(content, entryId)) throw createEntryNotFoundError(entryId, content);
    const openTasks = await listOpenTasks(
      ctx,
      content.entries.flatMap(({ entry }) => listEntryTasks(entry)),
    );
    const isArchivable = (entry: ParsedEntry): boolean =>
      entryId === undefined
        ? entry.status === 'complete' &&
          entry.needs_followup.length === 0 &&
          (before === undefined || (entry.date !== undefined && entry.date < before)) &&
          !listEntryTasks(entry).some((id) => openTasks.has(id))
        : entry.id === entryId;
    const chosen = new Set(content.entries.flatMap(({ entry }) => (isArchivable(entry) ? [entry.id] : [])));
    if (chosen.size === 0) return noChange({ archived: [] });
    const archived = [...chosen];
    if (!dryRun)
      manifest.change((lines): LineChange[] => {
        // Checked again under the lock: another process may have appended a newer line for an entry.
        const now = parseManifest(lines.join('\n'));
        const ids = new Set(now.entries.flatMap(({ entry }) => (chosen.has(entry.id) && isArchivable(entry) ? [entry.id] : [])));
        const changes = dropEntries(lines, ids);
        // Written to the archive first: a crash in between duplicates lines but never loses one.
        const dropped = lines.filter((_, i) => changes[i] === 'drop');
        if (dropped.length > 0) manifest.archive(dropped.map((line) => line.replace(/^\ufeff|\r$/g, '')));
        archived.splice(0, archived.length, ...ids);
        return changes;
      });
    ctx.changes.updated.push(...archived);
    return answer({ archived }, dryRun ? { dryRun: true as const } : {});
  },
});

/** Returns those of the tasks that exist and are not done. */
async function listOpenTasks({ read }: JobContext, ids: TaskId[]): Promise<Set<TaskId>> {
  const hits = await read((store) => store.tasks.getHits([...new Set(ids)]));
  return new Set(hits.filter(({ status }) => status !== 'done').map(({ id }) => id));
}
