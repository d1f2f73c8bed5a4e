import type { TaskId, TaskType } from '#core/model/scalars.ts';
import { defined, groupBy } from '#lib/collections.ts';
import type { Note, StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import { type ComparedField, hashText, type ImportBase } from './import-base.ts';
import type { NormalizedTask } from './normalize-task.ts';
import { isEarlier } from './source-values.ts';
import { type MergeConflict, type MergeSide, mergeThreeWay } from './three-way.ts';

/** Position and dependencies of a task after the import. */
export interface ImportPlacement {
  type: TaskType;
  parentId: TaskId | undefined;
  depends: TaskId[];
  /** The file says done, but an open task is inside it. */
  isReopened: boolean;
  /** The task takes its status from the source. */
  takesStatus: boolean;
}

/** The identity of a new task. */
interface NewIdentity {
  id: TaskId;
  uid: string;
  source: string;
  now: string;
  agent: string;
}

export function createRecord({ id, uid, source, now, agent }: NewIdentity, task: NormalizedTask, placement: ImportPlacement): TaskRecord {
  const createdAt = task.createdAt ?? findEarliest([task.startedAt, task.completedAt, task.updatedAt]) ?? now;
  const updatedAt = task.updatedAt ?? task.completedAt ?? createdAt;
  return {
    id,
    type: placement.type,
    title: task.title,
    ...defined({ description: task.description, parentId: placement.parentId, assignee: task.assignee, due: task.due }),
    ...defined({ size: task.size, phase: task.phase }),
    ...toStatusFields(task, placement, updatedAt),
    priority: task.priority,
    labels: task.labels,
    depends: placement.depends,
    acceptance: toTextCriteria(task, updatedAt, agent),
    files: task.files,
    uid,
    aliases: [{ tool: source, id: task.id }],
    createdAt,
    createdBy: task.createdBy ?? agent,
    updatedAt,
    revision: 1,
  };
}

/** The changes of a task since the last import, on both sides. */
interface MergeInput {
  base?: ImportBase;
  changedHere: ReadonlySet<ComparedField>;
  changedThere: ReadonlySet<ComparedField>;
  preferred: MergeSide;
  now: string;
  agent: string;
}

const mergedFields = ['title', 'description', 'priority', 'assignee', 'due', 'size', 'phase', 'labels', 'files', 'acceptance'] as const;
type MergedField = (typeof mergedFields)[number];
const mergedLists = ['labels', 'files', 'acceptance'] as const satisfies MergedField[];

/** Merges a stored task with its record in the source. `placement` already is the result for links and status. */
export function mergeRecord(
  before: TaskRecord,
  task: NormalizedTask,
  placement: ImportPlacement,
  input: MergeInput,
): { after: TaskRecord; conflicts: MergeConflict[] } {
  const { merged, conflicts } = mergeFields(before, task, input);
  const { blockedBy: _, startedAt, completedAt: __, archivedAt: ___, resolution: ____, ...stateless } = before;
  const { parentId: _____, ...rest } = placement.takesStatus || placement.isReopened ? stateless : before;
  const at = task.updatedAt ?? input.now;
  const state = placement.takesStatus
    ? toStatusFields({ ...task, ...defined({ startedAt: startedAt ?? task.startedAt }) }, placement, at)
    : placement.isReopened
      ? defined({ status: 'pending' as const, startedAt })
      : {};
  const { description, assignee, due, size, phase, acceptance, ...fields } = merged;
  const {
    description: ______,
    assignee: _______,
    due: ________,
    size: _________,
    phase: __________,
    ...kept
  } = { ...rest, ...state } as TaskRecord;
  const isSameAcceptance = JSON.stringify(acceptance) === JSON.stringify(toComparableCriteria(before));
  const after: TaskRecord = {
    ...kept,
    ...fields,
    ...defined({ description, assignee, due, size, phase, parentId: placement.parentId }),
    type: placement.type,
    depends: placement.depends,
    acceptance: isSameAcceptance ? before.acceptance : [...toStoredCriteria(acceptance, before, task, input), ...listEvidence(before)],
  };
  return { after, conflicts };
}

type Merged = Pick<NormalizedTask, MergedField>;

function mergeFields(before: TaskRecord, task: NormalizedTask, input: MergeInput): { merged: Merged; conflicts: MergeConflict[] } {
  const { base, changedHere, changedThere, preferred } = input;
  const ours: Merged = { ...pickMerged(before), acceptance: toComparableCriteria(before) };
  const theirs: Merged = pickMerged(task);
  // The base stores hashes. A side that did not change has the value of the base; where both changed, the base equals neither.
  const hashes = new Set(base?.acceptance);
  const listsOfBase: Partial<Merged> = {
    labels: base?.labels ?? [],
    files: base?.files ?? [],
    acceptance: [...ours.acceptance, ...theirs.acceptance].filter(({ text }) => hashes.has(hashText(text))),
  };
  const getBase = (field: MergedField): unknown => {
    if (!changedThere.has(field)) return theirs[field];
    if (!changedHere.has(field)) return ours[field];
    return field in listsOfBase ? listsOfBase[field as keyof Merged] : { isUnknown: true };
  };
  const known = Object.fromEntries(mergedFields.map((field) => [field, getBase(field)])) as Partial<Merged>;
  return mergeThreeWay<Merged>(known, ours, theirs, { preferred, fields: mergedFields, lists: mergedLists });
}

const pickMerged = ({
  title,
  description,
  priority,
  assignee,
  due,
  size,
  phase,
  labels,
  files,
  acceptance,
}: Merged | TaskRecord): Merged => ({
  title,
  priority,
  labels,
  files,
  acceptance: acceptance as Merged['acceptance'],
  ...defined({ description, assignee, due, size, phase }),
});

const toComparableCriteria = ({ acceptance }: TaskRecord): NormalizedTask['acceptance'] =>
  acceptance.flatMap(({ kind, text, metAt }) => (kind === 'text' ? [{ text: text ?? '', met: metAt !== undefined }] : []));

const listEvidence = ({ acceptance }: TaskRecord): StoredCriterion[] => acceptance.filter(({ kind }) => kind !== 'text');

/** Keeps the time at which a criterion was met, if it was met before. */
function toStoredCriteria(
  merged: NormalizedTask['acceptance'],
  before: TaskRecord,
  task: NormalizedTask,
  { now, agent }: MergeInput,
): StoredCriterion[] {
  const stored = new Map(before.acceptance.map((criterion) => [criterion.text, criterion]));
  const seen = new Map(merged.map((criterion) => [criterion.text, criterion]));
  return [...seen.values()].map(({ text, met }) => {
    const known = stored.get(text);
    if (known && met === (known.metAt !== undefined)) return known;
    return toTextCriterion(text, met, task.completedAt ?? task.updatedAt ?? now, agent);
  });
}

/** Moves a stored task that is not in the file, but whose placement changes because of the tasks of the file. */
export function applyPlacement(
  before: TaskRecord,
  placement: Pick<ImportPlacement, 'type' | 'parentId' | 'depends' | 'isReopened'>,
): TaskRecord {
  const { type, parentId, depends, isReopened } = placement;
  const { parentId: _, completedAt, archivedAt, resolution, ...rest } = before;
  return {
    ...rest,
    ...(isReopened ? { status: 'pending' } : defined({ completedAt, archivedAt, resolution })),
    ...defined({ type, parentId, depends }),
  };
}

/** Lists the notes of a record that a task does not have yet. A comment is identified by author, time and text, a note without a time
 *  by its text. */
export function listNewNotes(task: NormalizedTask, storedNotes: Note[], now: string, agent: string): Note[] {
  const byText = groupBy(storedNotes, ({ text }) => text);
  // A tool may have no authors, or times without seconds.
  const isSame = (note: NormalizedTask['notes'][number], stored: Note): boolean =>
    (note.by === undefined || note.by === stored.by) &&
    (note.at === undefined || !(isEarlier(note.at, stored.at) || isEarlier(stored.at, note.at)));
  return task.notes
    .filter((note) => !byText.get(note.text)?.some((stored) => isSame(note, stored)))
    .map(({ at, by, text }) => ({ at: at ?? task.updatedAt ?? task.createdAt ?? now, by: by ?? agent, text }));
}

type StatusFields = Pick<TaskRecord, 'status' | 'blockedBy' | 'startedAt' | 'completedAt' | 'archivedAt' | 'resolution'>;

function toStatusFields(task: NormalizedTask, { isReopened }: Pick<ImportPlacement, 'isReopened'>, at: string): StatusFields {
  const { status, blockedBy } = task;
  const startedAt = task.startedAt ?? (status === 'active' ? at : undefined);
  if (isReopened) return defined({ status: 'pending' as const, startedAt });
  if (status !== 'done') return defined({ status, blockedBy, startedAt });
  const completedAt = task.completedAt ?? at;
  const resolution = task.resolution ?? ('done' as const);
  return defined({ status, startedAt, completedAt, resolution, archivedAt: task.isArchived ? completedAt : undefined });
}

const toTextCriteria = (task: NormalizedTask, at: string, by: string): StoredCriterion[] =>
  task.acceptance.map(({ text, met }) => toTextCriterion(text, met, task.completedAt ?? at, by));

const toTextCriterion = (text: string, met: boolean, metAt: string, metBy: string): StoredCriterion => ({
  kind: 'text',
  text,
  ...(met ? { metAt, metBy } : {}),
});

const findEarliest = (times: (string | undefined)[]): string | undefined => times.filter((time) => time !== undefined).sort()[0];
