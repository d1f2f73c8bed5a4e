import { isPlainObject } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import { findTasksByAlias } from '#tasks/operations/shared/aliases.ts';

const fields = ['id', 'parent', 'depends', 'addDepends', 'removeDepends', 'from', 'to'];

/** Replaces ids of other tools in a WorkGraph. A ref of the payload keeps its meaning. */
export async function resolvePayloadAliases(store: ReadStore, payload: unknown): Promise<unknown> {
  if (!isPlainObject(payload)) return payload;
  const entries = Object.values(payload).flatMap((list) => (Array.isArray(list) ? list : []));
  const refs = new Set(entries.map((entry) => (isPlainObject(entry) ? entry.ref : undefined)));
  const texts = entries.flatMap((entry) => (isPlainObject(entry) ? fields.flatMap((field) => entry[field]) : entry));
  const tasks = await findTasksByAlias(
    store,
    texts.filter((text): text is string => typeof text === 'string' && !refs.has(text)),
  );
  if (tasks.size === 0) return payload;
  const replace = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(replace) : typeof value === 'string' ? (tasks.get(value) ?? value) : value;
  const replaceEntry = (entry: unknown): unknown =>
    isPlainObject(entry)
      ? { ...entry, ...Object.fromEntries(fields.filter((field) => field in entry).map((field) => [field, replace(entry[field])])) }
      : replace(entry);
  return Object.fromEntries(Object.entries(payload).map(([key, list]) => [key, Array.isArray(list) ? list.map(replaceEntry) : list]));
}
