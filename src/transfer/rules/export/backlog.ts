import type { TaskId } from '#core/model/scalars.ts';
import { slugify } from '#lib/slug.ts';
import type { Task } from '#tasks/model/task.ts';
import { joinParagraphs } from '../source-values.ts';
import { toolWords } from '../vocabulary.ts';
import {
  addNumbers,
  type ExportContext,
  type ExportedIdentity,
  type ExportIds,
  findForeignIds,
  flattenText,
  formatCheckbox,
  listCriteria,
} from './context.ts';

const words = toolWords.backlog;

/** Fields of tasks that files of Backlog.md do not have. */
export const backlogLosses = ['size', 'phase', 'requires', 'relations'] as const satisfies (keyof Task)[];

/** A task without an id of Backlog.md gets the prefix of the others, or `TASK`, and its number here. */
export function listBacklogIds(tasks: readonly ExportedIdentity[]): ExportIds {
  const known = findForeignIds('backlog', tasks, (id) => /^[A-Z]+-\d[\d.]*$/.test(id));
  const ids = new Map(known);
  const [prefix = 'TASK'] = [...known.values()].map((id) => id.slice(0, id.lastIndexOf('-')));
  const numbers = new Map([...known].map(([id, name]) => [id, Math.trunc(Number.parseFloat(name.slice(name.lastIndexOf('-') + 1)))]));
  addNumbers(tasks, numbers);
  for (const { id } of tasks) if (!ids.has(id)) ids.set(id, `${prefix}-${numbers.get(id)}`);
  return { ids, foreign: new Set(known.keys()) };
}

/** A file of an export, relative to its folder. */
export interface ExportedFile {
  name: string;
  text: string;
}

/** Formats one file per task. A folder that Backlog.md has not created yet needs the `config.yml` too. */
export const formatBacklog = (tasks: Task[], context: ExportContext): ExportedFile[] =>
  tasks.map((task) => ({ name: `${chooseFolder(task)}/${formatFileName(task, context)}`, text: formatFile(task, context) }));

/** Backlog.md moves old done tasks to `completed`; `archive` is for work that will not be done. */
const chooseFolder = ({ archivedAt, resolution }: Task): string =>
  archivedAt === undefined ? 'tasks' : (resolution ?? 'done') === 'done' ? 'completed' : 'archive/tasks';

const formatFileName = (task: Task, { getId }: ExportContext): string => {
  const title = slugify(task.title, { maxLength: 60, allow: '' });
  return `${getId(task.id)!.toLowerCase()} - ${title || 'task'}.md`;
};

export function formatBacklogConfig(name: string, tasks: Task[], { getId }: ExportContext): string {
  const used = new Set(tasks.map(getStatus));
  const all = [words.statuses.pending, words.statuses.active, words.statuses.blocked, ...Object.values(words.resolutions)];
  const basic: string[] = [words.statuses.pending, words.statuses.active];
  const statuses = [...all.filter((status) => basic.includes(status) || used.has(status)), words.statuses.done];
  const [first] = tasks;
  const prefix = first
    ? getId(first.id)!
        .replace(/-[^-]*$/, '')
        .toLowerCase()
    : 'task';
  return [
    `project_name: ${JSON.stringify(flattenText(name))}`,
    `default_status: ${JSON.stringify(words.statuses.pending)}`,
    `statuses: [${statuses.map((status) => JSON.stringify(status)).join(', ')}]`,
    'labels: []',
    'date_format: yyyy-mm-dd',
    'remote_operations: false',
    'auto_commit: false',
    `task_prefix: ${JSON.stringify(prefix)}`,
    '',
  ].join('\n');
}

const getStatus = ({ status, resolution = 'done' }: Task): string =>
  status === 'done' && resolution !== 'done' ? words.resolutions[resolution] : words.statuses[status];

