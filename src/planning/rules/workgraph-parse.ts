import { type BaseIssue, type GenericSchema, safeParse } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { clipText } from '#lib/budget.ts';
import { isPlainObject } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import { maxEntries, type NewEntry, NewEntrySchema } from '#tasks/model/new-entry.ts';
import { type ChangedEntry, ChangedEntrySchema, type RelationEntry, RelationEntrySchema } from '../model/workgraph.ts';

/** A problem of a payload: a JSON pointer to it, and the error code that a single operation would return for it. */
export interface GraphFinding {
  pointer: string;
  code: string;
  message: string;
}

/** An entry with the JSON pointer to it. Invalid fields are left out, so that the rest of the payload can still be checked. */
type LocatedEntry<T> = Partial<T> & { pointer: string };

export interface ParsedGraph {
  create: LocatedEntry<NewEntry>[];
  update: LocatedEntry<ChangedEntry>[];
  delete: { id: TaskId; pointer: string }[];
  relations: LocatedEntry<RelationEntry>[];
}

const sections = ['create', 'update', 'delete', 'relations'] as const;
const knownKeys = ['$schema', 'version', ...sections];

/** Parses the valid part of a payload and reports everything that does not match the schema. */
export function parseGraph(payload: unknown): { graph: ParsedGraph; findings: GraphFinding[] } {
  const findings: GraphFinding[] = [];
  const graph: ParsedGraph = { create: [], update: [], delete: [], relations: [] };
  if (!isPlainObject(payload))
    return { graph, findings: [toShapeFinding('', 'must be an object with version, create, update, delete, relations')] };
  for (const key of Object.keys(payload).filter((name) => !knownKeys.includes(name)))
    findings.push(toShapeFinding(appendPointer('', key), describeUnknownField(key, knownKeys)));
  if (payload.version !== 1)
    findings.push(toShapeFinding('/version', payload.version === undefined ? 'is required and must be 1' : 'must be 1'));
  const readSection = (section: (typeof sections)[number]): { value: unknown; pointer: string }[] => {
    const list = payload[section] ?? [];
    if (Array.isArray(list) && list.length <= maxEntries)
      return list.map((value, i) => ({ value, pointer: appendPointer(`/${section}`, i) }));
    const problem = Array.isArray(list) ? `must have at most ${maxEntries} entries` : 'must be a list';
    findings.push(toShapeFinding(`/${section}`, problem));
    return [];
  };
  graph.create = readSection('create').map((entry) => readEntry<NewEntry>(NewEntrySchema, entry, findings));
  graph.update = readSection('update').map((entry) => readEntry<ChangedEntry>(ChangedEntrySchema, entry, findings));
  graph.relations = readSection('relations').map((entry) => readRelation(entry, findings));
  for (const { value, pointer } of readSection('delete')) {
    const parsed = safeParse(TaskIdSchema, value);
    if (parsed.success) graph.delete.push({ id: parsed.output, pointer });
    else findings.push(...parsed.issues.map((issue) => toIssueFinding(issue, pointer, [])));
  }
  return { graph, findings };
}

export const toFinding = (pointer: string, error: CleoError): GraphFinding => ({ pointer, code: error.code, message: error.message });

interface ObjectSchema {
  entries: Record<string, GenericSchema>;
}

function readEntry<T>(
  schema: GenericSchema & ObjectSchema,
  { value, pointer }: { value: unknown; pointer: string },
  findings: GraphFinding[],
): LocatedEntry<T> {
  const parsed = safeParse(schema, value);
  if (parsed.success) return { ...(parsed.output as T), pointer };
  const names = Object.keys(schema.entries);
  findings.push(...(parsed.issues as BaseIssue<unknown>[]).map((issue) => toIssueFinding(issue, pointer, names)));
  const sound = Object.entries(schema.entries).flatMap(([name, field]) => {
    const part = isPlainObject(value) && Object.hasOwn(value, name) ? safeParse(field, value[name]) : undefined;
    return part?.success ? [[name, part.output]] : [];
  });
  return { ...(Object.fromEntries(sound) as Partial<T>), pointer };
}

function readRelation(given: { value: unknown; pointer: string }, findings: GraphFinding[]): LocatedEntry<RelationEntry> {
  const entry = readEntry<RelationEntry>(RelationEntrySchema, given, findings);
  const missing = (['type', 'reason'] as const).filter(
    (name) => !entry.remove && isPlainObject(given.value) && given.value[name] === undefined,
  );
  findings.push(...missing.map((name) => toShapeFinding(appendPointer(entry.pointer, name), 'is required')));
  return entry;
}

function toIssueFinding(issue: BaseIssue<unknown>, pointer: string, names: string[]): GraphFinding {
  const path = issue.path?.map((step) => String(step.key)) ?? [];
  const at = path.reduce(appendPointer, pointer);
  if (issue.kind !== 'schema') {
    const field = path.findLast((step) => !/^\d+$/.test(step)) ?? 'id';
    return { ...toFinding(at, new CleoError('E_VALIDATION', { field, problem: issue.message, fix: '' })), message: issue.message };
  }
  if (issue.expected === 'never') return toShapeFinding(at, describeUnknownField(path.at(-1) ?? '', names));
  if (issue.received === 'undefined') return toShapeFinding(at, 'is required');
  const own = issue.message.startsWith('Invalid ') ? `expected ${clipText(issue.expected ?? 'something else', 100)}` : issue.message;
  return toShapeFinding(at, `${own}, received ${clipText(issue.received, 100)}`);
}

const toShapeFinding = (pointer: string, message: string): GraphFinding => ({ pointer, code: 'E_INVALID_INPUT', message });

function describeUnknownField(name: string, names: string[]): string {
  const near = findNearest(name, names);
  return `is not a known field${near.length ? `; did you mean ${near.join(' or ')}?` : ''}`;
}

export const appendPointer = (above: string, key: string | number): string =>
  `${above}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
