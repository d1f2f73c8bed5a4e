import { safeParse } from 'valibot';
import { parseTaskId, type TaskId } from '#core/model/scalars.ts';
import { parseJson, stripBom } from '#lib/parse-json.ts';
import { slugify } from '#lib/slug.ts';
import { type ManifestEntry, type ParsedEntry, ParsedEntrySchema } from '../model/manifest.ts';

interface OutputConfig {
  'orchestrate.outputDir': string;
}

/** Returns the path of the manifest, relative to the project folder. */
export const getManifestPath = (config: OutputConfig): string => `${getOutputDir(config)}/MANIFEST.jsonl`;

export const getArchivePath = (config: OutputConfig): string => `${getOutputDir(config)}/MANIFEST.archive.jsonl`;

/** Returns the folder for the output files of a task's subagents. */
export const getOutputFolder = (config: OutputConfig, taskId: TaskId): string => `${getOutputDir(config)}/${taskId}`;

const getOutputDir = (config: OutputConfig): string => config['orchestrate.outputDir'].replace(/(?<=.)\/+$/, '');

export interface ManifestProblem {
  /** Starts at 1. */
  line: number;
  problem: string;
}

export interface ParsedManifest {
  /** In file order. Of several lines with one id only the last is used; `lines` counts them. */
  entries: { entry: ParsedEntry; line: number; lines: number }[];
  problems: ManifestProblem[];
}

/** Parses a manifest. Agents append to it by hand, so it may contain invalid lines, an incomplete last line and duplicate ids. */
export function parseManifest(text: string): ParsedManifest {
  const byId = new Map<string, ParsedManifest['entries'][number]>();
  const problems: ManifestProblem[] = [];
  const lines = splitLines(text);
  lines.forEach((raw, i) => {
    const line = i + 1;
    if (raw.trim() === '') return;
    const parsed = parseEntry(raw);
    if ('problem' in parsed) {
      problems.push({ line, problem: line === lines.length ? 'is incomplete' : parsed.problem });
      return;
    }
    const earlier = byId.get(parsed.entry.id);
    if (earlier) problems.push({ line, problem: `repeats the id ${parsed.entry.id} of line ${earlier.line}; this line is used` });
    byId.delete(parsed.entry.id);
    byId.set(parsed.entry.id, { entry: parsed.entry, line, lines: (earlier?.lines ?? 0) + 1 });
  });
  return { entries: [...byId.values()], problems };
}

/** Splits a text into lines, without the byte order mark that some editors write. */
const splitLines = (text: string): string[] => stripBom(text).split('\n');

function parseEntry(raw: string): { entry: ParsedEntry } | { problem: string } {
  const value = parseJson(raw);
  if (value === undefined) return { problem: 'is not JSON' };
  const parsed = safeParse(ParsedEntrySchema, value);
  if (parsed.success) return { entry: parsed.output };
  const field = parsed.issues[0]?.path?.[0]?.key;
  return { problem: field === undefined ? 'is not an entry' : `is not an entry: ${String(field)} is missing or invalid` };
}

/** Returns the problem that prevents writing an entry, if any. */
export function checkEntry({ status, needs_followup }: ManifestEntry): string | undefined {
  if (needs_followup.length > 0 || status === 'complete') return undefined;
  return status === 'partial'
    ? 'must name what is left if the status is partial'
    : 'must name what blocks the work if the status is blocked';
}

/** Creates an entry id from the task and the title. */
export function createEntryId(taskId: TaskId, title: string): string {
  return `${taskId}-${slugify(title, { maxLength: 60 }) || 'entry'}`;
}

/** True if the entry links the task or has its id as prefix. */
export const belongsTo = (entry: ParsedEntry, taskId: TaskId): boolean => listEntryTasks(entry).includes(taskId);
export const listEntryTasks = (entry: ParsedEntry): TaskId[] => [
  ...listLinks(entry),
  ...[parseEntryTask(entry.id)].filter((id) => id !== undefined),
];
export const isLinked = (entry: ParsedEntry, taskId: TaskId): boolean => listLinks(entry).includes(taskId);
export const listLinks = (entry: ParsedEntry): TaskId[] => entry.linked_tasks.map((id) => parseTaskId(id) ?? id);
const parseEntryTask = (id: string): TaskId | undefined => parseTaskId(/^T\d+(?=-)/.exec(id)?.[0] ?? '');

/** Finds the entry about the work on a task: the newest one with the task's id as prefix, otherwise the newest linked one without any
 *  task id. An entry of another task does not count, even if it is linked. */
export function findTaskEntry({ entries }: ParsedManifest, taskId: TaskId): ParsedEntry | undefined {
  const prefixed = entries.findLast(({ entry }) => parseEntryTask(entry.id) === taskId);
  return (prefixed ?? entries.findLast(({ entry }) => parseEntryTask(entry.id) === undefined && isLinked(entry, taskId)))?.entry;
}

/** Change of one line: keep it byte for byte, drop it, or replace it. */
export type LineChange = 'keep' | 'drop' | { text: string };

/** Changes the links of one entry, in the line that is used for it. */
export function changeLinks(lines: string[], entryId: string, change: (links: TaskId[]) => TaskId[]): LineChange[] {
  const changes = lines.map((): LineChange => 'keep');
  const item = parseManifest(lines.join('\n')).entries.find(({ entry }) => entry.id === entryId);
  if (!item) return changes;
  // Parsed again, because `entry` lacks unknown fields, which must be preserved.
  const value = JSON.parse(splitLines(lines.join('\n'))[item.line - 1]!) as Record<string, unknown>;
  const before = listLinks(item.entry);
  const after = change(before);
  if (after.join() !== before.join()) changes[item.line - 1] = { text: JSON.stringify({ ...value, linked_tasks: after }) };
  return changes;
}

/** Drops all lines of some entries, including earlier lines with the same id. Lines that are not entries stay. */
export function dropEntries(lines: string[], ids: ReadonlySet<string>): LineChange[] {
  return splitLines(lines.join('\n')).map((raw) => {
    const parsed = parseEntry(raw);
    return 'entry' in parsed && ids.has(parsed.entry.id) ? 'drop' : 'keep';
  });
}

interface EntryFilter {
  status?: string | undefined;
  topic?: string | undefined;
  agentType?: string | undefined;
  task?: TaskId | undefined;
  needsFollowup?: boolean | undefined;
}

export function matchesEntryFilter(entry: ParsedEntry, { status, topic, agentType, task, needsFollowup }: EntryFilter): boolean {
  return (
    (status === undefined || entry.status === status) &&
    (topic === undefined || entry.topics.some((entryTopic) => entryTopic.toLowerCase() === topic.toLowerCase())) &&
    (agentType === undefined || entry.agent_type === agentType) &&
    (task === undefined || belongsTo(entry, task)) &&
    (needsFollowup === undefined || entry.needs_followup.length > 0 === needsFollowup)
  );
}
