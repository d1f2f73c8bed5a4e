import { type BaseIssue, type GenericSchema, safeParse } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { TaskId } from '#core/model/scalars.ts';
import { nearest } from '#lib/nearest.ts';
import { mostEntries, NewEntry } from '#tasks/model/new-entry.ts';
import { ChangedEntry, RelationEntry } from '../model/workgraph.ts';

/** One thing that is wrong with a payload, and where: a JSON pointer into it, and the code that the same mistake has elsewhere. */
export interface Finding {
  pointer: string;
  code: string;
  message: string;
}

/** An entry with its place. Of one that is not in order, what is: the rest of the payload is judged all the same. */
type Entry<T> = Partial<T> & { pointer: string };

export interface Graph {
  create: Entry<NewEntry>[];
  update: Entry<ChangedEntry>[];
  delete: { id: TaskId; pointer: string }[];
  relations: Entry<RelationEntry>[];
}

const sections = ['create', 'update', 'delete', 'relations'] as const;
const known = ['$schema', 'version', ...sections];

/** The payload as far as it has the form of a WorkGraph, with everything in which it has not. */
export function readGraph(payload: unknown): { graph: Graph; findings: Finding[] } {
  const findings: Finding[] = [];
  const graph: Graph = { create: [], update: [], delete: [], relations: [] };
  if (!isObject(payload)) return { graph, findings: [shapeless('', 'must be an object with version, create, update, delete, relations')] };
  for (const key of Object.keys(payload).filter((name) => !known.includes(name)))
    findings.push(shapeless(pointerTo('', key), strange(key, known)));
  if (payload.version !== 1) findings.push(shapeless('/version', payload.version === undefined ? 'is required; it is 1' : 'must be 1'));
  const listed = (section: (typeof sections)[number]): { value: unknown; pointer: string }[] => {
    const list = payload[section] ?? [];
    if (Array.isArray(list) && list.length <= mostEntries) return list.map((value, i) => ({ value, pointer: pointerTo(`/${section}`, i) }));
    const problem = Array.isArray(list) ? `must have at most ${mostEntries} entries` : 'must be a list';
    findings.push(shapeless(`/${section}`, problem));
    return [];
  };
  graph.create = listed('create').map((entry) => readEntry<NewEntry>(NewEntry, entry, findings));
  graph.update = listed('update').map((entry) => readEntry<ChangedEntry>(ChangedEntry, entry, findings));
  graph.relations = listed('relations').map((entry) => readRelation(entry, findings));
  for (const { value, pointer } of listed('delete')) {
    const parsed = safeParse(TaskId, value);
    if (parsed.success) graph.delete.push({ id: parsed.output, pointer });
    else findings.push(...parsed.issues.map((issue) => findingOf(issue, pointer, [])));
  }
  return { graph, findings };
}

/** A refusal that a single operation would give, at its place in the payload. */
export const finding = (pointer: string, error: CleoError): Finding => ({ pointer, code: error.code, message: error.message });

interface Fields {
  entries: Record<string, GenericSchema>;
}

function readEntry<T>(
  schema: GenericSchema & Fields,
  { value, pointer }: { value: unknown; pointer: string },
  findings: Finding[],
): Entry<T> {
  const parsed = safeParse(schema, value);
  if (parsed.success) return { ...(parsed.output as T), pointer };
  const names = Object.keys(schema.entries);
  findings.push(...(parsed.issues as BaseIssue<unknown>[]).map((issue) => findingOf(issue, pointer, names)));
  const sound = Object.entries(schema.entries).flatMap(([name, field]) => {
    const part = isObject(value) && Object.hasOwn(value, name) ? safeParse(field, value[name]) : undefined;
    return part?.success ? [[name, part.output]] : [];
  });
  return { ...(Object.fromEntries(sound) as Partial<T>), pointer };
}

function readRelation(given: { value: unknown; pointer: string }, findings: Finding[]): Entry<RelationEntry> {
  const entry = readEntry<RelationEntry>(RelationEntry, given, findings);
  const lacks = (['type', 'reason'] as const).filter((name) => !entry.remove && isObject(given.value) && given.value[name] === undefined);
  findings.push(...lacks.map((name) => shapeless(pointerTo(entry.pointer, name), 'is required')));
  return entry;
}

function findingOf(issue: BaseIssue<unknown>, pointer: string, names: string[]): Finding {
  const path = issue.path?.map((step) => String(step.key)) ?? [];
  const at = path.reduce(pointerTo, pointer);
  if (issue.kind !== 'schema') {
    const field = path.findLast((step) => !/^\d+$/.test(step)) ?? 'id';
    return { ...finding(at, new CleoError('E_VALIDATION', { field, problem: issue.message, fix: '' })), message: issue.message };
  }
  if (issue.expected === 'never') return shapeless(at, strange(path.at(-1) ?? '', names));
  if (issue.received === 'undefined') return shapeless(at, 'is required');
  const own = issue.message.startsWith('Invalid ') ? `expected ${cut(issue.expected ?? 'something else')}` : issue.message;
  return shapeless(at, `${own}, received ${cut(issue.received)}`);
}

const shapeless = (pointer: string, message: string): Finding => ({ pointer, code: 'E_INVALID_INPUT', message });

function strange(name: string, names: string[]): string {
  const near = nearest(name, names);
  return `is not a field here${near.length ? `; did you mean ${near.join(' or ')}?` : ''}`;
}

export const pointerTo = (above: string, key: string | number): string =>
  `${above}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
