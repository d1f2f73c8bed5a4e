import type { GradeEntry } from '../model/grade.ts';

/** One task that a call created, as far as a grade asks. */
export interface Added {
  id: string;
  hasDescription: boolean;
  /** For telling duplicates: trimmed, in lower case; undefined where the log hid a part of it. */
  key?: string;
  title?: string;
  /** The id that was given as parent. */
  parent?: string;
}

/** The tasks that an add, or each entry of a batch, created. A dry run and a refusal created none.
 *  The log hides secrets and keeps texts over 1,000 characters as length and hash: both are texts, so neither is blank. Titles
 *  with something hidden in them are never taken for duplicates, for nobody can tell. */
export function addedBy(entry: GradeEntry): Added[] {
  if (!entry.success || entry.created.length === 0) return [];
  const params = fieldsOf(parsed(entry.params));
  if (entry.operation !== 'tasks.add-batch') return [added(entry.created[0]!, params, noRefs)];
  const tasks = (Array.isArray(params.tasks) ? params.tasks : []).map(fieldsOf);
  const refs = new Set(tasks.map((task) => task.ref));
  return entry.created.map((id, i) => added(id, tasks[i] ?? {}, refs));
}

/** Which task a call named, for telling what should have been looked up. */
export function namedTask(params: string): string | undefined {
  const { taskId } = fieldsOf(parsed(params));
  return typeof taskId === 'string' ? taskId : undefined;
}

type Fields = Record<string, unknown>;
const noRefs: ReadonlySet<unknown> = new Set();

function added(id: string, { title, description, parent }: Fields, refs: ReadonlySet<unknown>): Added {
  const key = keyOf(title);
  // A parent that the same batch creates cannot be looked up before.
  const isGiven = parent !== undefined && parent !== null && parent !== '' && !refs.has(parent);
  return {
    id,
    hasDescription: typeof description === 'string' ? description.trim() !== '' : isDigest(description),
    ...(key === undefined ? {} : { key }),
    ...(typeof title === 'string' ? { title: title.trim() } : {}),
    ...(isGiven ? { parent: String(parent) } : {}),
  };
}

function keyOf(title: unknown): string | undefined {
  if (isDigest(title)) return `sha256:${title.sha256}`;
  return typeof title === 'string' && !title.includes('[redacted]') ? title.trim().toLowerCase() : undefined;
}

const isDigest = (value: unknown): value is { length: number; sha256: string } =>
  typeof value === 'object' && value !== null && 'sha256' in value;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
