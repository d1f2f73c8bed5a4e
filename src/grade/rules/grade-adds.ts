import { defined } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { GradeEntry } from '../model/grade.ts';

interface AddedTask {
  id: string;
  hasDescription: boolean;
  /** The title for finding duplicates, trimmed and in lower case; missing if the log redacted part of it. */
  key?: string;
  title?: string;
  /** The parent id that the call passed. */
  parent?: string;
}

/** Lists the tasks that an add or a batch created. A dry run or a failed call created none. The log redacts secrets and stores texts
 *  over 1,000 characters as length and hash; both count as a description. A redacted title is never a duplicate, since it cannot be
 *  compared. */
export function listAddedTasks(entry: GradeEntry): AddedTask[] {
  if (!entry.success || entry.created.length === 0) return [];
  const params = toFields(parseJson(entry.params));
  if (entry.operation !== 'tasks.add-batch') return [toAddedTask(entry.created[0]!, params, noRefs)];
  const tasks = (Array.isArray(params.tasks) ? params.tasks : []).map(toFields);
  const refs = new Set(tasks.map((task) => task.ref));
  return entry.created.map((id, i) => toAddedTask(id, tasks[i] ?? {}, refs));
}

/** Returns the `taskId` of a call, which names the task to look up after a not-found error. */
export function getTaskId(params: string): string | undefined {
  const { taskId } = toFields(parseJson(params));
  return typeof taskId === 'string' ? taskId : undefined;
}

type Fields = Record<string, unknown>;
const noRefs: ReadonlySet<unknown> = new Set();

function toAddedTask(id: string, { title, description, parent }: Fields, refs: ReadonlySet<unknown>): AddedTask {
  // A parent that the same batch creates cannot be looked up first.
  const isGiven = parent !== undefined && parent !== null && parent !== '' && !refs.has(parent);
  return {
    id,
    hasDescription: typeof description === 'string' ? description.trim() !== '' : isDigest(description),
    ...defined({
      key: toDuplicateKey(title),
      title: typeof title === 'string' ? title.trim() : undefined,
      parent: isGiven ? String(parent) : undefined,
    }),
  };
}

function toDuplicateKey(title: unknown): string | undefined {
  if (isDigest(title)) return `sha256:${title.sha256}`;
  return typeof title === 'string' && !title.includes('[redacted]') ? title.trim().toLowerCase() : undefined;
}

const isDigest = (value: unknown): value is { length: number; sha256: string } =>
  typeof value === 'object' && value !== null && 'sha256' in value;

const toFields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
