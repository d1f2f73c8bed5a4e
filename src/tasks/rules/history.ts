import type { HistoryEntry } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';

/** A change as it is shown. Of a deleted task the store keeps the whole record, to restore it; the reader is told its title. */
export function shownChange(taskId: TaskId, entry: HistoryEntry): HistoryEntry {
  if (entry.field !== 'deleted') return entry;
  const { old, new: root, ...rest } = entry;
  const title = (old as { record?: { title?: string } } | undefined)?.record?.title;
  return {
    ...rest,
    ...(title === undefined ? {} : { old: title }),
    ...(root === taskId || root === undefined ? {} : { reason: `deleted with ${root}` }),
  };
}
