import { CleoError } from '#core/errors/error.ts';
import type { TaskId, TaskType } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { ForeignMemory, ForeignStream, ImportLoss } from '../model/foreign.ts';
import type { KnownImport } from '../model/known-import.ts';
import { createDuplicateResolver } from './duplicates.ts';
import {
  type ComparedField,
  createDigestTable,
  type DigestTable,
  diffDigests,
  getSourceParent,
  type ImportBase,
  noFields,
  parseBase,
} from './import-base.ts';
import { type NormalizedTask, normalizeTask } from './normalize-task.ts';
import { createSink, isEarlier } from './source-values.ts';

/** A record of an earlier import, in short: whole bases of 60,000 records take 40 MB. All have the same keys, because V8 needs twice the
 *  memory for objects that get their keys one by one. */
export interface EarlierImport {
  taskId: TaskId;
  /** The digest of the record at the last import. */
  theirs: string | undefined;
  /** The time of the last change in the source at the last import. */
  updatedAt: string | undefined;
  /** The whole base. It is read for the records that need it only. */
  base: string | undefined;
  state: 'present' | 'archived' | 'deleted';
  /** The task has the revision of the last import, so that nothing was changed here. */
  isUntouched: boolean;
}

export function toEarlierImport({ taskId, base, current }: KnownImport): EarlierImport {
  const { theirs, updatedAt, revision } = base === undefined ? ({} as Partial<ImportBase>) : parseBase(base);
  const state = !current ? 'deleted' : current.archivedAt ? 'archived' : 'present';
  return { taskId, theirs, updatedAt, base: undefined, state, isUntouched: base !== undefined && revision === current?.revision };
}

export type StoredPosition = Omit<NonNullable<KnownImport['current']>, 'revision' | 'updatedAt'>;

/** A task of a file without its texts, which are read from the file again when the task is written: an import of 60,000 issues must not
 *  have all of them in memory. */
export interface ImportItem extends Pick<NormalizedTask, 'id' | 'status' | 'isArchived' | 'depends' | 'related'> {
  /** The task here that the record was exported from, if any. */
  uid: string | undefined;
  /** The task here, once the import is planned. */
  taskId: TaskId | undefined;
  /** Done, but not as planned. */
  isCancelled: boolean;
  parent: string | undefined;
  /** Becomes the parent if it exists and the source names no other. */
  impliedParent: string | undefined;
  hint: TaskType | undefined;
  updatedAt: string | undefined;
  earlier: EarlierImport | undefined;
  /** The fields that changed in the source since the last import. */
  changed: ReadonlySet<ComparedField>;
  /** Changes made here since the last import. */
  local: LocalChanges | undefined;
  /** The record was changed before the last import; it changes nothing. */
  isOlder: boolean;
  /** The record has a later time of change than at the last import. */
  isNewer: boolean;
  /** The number of the record in the stream, from 0. */
  position: number;
}

export interface LocalChanges {
  changed: ReadonlySet<ComparedField>;
  updatedAt: string;
  hasEvidence: boolean;
}

/** Tasks of a file, each compared with its earlier import. */
export interface ImportDraft {
  source: string;
  items: ImportItem[];
  losses: ImportLoss[];
  memories: ForeignMemory[];
  earlierImports: Map<string, EarlierImport>;
  /** Records of earlier imports that are not in the file any more, or that the tool has deleted. */
  gone: { id: string; earlier: EarlierImport; isDeleted: boolean }[];
  /** Every record that was imported before is as old as then or older. */
  isOlder: boolean;
  /** The latest time of change at the last import; empty without one. */
  importedUntil: string;
  /** Reads the files again for the texts of `items`, in the order of the files. */
  readTasks<T extends ImportItem>(items: T[]): Generator<{ item: T; task: NormalizedTask }>;
  /** Formats the digest of a record as it is in the file. */
  formatDigest(item: ImportItem): string;
  /** Checks whether a record is in the file or was imported before. */
  isImported(id: string): boolean;
  parseBase(item: ImportItem): ImportBase | undefined;
}

