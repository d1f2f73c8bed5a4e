import { strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { MemorySummary } from '../model/memory.ts';
import { aboutParams, contentParam, keep } from './shared/keep.ts';

export const memoryObserve = mutation({
  name: 'memory.observe',
  summary: 'Remember something that was seen: an observation',
  params: strictObject({ content: contentParam, ...aboutParams }),
  paramAliases: { text: 'content', taskId: 'task', epicId: 'epic' },
  result: strictObject({ memory: MemorySummary }),
  errors: ['E_NOT_FOUND', 'E_FILE_ERROR'],
  tier: 0,
  cli: { command: 'memory observe', args: ['content'] },
  example: { world: ['T001'], call: { content: 'The parser is slow on long lines', title: 'Slow on long lines', task: 'T001' } },
  run: (ctx, given) => keep(ctx, 'observation', given),
});
