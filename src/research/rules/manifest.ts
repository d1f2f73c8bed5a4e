import { safeParse } from 'valibot';
import { canonicalId, type TaskId } from '#core/model/scalars.ts';
import { type ManifestEntry, ReadEntry } from '../model/manifest.ts';

/** From the project folder. */
export const manifestPath = (config: { 'orchestrate.outputDir': string }): string => `${baseOf(config)}/MANIFEST.jsonl`;

/** Entries that were put away. */
export const archivePath = (config: { 'orchestrate.outputDir': string }): string => `${baseOf(config)}/MANIFEST.archive.jsonl`;

/** Where the subagent of a task writes. */
export const outputFolder = (config: { 'orchestrate.outputDir': string }, taskId: TaskId): string => `${baseOf(config)}/${taskId}`;

const baseOf = (config: { 'orchestrate.outputDir': string }): string => config['orchestrate.outputDir'].replace(/(?<=.)\/+$/, '');

export interface ManifestProblem {
  /** From 1. */
  line: number;
  problem: string;
}

export interface Manifest {
  /** In the order of the file; of several with one id the last. */
  entries: { entry: ReadEntry; line: number }[];
  problems: ManifestProblem[];
}

/** What a manifest says. Agents append to it by hand, so a line may be no entry, the last one cut short, and an id there twice. */
export function readManifest(text: string): Manifest {
  const byId = new Map<string, { entry: ReadEntry; line: number }>();
  const problems: ManifestProblem[] = [];
  const lines = linesOf(text);
  lines.forEach((raw, i) => {
    const line = i + 1;
    if (raw.trim() === '') return;
    const read = entryIn(raw);
    if ('problem' in read) {
      problems.push({ line, problem: line === lines.length ? 'is cut short' : read.problem });
      return;
    }
    const known = byId.get(read.entry.id);
    if (known) problems.push({ line, problem: `has the id ${read.entry.id}, as line ${known.line} does; this one counts` });
    byId.delete(read.entry.id);
    byId.set(read.entry.id, { entry: read.entry, line });
  });
  return { entries: [...byId.values()], problems };
}

/** Without the mark that some editors put before the first. */
const linesOf = (text: string): string[] => text.replace(/^\ufeff/, '').split('\n');

function entryIn(raw: string): { entry: ReadEntry } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { problem: 'is no JSON' };
  }
  const read = safeParse(ReadEntry, value);
  if (read.success) return { entry: read.output };
  const field = read.issues[0]?.path?.[0]?.key;
  return { problem: field === undefined ? 'is no entry' : `is no entry: ${String(field)} is missing or not what it should be` };
}

/** What keeps an entry from being written; undefined if nothing does. */
export function entryProblem({ status, needs_followup }: ManifestEntry): string | undefined {
  if (needs_followup.length > 0 || status === 'complete') return undefined;
  return status === 'partial' ? 'must say what is left, for work that is partial' : 'must say what blocks it, for work that is blocked';
}

/** The id of an entry that brings none: its task, and what it is about. */
export function entryIdFor(taskId: TaskId, title: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return `${taskId}-${slug || 'entry'}`;
}

/** Whether an entry belongs to a task: it says so, or its id does. */
export const belongsTo = (entry: ReadEntry, taskId: TaskId): boolean => tasksOf(entry).includes(taskId);
export const tasksOf = (entry: ReadEntry): TaskId[] => [...linksOf(entry), ...[taskInId(entry.id)].filter((id) => id !== undefined)];
export const isLinked = (entry: ReadEntry, taskId: TaskId): boolean => linksOf(entry).includes(taskId);
export const linksOf = (entry: ReadEntry): TaskId[] => entry.linked_tasks.map((id) => canonicalId(id) ?? id);
export const taskInId = (id: string): TaskId | undefined => canonicalId(/^T\d+(?=-)/.exec(id)?.[0] ?? '');

/** The entry that tells of the work on a task: the newest under an id of its own; one of another task may be linked to it as well. */
export function entryFor({ entries }: Manifest, taskId: TaskId): ReadEntry | undefined {
  const own = entries.findLast(({ entry }) => taskInId(entry.id) === taskId);
  return (own ?? entries.findLast(({ entry }) => taskInId(entry.id) === undefined && isLinked(entry, taskId)))?.entry;
}

/** What becomes of each line: kept to the byte, taken out, or another. */
export type LineChange = 'keep' | 'drop' | { text: string };

/** The lines with the links of one entry changed: the line that counts, and nothing else of it. */
export function withLinks(lines: string[], entryId: string, change: (links: TaskId[]) => TaskId[]): LineChange[] {
  const changes = lines.map((): LineChange => 'keep');
  const found = readManifest(lines.join('\n')).entries.find(({ entry }) => entry.id === entryId);
  if (!found) return changes;
  // The object as it stands, with what is in it that we do not know.
  const value = JSON.parse(linesOf(lines.join('\n'))[found.line - 1]!) as Record<string, unknown>;
  const before = linksOf(found.entry);
  const after = change(before);
  if (after.join() !== before.join()) changes[found.line - 1] = { text: JSON.stringify({ ...value, linked_tasks: after }) };
  return changes;
}

/** The lines without those of some entries, earlier ones of the same id too; what is no entry stays. */
export function withoutEntries(lines: string[], ids: ReadonlySet<string>): LineChange[] {
  return linesOf(lines.join('\n')).map((raw) => {
    const read = entryIn(raw);
    return 'entry' in read && ids.has(read.entry.id) ? 'drop' : 'keep';
  });
}

export interface EntryFilter {
  status?: string | undefined;
  topic?: string | undefined;
  agentType?: string | undefined;
  task?: TaskId | undefined;
  needsFollowup?: boolean | undefined;
}

export function matches(entry: ReadEntry, { status, topic, agentType, task, needsFollowup }: EntryFilter): boolean {
  return (
    (status === undefined || entry.status === status) &&
    (topic === undefined || entry.topics.some((one) => one.toLowerCase() === topic.toLowerCase())) &&
    (agentType === undefined || entry.agent_type === agentType) &&
    (task === undefined || belongsTo(entry, task)) &&
    (needsFollowup === undefined || entry.needs_followup.length > 0 === needsFollowup)
  );
}
