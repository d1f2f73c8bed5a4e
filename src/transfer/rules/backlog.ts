import type { Status } from '#core/model/scalars.ts';
import { parseForeignPriority, parseForeignStatus } from '#core/rules/words.ts';
import { defined } from '#lib/defined.ts';
import { parseFrontMatter } from '#lib/front-matter.ts';
import type { ForeignData, ForeignTask, ImportLoss, SourceFile } from '../model/foreign.ts';
import {
  addUnmappedFields,
  createCodeDetector,
  createForeignData,
  createImportError,
  createLossReporter,
  joinParagraphs,
  normalizeLabels,
  normalizeText,
  parseTime,
  pickTimes,
  toText,
  toTexts,
  unmappedField,
} from './source-values.ts';

const folders = /(?:^|\/)(tasks|completed|archive\/tasks|archive\/drafts|drafts|milestones)\/[^/]+\.md$/i;

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
  const known = parseForeignStatus(word);
  if (known && known !== 'active') return known;
  if (/block|on hold|waiting/.test(word)) return 'blocked';
  // A project may end with a status of its own, even one that means work in progress elsewhere.
  const index = statuses.indexOf(word);
  if (index > 0) return index === statuses.length - 1 ? 'done' : 'active';
  return known ?? (/progress|doing|review|test|active|started/.test(word) ? 'active' : 'pending');
}

interface BacklogProject {
  statuses: string[];
  milestones: Map<string, string>;
  losses: ImportLoss[];
}

function toForeignTask(fields: BacklogFields & { folder: string }, { statuses, milestones, losses }: BacklogProject): ForeignTask {
  const get = (field: string): string => toTrimmedText(fields[field]);
  const id = normalizeId(get('id'));
  const reportLoss = createLossReporter(losses, id);
  const sections = parseSections(fields.body);
  const givenStatus = toStatus(get('status'), statuses);
  // In Backlog.md, archiving an unfinished task means that it will not be done.
  const isNotPlanned = fields.folder === 'archive/tasks' && givenStatus !== 'done';
  if (isNotPlanned)
    reportLoss('status', `archived as ${get('status') || 'unfinished'}; imported as done and archived, with the label not-planned`);
  const status = isNotPlanned || fields.folder === 'completed' ? 'done' : givenStatus;
  const priority = parseForeignPriority(get('priority'));
  if (get('priority') && !priority) reportLoss('priority', `${get('priority')} is not a known priority`);
  const unmapped = (['assignee', 'due_date', 'references', 'documentation'] as const).flatMap((field): [string, string][] => {
    const value = toTexts(Array.isArray(fields[field]) ? fields[field] : [fields[field]]).join(', ');
    if (value) reportLoss(field, unmappedField);
    return value ? [[field, value]] : [];
  });
  const milestone = get('milestone');
  const labels = [
    ...toTexts(fields.labels),
    milestone && `milestone:${milestones.get(milestone.toLowerCase()) ?? milestone}`,
    get('type') && `type:${get('type')}`,
    get('project') && `project:${get('project')}`,
    isNotPlanned && 'not-planned',
  ];
  return {
    id,
    title: get('title'),
    ...addUnmappedFields(sections.description, 'Backlog.md', unmapped),
    status,
    ...(status === 'blocked' ? { blockedBy: `${get('status')} in Backlog.md` } : {}),
    ...defined({ priority, parent: normalizeId(get('parent_task_id')) || undefined }),
    depends: toTexts(fields.dependencies).map(normalizeId),
    labels: normalizeLabels(labels, reportLoss),
    acceptance: sections.acceptance,
    notes: sections.notes.map(({ created, author, text }) => ({
      ...pickTimes({ at: created }, reportLoss),
      ...defined({ by: author }),
      text,
    })),
    files: toTexts(fields.modified_files),
    ...defined({ createdBy: get('reporter') || undefined }),
    ...pickTimes({ createdAt: fields.created_date, updatedAt: fields.updated_date }, reportLoss),
    ...defined({ completedAt: status === 'done' ? parseTime(fields.updated_date) : undefined }),
    ...(fields.folder === 'tasks' ? {} : { isArchived: true }),
  };
}

/** Older versions write `task-1`, newer ones `TASK-1`. */
const normalizeId = (id: string): string => id.trim().toUpperCase();

const toTrimmedText = (value: unknown): string => toText(value).trim();

/** Reads the front matter of a task. Backlog.md writes nearly every file in a simple form, which is parsed line by line: a full YAML
 *  parser takes five times as long, which matters for ten thousand files. */
export function readBacklogFrontMatter(text: string): ReturnType<typeof parseFrontMatter> {
  const clean = normalizeText(text);
  const end = clean.indexOf('\n---', 3);
  const head = clean.startsWith('---\n') && end > 0 ? clean.slice(4, end + 1) : undefined;
  const isEnd = head !== undefined && /^\n---[ \t]*(?:\n|$)/.test(clean.slice(end, end + 200));
  const fields = isEnd ? parseSimpleFields(head) : undefined;
  if (fields) return { fields, body: clean.slice(end + 1).replace(/^---[ \t]*\n?/, '') };
  // Backlog.md accepts unquoted names with an @, which YAML does not.
  const quoteNames = (yaml: string): string => yaml.replace(/^(\s*(?:-|assignee:|reporter:)[ \t]+)(@[^\n]*)$/gm, "$1'$2'");
  return parseFrontMatter(head === undefined ? clean : `---\n${quoteNames(head)}${clean.slice(end + 1)}`);
}

