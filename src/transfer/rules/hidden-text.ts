import type { TaskId } from '#core/model/scalars.ts';

/** Warns about imported tasks with text that people do not see and models read. It is stored as it is and shown as escapes. */
export function formatHiddenTextWarning(ids: TaskId[]): string[] {
  if (ids.length === 0) return [];
  const names = ids.length > 5 ? `${ids.slice(0, 5).join(', ')} and ${ids.length - 5} more` : ids.join(', ');
  return [`invisible characters (zero-width, bidi or tag characters) are in ${names}; they are shown as escapes such as \\u200b`];
}
