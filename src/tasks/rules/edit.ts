import type { TaskId } from '#core/model/scalars.ts';
import { removeDuplicates } from '#lib/collections.ts';
import { defined } from '#lib/defined.ts';
import type { TaskFields, TaskRecord } from '../model/task.ts';
import { replaceCriteria, toCriteria } from './criteria.ts';

/** Editable fields of a record. Status changes are transitions, and notes are stored separately. */
export interface TaskEdits extends Omit<TaskFields, 'parent' | 'notes'> {
  title?: string | undefined;
  parent?: TaskId | 'none' | undefined;
  addLabels?: string[] | undefined;
  removeLabels?: string[] | undefined;
  addDepends?: TaskId[] | undefined;
  removeDepends?: TaskId[] | undefined;
}

export function editRecord(before: TaskRecord, edits: TaskEdits): TaskRecord {
  const { parentId: _, description: __, ...rest } = before;
  const parentId = edits.parent === undefined ? before.parentId : edits.parent === 'none' ? undefined : edits.parent;
  const description = edits.description === undefined ? before.description : edits.description || undefined;
  const { acceptance, acceptEvidence, addLabels = [], removeLabels = [], addDepends = [], removeDepends = [] } = edits;
  return {
    ...rest,
    ...defined({ parentId, description, size: edits.size ?? before.size, phase: edits.phase ?? before.phase }),
    title: edits.title ?? before.title,
    type: edits.type ?? before.type,
    priority: edits.priority ?? before.priority,
    labels: removeDuplicates([...(edits.labels ?? before.labels), ...addLabels]).filter((label) => !removeLabels.includes(label)),
    files: edits.files ? removeDuplicates(edits.files) : before.files,
    depends: removeDuplicates([...(edits.depends ?? before.depends), ...addDepends]).filter((id) => !removeDepends.includes(id)),
    acceptance:
      acceptance || acceptEvidence
        ? replaceCriteria(before.acceptance, acceptance && toCriteria(acceptance), acceptEvidence)
        : before.acceptance,
  };
}

/** Acceptance criteria are frozen when work starts; changing them afterwards needs a reason. */
export const changesFrozenCriteria = (before: TaskRecord, after: TaskRecord, reason: string | undefined): boolean =>
  before.startedAt !== undefined && !reason && JSON.stringify(after.acceptance) !== JSON.stringify(before.acceptance);
