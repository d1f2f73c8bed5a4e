import { array, check, type InferOutput, literal, optional, picklist, pipe, regex, safeParse, strictObject, string } from 'valibot';
import type { MutationContext } from '#core/define.ts';
import { CleoError, replaceFix } from '#core/errors/error.ts';
import { DateText } from '#core/model/date-text.ts';
import {
  AgentId,
  Criterion,
  Description,
  FilePath,
  GateNameSchema,
  isStorable,
  Label,
  NoteText,
  Phase,
  Reason,
  type TaskId,
  TaskIdSchema,
  Title,
  toTaskId,
  toTaskNumber,
} from '#core/model/scalars.ts';
import { toUid, uidPattern } from '#core/rules/uid.ts';
import { removeDuplicates } from '#lib/collections.ts';
import { defined } from '#lib/defined.ts';
import { findJsonProblem } from '#lib/jsonc.ts';
import { parseJson, stripBom } from '#lib/parse-json.ts';
import type { Ancestor, StoredRelation } from '#store/port/tasks.ts';
import { type Note, RelationSchema, type StoredCriterion, type TaskRecord, TaskSchema } from '#tasks/model/task.ts';
import { Assignee, Capability, Revision, TaskAliasInput } from '#tasks/model/task-fields.ts';
import { checkDependsExist, checkParentOpen } from '#tasks/operations/shared/create-task.ts';
import { checkNoCycle } from '#tasks/operations/shared/order.ts';
import { checkPlacement } from '#tasks/rules/hierarchy.ts';
import { formatHiddenTextWarning } from '../../rules/hidden-text.ts';

const Time = pipe(
  string(),
  regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/, 'must be a UTC time such as 2026-01-31T12:00:00.000Z'),
);
const Text = pipe(string(), check(isStorable, 'must not contain NUL or lone surrogates'));

/** A line of an export, with the limits of the parameters that set each field. Fields derived from other tasks (`epicId`, `child_task` criteria) are accepted and ignored. */
const ExportLine = strictObject({
  ...TaskSchema.entries,
  id: TaskIdSchema,
  title: Title,
  description: optional(Description),
  parentId: optional(TaskIdSchema),
  epicId: optional(TaskIdSchema),
  labels: optional(array(Label)),
  phase: optional(Phase),
  depends: optional(array(TaskIdSchema)),
  blockedBy: optional(Text),
  relations: optional(array(strictObject({ ...RelationSchema.entries, taskId: TaskIdSchema, reason: Reason }))),
  acceptance: optional(
    array(
      strictObject({
        kind: picklist(['text', 'evidence_bound', 'child_task']),
        text: optional(Criterion),
        gate: optional(GateNameSchema),
        target: optional(TaskIdSchema),
        met: optional(literal(true)),
        metAt: optional(Time),
        metBy: optional(AgentId),
      }),
    ),
  ),
  files: optional(array(FilePath)),
  notes: optional(array(strictObject({ at: Time, by: AgentId, text: NoteText }))),
  createdAt: Time,
  createdBy: AgentId,
  updatedAt: Time,
  startedAt: optional(Time),
  completedAt: optional(Time),
  archivedAt: optional(Time),
  revision: Revision,
  assignee: optional(Assignee),
  due: optional(DateText),
  requires: optional(array(Capability)),
  uid: optional(pipe(string(), regex(uidPattern, 'must be 20 digits and letters'))),
  aliases: optional(array(TaskAliasInput)),
});

type ExportLine = InferOutput<typeof ExportLine>;

const fix = 'cleo help import';

export interface NativeImport {
  ids: { id: TaskId; taskId: TaskId }[];
  warnings: string[];
}

/** Imports all tasks of an export or none, and returns their ids. Without `renumber` ids are kept, so that references to them stay
 *  valid. */
export async function importTasks(ctx: MutationContext, content: string, renumber: boolean): Promise<NativeImport> {
  try {
    return await importLines(ctx, content, renumber);
  } catch (error) {
    // The tasks of the file are not stored, so that no command can show them.
    throw error instanceof CleoError && error.row !== 'E_ID_COLLISION' ? replaceFix(error, fix) : error;
  }
}

