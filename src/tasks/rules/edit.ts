import type { TaskId } from '#core/model/scalars.ts';
import type { TaskFields, TaskRecord } from '../model/task.ts';
import { criteriaOf, replaceCriteria } from './criteria.ts';

/** What can be changed of the record itself; a status is a move, and notes stand beside it. */
export interface Edits extends Omit<TaskFields, 'parent' | 'notes'> {
  title?: string | undefined;
  parent?: TaskId | 'none' | undefined;
  addDepends?: TaskId[] | undefined;
  removeDepends?: TaskId[] | undefined;
}

/** The record with the edits in it. */
export function editRecord(before: TaskRecord, edits: Edits): TaskRecord {
  const { parentId: _, description: __, ...rest } = before;
  const parentId = edits.parent === undefined ? before.parentId : edits.parent === 'none' ? undefined : edits.parent;
  const description = edits.description === undefined ? before.description : edits.description || undefined;
  const { acceptance, acceptEvidence, addDepends = [], removeDepends = [] } = edits;
  return {
    ...rest,
    ...(parentId ? { parentId } : {}),
    ...(description ? { description } : {}),
    title: edits.title ?? before.title,
    type: edits.type ?? before.type,
    priority: edits.priority ?? before.priority,
    ...(edits.size ? { size: edits.size } : {}),
    ...(edits.phase ? { phase: edits.phase } : {}),
    labels: edits.labels ? unique(edits.labels) : before.labels,
    files: edits.files ? unique(edits.files) : before.files,
    depends: unique([...(edits.depends ?? before.depends), ...addDepends]).filter((id) => !removeDepends.includes(id)),
    acceptance:
      acceptance || acceptEvidence
        ? replaceCriteria(before.acceptance, acceptance && criteriaOf(acceptance), acceptEvidence)
        : before.acceptance,
  };
}

/** Criteria are a promise made before the work; once it has begun, changing them takes a reason. */
export const breaksPromise = (before: TaskRecord, after: TaskRecord, reason: string | undefined): boolean =>
  before.startedAt !== undefined && !reason && JSON.stringify(after.acceptance) !== JSON.stringify(before.acceptance);

const unique = <T>(items: T[]): T[] => [...new Set(items)];
