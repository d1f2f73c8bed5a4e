import type { NormalizedTask } from './normalize-task.ts';

/** The fields compared when a task is imported again, in the order of their hashes in a digest. Stored digests depend on it. */
const comparedFields = [
  'title',
  'description',
  'status',
  'priority',
  'hint',
  'parent',
  'depends',
  'related',
  'labels',
  'acceptance',
  'notes',
  'files',
  'isArchived',
] as const;
export type ComparedField = (typeof comparedFields)[number];

/** Computes a short hash per field, so that a later import can tell changes in the source from local ones. Links count only if their
 *  target is imported: a target that comes with a later file is a change. */
export function digestTask(task: NormalizedTask, isImported: (id: string) => boolean): string {
  return comparedFields.map((field) => digestValue(getComparedValue(task, field, isImported))).join(',');
}

/** Returns all fields if there is no earlier digest. */
export function diffDigests(before: string | undefined, after: string): Set<ComparedField> {
  const oldHashes = before?.split(',') ?? [];
  const newHashes = after.split(',');
  return new Set(comparedFields.filter((_, i) => oldHashes[i] !== newHashes[i]));
}

function getComparedValue(task: NormalizedTask, field: ComparedField, isImported: (id: string) => boolean): unknown {
  if (field === 'status') return [task.status, task.blockedBy, task.completedAt];
  if (field === 'parent') return task.parent && isImported(task.parent) ? task.parent : undefined;
  if (field === 'depends' || field === 'related') return task[field].filter(isImported);
  return task[field];
}

function digestValue(value: unknown): string {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return '';
  return hashText(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A 53-bit hash: two multiplicative chains (the FNV prime and another), mixed at the end. It costs a tenth of SHA-256; collisions have
 *  no security impact. */
function hashText(text: string): string {
  let [a, b] = [0x811c9dc5, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return ((b & 0x1fffff) * 0x100000000 + (a >>> 0)).toString(36);
}
