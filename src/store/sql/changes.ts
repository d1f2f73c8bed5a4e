import type { Changes } from '#core/model/audit.ts';

interface KnownIds {
  ids: Set<string>;
  /** How many entries of the lists are in `ids`. */
  created: number;
  updated: number;
}

/** The ids in the lists of a call. An import changes a hundred thousand tasks, and searching the lists for each takes quadratic time. */
const knownIds = new WeakMap<Changes, KnownIds>();

/** Records an update, unless the same call created the item or has updated it before. */
export function noteUpdate(changes: Changes, id: string): void {
  const { created, updated } = changes;
  let known = knownIds.get(changes);
  if (!known || known.created > created.length || known.updated > updated.length) known = { ids: new Set(), created: 0, updated: 0 };
  knownIds.set(changes, known);
  for (; known.created < created.length; known.created++) known.ids.add(created[known.created]!);
  for (; known.updated < updated.length; known.updated++) known.ids.add(updated[known.updated]!);
  if (!known.ids.has(id)) updated.push(id);
}
