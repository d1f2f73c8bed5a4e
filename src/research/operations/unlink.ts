import { job, noChange } from '#core/define.ts';
import { changeEntryLinks, linkDefinition } from './link.ts';

export const researchUnlink = job({
  name: 'research.unlink',
  summary: 'Unlink a research entry from a task',
  ...linkDefinition,
  tier: 1,
  shares: ['research', 'researchArchive'],
  cli: { command: 'research unlink', args: ['taskId', 'entryId'] },
  example: { world: ['T001', 'research T001-parsers: Which parsers there are'], call: { taskId: 'T001', entryId: 'T001-parsers' } },
  // The task need not exist: a deleted task is a reason to unlink.
  async run(ctx, { taskId, entryId }) {
    const { entry, isChanged } = await changeEntryLinks(ctx, entryId, (links) => links.filter((id) => id !== taskId));
    const result = { entry, linked: false };
    return isChanged ? result : noChange(result);
  },
});