async function importLines(ctx: MutationContext, content: string, renumber: boolean): Promise<NativeImport> {
  const { store } = ctx;
  const parsed = parseLines(stripBom(content));
  if (parsed.length === 0) throw new CleoError('E_INVALID_INPUT', { problem: 'The file contains no task; nothing was imported', fix });
  checkIdsDistinct(parsed);
  if (!renumber) await checkIdsUnused(ctx, parsed);
  const lines = renumber ? renumberLines(parsed, await store.tasks.nextIds(parsed.length)) : parsed;
  const ids = lines.map((line) => line.id);
  // A renumbered task is a copy, and no two tasks have the same uid.
  const records = lines.map((line) => {
    const uid = (!renumber && line.uid) || toUid(line.createdAt, ctx.platform.randomHex(12));
    return toRecord({ ...line, uid });
  });
  const byId = new Map(records.map((record) => [record.id, record]));
  const excludeImported = (ids: TaskId[]): TaskId[] => removeDuplicates(ids).filter((id) => !byId.has(id));
  const [missingParent] = await store.tasks.findMissing(excludeImported(records.flatMap((record) => record.parentId ?? [])));
  if (missingParent) throw new CleoError('E_PARENT_NOT_FOUND', { parent: missingParent, fix });
  await checkDependsExist(store, excludeImported(records.flatMap((record) => record.depends)));
  const relations = collectRelations(lines);
  await checkDependsExist(store, excludeImported(relations.flatMap(({ from, to }) => [from, to])));
  await checkNoCycle(store, records, 'depends');
  for (const record of records) await checkRecordPlacement(ctx, record, byId);
  await store.tasks.insertMany(
    records.map((task, i) => ({ task, notes: (lines[i]?.notes ?? []) as Note[] })),
    'imported',
  );
  await store.tasks.reserveIds(toTaskId(ids.reduce((last, id) => Math.max(last, toTaskNumber(id)), 0)));
  for (const relation of relations) await insertRelation(ctx, relation, byId);
  return {
    ids: parsed.map(({ id }, i) => ({ id, taskId: ids[i]! })),
    warnings: formatHiddenTextWarning(lines.map((line) => ({ id: line.id, content: line }))),
  };
}

