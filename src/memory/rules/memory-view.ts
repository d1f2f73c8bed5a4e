import type { InferOutput } from 'valibot';
import type { Standing } from '#core/rules/rank.ts';
import { sha256 } from '#lib/sha256.ts';
import type { Flag, Memory, MemoryHit, MemoryRecord, MemorySummary, MemoryType } from '../model/memory.ts';

/** The same words of the same type are the same entry, whatever its title. No content holds NUL. */
export const digestOf = (type: MemoryType, content: string): string => sha256(`${type}\0${content}`);

/** A title for a text that has none: its first line, or as much of it as a title is good for. */
export function titleOf(content: string): string {
  const [line = ''] = content
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, '\n')
    .trim()
    .split('\n');
  const plain = line.replace(/^[#>*\-\s]+/, '').trim() || line.trim();
  if ([...plain].length <= titleLength) return plain;
  const cut = [...plain].slice(0, titleLength - 1).join('');
  return `${cut.slice(0, cut.lastIndexOf(' ') > titleLength / 2 ? cut.lastIndexOf(' ') : cut.length)}…`;
}

const titleLength = 80;

export const summaryOf = ({ id, type, title, state, supersededBy }: MemoryHit): InferOutput<typeof MemorySummary> => ({
  id,
  type,
  title,
  confirmation_state: state,
  ...(supersededBy ? { supersededBy } : {}),
});

/** Everything about an entry; what is empty is left out. */
export function wholeMemory(entry: MemoryRecord, cites: MemoryHit[], stale: Flag[]): InferOutput<typeof Memory> {
  const { source, decidedBy, decidedAt, decidedReason, sessionId } = entry;
  return {
    ...summaryOf(entry),
    content: entry.content,
    ...(entry.tags.length > 0 ? { tags: entry.tags } : {}),
    ...(entry.tasks.length > 0 ? { tasks: entry.tasks } : {}),
    ...(source ? { source_table: source.table, source_rowid: source.rowid } : {}),
    ...(decidedBy ? { decidedBy } : {}),
    ...(decidedAt ? { decidedAt } : {}),
    ...(decidedReason ? { reason: decidedReason } : {}),
    ...(cites.length > 0 ? { cites: cites.map(({ id }) => id) } : {}),
    ...(stale.length > 0 ? { stale: stale.map(({ cites, supersededBy }) => ({ id: cites, supersededBy })) } : {}),
    ...(sessionId ? { sessionId } : {}),
    createdAt: entry.createdAt,
    createdBy: entry.agentId,
  };
}

/** What is rejected or superseded goes last, whatever it says; else, of what says it in the same places, accepted before proposed. */
export const memoryStanding = ({ state, seq }: MemoryHit & { seq: number }): Standing => ({
  over: Number(state === 'rejected' || state === 'superseded'),
  early: Number(state === 'proposed'),
  late: 0,
  seq,
});
