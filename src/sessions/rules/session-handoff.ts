import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { MemoryHit } from '#memory/model/memory.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import type { Handoff } from '../model/session.ts';

interface SessionWork {
  startedAt: string;
  /** Tasks that the session wrote to, in their current state. */
  touched: TaskRecord[];
  notes: Map<TaskId, Note[]>;
  /** Blocked tasks in the session's scope. */
  blocked: Handoff['blocked'];
  /** Memory decisions that the session stored or decided. */
  decisions: MemoryHit[];
  next: { taskId: TaskId; title: string }[];
  note: string | undefined;
}

/** Sums up a session: tasks completed in it are done, other tasks it touched are open, and its decisions are accepted or proposed
 *  memory entries plus notes that begin with `Decision:`. */
export function createSessionHandoff({ startedAt, touched, notes, blocked, decisions, next, note }: SessionWork): Handoff {
  const valid = decisions.filter(({ state }) => state === 'accepted' || state === 'proposed');
  const done = touched.filter(
    (task) => task.status === 'done' && (task.resolution ?? 'done') === 'done' && (task.completedAt ?? '') >= startedAt,
  );
  const open = touched.filter((task) => task.status === 'pending' || task.status === 'active');
  return {
    ...defined({ note }),
    done: done.map(toItem).slice(0, maxItems),
    open: open.map(toItem).slice(0, maxItems),
    blocked: blocked.slice(0, maxItems),
    decisions: [
      ...valid.map(({ id, title }) => ({ id, title })),
      ...[...notes].flatMap(([taskId, all]) => findDecisions(taskId, all, startedAt)),
    ].slice(0, maxItems),
    next: next.map(({ taskId, title }) => ({ id: taskId, title })),
  };
}

/** Limit of each list in a handoff; the task list itself has the rest. */
const maxItems = 50;

const toItem = ({ id, title }: TaskRecord): { id: TaskId; title: string } => ({ id, title });

export function findDecisions(taskId: TaskId, notes: Note[], since: string): { taskId: TaskId; text: string }[] {
  return notes.flatMap(({ at, text }) => {
    const decision = at >= since ? /^\s*decision:\s*(\S[\s\S]*)/i.exec(text)?.[1] : undefined;
    return decision ? [{ taskId, text: decision.trimEnd() }] : [];
  });
}
