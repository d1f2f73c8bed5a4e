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
export function digestOf(task: Fitted, leads: (id: string) => boolean): string {
  return fields.map((field) => short(told(task, field, leads))).join(',');
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

function short(value: unknown): string {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return '';
  return hash(typeof value === 'string' ? value : JSON.stringify(value));
}

/** 53 bits, enough to tell what a field was from what it is. Nobody gains by two that are the same, and it costs a tenth of SHA-256:
 *  two chains of multiplications (FNV's prime and another), mixed with each other at the end. */
function hash(text: string): string {
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
