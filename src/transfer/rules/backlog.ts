import type { Status } from '#core/model/scalars.ts';
import { parseForeignStatus } from '#core/rules/words.ts';
import { defined } from '#lib/collections.ts';
import { parseFrontMatter } from '#lib/yaml/front-matter.ts';
import { type ForeignData, type ForeignStream, type ForeignTask, type ImportLoss, readWhole, type SourceFile } from '../model/foreign.ts';
import { parseUid } from './export/context.ts';
import {
  addUnmappedFields,
  collectSourceTasks,
  createCodeDetector,
  createImportError,
  createLossReporter,
  createStream,
  joinParagraphs,
  normalizeLabels,
  normalizeText,
  parseDate,
  parseTime,
  pickTimes,
  readEach,
  readSideText,
  toText,
  toTexts,
  unmappedField,
} from './source-values.ts';
import { parseForeignState, parsePriority } from './vocabulary.ts';

const folders = /(?:^|\/)(tasks|completed|archive\/tasks|archive\/drafts|archive\/milestones|drafts|milestones)\/(?:[^/]+\/)*[^/]+\.md$/i;

export const readBacklog = (files: SourceFile[]): ForeignData => collectSourceTasks(streamBacklog(files));

/** Reads a folder of Backlog.md, or single task files. In a folder only the files that the tool itself reads count: `task-1 - Title.md`,
 *  with the prefix of the project. */
export function streamBacklog(files: SourceFile[]): ForeignStream {
  return createStream('backlog', function* ({ losses }) {
    const config = files.find(({ name }) => isConfig(name));
    const settings = normalizeText(readSideText(config, losses));
    const prefix = parseScalar(
      /^(?:task_prefix|taskPrefix):[ \t]*(\S.*)$/m
        .exec(settings)?.[1]
        ?.trimEnd()
        .replace(/^"(.*)"$/, '$1') ?? '',
    );
    const pages = files
      .filter(({ name }) => !isConfig(name))
      .map((file) => ({ file, folder: (folders.exec(file.name)?.[1] ?? '').toLowerCase() }));
    const milestones = new Map<string, string>();
    for (const { file } of pages.filter(({ folder }) => folder.endsWith('milestones'))) {
      const { fields } = { fields: {} as Record<string, unknown>, ...readBacklogFrontMatter(readSideText(file, losses)) };
      if (toTrimmedText(fields.id)) milestones.set(toTrimmedText(fields.id).toLowerCase(), toTrimmedText(fields.title));
    }
    const project: BacklogProject = { statuses: parseStatuses(settings), milestones, losses };
    const tasks = pages.filter(({ file, folder }) => {
      if (folder.endsWith('milestones')) return false;
      if (folder === '' || isTaskFile(file.name, folder.endsWith('drafts') ? undefined : prefix)) return true;
      losses.push({ id: file.name, field: 'file', why: 'it is not a task file of Backlog.md; skipped', isProblem: true });
      return false;
    });
    const drafts = tasks.filter(({ folder }) => folder.endsWith('drafts'));
    for (const { file } of drafts) losses.push({ id: toFileId(file.name), field: 'status', why: 'drafts are not imported' });
    const folderOf = new Map(tasks.map(({ file, folder }) => [file, folder]));
    // Tasks of the board come first: of several tasks with one id they keep it.
    const isLive = ({ folder }: { folder: string }): boolean => folder === '' || folder === 'tasks';
    const listed = tasks.filter(({ folder }) => !folder.endsWith('drafts'));
    const named = [...listed.filter(isLive), ...listed.filter((one) => !isLive(one))].map(({ file }) => file);
    let count = 0;
    for (const task of readEach(named, losses, (file) => [toForeignTask(readFields(file), folderOf.get(file) || 'tasks', project)])) {
      count += 1;
      yield task;
    }
    if (count > 0) losses.push({ id: '*', field: 'ordinal', why: 'the manual order of the board is not imported' });
  });
}

const isConfig = (name: string): boolean => /\.ya?ml$/i.test(name);

const getFileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** `task-1`, of `tasks/task-1 - Title.md`. */
const toFileId = (path: string): string => (/^[a-z]+-\d[\d.]*/i.exec(getFileName(path))?.[0] ?? path).replace(/\.$/, '').toUpperCase();

function isTaskFile(path: string, prefix: string | undefined): boolean {
  const name = getFileName(path).toLowerCase();
  return prefix ? name.startsWith(`${prefix.toLowerCase()}-`) || name.startsWith('task-') : /^[a-z][a-z0-9_]*-\d/.test(name);
}

type BacklogFields = Record<string, unknown> & { body: string };

function readFields(file: SourceFile): BacklogFields {
  const read = readBacklogFrontMatter(readWhole(file));
  if ('problem' in read) throw createImportError(file.name, read.problem);
  const { id } = read.fields;
  // A YAML parser reads an unquoted `id: 12` as a number.
  const givenId = typeof id === 'number' ? String(id) : toTrimmedText(id);
  if (givenId === '' && !/^[a-z]+-\d/i.test(getFileName(file.name))) throw createImportError(file.name, 'the front matter has no id');
  return { ...read.fields, id: givenId || toFileId(file.name), body: read.body };
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
  const { status, isGuess } = parseForeignState(word);
  if (status === 'blocked' || (status === 'done' && !isGuess)) return status;
  // A project may end with a status of its own, even one that means work in progress elsewhere.
  const index = statuses.indexOf(word);
  if (index > 0) return index === statuses.length - 1 ? 'done' : 'active';
  return known ?? status;
}

