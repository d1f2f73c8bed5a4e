import type { Priority } from '#core/model/scalars.ts';
import { parseForeignPriority, parseForeignStatus } from '#core/rules/words.ts';
import { withArticle } from '#lib/article.ts';
import { defined } from '#lib/defined.ts';
import type { ForeignData, ForeignTask, ImportLoss, SourceFile } from '../model/foreign.ts';
import {
  addUnmappedFields,
  createForeignData,
  createImportError,
  createLossReporter,
  formatValue,
  joinParagraphs,
  listUnmapped,
  normalizeLabels,
  parseRecords,
  parseTime,
  pickTimes,
  type ReportLoss,
  toFieldsList,
  toText,
  toTexts,
} from './source-values.ts';

/** Reads `issues.jsonl` as `bd` stores it and `bd export` writes it, one issue per line. */
export function readBeads(files: SourceFile[]): ForeignData {
  const losses: ImportLoss[] = [];
  const origins = new Map<ForeignTask, string>();
  const current = files.filter(({ name }) => /(?:^|\/)issues\.jsonl$/.test(name));
  const issues = (current.length > 0 ? current : files).flatMap((file) => readIssues(file, losses));
  const ids = new Set(issues.map(({ record }) => String(record.id)));
  for (const { record, file } of issues) origins.set(toForeignTask(record, ids, losses), file);
  return createForeignData('beads', origins, losses);
}

type Fields = Record<string, unknown>;

function readIssues(file: SourceFile, losses: ImportLoss[]): { record: Fields; file: string }[] {
  return parseRecords(file).flatMap((record, i) => {
    const skip = (why: string): [] => {
      losses.push({ id: toText(record.id) || toText(record.key) || `entry ${i + 1}`, field: 'task', why });
      return [];
    };
    if (record._type !== undefined && record._type !== 'issue') return skip(`${withArticle(String(toText(record._type)))} is not an issue`);
    const isIssue = ['issue_type', 'status', 'priority', 'created_at'].some((field) => record[field] !== undefined);
    if (toText(record.id) === '' || typeof record.title !== 'string' || !isIssue)
      throw createImportError(file.name, `entry ${i + 1} is not an issue of bd: id, title or status is missing`);
    return record.status === 'tombstone' ? skip('it was deleted in beads') : [{ record, file: file.name }];
  });
}

/** Fields that are imported, and then derived numbers and internal fields of beads. */
const mappedFields =
  /^(?:title|description|design|acceptance_criteria|notes|status|priority|issue_type|created_at|created_by|updated_at|closed_at|started_at|close_reason|labels|dependencies|comments|parent|_type|id|content_hash|source_repo|compaction_level|compacted_at|compacted_at_commit|original_size|original_type|\w+_count|closed_by_session|ephemeral|no_history|is_template|pinned|sender|last_activity|deleted_\w+|delete_reason|owner)$/;

function toForeignTask(record: Fields, ids: Set<string>, losses: ImportLoss[]): ForeignTask {
  const id = toText(record.id);
  const reportLoss = createLossReporter(losses, id);
  const unmapped = listUnmapped(record, (field, value) => mappedFields.test(field) || !value, reportLoss);
  const type = toText(record.issue_type);
  const description = joinParagraphs(toText(record.description), toText(record.design) && `## Design\n\n${toText(record.design)}`);
  return {
    id,
    title: toText(record.title),
    ...addUnmappedFields(description, 'beads', unmapped),
    ...toStatusFields(record, reportLoss),
    // The JSON of a Go program omits 0, which is the highest priority.
    priority: toPriority(record.priority ?? 0, reportLoss),
    ...(type === 'epic' ? { type } : {}),
    ...defined({ createdBy: toText(record.created_by) || toText(record.owner) || undefined }),
    ...toLinks(record, ids, reportLoss),
    labels: normalizeLabels([...toTexts(record.labels), !['task', 'epic'].includes(type) && type], reportLoss),
    acceptance: parseCriteria(toText(record.acceptance_criteria)),
    notes: toNotes(record),
    ...pickTimes(
      {
        createdAt: record.created_at,
        updatedAt: record.updated_at,
        startedAt: record.started_at,
        completedAt: record.closed_at,
      },
      reportLoss,
    ),
  };
}

