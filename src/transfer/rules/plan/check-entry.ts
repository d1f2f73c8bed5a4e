import { evidenceGateNames } from '#core/model/config.ts';
import { PrioritySchema, RelationTypeSchema, ResolutionSchema, StatusSchema, TaskSizeSchema, TaskTypeSchema } from '#core/model/scalars.ts';
import { isStorable } from '#core/model/storable.ts';
import { isPlainObject } from '#lib/collections.ts';
import { confirmationStates, memoryTypes } from '#memory/model/memory.ts';
import type { PlanEntry, PlanKind, PlanValue } from '../../model/plan.ts';
import { deletedField } from './entries.ts';

type Check = (value: PlanValue) => boolean;

/** Higher than every limit of a field, so that a file of another version is read, and no file fills the answers of a clone. */
const maxLineLength = 1000;
const maxTextLength = 100_000;

const isText: Check = (value) => typeof value === 'string' && value.length <= maxTextLength;
const isLine: Check = (value) =>
  typeof value === 'string' && value !== '' && value.length <= maxLineLength && !/[\u0000-\u001f\u007f-\u009f]/.test(value);
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

const isNumber: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isBoolean: Check = (value) => typeof value === 'boolean';
const isList =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isTime: Check = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
const isHash: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const event = { at: isTime, by: isText };
const holder = isObject({ agent: isText, replica: isText, at: isTime });
const stateTexts = {
  resolution: isOneOf(ResolutionSchema.options),
  blockedBy: isText,
  startedAt: isTime,
  completedAt: isTime,
  archivedAt: isTime,
};
const gate = isOneOf(evidenceGateNames);

/** Values of tasks that a store could not take. Fields that are not listed are not checked: a newer version may have added them. */
const taskFields: Record<string, Check> = {
  title: isLine,
  description: isText,
  phase: isLine,
  assignee: isLine,
  due: isLine,
  priority: isOneOf(PrioritySchema.options),
  size: isOneOf(TaskSizeSchema.options),
  place: isObject({ type: isOneOf(TaskTypeSchema.options) }, { parent: isText }),
  state: isObject({ status: isOneOf(StatusSchema.options) }, { ...stateTexts, holder }),
  creation: isObject(event),
  verification: isObject({ round: isNumber, failed: isNumber }, { verdict: isObject({ verdict: isText, ...event }) }),
};

const taskSets: Record<string, Check> = {
  relations: isObject({ ...event, to: isText, type: isOneOf(RelationTypeSchema.options), reason: isText }),
  criteria: isObject({ kind: isOneOf(['text', 'evidence_bound']) }, { text: isText, gate }),
  ticks: isObject(event),
  notes: isObject({ ...event, text: isText }),
  aliases: isObject({ tool: isLine, alias: isLine }),
  evidence: isObject({ ...event, gate, round: isNumber, passed: isBoolean, evidence: isList(isObject({ kind: isText })) }),
};

const decisionTexts = { by: isText, at: isTime, reason: isText, supersededBy: isText, proof: isText };

/** The same for the other kinds of records. */
const otherFields: Record<Exclude<PlanKind, 'task'>, Record<string, Check>> = {
  memory: {
    type: isOneOf(memoryTypes),
    title: isLine,
    content: isText,
    digest: isHash,
    creation: isObject(event),
    decision: isObject({ state: isOneOf(confirmationStates) }, decisionTexts),
    source: isObject({ table: isText, rowid: isText }),
    session: isText,
  },
  document: { type: isLine, title: isLine, creation: isObject(event) },
  handoff: {
    name: isLine,
    scope: isObject({ kind: isOneOf(['global', 'epic', 'saga', 'task']) }, { root: isText }),
    phase: isLine,
    graded: isBoolean,
    creation: isObject(event),
    endedAt: isTime,
    note: isText,
    handoff: isHandoff,
  },
};

const otherSets: Record<string, Check> = {
  versions: isObject({ ...event, digest: isHash, encoding: isOneOf(['utf8', 'base64']), size: isNumber }, { path: isText }),
};

function isHandoff(value: PlanValue): boolean {
  const item = isObject({}, { id: isText, taskId: isText, title: isText, text: isText, blockedBy: isText });
  const lists = Object.fromEntries(['done', 'open', 'blocked', 'decisions', 'next'].map((name) => [name, isList(item)]));
  const part = isObject({ agent: isText, at: isTime, done: isList(item), open: isList(item) }, { note: isText });
  return isObject(lists, { note: isText, parts: isList(part) })(value);
}

/** Fields that every record has. */
const requiredFields: Record<PlanKind, string[]> = {
  task: ['title', 'priority', 'place', 'state', 'creation'],
  memory: ['type', 'title', 'content', 'digest', 'creation'],
  document: ['type', 'title', 'creation'],
  handoff: ['scope', 'creation'],
};

export function isValidEntry(kind: PlanKind, { field, key, value }: PlanEntry): boolean {
  if (!isStorableValue(value) || (key !== undefined && !(isLine(key) && isStorable(key)))) return false;
  if (field === deletedField) return key === undefined && isObject({ ...event, seen: isObject({}) })(value);
  const checks = kind === 'task' ? { fields: taskFields, sets: taskSets } : { fields: otherFields[kind], sets: otherSets };
  if (key !== undefined) return Object.hasOwn(checks.sets, field) ? checks.sets[field]!(value) : true;
  if (!Object.hasOwn(checks.fields, field)) return true;
  return value === null ? !requiredFields[kind].includes(field) : checks.fields[field]!(value);
}

/** Lists the required fields that a task lacks. */
export function listMissingFields(kind: PlanKind, entries: readonly PlanEntry[]): string[] {
  const fields = new Set(entries.map(({ field }) => field));
  return requiredFields[kind].filter((field) => !fields.has(field));
}

function isStorableValue(value: PlanValue): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (Array.isArray(value)) return value.every(isStorableValue);
  return !isPlainObject(value) || Object.entries(value).every(([key, item]) => isStorable(key) && isStorableValue(item as PlanValue));
}
