import { groupBy } from '#lib/collections.ts';
import { formatCsv } from '#lib/csv.ts';
import type { Task } from '#tasks/model/task.ts';
import { toGithubIssues } from './export-github.ts';

export const exportFormats = ['jsonl', 'json', 'csv', 'md', 'github'] as const;
type ExportFormat = (typeof exportFormats)[number];

/** Formats all tasks as one text. JSONL and JSON contain every field; CSV and Markdown are for people, `github` for GitHub issues. */
export function formatExport(tasks: Task[], format: ExportFormat): string {
  if (format === 'json') return `${JSON.stringify({ tasks }, null, 2)}\n`;
  if (format === 'csv')
    return formatCsv(
      columns,
      tasks.map((task) => columns.map((column) => task[column])),
    );
  if (format === 'md') return formatMarkdown(tasks);
  if (format === 'github') return `${JSON.stringify(toGithubIssues(tasks), null, 2)}\n`;
  return tasks.map((task) => `${JSON.stringify(task)}\n`).join('');
}

const columns = [
  'id',
  'type',
  'title',
  'status',
  'priority',
  'size',
  'parentId',
  'epicId',
  'phase',
  'labels',
  'depends',
  'blockedBy',
  'files',
  'description',
  'createdAt',
  'updatedAt',
  'completedAt',
  'assignee',
  'due',
  'resolution',
] as const satisfies (keyof Task)[];

function formatMarkdown(tasks: Task[]): string {
  const ids = new Set(tasks.map((task) => task.id));
  const children = groupBy(tasks, ({ parentId }) => (parentId && ids.has(parentId) ? parentId : ''));
  const lines: string[] = [];
  const stack = (children.get('') ?? []).map((task) => ({ task, depth: 0 })).reverse();
  while (stack.length > 0) {
    const { task, depth } = stack.pop()!;
    const notes = [
      task.status === 'pending' || task.status === 'done' ? '' : task.status,
      task.resolution === undefined || task.resolution === 'done' ? '' : task.resolution,
      task.priority === 'medium' ? '' : task.priority,
      task.assignee ? escapeMarkdown(`@${task.assignee}`) : '',
      task.due ? `due ${task.due}` : '',
    ].filter(Boolean);
    const after = task.depends?.length ? ` (after ${task.depends.join(', ')})` : '';
    lines.push(
      `${'  '.repeat(depth)}- [${task.status === 'done' ? 'x' : ' '}] **${task.id}** ${escapeMarkdown(task.title)}${notes.length ? ` _${notes.join(', ')}_` : ''}${after}`,
    );
    for (const child of (children.get(task.id) ?? []).toReversed()) stack.push({ task: child, depth: depth + 1 });
  }
  return `# Tasks\n\n${lines.join('\n')}${lines.length ? '\n' : ''}`;
}

const escapeMarkdown = (text: string): string => text.replace(/[\\`*_[\]<>#|~$&]/g, '\\$&');
