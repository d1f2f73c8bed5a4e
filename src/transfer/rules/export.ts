import { groupBy } from '#lib/collections.ts';
import { formatCsv } from '#lib/csv.ts';
import type { Task } from '#tasks/model/task.ts';
import type { ImportTool } from './detect-tool.ts';
import type { ExportedFile } from './export/backlog.ts';
import type { ExportLoss } from './export/context.ts';
import { formatForTool } from './export/formats.ts';

/** Formats that another tool reads. */
export const toolFormats = {
  github: 'github',
  beads: 'beads',
  taskmaster: 'taskmaster',
  backlog: 'backlog',
  taskwarrior: 'taskwarrior',
  todotxt: 'todo.txt',
} as const satisfies Record<string, ImportTool>;

const plainFormats = ['jsonl', 'json', 'csv', 'md'] as const;
type PlainFormat = (typeof plainFormats)[number];
export const exportFormats = [...plainFormats, 'github', 'beads', 'taskmaster', 'backlog', 'taskwarrior', 'todotxt'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const isToolFormat = (format: ExportFormat): format is keyof typeof toolFormats => format in toolFormats;

/** Formats all tasks as one text, or as the files of a folder. Only formats of other tools lose something. */
export function formatExport(tasks: Task[], format: ExportFormat): { content: string | ExportedFile[]; losses: ExportLoss[] } {
  return isToolFormat(format) ? formatForTool(toolFormats[format], tasks) : { content: formatPlain(tasks, format), losses: [] };
}

/** JSONL and JSON contain every field; CSV and Markdown are for people. */
function formatPlain(tasks: Task[], format: PlainFormat): string {
  if (format === 'json') return `${JSON.stringify({ tasks }, null, 2)}\n`;
  if (format === 'csv')
    return formatCsv(
      columns,
      tasks.map((task) => columns.map((column) => task[column])),
    );
  if (format === 'md') return formatMarkdown(tasks);
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

/** One line for people, because a text on standard output cannot say what it lacks. */
export const formatLossWarnings = (format: ExportFormat, losses: ExportLoss[]): string[] =>
  losses.length === 0
    ? []
    : [`the format ${format} cannot contain everything; left out: ${losses.map(({ field, count }) => `${field} (${count})`).join(', ')}`];
