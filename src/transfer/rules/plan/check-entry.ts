import { isStorable, PrioritySchema, RelationTypeSchema, StatusSchema, TaskSizeSchema, TaskTypeSchema } from '#core/model/scalars.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import type { PlanEntry, PlanKind, PlanValue } from '../../model/plan.ts';
import { deletedField } from './entries.ts';

type Check = (value: PlanValue) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isOneOf =
  (options: readonly string[]): Check =>
  (value) =>
    options.includes(value as string);
const isObject =
  (checks: Record<string, Check>, optional: Record<string, Check> = {}): Check =>
  (value) =>
    isPlainObject(value) &&
    Object.entries(checks).every(([key, check]) => value[key] !== undefined && check(value[key] as PlanValue)) &&
    Object.entries(optional).every(([key, check]) => value[key] === undefined || check(value[key] as PlanValue));

const event = { at: isText, by: isText };
const holder = isObject({ agent: isText, replica: isText, at: isText });
const stateTexts = ['resolution', 'blockedBy', 'startedAt', 'completedAt', 'archivedAt'];

/** Values of tasks that a store could not take. Fields that are not listed are not checked: a newer version may have added them. */
const taskFields: Record<string, Check> = {
  title: (value) => isText(value) && value !== '',
  description: isText,
  phase: isText,
  assignee: isText,
  due: isText,
  priority: isOneOf(PrioritySchema.options),
  size: isOneOf(TaskSizeSchema.options),
  place: isObject({ type: isOneOf(TaskTypeSchema.options) }, { parent: isText }),
  state: isObject({ status: isOneOf(StatusSchema.options) }, { ...Object.fromEntries(stateTexts.map((key) => [key, isText])), holder }),
  creation: isObject(event),
};

const taskSets: Record<string, Check> = {
  relations: isObject({ ...event, to: isText, type: isOneOf(RelationTypeSchema.options), reason: isText }),
  criteria: isObject({ kind: isOneOf(['text', 'evidence_bound']) }, { text: isText, gate: isText }),
  ticks: isObject(event),
  notes: isObject({ ...event, text: isText }),
  aliases: isObject({ tool: isText, alias: isText }),
};

/** Fields that every task has. */
const requiredFields = ['title', 'priority', 'place', 'state', 'creation'];

export function isValidEntry(kind: PlanKind, { field, key, value }: PlanEntry): boolean {
  if (!isStorableValue(key ?? '') || !isStorableValue(value)) return false;
  if (field === deletedField) return key === undefined && isObject({ ...event, seen: isObject({}) })(value);
  if (kind !== 'task') return true;
  if (key !== undefined) return Object.hasOwn(taskSets, field) ? taskSets[field]!(value) : true;
  if (!Object.hasOwn(taskFields, field)) return true;
  return value === null ? !requiredFields.includes(field) : taskFields[field]!(value);
}

/** Lists the required fields that a task lacks. */
export function listMissingFields(kind: PlanKind, entries: readonly PlanEntry[]): string[] {
  if (kind !== 'task') return [];
  const fields = new Set(entries.map(({ field }) => field));
  return requiredFields.filter((field) => !fields.has(field));
}

function isStorableValue(value: PlanValue): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (Array.isArray(value)) return value.every(isStorableValue);
  return !isPlainObject(value) || Object.entries(value).every(([key, item]) => isStorable(key) && isStorableValue(item as PlanValue));
}
