import type { Priority } from '#core/model/scalars.ts';
import { addToList, defined, isPlainObject } from '#lib/collections.ts';
import { withArticle } from '#lib/noun.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { ForeignData, ForeignStream, ForeignTask, ImportLoss, SourceFile } from '../model/foreign.ts';
import { parseUid } from './export/context.ts';
import {
  addUnmappedFields,
  collectSourceTasks,
  createImportError,
  createLossReporter,
  createStream,
  formatValue,
  joinParagraphs,
  listUnmapped,
  normalizeLabels,
  parseCriteria,
  parseDate,
  parseRecords,
  parseTime,
  pickTimes,
  type ReportLoss,
  readEach,
  readSideFile,
  readSideText,
  type SourceFields,
  toFieldsList,
  toText,
  toTexts,
} from './source-values.ts';
import { isResolutionWord, parseCloseReason, parseForeignState, parseForeignType, parsePriority } from './vocabulary.ts';

export const readBeads = (files: SourceFile[]): ForeignData => collectSourceTasks(streamBeads(files));

/** Reads `issues.jsonl` as `bd` stores it and `bd export` writes it, one issue per line, or the tables of a folder `backup`. */
export function streamBeads(files: SourceFile[]): ForeignStream {
  return createStream('beads', function* (lists) {
    const { losses, memories, deletedIds } = lists;
    const { issues, tables } = chooseFiles(files, losses);
    if (issues.length === 0)
      throw createImportError('.beads', 'no file contains the issues; `bd export -o .beads/issues.jsonl` writes one');
    const links = readTables(tables, lists);
    const leftOut = new Map<string, number>();
    for (const { record, where } of readEach(issues, losses, (file) => parseRecords(file, losses))) {
      const reportProblem = (why: string): unknown => losses.push({ id: where, field: 'task', why: `${why}; skipped`, isProblem: true });
      if (record._type === 'memory') {
        if (toText(record.value).trim()) memories.push({ key: toText(record.key), text: toText(record.value) });
        continue;
      }
      if (record._type !== undefined && record._type !== 'issue') {
        losses.push({ id: where, field: 'task', why: `${withArticle(formatBriefly(record._type))} is not an issue` });
        continue;
      }
      const id = toId(record.id);
      const isIssue = ['title', 'issue_type', 'status', 'priority', 'created_at'].some((field) => record[field] !== undefined);
      if (!isIssue) reportProblem('it is not an issue of bd');
      else if (id === '') reportProblem('it has no id');
      else if (record.status === 'tombstone' || toText(record.deleted_at)) {
        deletedIds.push(id);
        addCount(leftOut, 'deleted');
      } else {
        const kind = findOtherKind(record);
        if (kind) addCount(leftOut, kind);
        else yield toForeignTask(links.complete(record, id), id, losses);
      }
    }
    for (const [kind, count] of leftOut)
      losses.push({
        id: '*',
        field: 'task',
        why: `${count} left out: ${kind === 'deleted' ? 'deleted in beads' : `${kind}, which bd does not count as work`}`,
      });
  });
}

const addCount = (counts: Map<string, number>, key: string): unknown => counts.set(key, (counts.get(key) ?? 0) + 1);

/** Ids are texts; some converters write numbers. */
const toId = (value: unknown): string => (typeof value === 'number' ? String(value) : toText(value).trim());

const otherTypes = new Set('agent role rig message gate event slot queue wisp heartbeat patrol merge-request session'.split(' '));

/** Names the kind of a record that `bd ready` and `bd list` leave out. */
function findOtherKind(record: SourceFields): string | undefined {
  const type = toText(record.issue_type).toLowerCase();
  if (record.ephemeral === true || toText(record.wisp_type)) return 'ephemeral';
  if (record.is_template === true || type === 'template') return 'template';
  if (record.pinned === true || record.status === 'pinned') return 'pinned';
  return otherTypes.has(type) ? type : undefined;
}

