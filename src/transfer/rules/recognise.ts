import { isMap } from '#lib/is-map.ts';
import type { GivenFile } from '../model/foreign.ts';

/** The tools whose files can be imported. */
export const tools = ['beads', 'taskmaster', 'backlog', 'taskwarrior', 'github', 'todo.txt'] as const;
export type Tool = (typeof tools)[number];

/** Which tool wrote these files, as far as they tell by themselves; undefined also where they are an export of ours. */
export function recognise(files: GivenFile[]): Tool | undefined {
  const [first] = files;
  if (!first) return undefined;
  if (files.every(({ name }) => /(?:^|\/)(?:todo|done)\.txt$/i.test(name))) return 'todo.txt';
  const page = files.find(({ name }) => /\.md$/i.test(name)) ?? first;
  if (/^\ufeff?---\r?\n[\s\S]{0,2000}?^(?:id|status):/m.test(page.text)) return 'backlog';
  const record = firstRecord(first.text);
  return record && byFields(record);
}

function byFields(record: Record<string, unknown>): Tool | undefined {
  const has = (...fields: string[]): boolean => fields.every((field) => record[field] !== undefined);
  if (has('revision') && has('createdBy')) return undefined;
  if (has('uuid', 'description', 'status')) return 'taskwarrior';
  if (has('number', 'title', 'state')) return 'github';
  if (has('id', 'title') && (has('issue_type') || has('created_at') || has('_type') || typeof record.priority === 'number')) return 'beads';
  if (has('id', 'title') && (has('testStrategy') || has('dependencies') || has('subtasks'))) return 'taskmaster';
  const lists = [record, ...Object.values(record)].flatMap((value) => (isMap(value) && Array.isArray(value.tasks) ? [value.tasks] : []));
  const [entry] = lists.flat();
  return isMap(entry) && entry.revision === undefined && entry.id !== undefined && entry.title !== undefined ? 'taskmaster' : undefined;
}

/** Of a list its first entry, of lines the first; where the whole is one object, that. */
function firstRecord(text: string): Record<string, unknown> | undefined {
  const line = /^\ufeff?\s*(\S[^\n]*)/.exec(text)?.[1]?.replace(/,\s*$/, '') ?? '';
  for (const part of [line, text.replace(/^\ufeff/, '')]) {
    try {
      const value: unknown = JSON.parse(part);
      const first = Array.isArray(value) ? value.flat()[0] : value;
      if (isMap(first)) return Array.isArray(first.items) && isMap(first.items[0]) ? first.items[0] : first;
    } catch {
      // Not by itself: the whole may be.
    }
  }
  return undefined;
}
