import type { TaskId } from '#core/model/scalars.ts';
import { removeDuplicates } from '#lib/collections.ts';
import { defined } from '#lib/defined.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { NormalizedTask } from './normalize-task.ts';

/** The fields compared when a task is imported again, in the order of their hashes in a digest. Stored digests depend on it. */
export const comparedFields = [
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
  'assignee',
  'due',
  'resolution',
] as const;
export type ComparedField = (typeof comparedFields)[number];

export const allFields: ReadonlySet<ComparedField> = new Set(comparedFields);
export const noFields: ReadonlySet<ComparedField> = new Set();

/** What was imported last for a record of the source. Long texts are stored as hashes: a merge needs to know whether they changed, not
 *  what they were. Lists are stored as they are, because they are merged item by item. */
export interface ImportBase {
  /** The digest of the record in the source. */
  theirs: string;
  /** The digest of the task as it was stored. It differs where the rules of tasks required it. */
  ours?: string;
  /** The revision of the task after the import. Another revision means a change made here. */
  revision?: number;
  /** The time of the last change in the source. */
  updatedAt?: string;
  labels?: string[];
  files?: string[];
  acceptance?: string[];
  depends?: TaskId[];
  related?: string[];
}

/** Computes a short hash per field. Links count only if their target is imported: a target that comes with a later file is a change. */
export function digestTask(task: NormalizedTask, isImported: (id: string) => boolean): string {
  return comparedFields.map((field) => digestValue(getComparedValue(task, field, isImported))).join(',');
}

type Links = Pick<NormalizedTask, 'parent' | 'impliedParent' | 'depends' | 'related'>;
const linkFields = ['parent', 'depends', 'related'] as const satisfies ComparedField[];

function getComparedValue(task: NormalizedTask, field: ComparedField, isImported: (id: string) => boolean): unknown {
  if (field === 'status') return [task.status, task.blockedBy, task.completedAt];
  if (field === 'parent' || field === 'depends' || field === 'related') return getLinkValue(task, field, isImported);
  return task[field];
}

const getLinkValue = (links: Links, field: (typeof linkFields)[number], isImported: (id: string) => boolean): unknown =>
  field === 'parent' ? getSourceParent(links, isImported) : links[field].filter(isImported);

/** Replaces the hashes of links in a digest that was computed before all records were known. */
export function setLinkDigests(digest: string, links: Links, isImported: (id: string) => boolean): string {
  const hashes = digest.split(',');
  for (const field of linkFields) hashes[comparedFields.indexOf(field)] = digestValue(getLinkValue(links, field, isImported));
  return hashes.join(',');
}

/** The parent in the source, if it is imported. One that is only implied by an id counts if it exists. */
export const getSourceParent = (
  { parent, impliedParent }: Pick<Links, 'parent' | 'impliedParent'>,
  isImported: (id: string) => boolean,
): string | undefined => [parent, impliedParent].find((id) => id !== undefined && isImported(id));

/** Computes the same for a stored task. Notes and relations are merged by their own identity and have no hash. */
export function digestRecord(record: TaskRecord): string {
  const values: Record<ComparedField, unknown> = {
    title: record.title,
    description: record.description,
    status: [record.status, record.blockedBy],
    priority: record.priority,
    hint: record.type,
    parent: record.parentId,
    depends: record.depends.toSorted(),
    related: undefined,
    labels: record.labels,
    acceptance: record.acceptance.map(({ text, gate, metAt }) => [text ?? gate, metAt !== undefined]),
    notes: undefined,
    files: record.files,
    isArchived: record.archivedAt !== undefined,
    assignee: record.assignee,
    due: record.due,
    resolution: record.resolution,
  };
  return comparedFields.map((field) => digestValue(values[field])).join(',');
}

/** Returns all fields if there is no earlier digest. A field that an older version did not store counts as empty. */
export function diffDigests(before: string | undefined, after: string): ReadonlySet<ComparedField> {
  if (before === after) return noFields;
  if (before === undefined) return allFields;
  const oldHashes = before.split(',');
  const newHashes = after.split(',');
  return new Set(comparedFields.filter((_, i) => (oldHashes[i] ?? '') !== newHashes[i]));
}

/** The task before it was merged, and what was changed here since the import before. */
export interface EarlierState {
  before: TaskRecord;
  changedHere: ReadonlySet<ComparedField>;
  base?: ImportBase | undefined;
  /** The status is that of the source, not one that the rules required. */
  takesStatus: boolean;
}

/** Formats what is stored about an imported record. A value that was changed here and stays is still a change to the next import. */
export function formatBase(task: NormalizedTask, digest: string, record: TaskRecord, earlier?: EarlierState): string {
  const { ours, hasChanges } = digestStored(digest, record, earlier);
  const base: ImportBase = defined({
    theirs: digest,
    ours,
    revision: hasChanges ? undefined : record.revision,
    updatedAt: task.updatedAt,
    labels: orNone(task.labels),
    files: orNone(task.files),
    acceptance: orNone(task.acceptance.map(({ text }) => hashText(text))),
    depends: orNone(earlier?.changedHere.has('depends') ? keepBaseDepends(record, earlier) : record.depends),
    related: orNone(task.related),
  });
  return JSON.stringify(base);
}

const listFields: ReadonlySet<ComparedField> = new Set(['labels', 'files', 'acceptance', 'depends']);
/** Stands for a value that is not known, and equals none. */
const unknownHash = '?';

function digestStored(digest: string, record: TaskRecord, earlier: EarlierState | undefined): { ours: string; hasChanges: boolean } {
  const ours = digestRecord(record);
  if (!earlier || earlier.changedHere.size === 0) return { ours, hasChanges: false };
  const [theirHashes, hashes, oldHashes] = [digest.split(','), ours.split(','), digestRecord(earlier.before).split(',')];
  const baseHashes = earlier.base?.ours?.split(',') ?? [];
  let hasChanges = false;
  const kept = comparedFields.map((field, i) => {
    const isTaken = hashes[i] !== oldHashes[i] && !listFields.has(field) && (field !== 'status' || earlier.takesStatus);
    if (!earlier.changedHere.has(field) || isTaken || hashes[i] === theirHashes[i]) return hashes[i];
    hasChanges = true;
    return baseHashes[i] ?? unknownHash;
  });
  return { ours: kept.join(','), hasChanges };
}

/** Dependencies that were added here are not part of the base, those that were removed here still are. */
function keepBaseDepends({ depends }: TaskRecord, { before, base }: EarlierState): TaskId[] {
  const known = base?.depends ?? [];
  const addedHere = before.depends.filter((id) => !known.includes(id));
  const removedHere = known.filter((id) => !before.depends.includes(id));
  return [...depends.filter((id) => !addedHere.includes(id)), ...removedHere];
}

const orNone = <T>(list: T[]): T[] | undefined => (list.length > 0 ? removeDuplicates(list) : undefined);

/** Parses a stored base. A store of an earlier version has the digest alone. */
export function parseBase(text: string): ImportBase {
  const value = text.startsWith('{') ? parseJson(text) : undefined;
  return isPlainObject(value) && typeof value.theirs === 'string' ? (value as unknown as ImportBase) : { theirs: text };
}

function digestValue(value: unknown): string {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return '';
  return hashText(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A 53-bit hash: two multiplicative chains (the FNV prime and another), mixed at the end. It costs a tenth of SHA-256; collisions have
 *  no security impact. */
export function hashText(text: string): string {
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