function formatFile(task: Task, { getId, isForeign }: ExportContext): string {
  const refer = (ids: (TaskId | undefined)[]): string[] => ids.flatMap((id) => (id && getId(id)) ?? []);
  const [parent] = refer([task.parentId]);
  const labels = task.labels ?? [];
  // The reader makes these labels from fields.
  const pick = (kind: string): string | undefined => labels.find((label) => label.startsWith(kind))?.slice(kind.length) || undefined;
  const fields: [string, string | string[] | undefined][] = [
    ['id', getId(task.id)!],
    ['title', flattenText(task.title)],
    ['status', getStatus(task)],
    ['assignee', task.assignee ? [`@${flattenText(task.assignee)}`] : []],
    ['reporter', flattenText(task.createdBy) || undefined],
    ['created_date', task.createdAt],
    ['updated_date', task.updatedAt],
    ['due_date', task.due],
    ['labels', labels.filter((label) => label !== `milestone:${pick('milestone:')}`)],
    ['milestone', pick('milestone:')],
    ['dependencies', refer(task.depends ?? [])],
    ['modified_files', task.files?.length ? task.files : undefined],
    ['parent_task_id', parent],
    ['priority', String(words.priorities[task.priority])],
  ];
  const criteria = listCriteria(task);
  const mark = isForeign(task.id) ? '' : formatMark(task);
  const sections = [
    formatSection('Description', 'SECTION:DESCRIPTION', joinParagraphs(task.description?.trim() ?? '', mark)),
    criteria.length > 0
      ? `## Acceptance Criteria\n<!-- AC:BEGIN -->\n${criteria.map(({ text, met }, i) => formatCheckbox({ text: `#${i + 1} ${text}`, met })).join('\n')}\n<!-- AC:END -->`
      : '',
    task.status === 'blocked' && task.blockedBy ? `## Blocked\n\n${hideMarkers(task.blockedBy).replace(/^##/gm, ' ##')}` : '',
    task.notes?.length ? `## Comments\n\n<!-- COMMENTS:BEGIN -->\n${task.notes.map(formatComment).join('\n')}<!-- COMMENTS:END -->` : '',
  ];
  return `---\n${fields.map(formatField).join('')}---\n\n${sections.filter(Boolean).join('\n\n')}\n`;
}

/** Names the task that a file was made from. Backlog.md keeps it as a part of the description. */
const formatMark = ({ uid, type, completedAt = '' }: Task): string =>
  `<!-- cleo ${[uid, type === 'epic' || type === 'saga' ? type : '', completedAt].filter(Boolean).join(' ')} -->`;

const formatSection = (heading: string, marker: string, text: string): string =>
  text ? `## ${heading}\n\n<!-- ${marker}:BEGIN -->\n${hideMarkers(text)}\n<!-- ${marker}:END -->` : '';

/** A text must not end the section that contains it. */
const hideMarkers = (text: string): string => text.replace(/<!-- (?=(?:SECTION:[A-Z_]+|AC|DOD|COMMENTS):(?:BEGIN|END) -->)/g, '<!--  ');

const formatComment = ({ at, by, text }: { at: string; by: string; text: string }): string =>
  `author: ${flattenText(by)}\ncreated: ${at}\n---\n${hideMarkers(text).replace(/^---$/gm, '***').trim()}\n---\n\n`;

const formatField = ([key, value]: [string, string | string[] | undefined]): string => {
  if (value === undefined) return '';
  if (!Array.isArray(value)) return `${key}: ${formatScalar(value)}\n`;
  return value.length === 0 ? `${key}: []\n` : `${key}:\n${value.map((item) => `  - ${formatScalar(item)}\n`).join('')}`;
};

/** Quotes everything but plain words, which YAML never reads as something else. */
function formatScalar(text: string): string {
  if (/^[A-Za-z][\w-]*(?: [A-Za-z0-9][\w.-]*)*$/.test(text) && !/^(?:yes|no|true|false|on|off|null|y|n)$/i.test(text)) return text;
  const breaks = /[\u0000-\u001f\u007f-\u00a0\u2028\u2029\ufeff]/g;
  if (!breaks.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return JSON.stringify(text).replace(breaks, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
