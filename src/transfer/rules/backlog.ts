import type { Priority, Status } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import type { ForeignData, ForeignTask, ImportLoss, SourceFile } from '../model/foreign.ts';
import { readBacklogFrontMatter } from './backlog-front-matter.ts';
import { parseSections } from './backlog-sections.ts';
import {
  addUnmappedFields,
  createForeignData,
  createImportError,
  getOwn,
  normalizeLabels,
  normalizeText,
  pickTime,
  type ReportLoss,
  toText,
  toTexts,
  unmappedField,
} from './source-values.ts';

const folders = /(?:^|\/)(tasks|completed|archive\/tasks|archive\/drafts|drafts|milestones)\/[^/]+\.md$/i;

export const isBacklogFile = (name: string): boolean => folders.test(name) || /(?:^|\/)(config|backlog\.config)\.ya?ml$/i.test(name);

/** Reads a folder of Backlog.md, or single task files. */
export function readBacklog(files: SourceFile[]): ForeignData {
  const losses: ImportLoss[] = [];
  const origins = new Map<ForeignTask, string>();
  const statuses = parseStatuses(files.find(({ name }) => /\.ya?ml$/i.test(name))?.text ?? '');
  const pages = files
    .filter(({ name }) => !/\.ya?ml$/i.test(name))
    .map((file) => ({ file, folder: (folders.exec(file.name)?.[1] ?? 'tasks').toLowerCase(), fields: readFields(file) }));
  const milestones = new Map(
    pages
      .filter(({ folder }) => folder === 'milestones')
      .map(({ fields }) => [toTrimmedText(fields.id).toLowerCase(), toTrimmedText(fields.title)]),
  );
  for (const { file, folder, fields } of pages) {
    if (folder === 'milestones') continue;
    if (folder.endsWith('drafts')) losses.push({ id: toTrimmedText(fields.id), field: 'status', why: 'drafts are not imported' });
    else origins.set(toForeignTask({ ...fields, folder }, { statuses, milestones, losses }), file.name);
  }
  if (origins.size > 0) losses.push({ id: '*', field: 'ordinal', why: 'the manual order of the board is not imported' });
  return createForeignData('backlog', origins, losses);
}

type BacklogFields = Record<string, unknown> & { body: string };

function readFields(file: SourceFile): BacklogFields {
  const read = readBacklogFrontMatter(file.text);
  if ('problem' in read) throw createImportError(file.name, read.problem);
  const { id, title } = read.fields;
  if (typeof id !== 'string' || id.trim() === '' || typeof title !== 'string' || title.trim() === '')
    throw createImportError(file.name, 'the front matter has no id and title of Backlog.md');
  return { ...read.fields, body: read.body };
}

/** Reads the statuses of the project in their order: the first means pending, the last done. */
function parseStatuses(config: string): string[] {
  const [, line, block] = /^statuses:[ \t]*(?:\[([^\]]*)\]|\n((?:[ \t]*- [^\n]*(?:\n|$))+))/m.exec(normalizeText(config)) ?? [];
  return toTexts(line ?? block?.split('\n').map((item) => item.replace(/^\s*- /, ''))).map((status) =>
    status.replace(/^["']|["']$/g, '').toLowerCase(),
  );
}

function toStatus(name: string, statuses: string[]): Status {
  const word = name.toLowerCase().trim();
  if (/^(done|completed?|closed|finished|shipped)$/.test(word)) return 'done';
  if (/block|on hold|waiting/.test(word)) return 'blocked';
  if (/^(to ?do|open|backlog|new|ready|)$/.test(word)) return 'pending';
  const index = statuses.indexOf(word);
  if (index > 0) return index === statuses.length - 1 ? 'done' : 'active';
  return /progress|doing|review|test|active|started/.test(word) ? 'active' : 'pending';
}

const priorities: Record<string, Priority> = { critical: 'critical', urgent: 'critical', high: 'high', medium: 'medium', low: 'low' };

interface BacklogProject {
  statuses: string[];
  milestones: Map<string, string>;
  losses: ImportLoss[];
}

function toForeignTask(fields: BacklogFields & { folder: string }, { statuses, milestones, losses }: BacklogProject): ForeignTask {
  const id = normalizeId(toTrimmedText(fields.id));
  const reportLoss: ReportLoss = (field, why) => void losses.push({ id, field, why });
  const sections = parseSections(fields.body);
  const givenStatus = toStatus(toTrimmedText(fields.status), statuses);
  // In Backlog.md, archiving an unfinished task means that it will not be done.
  const isNotPlanned = fields.folder === 'archive/tasks' && givenStatus !== 'done';
  if (isNotPlanned)
    reportLoss(
      'status',
      `archived as ${toTrimmedText(fields.status) || 'unfinished'}; imported as done and archived, with the label not-planned`,
    );
  const status = isNotPlanned || fields.folder === 'completed' ? 'done' : givenStatus;
  const priority = getOwn(priorities, toTrimmedText(fields.priority).toLowerCase());
  if (toTrimmedText(fields.priority) && !priority) reportLoss('priority', `${toTrimmedText(fields.priority)} is not a known priority`);
  const unmapped = (['assignee', 'due_date', 'references', 'documentation'] as const).flatMap((field): [string, string][] => {
    const value = toTexts(Array.isArray(fields[field]) ? fields[field] : [fields[field]]).join(', ');
    if (value) reportLoss(field, unmappedField);
    return value ? [[field, value]] : [];
  });
  const milestone = toTrimmedText(fields.milestone);
  const labels = [
    ...toTexts(fields.labels),
    ...(milestone ? [`milestone:${milestones.get(milestone.toLowerCase()) ?? milestone}`] : []),
    ...(toTrimmedText(fields.type) ? [`type:${toTrimmedText(fields.type)}`] : []),
    ...(toTrimmedText(fields.project) ? [`project:${toTrimmedText(fields.project)}`] : []),
    ...(isNotPlanned ? ['not-planned'] : []),
  ];
  return {
    id,
    title: toTrimmedText(fields.title),
    ...addUnmappedFields(sections.description, 'Backlog.md', unmapped),
    status,
    ...(status === 'blocked' ? { blockedBy: `${toTrimmedText(fields.status)} in Backlog.md` } : {}),
    ...defined({ priority, parent: normalizeId(toTrimmedText(fields.parent_task_id)) || undefined }),
    depends: toTexts(fields.dependencies).map(normalizeId),
    labels: normalizeLabels(labels, reportLoss),
    acceptance: sections.acceptance,
    notes: sections.notes.map(({ created, author, text }) => ({
      ...pickTime('at', created, reportLoss),
      ...defined({ by: author }),
      text,
    })),
    files: toTexts(fields.modified_files),
    ...defined({ createdBy: toTrimmedText(fields.reporter) || undefined }),
    ...pickTime('createdAt', fields.created_date, reportLoss),
    ...pickTime('updatedAt', fields.updated_date, reportLoss),
    ...(status === 'done' ? pickTime('completedAt', fields.updated_date, () => {}) : {}),
    ...(fields.folder === 'tasks' ? {} : { isArchived: true }),
  };
}

/** Older versions write `task-1`, newer ones `TASK-1`. */
const normalizeId = (id: string): string => id.trim().toUpperCase();

const toTrimmedText = (value: unknown): string => toText(value).trim();
