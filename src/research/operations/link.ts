import { boolean, strictObject } from 'valibot';
import { alreadyExists, type JobContext, job } from '#core/define.ts';
import type { ErrorCode } from '#core/errors/catalog.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { TaskParam } from '#tasks/operations/shared/params.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import type { ParsedEntry } from '../model/manifest.ts';
import { changeLinks, listLinks, parseManifest } from '../rules/manifest.ts';
import { createEntryNotFoundError, EntryReceipt, findEntry, openManifest, toEntryReceipt } from './shared/manifest.ts';
import { EntryIdParam } from './show.ts';

/** Definition shared by `research.link` and `research.unlink`. */
export const linkDefinition = {
  params: strictObject({ taskId: TaskParam, entryId: EntryIdParam }),
  result: strictObject({ entry: EntryReceipt, linked: boolean() }),
  errors: ['E_NOT_FOUND', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT'] satisfies ErrorCode[],
};

export const researchLink = job({
  name: 'research.link',
  summary: 'Link a research entry to a task',
  ...linkDefinition,
  tier: 0,
  shares: ['research', 'researchArchive'],
  cli: { command: 'research link', args: ['taskId', 'entryId'] },
  example: { world: ['T001', 'T002', 'research T001-parsers: Which parsers there are'], call: { taskId: 'T002', entryId: 'T001-parsers' } },
  async run(ctx, { taskId, entryId }) {
    await ctx.read((store) => requireTask(store, taskId));
    const { entry, isChanged } = await changeEntryLinks(ctx, entryId, (links) => (links.includes(taskId) ? links : [...links, taskId]));
    const result = { entry, linked: true };
    return isChanged ? result : alreadyExists(result);
  },
});

/** Changes the links of an entry in its manifest line. */
export async function changeEntryLinks({ project, config, changes }: JobContext, entryId: string, change: (links: TaskId[]) => TaskId[]) {
  const manifest = await openManifest(project, config());
  let changed: { entry: ParsedEntry; isChanged: boolean } | undefined;
  manifest.change((lines) => {
    const entry = findEntry(parseManifest(lines.join('\n')), entryId);
    if (!entry) return lines.map(() => 'keep');
    const after = change(listLinks(entry));
    changed = { entry: { ...entry, linked_tasks: after }, isChanged: after.join() !== listLinks(entry).join() };
    return changeLinks(lines, entryId, change);
  });
  if (!changed) throw createEntryNotFoundError(entryId, manifest.read());
  if (changed.isChanged) changes.updated.push(entryId);
  return { entry: toEntryReceipt(changed.entry), isChanged: changed.isChanged };
}