function toStatusFields(record: Fields, reportLoss: ReportLoss): Pick<ForeignTask, 'status' | 'blockedBy'> {
  const name = toText(record.status) || 'open';
  const status = parseForeignStatus(name);
  if (!status) reportLoss('status', `${JSON.stringify(name)} is imported as pending`);
  if (name === 'deferred') reportLoss('status', 'deferred is imported as blocked');
  const until = parseTime(record.defer_until);
  return {
    status: status ?? 'pending',
    ...(name === 'deferred' ? { blockedBy: `deferred${until ? ` until ${until}` : ''} in beads` } : {}),
  };
}

function toPriority(value: unknown, reportLoss: ReportLoss): Priority {
  const priority = typeof value === 'number' ? parseForeignPriority(value) : undefined;
  if (!priority) reportLoss('priority', `${formatBriefly(value)} is imported as medium`);
  if (value === 4) reportLoss('priority', '4 is imported as low, like 3');
  return priority ?? 'medium';
}

/** `blocks` and `waits-for` become dependencies, `parent-child` and an id such as `bd-1.2` a parent, and all other links relations. */
function toLinks(record: Fields, ids: Set<string>, reportLoss: ReportLoss): Pick<ForeignTask, 'parent' | 'depends' | 'related'> {
  const id = toText(record.id);
  const depends: string[] = [];
  const related: string[] = [];
  const parents = toText(record.parent) ? [toText(record.parent)] : [];
  for (const link of toFieldsList(record.dependencies)) {
    const on = toText(link.depends_on_id);
    const kind = toText(link.type) || toText(link.dep_type) || 'blocks';
    if (!on || (toText(link.issue_id) || id) !== id) reportLoss('dependencies', `${formatBriefly(link)} is not a dependency of this issue`);
    else if (kind === 'blocks' || kind === 'waits-for') depends.push(on);
    else if (kind === 'parent-child') parents.push(on);
    else {
      related.push(on);
      if (kind !== 'related' && kind !== 'relates-to') reportLoss('dependencies', `${kind} ${on} is imported as related`);
    }
  }
  const prefix = id.replace(/\.[^.]*$/, '');
  if (parents.length === 0 && prefix !== id && ids.has(prefix)) parents.push(prefix);
  const [parent, ...more] = new Set(parents);
  for (const other of more) {
    related.push(other);
    reportLoss('parent', `a task has one parent, ${parent}; ${other} is imported as related`);
  }
  return { ...defined({ parent }), depends, related };
}

/** Each line is a criterion; it is met if its box is ticked. */
const parseCriteria = (lines: string): ForeignTask['acceptance'] =>
  lines.split(/\r?\n/).flatMap((line) => {
    const [, box, words] = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[([ xX])\]\s*)?(.*?)\s*$/.exec(line) ?? [];
    return words ? [{ text: words, met: /x/i.test(box ?? '') }] : [];
  });

function toNotes(record: Fields): ForeignTask['notes'] {
  const toNote = (words: string, at: unknown, by?: unknown) =>
    words.trim() ? [defined({ text: words, at: parseTime(at), by: toText(by) || undefined })] : [];
  return [
    ...toNote(toText(record.notes), record.updated_at),
    ...toFieldsList(record.comments).flatMap((comment) =>
      toNote(toText(comment.text) || toText(comment.body), comment.created_at, comment.author),
    ),
    ...toNote(toText(record.close_reason) && `Closed: ${toText(record.close_reason)}`, record.closed_at),
  ];
}

const formatBriefly = (value: unknown): string => formatValue(value).slice(0, 80);