function parseLines(content: string): ExportLine[] {
  const document = /^\s*[[{]/.test(content) ? parseJson(content) : undefined;
  const list = Array.isArray(document) ? document : (document as { tasks?: unknown } | undefined)?.tasks;
  if (Array.isArray(list)) return list.map((value, i) => parseLine(value, `entry ${i + 1}`));
  const lines = content.split(/\r?\n/).map((text, i) => ({ text, n: i + 1 }));
  return lines.filter(({ text }) => text.trim() !== '').map(({ text, n }) => parseLine(parseJsonLine(text, n), `line ${n}`));
}

function parseJsonLine(text: string, n: number): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  const column = findJsonProblem(text)?.column ?? 1;
  throw new CleoError('E_INVALID_INPUT', {
    problem: `line ${n}, column ${column} is not valid JSON; nothing was imported`,
    fix,
  });
}

function parseLine(value: unknown, where: string): ExportLine {
  const parsed = safeParse(ExportLine, value);
  if (parsed.success) return parsed.output;
  const issue = parsed.issues.find(({ kind }) => kind === 'schema') ?? parsed.issues[0];
  const field = issue.path?.map((step) => String(step.key)).join('.') ?? '';
  if (issue.kind === 'schema') throw new CleoError('E_INVALID_INPUT', { problem: `${where}: ${field} ${issue.message}`.trim(), fix });
  throw new CleoError('E_VALIDATION', {
    field: field.split('.')[0] || 'line',
    problem: `${issue.message} (${where})`,
    fix,
  });
}

function checkIdsDistinct(lines: ExportLine[]): void {
  const seen = new Set<TaskId>();
  for (const { id } of lines) {
    if (seen.has(id)) throw new CleoError('E_ID_COLLISION', { id, problem: `The id ${id} occurs twice; nothing was imported`, fix });
    seen.add(id);
  }
}

/** Rejects ids that are or were in use: they name other tasks. The fix is a dry run, because importing an export into its own project
 *  would create every task twice. */
async function checkIdsUnused({ store, commandWith }: MutationContext, lines: ExportLine[]): Promise<void> {
  const [used] = await store.tasks.findUsedIds(lines.map(({ id }) => id));
  if (used) throw new CleoError('E_ID_COLLISION', { id: used, fix: commandWith({ renumber: true, dryRun: true }) });
}

/** Gives tasks new ids, also where tasks of the file refer to each other. */
function renumberLines(lines: ExportLine[], newIds: TaskId[]): ExportLine[] {
  const newId = new Map(lines.map(({ id }, i) => [id, newIds[i]!]));
  const rename = (id: TaskId): TaskId => newId.get(id) ?? id;
  return lines.map((line) => ({
    ...line,
    id: rename(line.id),
    ...(line.parentId ? { parentId: rename(line.parentId) } : {}),
    ...(line.depends ? { depends: line.depends.map(rename) } : {}),
    ...(line.relations ? { relations: line.relations.map((relation) => ({ ...relation, taskId: rename(relation.taskId) })) } : {}),
  }));
}

function toRecord(line: ExportLine & { uid: string }): TaskRecord {
  const { epicId: _, relations: __, notes: ___, acceptance = [], labels = [], depends = [], files = [], resolution, ...rest } = line;
  // An export of an older version has no resolution.
  const done = line.status === 'done' ? { resolution: resolution ?? ('done' as const) } : {};
  return {
    ...defined(rest),
    ...done,
    labels,
    depends,
    files,
    acceptance: acceptance.filter((c) => c.kind !== 'child_task').map(toStoredCriterion),
  };
}

function toStoredCriterion({ kind, text, gate, metAt, metBy }: NonNullable<ExportLine['acceptance']>[number]): StoredCriterion {
  if (kind === 'child_task' || (kind === 'text') !== (text !== undefined) || (kind === 'text') !== (gate === undefined))
    throw new CleoError('E_VALIDATION', {
      field: 'acceptance',
      problem: 'must have a text or a gate, depending on its kind',
      fix,
    });
  return defined({ kind, text, gate, metAt, metBy });
}

/** Both tasks of a relation list it; it is stored once. */
function collectRelations(lines: ExportLine[]): StoredRelation[] {
  const collected = new Map<string, StoredRelation>();
  for (const { id, relations = [] } of lines)
    for (const { taskId, type, reason, direction } of relations) {
      const [from, to] = direction === 'to' ? [id, taskId] : [taskId, id];
      collected.set(`${from} ${to} ${type}`, { from, to, type, reason });
    }
  return [...collected.values()];
}

async function checkRecordPlacement({ store }: MutationContext, record: TaskRecord, byId: Map<TaskId, TaskRecord>): Promise<void> {
  const ancestry: Ancestor[] = [];
  let up = record.parentId;
  while (up) {
    const inFile = byId.get(up);
    if (!inFile) {
      ancestry.push(...(await store.tasks.getAncestry(up)));
      break;
    }
    ancestry.push(inFile);
    up = inFile.parentId;
  }
  checkPlacement({ id: record.id, type: record.type, ancestry, openSiblings: 0, maxSiblings: 0, isOpen: false });
  if (record.status !== 'done') checkParentOpen(ancestry[0]);
}

async function insertRelation({ store }: MutationContext, relation: StoredRelation, byId: Map<TaskId, TaskRecord>): Promise<void> {
  const { from, to } = relation;
  if (from === to) throw new CleoError('E_CIRCULAR_REFERENCE', { path: [from, to], what: 'depends' });
  if (byId.get(from)?.parentId === to || byId.get(to)?.parentId === from) throw new CleoError('E_INVALID_RELATION', { from, to });
  await store.tasks.relate(relation, 'imported');
}
