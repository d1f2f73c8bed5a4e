import type { TaskId } from '#core/model/scalars.ts';
import type { MemoryHit } from '#memory/model/memory.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import type { Handoff } from '../model/session.ts';

export interface Worked {
  startedAt: string;
  /** What the session's writes touched, as it is now. */
  touched: TaskRecord[];
  notes: Map<TaskId, Note[]>;
  /** Blocked tasks in its scope. */
  blocked: { id: TaskId; title: string; blockedBy?: string }[];
  /** Decisions that it stored or decided. */
  decisions: MemoryHit[];
  next: { taskId: TaskId; title: string }[];
  note: string | undefined;
}

/** What whoever comes next has to know. What was finished in the session is done; what it touched and left is open; what it decided
 *  are its entries of memory that hold or may hold, and notes that begin with `Decision:`. */
export function handoffOf({ startedAt, touched, notes, blocked, decisions, next, note }: Worked): Handoff {
  const standing = decisions.filter(({ state }) => state === 'accepted' || state === 'proposed');
  const done = touched.filter((task) => task.status === 'done' && (task.completedAt ?? '') >= startedAt);
  const open = touched.filter((task) => task.status === 'pending' || task.status === 'active');
  return {
    ...(note ? { note } : {}),
    done: done.map(item).slice(0, mostKept),
    open: open.map(item).slice(0, mostKept),
    blocked: blocked.slice(0, mostKept),
    decisions: [
      ...standing.map(({ id, title }) => ({ id, title })),
      ...[...notes].flatMap(([taskId, all]) => decisionsIn(taskId, all, startedAt)),
    ].slice(0, mostKept),
    next: next.map(({ taskId, title }) => ({ id: taskId, title })),
  };
}

/** The task list itself has the rest. */
const mostKept = 50;

const item = ({ id, title }: TaskRecord): { id: TaskId; title: string } => ({ id, title });

export function decisionsIn(taskId: TaskId, notes: Note[], since: string): { taskId: TaskId; text: string }[] {
  return notes.flatMap(({ at, text }) => {
    const decided = at >= since ? /^\s*decision:\s*(\S[\s\S]*)/i.exec(text)?.[1] : undefined;
    return decided ? [{ taskId, text: decided.trimEnd() }] : [];
  });
}
