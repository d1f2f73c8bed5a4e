import { array, check, type InferOutput, literal, optional, picklist, pipe, regex, safeParse, strictObject, string } from 'valibot';
import type { MutationContext } from '#core/define.ts';
import { CleoError, replaceFix } from '#core/errors/error.ts';
import { DateText } from '#core/model/date-text.ts';
import { GateNameSchema, type TaskId, TaskIdSchema, toTaskId, toTaskNumber } from '#core/model/scalars.ts';
import { Label } from '#core/model/search-texts.ts';
import { isStorable } from '#core/model/storable.ts';
import { Criterion, Description, FilePath, NoteText, Phase, Reason, Title } from '#core/model/texts.ts';
import { toUid, uidPattern } from '#core/rules/uid.ts';
import { defined, removeDuplicates } from '#lib/collections.ts';
import { hasHiddenText } from '#lib/invisible.ts';
import { findJsonProblem } from '#lib/jsonc.ts';
import { parseJson, stripBom } from '#lib/parse-json.ts';
import type { Ancestor, StoredRelation } from '#store/port/tasks.ts';
import { type Note, RelationSchema, type StoredCriterion, type TaskRecord, TaskSchema } from '#tasks/model/task.ts';
import { Assignee, Capability, Revision, TaskAliasInput } from '#tasks/model/task-fields.ts';
import { checkDependsExist, checkParentOpen, createNotes } from '#tasks/operations/shared/create-task.ts';
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
        metBy: optional(Assignee),
      }),
    ),
  ),
  files: optional(array(FilePath)),
  notes: optional(array(strictObject({ at: Time, by: Assignee, text: NoteText }))),
  createdAt: Time,
  createdBy: Assignee,
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
  /** The tasks of the file that are new here, with the ids that they have now. */
  ids: { id: TaskId; taskId: TaskId }[];
  /** The number of tasks that exist already, by their uid. */
  unchanged: number;
  warnings: string[];
}

/** Imports all new tasks of an export or none. A task that exists here, by its uid, stays as it is. A new task keeps its id unless
 *  another task has or had it. With `isCopy` every task becomes a new one. */
export async function importTasks(ctx: MutationContext, content: string, isCopy: boolean): Promise<NativeImport> {
  try {
    return await importLines(ctx, content, isCopy);
  } catch (error) {
    // The tasks of the file are not stored, so that no command can show them.
    throw error instanceof CleoError && error.row !== 'E_ID_COLLISION' ? replaceFix(error, fix) : error;
  }
}

async function importLines(ctx: MutationContext, content: string, isCopy: boolean): Promise<NativeImport> {
  const { store } = ctx;
  const parsed = parseLines(stripBom(content));
  if (parsed.length === 0) throw new CleoError('E_INVALID_INPUT', { problem: 'The file contains no task; nothing was imported', fix });
  checkIdsDistinct(parsed);
  const known = isCopy ? new Map<string, TaskId>() : await store.tasks.findByUids(parsed.flatMap(({ uid }) => uid ?? []));
  const added = parsed.filter(({ uid }) => uid === undefined || !known.has(uid));
  const ids = isCopy ? await assignNewIds(ctx, added) : await assignIds(ctx, added);
  const nameOf = new Map([...parsed.flatMap(({ id, uid }) => (uid && known.has(uid) ? [[id, known.get(uid)!] as const] : [])), ...ids]);
  const lines = renameLines(added, nameOf);
  const records = await createRecords(ctx, added, lines, isCopy);
  const byId = new Map(records.map((record) => [record.id, record]));
  const excludeImported = (ids: TaskId[]): TaskId[] => removeDuplicates(ids).filter((id) => !byId.has(id));
  const [missingParent] = await store.tasks.findMissing(excludeImported(records.flatMap((record) => record.parentId ?? [])));
  if (missingParent) throw new CleoError('E_PARENT_NOT_FOUND', { parent: missingParent, fix });
  await checkDependsExist(store, excludeImported(records.flatMap((record) => record.depends)));
  const relations = collectRelations(lines);
  await checkDependsExist(store, excludeImported(relations.flatMap(({ from, to }) => [from, to])));
  await checkNoCycle(store, records, 'depends');
  for (const record of records) await checkRecordPlacement(ctx, record, byId);
  const renumbered = isCopy ? [] : added.filter(({ id }) => ids.get(id) !== id);
  const notes = new Map(renumbered.map(({ id }) => [ids.get(id)!, `${id} in the file it was imported from`]));
  await store.tasks.insertMany(
    records.map((task, i) => ({ task, notes: [...((lines[i]?.notes ?? []) as Note[]), ...createNotes(ctx, notes.get(task.id))] })),
    'imported',
  );
  if (records.length > 0) await store.tasks.reserveIds(toTaskId(records.reduce((last, { id }) => Math.max(last, toTaskNumber(id)), 0)));
  for (const relation of relations) await insertRelation(ctx, relation, byId);
  return {
    ids: added.map(({ id }) => ({ id, taskId: ids.get(id)! })),
    unchanged: parsed.length - added.length,
    warnings: [
      ...formatRenumbered(renumbered, ids),
      ...formatHiddenTextWarning(lines.filter((line) => hasHiddenText(JSON.stringify(line))).map(({ id }) => id)),
    ],
  };
}

