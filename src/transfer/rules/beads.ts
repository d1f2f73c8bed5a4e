import type { Priority, Status } from '#core/model/scalars.ts';
import { isMap } from '#lib/is-map.ts';
import type { ForeignFile, ForeignTask, GivenFile, Loss } from '../model/foreign.ts';
import { among, foreignFile, keptLabels, type Lose, recordsOf, refused, shown, texts, timeOf, when, withRest } from './given.ts';

/** Its folder also holds copies, which older versions of it and its backups leave behind. */
export const wanted = (name: string): boolean => /^(?:\.beads\/)?(?:issues|beads)\.jsonl$/.test(name);

/** `issues.jsonl`, as `bd` keeps it and `bd export` writes it: one issue a line. */
export function readBeads(files: GivenFile[]): ForeignFile {
  const losses: Loss[] = [];
  const where = new Map<ForeignTask, string>();
  const current = files.filter(({ name }) => /(?:^|\/)issues\.jsonl$/.test(name));
  const issues = (current.length > 0 ? current : files).flatMap((file) => issuesOf(file, losses));
  const ids = new Set(issues.map(({ record }) => String(record.id)));
  for (const { record, file } of issues) where.set(taskOf(record, ids, losses), file);
  return foreignFile('beads', [...where.keys()], losses, where);
}

type Fields = Record<string, unknown>;

function issuesOf(file: GivenFile, losses: Loss[]): { record: Fields; file: string }[] {
  return recordsOf(file).flatMap((record, i) => {
    const lose = (why: string): [] => {
      losses.push({ id: text(record.id) || text(record.key) || `entry ${i + 1}`, field: 'task', why });
      return [];
    };
    if (record._type !== undefined && record._type !== 'issue') return lose(`a ${text(record._type)} is no issue`);
    const isIssue = ['issue_type', 'status', 'priority', 'created_at'].some((field) => record[field] !== undefined);
    if (text(record.id) === '' || typeof record.title !== 'string' || !isIssue)
      throw refused(file.name, `entry ${i + 1} has no id, title and status as bd writes them`);
    return record.status === 'tombstone' ? lose('it was deleted in beads') : [{ record, file: file.name }];
  });
}

const statuses: Record<string, Status> = {
  open: 'pending',
  pinned: 'pending',
  in_progress: 'active',
  hooked: 'active',
  blocked: 'blocked',
  deferred: 'blocked',
  closed: 'done',
};
const priorities: Priority[] = ['critical', 'high', 'medium', 'low', 'low'];

/** What says nothing that a task should keep: figures that follow from the rest, and the tool's own bookkeeping. */
const idle =
  /^(?:_type|id|content_hash|source_repo|compaction_level|compacted_at|compacted_at_commit|original_size|original_type|\w+_count|closed_by_session|ephemeral|no_history|is_template|pinned|sender|last_activity|deleted_\w+|delete_reason|owner)$/;
const kept =
  /^(?:title|description|design|acceptance_criteria|notes|status|priority|issue_type|created_at|created_by|updated_at|closed_at|started_at|close_reason|labels|dependencies|comments|parent)$/;

function taskOf(record: Fields, ids: Set<string>, losses: Loss[]): ForeignTask {
  const id = text(record.id);
  const lose: Lose = (field, why) => losses.push({ id, field, why });
  const rest: [string, string][] = [];
  for (const [field, value] of Object.entries(record))
    if (!kept.test(field) && !idle.test(field) && !isNothing(value)) {
      rest.push([field, text(value) || shown(value)]);
      lose(field, 'there is no such field; it stands in the description');
    }
  const type = text(record.issue_type);
  const createdBy = text(record.created_by) || text(record.owner);
  const description = [text(record.description), text(record.design) && `## Design\n\n${text(record.design)}`].filter(Boolean).join('\n\n');
  return {
    id,
    title: text(record.title),
    ...withRest(description, 'beads', rest),
    ...statusOf(record, lose),
    // A tool of its kind writes nothing where a number is 0, and 0 is the most urgent.
    priority: priorityOf(record.priority ?? 0, lose),
    ...(type === 'epic' ? { type: 'epic' as const } : {}),
    ...linksOf(record, ids, lose),
    labels: keptLabels([...texts(record.labels), ...(['', 'task', 'epic'].includes(type) ? [] : [type])], lose),
    acceptance: criteriaOf(text(record.acceptance_criteria)),
    notes: notesOf(record),
    ...when('createdAt', record.created_at, lose),
    ...when('updatedAt', record.updated_at, lose),
    ...when('startedAt', record.started_at, lose),
    ...when('completedAt', record.closed_at, lose),
    ...(createdBy ? { createdBy } : {}),
  };
}

