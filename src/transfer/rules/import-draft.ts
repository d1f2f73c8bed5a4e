import { CleoError } from '#core/errors/error.ts';
import type { TaskType } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import type { ForeignMemory, ForeignStream, ImportLoss } from '../model/foreign.ts';
import type { KnownImport } from '../model/known-import.ts';
import { createDuplicateResolver } from './duplicates.ts';
import {
  type ComparedField,
  diffDigests,
  digestTask,
  getSourceParent,
  type ImportBase,
  noFields,
  parseBase,
  setLinkDigests,
} from './import-base.ts';
import { type NormalizedTask, normalizeTask } from './normalize-task.ts';
import { createSink, isEarlier } from './source-values.ts';

export type EarlierImport = KnownImport;

export type StoredPosition = Omit<NonNullable<KnownImport['current']>, 'revision' | 'updatedAt'>;

/** A task of a file without its texts, which are read from the file again when the task is written: an import of 60,000 issues must not
 *  have all of them in memory. */
export interface ImportItem extends Pick<NormalizedTask, 'id' | 'status' | 'isArchived' | 'depends' | 'related'> {
  /** The task here that the record was exported from, if any. */
  uid?: string;
  parent?: string;
  /** Becomes the parent if it exists and the source names no other. */
  impliedParent?: string;
  hint?: TaskType;
  updatedAt?: string;
  earlier?: EarlierImport;
  /** The fields that changed in the source since the last import. */
  changed: ReadonlySet<ComparedField>;
  /** Changes made here since the last import. */
  local?: LocalChanges;
  /** The record was changed before the last import; it changes nothing. */
  isOlder?: true;
  /** The record has a later time of change than at the last import. */
  isNewer?: true;
  /** The task has the revision of the last import, so that nothing was changed here. */
  isUntouched?: true;
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
  parseBase(item: ImportItem): ImportBase | undefined;
}

/** Reads a file to its end and compares each task with its earlier import. Throws if the file contains no task that can be read. */
export function createImportDraft(
  stream: ForeignStream,
  earlierImports: Map<string, EarlierImport>,
  onTask?: (count: number) => void,
): ImportDraft {
  const { source, losses, memories, deletedIds } = stream;
  const resolve = createDuplicateResolver(losses);
  const items: ImportItem[] = [];
  const digests = new Map<string, string>();
  let position = -1;
  for (const foreign of stream.tasks) {
    position += 1;
    // A duplicate that is left out must not report its losses.
    const found: ImportLoss[] = [];
    const task = normalizeTask(source, foreign, found);
    const { id, index } = resolve({ ...foreign, title: task.title }, JSON.stringify(task));
    if (index === undefined) continue;
    for (const loss of found) losses.push(loss);
    items[index] = toItem(task, id, position);
    if (earlierImports.has(id)) digests.set(id, digestTask(task, isNone));
    if (items.length % 1000 === 0) onTask?.(items.length);
  }
  checkReadable(stream, items);
  const { isOlder, importedUntil } = compareWithEarlier(items, earlierImports, digests);
  return {
    source,
    items,
    losses,
    memories,
    earlierImports,
    gone: listGone(items, earlierImports, deletedIds),
    isOlder,
    importedUntil,
    readTasks: (selected) => readTasks(stream, selected),
    parseBase: ({ earlier }) => (earlier?.base === undefined ? undefined : parseBase(earlier.base)),
  };
}

const isNone = (): boolean => false;

function* readTasks<T extends ImportItem>({ source, tasks }: ForeignStream, items: T[]): Generator<{ item: T; task: NormalizedTask }> {
  const byPosition = new Map(items.map((item) => [item.position, item]));
  if (byPosition.size === 0) return;
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
  const { status, isArchived, depends, related, hint, updatedAt, parent, impliedParent, uid } = task;
  return {
    ...defined({ parent, impliedParent, hint, updatedAt, uid }),
    id,
    status,
    isArchived,
    depends: shareEmpty(depends),
    related: shareEmpty(related),
    changed: noFields,
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

/** Sets what each item is compared to its earlier import. The base of a record that did not change is not needed any more, and is
 *  removed: those of 60,000 records take 40 MB. `digests` do not know the links, because only the end of the file shows which
 *  records are imported. */
function compareWithEarlier(
  items: ImportItem[],
  earlierImports: Map<string, EarlierImport>,
  digests: Map<string, string>,
): Pick<ImportDraft, 'isOlder' | 'importedUntil'> {
  const ids = new Set(items.map(({ id }) => id));
  const isImported = (id: string): boolean => ids.has(id) || earlierImports.has(id);
  let [older, newer, importedUntil] = [0, 0, ''];
  for (const item of items) {
    const earlier = earlierImports.get(item.id);
    const parent = getSourceParent(item, isImported);
    if (parent) item.parent = parent;
    if (!earlier) continue;
    item.earlier = earlier;
    const base = earlier.base === undefined ? undefined : parseBase(earlier.base);
    if (base && base.revision === earlier.current?.revision) item.isUntouched = true;
    if (base?.updatedAt && base.updatedAt > importedUntil) importedUntil = base.updatedAt;
    if (base?.updatedAt && item.updatedAt && isEarlier(item.updatedAt, base.updatedAt)) {
      item.isOlder = true;
      older += 1;
      continue;
    }
    if (base?.updatedAt && item.updatedAt && item.updatedAt > base.updatedAt) {
      item.isNewer = true;
      newer += 1;
    }
    item.changed = diffDigests(base?.theirs, setLinkDigests(digests.get(item.id)!, item, isImported));
    if (item.changed.size === 0 && item.isUntouched && !item.isNewer) delete earlier.base;
  }
  return { isOlder: older > 0 && newer === 0, importedUntil };
}

/** Issues of another repository are not in the file because it is the file of one repository. */
function listGone(items: ImportItem[], earlierImports: Map<string, EarlierImport>, deletedIds: string[]): ImportDraft['gone'] {
  const ids = new Set(items.map(({ id }) => id));
  const deleted = new Set(deletedIds);
  const getScope = (id: string): string => /^(.+)#\d+$/.exec(id)?.[1] ?? '';
  const scopes = new Set(items.map(({ id }) => getScope(id)));
  return [...earlierImports].flatMap(([id, earlier]) =>
    earlier.current && !earlier.current.archivedAt && !ids.has(id) && (deleted.has(id) || scopes.has(getScope(id)))
      ? [{ id, earlier, isDeleted: deleted.has(id) }]
      : [],
  );
}