/** Reads a file to its end and compares each task with its earlier import. Yields the number of tasks now and then: PostgreSQL ends a
 *  transaction that is idle for some seconds, so the caller uses it in between. Throws if the file contains no task that can be read. */
export function* createImportDraft(
  stream: ForeignStream,
  earlierImports: Map<string, EarlierImport>,
): Generator<number, ImportDraft, undefined> {
  const { source, losses, memories, deletedIds } = stream;
  const resolve = createDuplicateResolver(losses);
  const items: ImportItem[] = [];
  const digests = createDigestTable();
  const cache = createTaskCache();
  let position = -1;
  for (const foreign of stream.tasks) {
    position += 1;
    // A duplicate that is left out must not report its losses.
    const found: ImportLoss[] = [];
    const task = normalizeTask(source, foreign, found);
    const { updatedAt, container } = foreign;
    const identity = { id: foreign.id, title: task.title, ...defined({ updatedAt, container }) };
    const { id, index } = resolve(identity, digests.add(position, task));
    if (index === undefined) continue;
    for (const loss of found) losses.push(loss);
    items[index] = toItem(task, id, position);
    cache.add(position, task);
    if (items.length % tasksPerStep === 0) yield items.length;
  }
  checkReadable(stream, items);
  const ids = new Set<string>();
  for (const { id } of items) ids.add(id);
  const isImported = (id: string): boolean => ids.has(id) || earlierImports.has(id);
  const { isOlder, importedUntil } = compareWithEarlier(items, earlierImports, digests, isImported);
  return {
    source,
    items,
    losses,
    memories,
    earlierImports,
    gone: listGone(items, ids, earlierImports, deletedIds),
    isOlder,
    importedUntil,
    readTasks: (selected) => readTasks(stream, selected, cache.get()),
    formatDigest: (item) => digests.format(item.position, item, isImported),
    isImported,
    parseBase: ({ earlier }) => (earlier?.base === undefined ? undefined : parseBase(earlier.base)),
  };
}

const tasksPerStep = 100;

type CachedTasks = ReadonlyMap<number, NormalizedTask>;

/** Tasks of a file that is small enough for memory, so that it is read once only. Those of a larger file are dropped. */
function createTaskCache(): { add(position: number, task: NormalizedTask): void; get(): CachedTasks | undefined } {
  let tasks: Map<number, NormalizedTask> | undefined = new Map();
  let length = 0;
  return {
    add(position, task) {
      length += task.title.length + (task.description?.length ?? 0) + averageFieldLength;
      for (const { text } of task.notes) length += text.length + averageFieldLength;
      for (const { text } of task.acceptance) length += text.length;
      if (length > maxCachedLength) tasks = undefined;
      tasks?.set(position, task);
    },
    get: () => tasks,
  };
}

const maxCachedLength = 16 * 1024 * 1024;
/** Times, names and ids of a task or a note. */
const averageFieldLength = 200;

function* readTasks<T extends ImportItem>(
  { source, tasks }: ForeignStream,
  items: T[],
  cached: CachedTasks | undefined,
): Generator<{ item: T; task: NormalizedTask }> {
  if (items.length === 0) return;
  if (cached) {
    for (const item of items.toSorted((a, b) => a.position - b.position)) {
      const task = cached.get(item.position)!;
      yield { item, task: task.id === item.id ? task : { ...task, id: item.id } };
    }
    return;
  }
  const byPosition = new Map(items.map((item) => [item.position, item]));
  const ignored = createSink<ImportLoss>();
  let position = -1;
  let count = 0;
  for (const foreign of tasks) {
    position += 1;
    const item = byPosition.get(position);
    if (!item) continue;
    // A duplicate has the id of its record and a suffix.
    if (!item.id.startsWith(foreign.id)) break;
    const task = normalizeTask(source, foreign, ignored);
    yield { item, task: task.id === item.id ? task : { ...task, id: item.id } };
    count += 1;
  }
  if (count < byPosition.size)
    throw new CleoError('E_INVALID_INPUT', {
      problem: 'the file was changed while it was read; nothing was imported',
      fix: 'cleo help import',
    });
}