/** Chooses the file with the issues: the one that `metadata.json` names, else `issues.jsonl`, else a backup. */
function chooseFiles(files: SourceFile[], losses: ImportLoss[]): { issues: SourceFile[]; tables: SourceFile[] } {
  const metadata = files.find(({ name }) => /(?:^|\/)metadata\.json$/.test(name));
  const parsed = parseJson(readSideText(metadata, losses));
  const named = isPlainObject(parsed) ? toText(parsed.jsonl_export) : '';
  const data = files.filter(({ name }) => !/(?:^|\/)metadata\.json$/.test(name));
  const find = (matches: (name: string) => boolean): SourceFile[] => data.filter(({ name }) => matches(name) && !isBackup(name));
  const current = [
    named ? find((name) => name === named || name.endsWith(`/${named}`)) : [],
    find((name) => /(?:^|\/)issues\.jsonl$/.test(name)),
    find((name) => /(?:^|\/)beads\.jsonl$/.test(name)),
    data.length === 1 ? data : [],
  ].find((some) => some.length > 0);
  if (current) return { issues: current, tables: [] };
  const backup = data.filter(({ name }) => isBackup(name));
  return {
    issues: backup.filter(({ name }) => /(?:^|\/)issues\.jsonl$/.test(name)),
    tables: backup.filter(({ name }) => tableName.test(name)),
  };
}

const isBackup = (name: string): boolean => /(?:^|\/)backup\//.test(name);
const tableName = /(?:^|\/)(dependencies|labels|comments|config|events)\.jsonl$/;

/** Reads the tables of a backup, which lists labels, links and comments apart from the issues. */
function readTables(tables: SourceFile[], { losses, memories }: Pick<ForeignStream, 'losses' | 'memories'>) {
  const rows = {
    dependencies: new Map<string, SourceFields[]>(),
    labels: new Map<string, SourceFields[]>(),
    comments: new Map<string, SourceFields[]>(),
  };
  for (const file of tables) {
    const table = tableName.exec(file.name)?.[1];
    for (const { record } of readSideFile(file, losses, (one) => parseRecords(one, losses))) {
      const key = toText(record.key);
      if (table === 'config' && key.startsWith('kv.memory.') && toText(record.value).trim())
        memories.push({ key: key.slice('kv.memory.'.length), text: toText(record.value) });
      else if (table === 'dependencies' || table === 'labels' || table === 'comments')
        addToList(rows[table], toId(record.issue_id), record);
    }
  }
  const complete = (record: SourceFields, id: string): SourceFields =>
    tables.length === 0
      ? record
      : {
          dependencies: rows.dependencies.get(id),
          labels: rows.labels.get(id)?.map(({ label }) => label),
          comments: rows.comments.get(id),
          ...record,
        };
  return { complete };
}

/** SourceFields that are imported, and then derived numbers and internal fields of beads. */
const mappedFields =
  /^(?:title|description|design|acceptance_criteria|notes|status|priority|issue_type|created_at|created_by|updated_at|closed_at|started_at|close_reason|assignee|due_at|labels|dependencies|comments|parent|_type|id|content_hash|source_repo|source_system|compaction_level|compacted_at|compacted_at_commit|original_size|original_type|\w+_count|closed_by_session|ephemeral|no_history|is_template|pinned|sender|last_activity|deleted_\w+|delete_reason|owner|lease_expires_at|heartbeat_at)$/;

function toForeignTask(record: SourceFields, id: string, losses: ImportLoss[]): ForeignTask {
  const reportLoss = createLossReporter(losses, id);
  const unmapped = listUnmapped(record, (field, value) => mappedFields.test(field) || !value, reportLoss);
  const { type, label } = parseForeignType(toText(record.issue_type));
  const description = joinParagraphs(toText(record.description), toText(record.design) && `## Design\n\n${toText(record.design)}`);
  const state = toStateFields(record, reportLoss);
  return {
    id,
    ...defined({ uid: parseUid(/-([^-]+)$/.exec(id)?.[1]) }),
    title: toText(record.title),
    ...addUnmappedFields(description, 'beads', unmapped),
    ...state,
    // The JSON of a Go program omits 0, which is the highest priority.
    priority: toPriority(record.priority ?? 0, reportLoss),
    ...defined({
      type,
      assignee: toText(record.assignee).trim() || undefined,
      due: parseDate(record.due_at),
      createdBy: toText(record.created_by) || toText(record.owner) || undefined,
    }),
    ...toLinks(record, id, reportLoss),
    labels: normalizeLabels([...toTexts(record.labels), label], reportLoss),
    acceptance: parseCriteria(record.acceptance_criteria),
    notes: toNotes(record),
    ...pickTimes(
      {
        createdAt: record.created_at,
        updatedAt: record.updated_at,
        startedAt: record.started_at,
        completedAt: state.status === 'done' ? record.closed_at : undefined,
      },
      reportLoss,
    ),
  };
}