/** Returns undefined for anything that a YAML parser might read differently. */
export function parseSimpleFields(head: string): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {};
  let list: string[] | undefined;
  for (const line of head.split('\n')) {
    if (line === '') continue;
    const item = /^ {2}- (.+)$/.exec(line)?.[1];
    if (item !== undefined) {
      const text = parseScalar(item);
      if (!list || text === undefined) return undefined;
      list.push(text);
      continue;
    }
    const [, key, value] = /^([a-z][a-z_]*):(?: (.+))?$/.exec(line) ?? [];
    if (key === undefined || Object.hasOwn(fields, key) || (list && list.length === 0)) return undefined;
    list = value === undefined ? [] : undefined;
    const text = value === '[]' ? [] : value === undefined ? list : parseScalar(value);
    if (text === undefined) return undefined;
    fields[key] = text;
  }
  return list && list.length === 0 ? undefined : fields;
}

function parseScalar(text: string): string | undefined {
  if (/^[\p{L}\p{N}][\p{L}\p{N} .,/()_-]*$/u.test(text) && !text.endsWith(' ')) return text;
  const quoted = /^'((?:[^']|'')*)'$/.exec(text)?.[1];
  return quoted?.replaceAll("''", "'");
}

interface BacklogSections extends Pick<ForeignTask, 'acceptance'> {
  description: string;
  notes: { created?: string; author?: string; text: string }[];
}

/** Parses the body of a Backlog.md task. Unknown sections become part of the description. */
function parseSections(body: string): BacklogSections {
  const sections: BacklogSections = { description: '', acceptance: [], notes: [] };
  const description: string[] = [];
  for (const { heading, text } of splitByHeading(body)) {
    const content = text.replace(markers, '').trim();
    const name = heading.toLowerCase();
    if (name === 'acceptance criteria' || name === 'definition of done') {
      const { items, others } = parseChecklist(content);
      for (const item of items) sections.acceptance.push(item);
      if (others) description.push(`## ${heading}\n\n${others}`);
    } else if (name === 'comments') for (const note of parseComments(content)) sections.notes.push(note);
    else if (name === 'implementation notes' || name === 'final summary') {
      if (content) sections.notes.push({ text: `${heading}:\n\n${content}` });
    } else if (heading === '' || name === 'description') description.push(content);
    else description.push(`## ${heading}\n\n${content}`.trim());
  }
  sections.description = joinParagraphs(...description);
  return sections;
}

const markers = /^<!-- (?:SECTION:[A-Z_]+|AC|DOD|COMMENTS):(?:BEGIN|END) -->$\n?/gm;

/** Splits at headings of level 2, except inside a code block or between the markers of a section. */
function splitByHeading(body: string): { heading: string; text: string }[] {
  const parts = [{ heading: '', text: '' }];
  const isCode = createCodeDetector();
  let isMarked = false;
  for (const line of body.split('\n')) {
    const isText = !isCode(line);
    if (isText && /^<!-- (SECTION:[A-Z_]+|COMMENTS):BEGIN -->$/.test(line)) isMarked = true;
    if (/^<!-- (SECTION:[A-Z_]+|COMMENTS):END -->$/.test(line)) isMarked = false;
    const heading = isText && !isMarked ? /^## +(.+?)\s*$/.exec(line)?.[1] : undefined;
    if (heading !== undefined) parts.push({ heading, text: '' });
    else parts.at(-1)!.text += `${line}\n`;
  }
  return parts;
}

/** Parses `- [x] #1 …`; older files have no number. */
function parseChecklist(content: string): { items: ForeignTask['acceptance']; others: string } {
  const items: ForeignTask['acceptance'] = [];
  const others: string[] = [];
  for (const line of content.split('\n')) {
    const [, sign, text] = /^\s*[-*] \[([ xX])\] (?:#\d+ +)?(\S.*)$/.exec(line) ?? [];
    if (text) items.push({ text: text.trim(), met: sign !== ' ' });
    else if (line.trim()) others.push(line);
  }
  return { items, others: others.join('\n') };
}

/** A comment is `author:` and `created:`, three dashes, the text, three dashes. */
function parseComments(content: string): BacklogSections['notes'] {
  const blocks = content.split(/^---$/m);
  const notes: BacklogSections['notes'] = [];
  for (let i = 0; i + 1 < blocks.length; i += 2) {
    const text = blocks[i + 1]!.trim();
    const author = /^author: *(.+)$/m.exec(blocks[i]!)?.[1];
    const created = /^created: *(.+)$/m.exec(blocks[i]!)?.[1];
    if (text) notes.push(defined({ created, author, text }));
  }
  const odd = blocks.length % 2 === 1 ? blocks.at(-1)!.trim() : '';
  return odd ? [...notes, { text: odd }] : notes;
}
