import type { HistoryEntry } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';

/** Reduces the entry of a deletion to the title. The store keeps the whole record there, for `restore`. */
export function toHistoryEntry(taskId: TaskId, entry: HistoryEntry): HistoryEntry {
  if (entry.field !== 'deleted') return entry;
  const { old, new: root, ...rest } = entry;
  const title = (old as { record?: { title?: string } } | undefined)?.record?.title;
  return { ...rest, ...defined({ old: title, reason: root === taskId || root === undefined ? undefined : `deleted with ${root}` }) };
}