function statusOf(record: Fields, lose: Lose): Pick<ForeignTask, 'status' | 'blockedBy'> {
  const name = text(record.status) || 'open';
  const status = among(statuses, name);
  if (!status) lose('status', `${JSON.stringify(name)} is kept as pending`);
  if (name === 'deferred') lose('status', 'deferred is kept as blocked');
  const until = timeOf(record.defer_until);
  return {
    status: status ?? 'pending',
    ...(name === 'deferred' ? { blockedBy: `deferred${until ? ` until ${until}` : ''} in beads` } : {}),
  };
}

function priorityOf(value: unknown, lose: Lose): Priority {
  const priority = typeof value === 'number' ? priorities[value] : undefined;
  if (!priority) lose('priority', `${brief(value)} is kept as medium`);
  if (value === 4) lose('priority', '4 is kept as low, like 3');
  return priority ?? 'medium';
}

/** An issue waits for what blocks it and is inside its parent; a name with a dot at its end says that, too. Everything else only points. */
function linksOf(record: Fields, ids: Set<string>, lose: Lose): Pick<ForeignTask, 'parent' | 'depends' | 'related'> {
  const id = text(record.id);
  const depends: string[] = [];
  const related: string[] = [];
  const parents = text(record.parent) ? [text(record.parent)] : [];
  for (const link of list(record.dependencies)) {
    const on = text(link.depends_on_id);
    const kind = text(link.type) || text(link.dep_type) || 'blocks';
    if (!on || (text(link.issue_id) || id) !== id) lose('dependencies', `${brief(link)} is no dependency of this issue`);
    else if (kind === 'blocks' || kind === 'waits-for') depends.push(on);
    else if (kind === 'parent-child') parents.push(on);
    else {
      related.push(on);
      if (kind !== 'related' && kind !== 'relates-to') lose('dependencies', `${kind} ${on} is kept as related`);
    }
  }
  const above = id.replace(/\.[^.]*$/, '');
  if (parents.length === 0 && above !== id && ids.has(above)) parents.push(above);
  const [parent, ...more] = new Set(parents);
  for (const other of more) {
    related.push(other);
    lose('parent', `a task is inside one other: ${parent}; ${other} is kept as related`);
  }
  return { ...(parent ? { parent } : {}), depends, ...(related.length > 0 ? { related } : {}) };
}

/** Each line is a criterion, ticked where it has a ticked box. */
const criteriaOf = (all: string): ForeignTask['acceptance'] =>
  all.split(/\r?\n/).flatMap((line) => {
    const [, box, words] = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[([ xX])\]\s*)?(.*?)\s*$/.exec(line) ?? [];
    return words ? [{ text: words, met: /x/i.test(box ?? '') }] : [];
  });

function notesOf(record: Fields): ForeignTask['notes'] {
  const said = (words: string, at: unknown, by?: unknown) => {
    const time = timeOf(at);
    return words.trim() ? [{ text: words, ...(time ? { at: time } : {}), ...(text(by) ? { by: text(by) } : {}) }] : [];
  };
  return [
    ...said(text(record.notes), record.updated_at),
    ...list(record.comments).flatMap((comment) => said(text(comment.text) || text(comment.body), comment.created_at, comment.author)),
    ...said(text(record.close_reason) && `Closed: ${text(record.close_reason)}`, record.closed_at),
  ];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isMap) : []);
const brief = (value: unknown): string => shown(value).slice(0, 80);
const isNothing = (value: unknown): boolean =>
  value === null || value === '' || value === false || value === 0 || (typeof value === 'object' && Object.keys(value).length === 0);
