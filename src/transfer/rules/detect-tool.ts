import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { readHead, type SourceFile } from '../model/foreign.ts';
import { splitRecords } from './split-records.ts';

/** The tools whose files can be imported. */
export const importTools = ['beads', 'taskmaster', 'backlog', 'taskwarrior', 'github', 'todo.txt'] as const;
export type ImportTool = (typeof importTools)[number];

/** Matches the files of each tool in a folder. The reader of beads chooses among its files: the current one, or a backup. */
export const sourceFilePatterns: Record<ImportTool, RegExp> = {
  beads: /^(?:\.beads\/)?(?:backup\/)?(?:[^/]+\.jsonl|metadata\.json)$/,
  taskmaster: /(?:^|\/)tasks\.json$/,
  backlog:
    /^(?:\.?backlog\/)?(?:(?:tasks|completed|archive\/(?:tasks|drafts|milestones)|drafts|milestones)\/(?:[^/]+\/)*[^/]+\.md|(?:config|backlog\.config)\.ya?ml)$/i,
  taskwarrior: /(task|export)[^/]*\.(json|jsonl|ndjson)$/i,
  github: /issues?[^/]*\.(json|jsonl|ndjson)$/i,
  'todo.txt': /(?:^|\/)(todo|done)\.txt$/i,
};

/** Detects which tool wrote the files. Undefined for an export of cleo and for unknown files. */
export function detectTool(files: SourceFile[]): ImportTool | undefined {
  const data = files.filter(({ name }) => !/(?:^|\/)metadata\.json$/.test(name));
  const [first] = data;
  if (!first) return undefined;
  if (data.every(({ name }) => sourceFilePatterns['todo.txt'].test(name))) return 'todo.txt';
  const page = data.find(({ name }) => /\.md$/i.test(name)) ?? first;
  if (/^\ufeff?---\r?\n[\s\S]{0,2000}?^(?:id|status):/m.test(readHead(page))) return 'backlog';
  const record = parseFirstRecord(readHead(first));
  return record && detectByFields(record);
}

function detectByFields(record: Record<string, unknown>): ImportTool | undefined {
  const has = (...fields: string[]): boolean => fields.every((field) => record[field] !== undefined);
  if (has('revision') && has('createdBy')) return undefined;
  if (has('uuid', 'description', 'status')) return 'taskwarrior';
  if (has('number', 'title') && (has('state') || has('body') || has('labels') || has('url') || has('html_url'))) return 'github';
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
function parseFirstRecord(head: string): Record<string, unknown> | undefined {
  for (const { text } of splitRecords([head])) {
    const value = parseJson(text);
    if (isPlainObject(value)) return Array.isArray(value.items) && isPlainObject(value.items[0]) ? value.items[0] : value;
    if (value !== undefined) return undefined;
  }
  return undefined;
}