async function assignNewIds({ store }: MutationContext, lines: ExportLine[]): Promise<Map<TaskId, TaskId>> {
  const ids = await store.tasks.nextIds(lines.length);
  return new Map(lines.map(({ id }, i) => [id, ids[i]!]));
}

/** Gives each task its own number, or the smallest one above it that is free, in the order of creation. An export of an older version has
 *  no uids, so that its tasks cannot be told from others of the same number. */
async function assignIds(ctx: MutationContext, lines: ExportLine[]): Promise<Map<TaskId, TaskId>> {
  const used = new Set(await ctx.store.tasks.findUsedIds(lines.map(({ id }) => id)));
  // A task that was deleted here gets its own number again.
  for (const { id, uid } of lines.filter((line) => used.has(line.id)))
    if (uid !== undefined && (await ctx.store.tasks.getLastDeleted(id))?.record.uid === uid && !(await ctx.store.tasks.exists(id)))
      used.delete(id);
  const unknown = lines.find(({ id, uid }) => uid === undefined && used.has(id));
  if (unknown) throw new CleoError('E_ID_COLLISION', { id: unknown.id, fix: ctx.commandWith({ renumber: true, dryRun: true }) });
  const kept = new Set(lines.flatMap(({ id }) => (used.has(id) ? [] : [id])));
  const ids = new Map(lines.flatMap(({ id }) => (kept.has(id) ? [[id, id] as const] : [])));
  const byCreation = (a: ExportLine, b: ExportLine): number =>
    a.createdAt === b.createdAt ? ((a.uid ?? '') < (b.uid ?? '') ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1;
  for (const { id } of lines.filter((line) => used.has(line.id)).sort(byCreation)) {
    const free = await findFreeId(ctx, id, kept);
    kept.add(free);
    ids.set(id, free);
  }
  return ids;
}

/** Finds the smallest number above `id` that no task has or had and that none of `taken` has. */
async function findFreeId({ store }: MutationContext, id: TaskId, taken: Set<TaskId>): Promise<TaskId> {
  for (let from = toTaskNumber(id) + 1; ; from += 100) {
    const candidates = Array.from({ length: 100 }, (_, i) => toTaskId(from + i)).filter((candidate) => !taken.has(candidate));
    const used = new Set(await store.tasks.findUsedIds(candidates));
    const free = candidates.find((candidate) => !used.has(candidate));
    if (free !== undefined) return free;
  }
}

/** Creates the records of the new tasks. A copy has no aliases: an alias names one task. An alias that a task has here stays with it. */
async function createRecords(ctx: MutationContext, given: ExportLine[], lines: ExportLine[], isCopy: boolean): Promise<TaskRecord[]> {
  const names = lines.flatMap(({ aliases = [] }) => aliases.map(({ tool, id }) => `${tool}:${id}`));
  const taken = new Set((isCopy || names.length === 0 ? [] : await ctx.store.tasks.findAliases(names)).map(({ name }) => name));
  return lines.map((line, i) => {
    const { id } = given[i]!;
    const uid = (!isCopy && line.uid) || toUid(line.createdAt, ctx.platform.randomHex(12));
    const kept = isCopy ? [] : (line.aliases ?? []).filter((alias) => !taken.has(`${alias.tool}:${alias.id}`));
    // The replica that gave the number is not in the file; the end of the uid names it as well.
    const former = isCopy || id === line.id ? [] : [{ tool: 'cleo', id: `${id}@${uid.slice(-6)}` }];
    const { aliases: _, ...rest } = line;
    const aliases = [...kept, ...former];
    return toRecord({ ...rest, uid, ...(aliases.length > 0 ? { aliases } : {}) });
  });
}

function formatRenumbered(lines: ExportLine[], ids: Map<TaskId, TaskId>): string[] {
  const [first, ...more] = lines;
  if (!first) return [];
  const rest = more.length > 0 ? `, and ${more.length} more were renumbered` : '';
  return [`${first.id} of the file is ${ids.get(first.id)} here, because another task has or had that number${rest}`];
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

/** Names tasks as they are here, also where tasks of the file refer to each other. */
function renameLines(lines: ExportLine[], nameOf: Map<TaskId, TaskId>): ExportLine[] {
  const rename = (id: TaskId): TaskId => nameOf.get(id) ?? id;
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
