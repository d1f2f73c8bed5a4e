import type { TaskId } from '#core/model/scalars.ts';
import { defined, isPlainObject, removeDuplicates } from '#lib/collections.ts';
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
  'size',
  'phase',
] as const;
export type ComparedField = (typeof comparedFields)[number];

const allFields: ReadonlySet<ComparedField> = new Set(comparedFields);
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
  return comparedFields
    .map((field) => digestValue(isLinkField(field) ? getLinkValue(task, field, isImported) : getComparedValue(task, field)))
    .join(',');
}

interface Links extends Pick<NormalizedTask, 'depends' | 'related'> {
  parent?: string | undefined;
  impliedParent?: string | undefined;
}
const linkFields = ['parent', 'depends', 'related'] as const satisfies ComparedField[];
type LinkField = (typeof linkFields)[number];

const isLinkField = (field: ComparedField): field is LinkField => (linkFields as readonly ComparedField[]).includes(field);

const getComparedValue = (task: NormalizedTask, field: Exclude<ComparedField, LinkField>): unknown =>
  field === 'status' ? [task.status, task.blockedBy, task.completedAt] : task[field];

const getLinkValue = (links: Links, field: LinkField, isImported: (id: string) => boolean): unknown =>
  field === 'parent' ? getSourceParent(links, isImported) : links[field].filter(isImported);

/** The parent in the source, if it is imported. One that is only implied by an id counts if it exists. */
export const getSourceParent = (
  { parent, impliedParent }: Pick<Links, 'parent' | 'impliedParent'>,
  isImported: (id: string) => boolean,
): string | undefined => [parent, impliedParent].find((id) => id !== undefined && isImported(id));

/** The hashes of all records of a file, by their positions in it. They are numbers in one array: 60,000 digests take 12 MB as texts. */
export interface DigestTable {
  /** Hashes the fields of a record, and returns one hash of everything in it. */
  add(position: number, task: NormalizedTask): number;
  /** Formats the digest of a record, once all records are known and links can be resolved. */
  format(position: number, links: Links, isImported: (id: string) => boolean): string;
}

export function createDigestTable(): DigestTable {
  const width = comparedFields.length;
  let hashes = new Float64Array(256 * width);
  return {
    add(position, task) {
      if ((position + 1) * width > hashes.length) {
        const longer = new Float64Array(hashes.length * 2);
        longer.set(hashes);
        hashes = longer;
      }
      const { uid, createdBy, createdAt, updatedAt, startedAt, parent, impliedParent, depends, related } = task;
      let content = hashNumber(JSON.stringify([uid, createdBy, createdAt, updatedAt, startedAt, parent, impliedParent, depends, related]));
      comparedFields.forEach((field, i) => {
        if (isLinkField(field)) return;
        const hash = hashValue(getComparedValue(task, field));
        hashes[position * width + i] = hash;
        content = Math.imul(content ^ hash, 0x01000193);
      });
      return content >>> 0;
    },
    format: (position, links, isImported) =>
      comparedFields
        .map((field, i) =>
          isLinkField(field) ? digestValue(getLinkValue(links, field, isImported)) : formatHash(hashes[position * width + i]!),
        )
        .join(','),
  };
}

/** Computes the digest of a stored task. Notes and relations are merged by their own identity and have no hash. A value that is the same
 *  in the source has the hash of `theirs`, which the caller has computed already. */
export function digestRecord(record: TaskRecord, theirs?: { task: NormalizedTask; digest: string }): string {
  const known = theirs ? { task: theirs.task, hashes: theirs.digest.split(',') } : undefined;
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
    size: record.size,
    phase: record.phase,
  };
  return comparedFields
    .map((field, i) => (known && isSameField(field) && record[field] === known.task[field] ? known.hashes[i] : digestValue(values[field])))
    .join(',');
}

/** The fields that are hashed in the same way in a task and in a record of the source. */
const sameFields = ['title', 'description', 'priority', 'labels', 'files', 'assignee', 'due', 'resolution', 'size', 'phase'] as const;
const isSameField = (field: ComparedField): field is (typeof sameFields)[number] =>
  (sameFields as readonly ComparedField[]).includes(field);

/** Returns all fields if there is no earlier digest. A field that an older version did not store counts as empty. */
export function diffDigests(before: string | undefined, after: string): ReadonlySet<ComparedField> {
  if (before === after) return noFields;
  if (before === undefined) return allFields;
  const oldHashes = before.split(',');
  const newHashes = after.split(',');
  return new Set(comparedFields.filter((_, i) => (oldHashes[i] ?? '') !== newHashes[i]));
}

/** The task before it was merged, and what was changed here since the import before. */
interface EarlierState {
  before: TaskRecord;
  changedHere: ReadonlySet<ComparedField>;
  base?: ImportBase | undefined;
  /** The status is that of the source, not one that the rules required. */
  takesStatus: boolean;
}

/** Formats what is stored about an imported record. A value that was changed here and stays is still a change to the next import. */
export function formatBase(task: NormalizedTask, digest: string, record: TaskRecord, earlier?: EarlierState): string {
  const { ours, hasChanges } = digestStored(task, digest, record, earlier);
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

function digestStored(
  task: NormalizedTask,
  digest: string,
  record: TaskRecord,
  earlier: EarlierState | undefined,
): { ours: string; hasChanges: boolean } {
  const ours = digestRecord(record, { task, digest });
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

const digestValue = (value: unknown): string => formatHash(hashValue(value));

const emptyHash = -1;

function hashValue(value: unknown): number {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return emptyHash;
  return hashNumber(typeof value === 'string' ? value : JSON.stringify(value));
}

export const hashText = (text: string): string => formatHash(hashNumber(text));

/** A 53-bit hash: two multiplicative chains (the FNV prime and another), mixed at the end. It costs a tenth of SHA-256; collisions have
 *  no security impact. */
function hashNumber(text: string): number {
  let [a, b] = [0x811c9dc5, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (b & 0x1fffff) * 0x100000000 + (a >>> 0);
}

const digits = '0123456789abcdefghijklmnopqrstuvwxyz';
const digitPairs = Array.from({ length: 36 * 36 }, (_, i) => `${digits[Math.floor(i / 36)]}${digits[i % 36]}`);

/** Formats a hash as `toString(36)` does, which computes each digit with floating-point numbers and took longer than the hash. */
function formatHash(hash: number): string {
  if (hash === emptyHash) return '';
  const high = Math.floor(hash / 36 ** 6);
  const low = hash - high * 36 ** 6;
  const middle = Math.floor(low / 36 ** 4);
  const rest = low - middle * 36 ** 4;
  const text =
    digitPairs[Math.floor(high / 36 ** 4)]! +
    digitPairs[Math.floor(high / 36 ** 2) % 1296]! +
    digitPairs[high % 1296]! +
    digitPairs[middle]! +
    digitPairs[Math.floor(rest / 36 ** 2)]! +
    digitPairs[rest % 1296]!;
  let start = 0;
  while (start < text.length - 1 && text[start] === '0') start += 1;
  return text.slice(start);
}