function toStateFields(record: SourceFields, reportLoss: ReportLoss): Pick<ForeignTask, 'status' | 'resolution' | 'blockedBy'> {
  const name = toText(record.status).trim() || (parseTime(record.closed_at) ? 'closed' : 'open');
  const { status, resolution, isDeferred, isGuess } = parseForeignState(name, record.closed_at);
  if (isGuess) reportLoss('status', `${JSON.stringify(name)} is imported as ${status}`);
  if (isDeferred) reportLoss('status', `${name} is imported as blocked`);
  const until = parseTime(record.defer_until);
  // beads has one state for everything closed; its reason says how.
  const reason = status === 'done' && !resolution ? parseCloseReason(toText(record.close_reason)) : undefined;
  return {
    status,
    ...defined({ resolution: resolution ?? reason }),
    ...(isDeferred ? { blockedBy: `${name}${until ? ` until ${until}` : ''} in beads` } : {}),
  };
}

function toPriority(value: unknown, reportLoss: ReportLoss): Priority {
  const priority = parsePriority(value);
  if (!priority) reportLoss('priority', `${formatBriefly(value)} is imported as medium`);
  else if (typeof value === 'number' && (value > 4 || value < 0)) reportLoss('priority', `${value} is imported as ${priority}`);
  else if (value === 4) reportLoss('priority', '4 is imported as low, like 3');
  return priority ?? 'medium';
}

/** `blocks` and `waits-for` become dependencies, `parent-child` and an id such as `bd-1.2` a parent, and all other links relations. Of
 *  several parents the one that the id names is taken, else the first by name, so that their order in the file does not matter. */
function toLinks(
  record: SourceFields,
  id: string,
  reportLoss: ReportLoss,
): Pick<ForeignTask, 'parent' | 'impliedParent' | 'depends' | 'related'> {
  const depends: string[] = [];
  const related: string[] = [];
  const parents = toText(record.parent) ? [toText(record.parent)] : [];
  for (const link of toFieldsList(record.dependencies)) {
    // `bd show --json` lists the linked issue itself.
    const on = toText(link.depends_on_id) || (toText(link.issue_id) ? '' : toText(link.id));
    const kind = toText(link.type) || toText(link.dep_type) || toText(link.dependency_type) || 'blocks';
    if (!on || (toText(link.issue_id) || id) !== id) reportLoss('dependencies', `${formatBriefly(link)} is not a dependency of this issue`);
    else if (kind === 'blocks' || kind === 'waits-for' || kind === 'conditional-blocks') depends.push(on);
    else if (kind === 'parent-child') parents.push(on);
    else {
      related.push(on);
      if (kind !== 'related' && kind !== 'relates-to') reportLoss('dependencies', `${kind} ${on} is imported as related`);
    }
  }
  const prefix = id.replace(/\.[^.]*$/, '');
  const sorted = [...new Set(parents)].sort((a, b) => Number(b === prefix) - Number(a === prefix) || (a < b ? -1 : a > b ? 1 : 0));
  const [parent, ...more] = sorted;
  for (const other of more) {
    related.push(other);
    reportLoss('parent', `a task has one parent, ${parent}; ${other} is imported as related`);
  }
  return { ...defined({ parent, impliedParent: parent || prefix === id ? undefined : prefix }), depends, related };
}

function toNotes(record: SourceFields): ForeignTask['notes'] {
  const toNote = (words: string, at: unknown, by?: unknown) =>
    words.trim() ? [defined({ text: words, at: parseTime(at), by: toText(by) || undefined })] : [];
  return [
    ...toNote(toText(record.notes), undefined),
    ...toFieldsList(record.comments).flatMap((comment) =>
      toNote(toText(comment.text) || toText(comment.body), comment.created_at, comment.author),
    ),
    ...(isResolutionWord(toText(record.close_reason))
      ? []
      : toNote(toText(record.close_reason) && `Closed: ${toText(record.close_reason)}`, record.closed_at)),
  ];
}

const formatBriefly = (value: unknown): string => (typeof value === 'string' ? value : formatValue(value)).slice(0, 80);
