import type { TaskId } from '#core/model/scalars.ts';
import { defined, removeDuplicates } from '#lib/collections.ts';
import type { Note, Task } from '#tasks/model/task.ts';
import { beadsTypes, toolWords } from '../vocabulary.ts';
import {
  type ExportContext,
  type ExportedIdentity,
  type ExportIds,
  findForeignIds,
  flattenText,
  formatCheckbox,
  listCriteria,
} from './context.ts';

const words = toolWords.beads;

/** Fields of tasks that issues of beads do not have. */
export const beadsLosses = ['size', 'phase', 'files', 'requires', 'blockedBy', 'archivedAt'] as const satisfies (keyof Task)[];

/** A task without an id of beads gets the prefix of the others, or `cleo`, and its uid, which never changes. */
export function listBeadsIds(tasks: readonly ExportedIdentity[]): ExportIds {
  const ids = findForeignIds('beads', tasks);
  const foreign = new Set(ids.keys());
  const counts = new Map<string, number>();
  for (const id of ids.values()) {
    const prefix = /^(.+)-[^-]+$/.exec(id)?.[1] ?? 'cleo';
    counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
  }
  const [prefix] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['cleo'];
  for (const { id, uid } of tasks) if (!ids.has(id)) ids.set(id, `${prefix}-${uid}`);
  return { ids, foreign };
}

/** Formats `issues.jsonl`, one issue per line, as `bd export` writes it. */
export const formatBeads = (tasks: Task[], context: ExportContext): string =>
  tasks.map((task) => `${JSON.stringify(toIssue(task, context))}\n`).join('');

function toIssue(task: Task, { getId, reportLoss }: ExportContext): Record<string, unknown> {
  const id = getId(task.id)!;
  const { comments, reason } = splitNotes(task);
  const isContainer = task.type === 'epic' || task.type === 'saga';
  const type = isContainer ? task.type : (task.labels ?? []).find((label) => beadsTypes.includes(label));
  const link = (to: TaskId, kind: string): Record<string, string>[] => {
    const on = getId(to);
    return on === undefined
      ? []
      : [{ issue_id: id, depends_on_id: on, type: kind, created_at: task.createdAt, created_by: task.createdBy }];
  };
  const related = (task.relations ?? []).filter(({ direction }) => direction === 'to');
  if (related.some(({ type: kind }) => kind !== 'related')) reportLoss(task, 'relations');
  const dependencies = [
    ...(task.parentId ? link(task.parentId, 'parent-child') : []),
    ...(task.depends ?? []).flatMap((on) => link(on, 'blocks')),
    ...removeDuplicates(related.map(({ taskId }) => taskId)).flatMap((on) => link(on, 'related')),
  ];
  const criteria = listCriteria(task);
  return defined({
    id,
    title: flattenText(task.title),
    description: task.description,
    acceptance_criteria: criteria.length > 0 ? criteria.map(formatCheckbox).join('\n') : undefined,
    status: words.statuses[task.status],
    priority: words.priorities[task.priority],
    issue_type: type ?? 'task',
    assignee: task.assignee,
    created_at: task.createdAt,
    created_by: task.createdBy,
    updated_at: task.updatedAt,
    started_at: task.startedAt,
    closed_at: task.completedAt,
    close_reason: reason,
    due_at: task.due === undefined ? undefined : `${task.due}T00:00:00Z`,
    labels: (task.labels ?? []).length > 0 ? task.labels!.filter((label) => isContainer || label !== type) : undefined,
    dependencies: dependencies.length > 0 ? dependencies : undefined,
    comments:
      comments.length > 0
        ? comments.map(({ at, by, text }, i) => ({ id: i + 1, issue_id: id, author: by, text, created_at: at }))
        : undefined,
  });
}

/** The reader turns the reason for closing into a note; an export turns that note into the reason again. */
function splitNotes(task: Task): { comments: Note[]; reason?: string } {
  const notes = task.notes ?? [];
  const last = notes.find(({ at, text }) => task.completedAt !== undefined && at === task.completedAt && text.startsWith('Closed: '));
  const resolution = task.status === 'done' && task.resolution && task.resolution !== 'done' ? task.resolution : undefined;
  const reason = last?.text.slice('Closed: '.length) ?? (resolution && words.resolutions[resolution]);
  return { comments: notes.filter((note) => note !== last), ...defined({ reason }) };
}
