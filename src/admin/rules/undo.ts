import type { AuditEntry } from '#core/model/audit.ts';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';

/** The parameter in the log that names the entry that an undo took back. */
export const undoneParam = '@undoes';

/** The search through the log for the write to take back, from the newest entry backwards. */
export interface UndoSearch {
  /** Entries that were taken back already. */
  undone: Set<number>;
  /** The last write to each id. */
  lastWrites: Map<string, AuditEntry>;
  found?: AuditEntry;
  /** The restore of a backup after the found entry. The store no longer has the changes of entries before it. */
  restore?: AuditEntry;
}

export const createUndoSearch = (): UndoSearch => ({ undone: new Set(), lastWrites: new Map() });

/** Continues the search with older entries, the newest first. An undo and the write that it took back cancel each other out.
 *  `isRestore` recognizes the restore of a backup. */
export function searchEntries(
  search: UndoSearch,
  entries: AuditEntry[],
  isCandidate: (entry: AuditEntry) => boolean,
  isRestore: (entry: AuditEntry) => boolean,
): UndoSearch {
  for (const entry of entries) {
    if (search.found) return search;
    const ids = listChangedIds(entry);
    const params = parseJson(entry.params);
    const undone = isPlainObject(params) ? params[undoneParam] : undefined;
    if (!entry.success || search.undone.has(entry.seq)) continue;
    if (isRestore(entry)) search.restore ??= entry;
    else if (typeof undone === 'number') search.undone.add(undone);
    else if (ids.length > 0 && isCandidate(entry)) search.found = entry;
    else for (const id of ids) if (!search.lastWrites.has(id)) search.lastWrites.set(id, entry);
  }
  return search;
}

export const listChangedIds = ({ created, updated, deleted }: AuditEntry): string[] => [...created, ...updated, ...deleted];

/** Finds a later write to something that the found entry changed. */
export function findLaterWrite({ found, lastWrites }: UndoSearch): { id: string; entry: AuditEntry } | undefined {
  for (const id of found ? listChangedIds(found) : []) {
    const entry = lastWrites.get(id);
    if (entry) return { id, entry };
  }
  return undefined;
}
