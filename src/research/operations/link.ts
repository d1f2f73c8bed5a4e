import { boolean, description, pipe, strictObject } from 'valibot';
import { alreadyThere, type JobContext, job } from '#core/define.ts';
import type { Code } from '#core/errors/catalog.ts';
import { TaskId } from '#core/model/scalars.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import type { ReadEntry } from '../model/manifest.ts';
import { linksOf, readManifest, withLinks } from '../rules/manifest.ts';
import { EntryReceipt, entryIn, entryReceipt, manifestOf, noEntry } from './shared/manifest.ts';
import { entryParam } from './show.ts';

/** What is the same for saying so and for taking it back. */
export const linking = {
  params: strictObject({ taskId: pipe(TaskId, description('The task')), entryId: entryParam }),
  result: strictObject({ entry: EntryReceipt, linked: boolean() }),
  errors: ['E_NOT_FOUND', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT'] satisfies Code[],
};

export const researchLink = job({
  name: 'research.link',
  summary: 'Say that a research entry belongs to a task',
  ...linking,
  tier: 0,
  cli: { command: 'research link', args: ['taskId', 'entryId'] },
  example: { world: ['T001', 'T002', 'research T001-parsers: Which parsers there are'], call: { taskId: 'T002', entryId: 'T001-parsers' } },
  async run(ctx, { taskId, entryId }) {
    await ctx.read((store) => requireTask(store, taskId));
    const { entry, isChanged } = await relink(ctx, entryId, (links) => (links.includes(taskId) ? links : [...links, taskId]));
    const result = { entry, linked: true };
    return isChanged ? result : alreadyThere(result);
  },
});

/** Changes the links of an entry in its line; whether that was another than before. */
export async function relink({ project, config, changes }: JobContext, entryId: string, change: (links: TaskId[]) => TaskId[]) {
  const manifest = await manifestOf(project, config());
  let found: { entry: ReadEntry; isChanged: boolean } | undefined;
  manifest.change((lines) => {
    const entry = entryIn(readManifest(lines.join('\n')), entryId);
    if (!entry) return lines.map(() => 'keep');
    const after = change(linksOf(entry));
    found = { entry: { ...entry, linked_tasks: after }, isChanged: after.join() !== linksOf(entry).join() };
    return withLinks(lines, entryId, change);
  });
  if (!found) throw noEntry(entryId, manifest.read());
  if (found.isChanged) changes.updated.push(entryId);
  return { entry: entryReceipt(found.entry), isChanged: found.isChanged };
}
