import type { Fitted } from './fit.ts';

/** What is told apart when a task is imported again, in the order in which a digest holds it. */
export const fields = [
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
export type Field = (typeof fields)[number];

/** A short hash for each field, so that later it is known what changed over there and what only here. Ties count only where
 *  they lead to a task of the file: one that comes with a later file is a change. */
export function digestOf(task: Fitted, leads: (id: string) => boolean, hash: (text: string) => string): string {
  return fields.map((field) => short(told(task, field, leads), hash)).join(',');
}

/** All of them where nothing is known of it. */
export function changedFields(before: string | undefined, after: string): Set<Field> {
  const was = before?.split(',') ?? [];
  const is = after.split(',');
  return new Set(fields.filter((_, i) => was[i] !== is[i]));
}

function told(task: Fitted, field: Field, leads: (id: string) => boolean): unknown {
  if (field === 'status') return [task.status, task.blockedBy, task.completedAt];
  if (field === 'parent') return task.parent && leads(task.parent) ? task.parent : undefined;
  if (field === 'depends' || field === 'related') return task[field].filter(leads);
  return task[field];
}

function short(value: unknown, hash: (text: string) => string): string {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return '';
  // Ten of them would be as long as the task.
  return hash(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 12);
}
