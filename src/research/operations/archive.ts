import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, type JobContext, job, noChange } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { DateText, type ReadEntry } from '../model/manifest.ts';
import { type LineChange, readManifest, tasksOf, withoutEntries } from '../rules/manifest.ts';
import { entryIn, manifestOf, noEntry } from './shared/manifest.ts';
import { entryParam } from './show.ts';

export const researchArchive = job({
  name: 'research.archive',
  summary: 'Put entries away that are complete, leave nothing to do, and whose tasks are done',
  params: strictObject({
    entryId: optional(pipe(entryParam, description('This one, whatever its state'))),
    before: optional(pipe(DateText, description('Only those written before this date'))),
    dryRun: optional(pipe(boolean(), description('Only say what would be put away'))),
  }),
  result: strictObject({ archived: array(string()) }),
  errors: ['E_NOT_FOUND', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT'],
  tier: 1,
  cli: { command: 'research archive', args: ['entryId'] },
  example: { world: ['T001 done', 'research T001-parsers: Which parsers there are'], call: {} },
  async run(ctx, { entryId, before, dryRun }) {
    const manifest = await manifestOf(ctx.project, ctx.config());
    const known = manifest.read();
    if (entryId !== undefined && !entryIn(known, entryId)) throw noEntry(entryId, known);
    const open = await openAmong(
      ctx,
      known.entries.flatMap(({ entry }) => tasksOf(entry)),
    );
    const isOver = (entry: ReadEntry): boolean =>
      entryId === undefined
        ? entry.status === 'complete' &&
          entry.needs_followup.length === 0 &&
          (before === undefined || (entry.date !== undefined && entry.date < before)) &&
          !tasksOf(entry).some((id) => open.has(id))
        : entry.id === entryId;
    const chosen = new Set(known.entries.flatMap(({ entry }) => (isOver(entry) ? [entry.id] : [])));
    if (chosen.size === 0) return noChange({ archived: [] });
    const archived = [...chosen];
    if (!dryRun)
      manifest.change((lines): LineChange[] => {
        // A line that was added since may speak of an entry anew: what it is now decides.
        const now = readManifest(lines.join('\n'));
        const ids = new Set(now.entries.flatMap(({ entry }) => (chosen.has(entry.id) && isOver(entry) ? [entry.id] : [])));
        const changes = withoutEntries(lines, ids);
        // There first: a process that dies in between leaves them in both.
        const gone = lines.filter((_, i) => changes[i] === 'drop');
        if (gone.length > 0) manifest.archive(gone.map((line) => line.replace(/^\ufeff|\r$/g, '')));
        archived.splice(0, archived.length, ...ids);
        return changes;
      });
    ctx.changes.updated.push(...archived);
    return answer({ archived }, dryRun ? { dryRun: true as const } : {});
  },
});

/** Of these tasks those that are not done. One that is gone is not waited for. */
async function openAmong({ read }: JobContext, ids: TaskId[]): Promise<Set<TaskId>> {
  const hits = await read((store) => store.tasks.hits([...new Set(ids)]));
  return new Set(hits.filter(({ status }) => status !== 'done').map(({ id }) => id));
}