interface BacklogProject {
  statuses: string[];
  milestones: Map<string, string>;
  losses: ImportLoss[];
}

function toForeignTask(fields: BacklogFields, folder: string, { statuses, milestones, losses }: BacklogProject): ForeignTask {
  const get = (field: string): string => toTrimmedText(fields[field]);
  const id = normalizeId(get('id'));
  const reportLoss = createLossReporter(losses, id);
  const sections = parseSections(fields.body);
  const { description, uid, type, completedAt } = takeMark(sections.description);
  const givenStatus = toStatus(get('status'), statuses);
  // In Backlog.md, archiving an unfinished task means that it will not be done.
  const isCancelled = folder === 'archive/tasks' && givenStatus !== 'done';
  if (isCancelled) reportLoss('status', `archived as ${get('status') || 'unfinished'}; imported as cancelled and archived`);
  const status = isCancelled || folder === 'completed' ? 'done' : givenStatus;
  const resolution = isCancelled ? 'cancelled' : status === 'done' ? parseForeignState(get('status')).resolution : undefined;
  const priority = parsePriority(get('priority'));
  if (get('priority') && !priority) reportLoss('priority', `${get('priority')} is not a known priority`);
  const [assignee, ...others] = toTexts(Array.isArray(fields.assignee) ? fields.assignee : [fields.assignee]).map((name) =>
    name.replace(/^@/, ''),
  );
  const due = parseDate(fields.due_date);
  const unmapped = ['assignee', 'due_date', 'references', 'documentation'].flatMap((field): [string, string][] => {
    const values = toTexts(Array.isArray(fields[field]) ? fields[field] : [fields[field]]);
    const value = field === 'assignee' ? others.join(', ') : field === 'due_date' && due ? '' : values.join(', ');
    if (value) reportLoss(field, unmappedField);
    return value ? [[field, value]] : [];
  });
  const milestone = get('milestone');
  const labels = [
    ...toTexts(fields.labels),
    milestone && `milestone:${milestones.get(milestone.toLowerCase()) ?? milestone}`,
    get('type') && `type:${get('type')}`,
    get('project') && `project:${get('project')}`,
  ];
  return {
    id,
    ...defined({ uid, type }),
    title: get('title'),
    ...addUnmappedFields(description, 'Backlog.md', unmapped),
    status,
    ...(status === 'blocked' ? { blockedBy: sections.blocked || `${get('status')} in Backlog.md` } : {}),
    ...defined({ resolution, priority, parent: normalizeId(get('parent_task_id')) || undefined, assignee, due }),
    depends: toTexts(fields.dependencies).map(normalizeId),
    labels: normalizeLabels(labels, reportLoss),
    acceptance: sections.acceptance,
    notes: sections.notes.map(({ created, author, text }) => ({
      ...pickTimes({ at: created }, reportLoss),
      ...defined({ by: author }),
      text,
    })),
    files: toTexts(fields.modified_files),
    ...defined({ createdBy: get('reporter').replace(/^@/, '') || undefined }),
    ...pickTimes({ createdAt: fields.created_date, updatedAt: fields.updated_date }, reportLoss),
    ...defined({ completedAt: status === 'done' ? (completedAt ?? parseTime(fields.updated_date)) : undefined }),
    ...(folder === 'tasks' ? {} : { isArchived: true, container: folder.replace('/tasks', '') }),
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

/** Removes the comment by which our export names the task that a file was made from. */
function takeMark(description: string): { description: string } & Pick<ForeignTask, 'uid' | 'type' | 'completedAt'> {
  const [mark, uid, type, at] = /<!-- cleo (\S{20})(?: (epic|saga))?(?: (\d{4}-\S{1,30}))? -->\s*$/.exec(description) ?? [];
  if (mark === undefined || !parseUid(uid)) return { description };
  return {
    description: description.slice(0, -mark.length).trimEnd(),
    ...defined({ uid: parseUid(uid), type: type as 'epic' | 'saga' | undefined, completedAt: parseTime(at) }),
  };
}

interface BacklogSections extends Pick<ForeignTask, 'acceptance'> {
  description: string;
  /** The reason why the task is blocked. */
  blocked: string;
  notes: { created?: string; author?: string; text: string }[];
}

/** Parses the body of a Backlog.md task. Unknown sections become part of the description. */
function parseSections(body: string): BacklogSections {
  const sections: BacklogSections = { description: '', blocked: '', acceptance: [], notes: [] };
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
    } else if (name === 'blocked') sections.blocked = content;
    else if (heading === '' || name === 'description') description.push(content);
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
    const heading = isText && !isMarked ? /^## +(\S.*)$/.exec(line)?.[1]?.trimEnd() : undefined;
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
