import { description, pipe, strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { MemorySummary, MemoryType } from '../model/memory.ts';
import { aboutParams, contentParam, keep } from './shared/keep.ts';

export const memoryStore = mutation({
  name: 'memory.store',
  summary: 'Remember an observation, a decision, a pattern or a learning; it is proposed until it is confirmed',
  params: strictObject({ type: pipe(MemoryType, description('What it is')), content: contentParam, ...aboutParams }),
  paramAliases: { taskId: 'task', epicId: 'epic' },
  result: strictObject({ memory: MemorySummary }),
  errors: ['E_NOT_FOUND', 'E_FILE_ERROR'],
  tier: 1,
  cli: { command: 'memory store' },
  example: {
    world: ['T001 epic', 'research T001-parsers: Which parsers there are'],
    call: {
      type: 'decision',
      content: 'Tokens are structs',
      title: 'Tokens',
      epic: 'T001',
      tags: ['parser'],
      source: 'research:T001-parsers',
    },
  },
  run: (ctx, { type, ...given }) => keep(ctx, type, given),
});
