import type { TaskId } from '#core/model/scalars.ts';
import { defined, removeDuplicates } from '#lib/collections.ts';
import type { StoredCriterion, TaskRecord } from '../model/task.ts';
import type { TaskFields } from '../model/task-fields.ts';
import { parseAssignee } from './assignee.ts';
import { replaceCriteria, toCriteria } from './criteria.ts';
import { parseDue } from './due.ts';

/** Editable fields of a record. Status changes are transitions, and notes are stored separately. */
export interface TaskEdits extends Omit<TaskFields, 'parent' | 'notes'> {
  title?: string | undefined;
  parent?: TaskId | 'none' | undefined;
  addLabels?: string[] | undefined;
  removeLabels?: string[] | undefined;
  addDepends?: TaskId[] | undefined;
  removeDepends?: TaskId[] | undefined;
}

/** `author` is the agent that edits, and on which day, for an assignee `me` and a due date such as `3d`. */
export function editRecord(before: TaskRecord, edits: TaskEdits, author: { agent: string; today: string }): TaskRecord {
  const { parentId: _, description: __, assignee: ___, due: ____, requires: _____, ...rest } = before;
  const parentId = edits.parent === undefined ? before.parentId : edits.parent === 'none' ? undefined : edits.parent;
  const description = edits.description === undefined ? before.description : edits.description || undefined;
  const { addLabels = [], removeLabels = [], addDepends = [], removeDepends = [] } = edits;
  return {
    ...rest,
    ...defined({
      parentId,
      description,
      size: edits.size ?? before.size,
      phase: edits.phase ?? before.phase,
      assignee: edits.assignee === undefined ? before.assignee : parseAssignee(edits.assignee, author.agent),
      due: edits.due === undefined ? before.due : parseDue(edits.due, author.today),
      requires: edits.requires === undefined ? before.requires : edits.requires.length > 0 ? removeDuplicates(edits.requires) : undefined,
    }),
    title: edits.title ?? before.title,
    type: edits.type ?? before.type,
    priority: edits.priority ?? before.priority,
    labels: removeDuplicates([...(edits.labels ?? before.labels), ...addLabels]).filter((label) => !removeLabels.includes(label)),
    files: edits.files ? removeDuplicates(edits.files) : before.files,
    depends: removeDuplicates([...(edits.depends ?? before.depends), ...addDepends]).filter((id) => !removeDepends.includes(id)),
    acceptance: editCriteria(before.acceptance, edits),
  };
}

/** Without new criteria the same list is returned. */
export const editCriteria = (before: StoredCriterion[], { acceptance, acceptEvidence }: TaskEdits): StoredCriterion[] =>
  acceptance || acceptEvidence ? replaceCriteria(before, acceptance && toCriteria(acceptance), acceptEvidence) : before;

/** Acceptance criteria are frozen when work starts; changing them afterwards needs a reason. */
export const changesFrozenCriteria = (before: TaskRecord, after: Pick<TaskRecord, 'acceptance'>, reason: string | undefined): boolean =>
  before.startedAt !== undefined && !reason && JSON.stringify(after.acceptance) !== JSON.stringify(before.acceptance);
