import { isPlainObject } from '#lib/is-plain-object.ts';
import { parseJson, stripBom } from '#lib/parse-json.ts';
import type { SourceFile } from '../model/foreign.ts';

/** The tools whose files can be imported. */
export const importTools = ['beads', 'taskmaster', 'backlog', 'taskwarrior', 'github', 'todo.txt'] as const;
export type ImportTool = (typeof importTools)[number];

/** Matches the files of each tool in a folder. Of beads only the current ones: its folder also contains backups and old copies. */
export const sourceFilePatterns: Record<ImportTool, RegExp> = {
  beads: /^(?:\.beads\/)?(?:issues|beads)\.jsonl$/,
  taskmaster: /(?:^|\/)tasks\.json$/,
  backlog:
    /(?:^|\/)(?:(?:tasks|completed|archive\/tasks|archive\/drafts|drafts|milestones)\/[^/]+\.md|(?:config|backlog\.config)\.ya?ml)$/i,
  taskwarrior: /(task|export)[^/]*\.(json|jsonl|ndjson)$/i,
  github: /issues?[^/]*\.(json|jsonl|ndjson)$/i,
  'todo.txt': /(?:^|\/)(todo|done)\.txt$/i,
};

/** Detects which tool wrote the files. Undefined for an export of cleo and for unknown files. */
export function detectTool(files: SourceFile[]): ImportTool | undefined {
  const [first] = files;
  if (!first) return undefined;
  if (files.every(({ name }) => sourceFilePatterns['todo.txt'].test(name))) return 'todo.txt';
  const page = files.find(({ name }) => /\.md$/i.test(name)) ?? first;
  if (/^\ufeff?---\r?\n[\s\S]{0,2000}?^(?:id|status):/m.test(page.text)) return 'backlog';
  const record = parseFirstRecord(first.text);
  return record && detectByFields(record);
}

function detectByFields(record: Record<string, unknown>): ImportTool | undefined {
  const has = (...fields: string[]): boolean => fields.every((field) => record[field] !== undefined);
  if (has('revision') && has('createdBy')) return undefined;
  if (has('uuid', 'description', 'status')) return 'taskwarrior';
  if (has('number', 'title', 'state')) return 'github';
  if (has('id', 'title') && (has('issue_type') || has('created_at') || has('_type') || typeof record.priority === 'number')) return 'beads';
  if (has('id', 'title') && (has('testStrategy') || has('dependencies') || has('subtasks'))) return 'taskmaster';
  const lists = [record, ...Object.values(record)].flatMap((value) =>
    isPlainObject(value) && Array.isArray(value.tasks) ? [value.tasks] : [],
  );
  const [entry] = lists.flat();
  return isPlainObject(entry) && entry.revision === undefined && entry.id !== undefined && entry.title !== undefined
    ? 'taskmaster'
    : undefined;
}

/** Parses the first entry of a list, the first of JSON Lines, or a single object. */
function parseFirstRecord(text: string): Record<string, unknown> | undefined {
  const line = /^\ufeff?\s*(\S[^\n]*)/.exec(text)?.[1]?.replace(/,\s*$/, '') ?? '';
  for (const part of [line, stripBom(text)]) {
    const value = parseJson(part);
    const first = Array.isArray(value) ? value.flat()[0] : value;
    if (isPlainObject(first)) return Array.isArray(first.items) && isPlainObject(first.items[0]) ? first.items[0] : first;
  }
  return undefined;
}
