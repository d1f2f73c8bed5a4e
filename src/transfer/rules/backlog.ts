import type { Priority, Status } from '#core/model/scalars.ts';
import type { ForeignFile, ForeignTask, GivenFile, Loss } from '../model/foreign.ts';
import { frontOf } from './backlog-front.ts';
import { sectionsOf } from './backlog-sections.ts';
import { among, foreignFile, keptLabels, type Lose, plainText, refused, texts, when, withRest } from './given.ts';

const folders = /(?:^|\/)(tasks|completed|archive\/tasks|archive\/drafts|drafts|milestones)\/[^/]+\.md$/i;

export const wanted = (name: string): boolean => folders.test(name) || /(?:^|\/)(config|backlog\.config)\.ya?ml$/i.test(name);

/** A folder of Backlog.md, or single tasks of it. */
export function readBacklog(files: GivenFile[]): ForeignFile {
  const losses: Loss[] = [];
  const where = new Map<ForeignTask, string>();
  const statuses = statusesOf(files.find(({ name }) => /\.ya?ml$/i.test(name))?.text ?? '');
  const read = files
    .filter(({ name }) => !/\.ya?ml$/i.test(name))
    .map((file) => ({ file, folder: (folders.exec(file.name)?.[1] ?? 'tasks').toLowerCase(), fields: fieldsOf(file) }));
  const milestones = new Map(
    read.filter(({ folder }) => folder === 'milestones').map(({ fields }) => [text(fields.id).toLowerCase(), text(fields.title)]),
  );
  for (const { file, folder, fields } of read) {
    if (folder === 'milestones') continue;
    if (folder.endsWith('drafts')) losses.push({ id: text(fields.id), field: 'status', why: 'a draft is no task yet and is not imported' });
    else where.set(taskOf({ ...fields, folder }, { statuses, milestones, losses }), file.name);
  }
  if (where.size > 0) losses.push({ id: '*', field: 'ordinal', why: 'the order by hand on the board is not kept' });
  return foreignFile('backlog', [...where.keys()], losses, where);
}

type Fields = Record<string, unknown> & { body: string };

function fieldsOf(file: GivenFile): Fields {
  const read = frontOf(file.text);
  if ('problem' in read) throw refused(file.name, read.problem);
  const { id, title } = read.fields;
  if (typeof id !== 'string' || id.trim() === '' || typeof title !== 'string' || title.trim() === '')
    throw refused(file.name, 'its front matter has no id and title as Backlog.md writes them');
  return { ...read.fields, body: read.body };
}

/** The statuses of the project in their order: the first is where work waits, the last where it is over. */
function statusesOf(config: string): string[] {
  const [, line, block] = /^statuses:[ \t]*(?:\[([^\]]*)\]|\n((?:[ \t]*- [^\n]*(?:\n|$))+))/m.exec(plainText(config)) ?? [];
  return texts(line ?? block?.split('\n').map((one) => one.replace(/^\s*- /, ''))).map((one) =>
    one.replace(/^["']|["']$/g, '').toLowerCase(),
  );
}

function statusOf(name: string, statuses: string[]): Status {
  const word = name.toLowerCase().trim();
  if (/^(done|completed?|closed|finished|shipped)$/.test(word)) return 'done';
  if (/block|on hold|waiting/.test(word)) return 'blocked';
  if (/^(to ?do|open|backlog|new|ready|)$/.test(word)) return 'pending';
  const place = statuses.indexOf(word);
  if (place > 0) return place === statuses.length - 1 ? 'done' : 'active';
  return /progress|doing|review|test|active|started/.test(word) ? 'active' : 'pending';
}

const priorities: Record<string, Priority> = { critical: 'critical', urgent: 'critical', high: 'high', medium: 'medium', low: 'low' };

interface Project {
  statuses: string[];
  milestones: Map<string, string>;
  losses: Loss[];
}

function taskOf(fields: Fields & { folder: string }, { statuses, milestones, losses }: Project): ForeignTask {
  const id = idOf(text(fields.id));
  const lose: Lose = (field, why) => void losses.push({ id, field, why });
  const parts = sectionsOf(fields.body);
  const told = statusOf(text(fields.status), statuses);
  // Archiving unfinished work is how Backlog.md gives it up.
  const isGivenUp = fields.folder === 'archive/tasks' && told !== 'done';
  if (isGivenUp) lose('status', `archived as ${text(fields.status) || 'unfinished'}; it is done, archived and labelled not-planned`);
  const status = isGivenUp || fields.folder === 'completed' ? 'done' : told;
  const priority = among(priorities, text(fields.priority).toLowerCase());
  if (text(fields.priority) && !priority) lose('priority', `${text(fields.priority)} is none of ours`);
  const rest = (['assignee', 'due_date', 'references', 'documentation'] as const).flatMap((field): [string, string][] => {
    const value = texts(Array.isArray(fields[field]) ? fields[field] : [fields[field]]).join(', ');
    if (value) lose(field, 'there is no such field; it stands in the description');
    return value ? [[field, value]] : [];
  });
  const milestone = text(fields.milestone);
  const labels = [
    ...texts(fields.labels),
    ...(milestone ? [`milestone:${milestones.get(milestone.toLowerCase()) ?? milestone}`] : []),
    ...(text(fields.type) ? [`type:${text(fields.type)}`] : []),
    ...(text(fields.project) ? [`project:${text(fields.project)}`] : []),
    ...(isGivenUp ? ['not-planned'] : []),
  ];
  const files = texts(fields.modified_files);
  return {
    id,
    title: text(fields.title),
    ...withRest(parts.description, 'Backlog.md', rest),
    status,
    ...(status === 'blocked' ? { blockedBy: `${text(fields.status)} in Backlog.md` } : {}),
    ...(priority ? { priority } : {}),
    ...(text(fields.parent_task_id) ? { parent: idOf(text(fields.parent_task_id)) } : {}),
    depends: texts(fields.dependencies).map(idOf),
    labels: keptLabels(labels, lose),
    acceptance: parts.acceptance,
    notes: parts.notes.map(({ created, author, ...note }) => ({
      ...when('at', created, lose),
      ...(author ? { by: author } : {}),
      ...note,
    })),
    ...(files.length > 0 ? { files } : {}),
    ...(text(fields.reporter) ? { createdBy: text(fields.reporter) } : {}),
    ...when('createdAt', fields.created_date, lose),
    ...when('updatedAt', fields.updated_date, lose),
    ...(status === 'done' ? when('completedAt', fields.updated_date, () => {}) : {}),
    ...(fields.folder === 'tasks' ? {} : { isArchived: true }),
  };
}

/** Older versions write `task-1`, newer ones `TASK-1`; they name one task. */
const idOf = (id: string): string => id.trim().toUpperCase();

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
