import { job, noChange } from '#core/define.ts';
import { linking, relink } from './link.ts';

export const researchUnlink = job({
  name: 'research.unlink',
  summary: 'Say that a research entry does not belong to a task',
  ...linking,
  tier: 1,
  cli: { command: 'research unlink', args: ['taskId', 'entryId'] },
  example: { world: ['T001', 'research T001-parsers: Which parsers there are'], call: { taskId: 'T001', entryId: 'T001-parsers' } },
  // The task may be gone; that is a reason to unlink it.
  async run(ctx, { taskId, entryId }) {
    const { entry, isChanged } = await relink(ctx, entryId, (links) => links.filter((id) => id !== taskId));
    const result = { entry, linked: false };
    return isChanged ? result : noChange(result);
  },
});
