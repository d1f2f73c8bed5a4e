import { isPlainObject } from '#lib/collections.ts';
import { isEmpty, toCell, toLabel } from './cell.ts';
import { toOneLine } from './text.ts';

/** Formats what a write created, updated and deleted. */
export function formatChanges(data: unknown): string[] {
  if (!isPlainObject(data)) return [];
  const { dryRun, ...changes } = data;
  const parts = Object.entries(changes)
    .filter(([, value]) => value !== 0 && !isEmpty(value))
    .map(([key, value]) => `${toLabel(key)} ${Array.isArray(value) ? formatIds(value.map(String)) : toCell(key, value).text}`);
  return dryRun ? [`dry run, nothing written: ${parts.join(', ') || 'no change'}`] : parts;
}

const formatIds = (ids: string[]): string =>
  ids.length > 8
    ? `${ids.slice(0, 3).map(toOneLine).join(', ')} … ${toOneLine(ids.at(-1)!)} (${ids.length})`
    : ids.map(toOneLine).join(', ');