const noLinks: string[] = [];
/** Most records have no links; one empty list serves all of them. */
const shareEmpty = (links: string[]): string[] => (links.length > 0 ? links : noLinks);

function toItem(task: NormalizedTask, id: string, position: number): ImportItem {
  const { status, resolution, isArchived, depends, related, hint, updatedAt, parent, impliedParent, uid } = task;
  return {
    id,
    taskId: undefined,
    uid,
    status,
    isArchived,
    isCancelled: resolution !== undefined && resolution !== 'done',
    hint,
    parent,
    impliedParent,
    depends: shareEmpty(depends),
    related: shareEmpty(related),
    updatedAt,
    earlier: undefined,
    changed: noFields,
    local: undefined,
    isOlder: false,
    isNewer: false,
    position,
  };
}

/** A file without a single record of its tool is a mistake, such as the wrong file. */
function checkReadable({ losses, memories, deletedIds }: ForeignStream, items: ImportItem[]): void {
  const problem = losses.find(({ isProblem }) => isProblem);
  if (items.length > 0 || memories.length > 0 || deletedIds.length > 0 || !problem) return;
  if (losses.some(({ isProblem }) => !isProblem)) return;
  throw new CleoError('E_INVALID_INPUT', {
    problem: `${problem.id}: ${problem.why.replace(/; skipped$/, '')}; nothing was imported`,
    fix: 'cleo help import',
  });
}

/** Sets what each item is compared to its earlier import. The digest of a record that did not change is not needed any more, and is
 *  removed. `digests` are formatted here, because only the end of the file shows which links count. */
function compareWithEarlier(
  items: ImportItem[],
  earlierImports: Map<string, EarlierImport>,
  digests: DigestTable,
  isImported: (id: string) => boolean,
): Pick<ImportDraft, 'isOlder' | 'importedUntil'> {
  let [older, newer, importedUntil] = [0, 0, ''];
  for (const item of items) {
    const earlier = earlierImports.get(item.id);
    const parent = getSourceParent(item, isImported);
    if (parent) item.parent = parent;
    if (!earlier) continue;
    item.earlier = earlier;
    const { theirs, updatedAt } = earlier;
    if (updatedAt && updatedAt > importedUntil) importedUntil = updatedAt;
    if (updatedAt && item.updatedAt && isEarlier(item.updatedAt, updatedAt)) {
      item.isOlder = true;
      older += 1;
      continue;
    }
    if (updatedAt && item.updatedAt && item.updatedAt > updatedAt) {
      item.isNewer = true;
      newer += 1;
    }
    item.changed = diffDigests(theirs, digests.format(item.position, item, isImported));
    earlier.theirs = undefined;
  }
  return { isOlder: older > 0 && newer === 0, importedUntil };
}

/** Issues of another repository are not in the file because it is the file of one repository. */
function listGone(
  items: ImportItem[],
  ids: Set<string>,
  earlierImports: Map<string, EarlierImport>,
  deletedIds: string[],
): ImportDraft['gone'] {
  const gone: ImportDraft['gone'] = [];
  const deleted = new Set(deletedIds);
  const getScope = (id: string): string => /^(.+)#\d+$/.exec(id)?.[1] ?? '';
  let scopes: Set<string> | undefined;
  for (const [id, earlier] of earlierImports) {
    if (earlier.state !== 'present' || ids.has(id)) continue;
    scopes ??= new Set(items.map((item) => getScope(item.id)));
    if (deleted.has(id) || scopes.has(getScope(id))) gone.push({ id, earlier, isDeleted: deleted.has(id) });
  }
  return gone;
}
