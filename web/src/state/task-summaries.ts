import { toTaskNumber } from '#core/model/scalars.ts';
import type { IndexTask } from './task-index.ts';

export interface Progress {
  done: number;
  active: number;
  blocked: number;
  total: number;
}

/** What views derive from all tasks. It is computed once for each state of the index. */
export interface TaskSummaries {
  /** The children of each task, and of the top level under the key `''`, by id. */
  childrenOf: Map<string, IndexTask[]>;
  /** The leaves below each container, counted by status. */
  progressOf: Map<string, Progress>;
  /** The state of each container that follows from what is inside it. */
  rolledUpOf: Map<string, Status>;
  /** Sagas and epics, by id. */
  containers: IndexTask[];
  labels: string[];
  /** Assignees and holders. */
  people: string[];
}

export function summarizeTasks(tasks: Map<string, IndexTask>): TaskSummaries {
  const sorted = [...tasks.values()].sort((a, b) => toTaskNumber(a.id) - toTaskNumber(b.id));
  const childrenOf = new Map<string, IndexTask[]>();
  const labels = new Set<string>();
  const people = new Set<string>();
  for (const task of sorted) {
    // A child whose parent is archived or cancelled is shown at the top level.
    const parent = task.parentId !== undefined && tasks.has(task.parentId) ? task.parentId : '';
    const siblings = childrenOf.get(parent);
    if (siblings) siblings.push(task);
    else childrenOf.set(parent, [task]);
    for (const label of task.labels ?? []) labels.add(label);
    if (task.assignee) people.add(task.assignee);
    if (task.claim) people.add(task.claim.agent);
  }
  return {
    childrenOf,
    ...countProgress(childrenOf),
    containers: sorted.filter(({ type }) => type === 'saga' || type === 'epic'),
    labels: [...labels].sort(),
    people: [...people].sort(),
  };
}

type Status = IndexTask['status'];

/** The state of a container follows from what is inside it: active if a part is active, done if all parts are, blocked if nothing else is
 *  left to do. A task without parts has its own. */
function rollUpStatus(own: Status, parts: Status[]): Status {
  if (own === 'done' || parts.length === 0) return own;
  if (own === 'active' || parts.includes('active')) return 'active';
  if (parts.every((status) => status === 'done')) return 'done';
  return own === 'blocked' || (parts.includes('blocked') && !parts.includes('pending')) ? 'blocked' : 'pending';
}

function countProgress(childrenOf: Map<string, IndexTask[]>): Pick<TaskSummaries, 'progressOf' | 'rolledUpOf'> {
  const progressOf = new Map<string, Progress>();
  const rolledUpOf = new Map<string, Status>();
  const count = (id: string, depth: number): Progress => {
    const sum: Progress = { done: 0, active: 0, blocked: 0, total: 0 };
    // The hierarchy has four tiers; the limit guards against a cycle in a damaged store.
    for (const child of depth < 10 ? (childrenOf.get(id) ?? []) : []) {
      const parts = childrenOf.get(child.id);
      const below = parts ? count(child.id, depth + 1) : undefined;
      if (parts)
        rolledUpOf.set(
          child.id,
          rollUpStatus(
            child.status,
            parts.map(({ id, status }) => rolledUpOf.get(id) ?? status),
          ),
        );
      sum.total += below?.total ?? 1;
      sum.done += below?.done ?? (child.status === 'done' ? 1 : 0);
      sum.active += below?.active ?? (child.status === 'active' ? 1 : 0);
      sum.blocked += below?.blocked ?? (child.status === 'blocked' ? 1 : 0);
    }
    progressOf.set(id, sum);
    return sum;
  };
  count('', 0);
  return { progressOf, rolledUpOf };
}
