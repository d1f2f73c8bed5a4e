import {
  array,
  check,
  type InferOutput,
  integer,
  literal,
  minValue,
  number,
  optional,
  picklist,
  pipe,
  regex,
  safeParse,
  strictObject,
  string,
} from 'valibot';
import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import {
  AgentId,
  Criterion,
  Description,
  FilePath,
  Gate,
  isStorable,
  Label,
  NoteText,
  Phase,
  Priority,
  Reason,
  RelationType,
  Size,
  Status,
  seqOf,
  TaskId,
  TaskType,
  Title,
  taskId,
} from '#core/model/scalars.ts';
import type { Ancestor, StoredRelation } from '#store/port.ts';
import type { Note, StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import { checkDependsExist, checkParentOpen } from '#tasks/operations/shared/build.ts';
import { checkOrder } from '#tasks/operations/shared/order.ts';
import { checkPlacement } from '#tasks/rules/hierarchy.ts';

const Time = pipe(
  string(),
  regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/, 'must be a UTC time such as 2026-01-31T12:00:00.000Z'),
);
const Text = pipe(string(), check(isStorable, 'must not contain NUL or lone surrogates'));

/** A line of an export. What follows from other tasks (`epicId`, `child_task` criteria) is read and left aside. */
const Line = strictObject({
  id: TaskId,
  type: TaskType,
  title: Title,
  description: optional(Description),
  status: Status,
  priority: Priority,
  size: optional(Size),
  parentId: optional(TaskId),
  epicId: optional(TaskId),
  labels: optional(array(Label)),
  phase: optional(Phase),
  depends: optional(array(TaskId)),
  blockedBy: optional(Text),
  relations: optional(array(strictObject({ taskId: TaskId, type: RelationType, reason: Reason, direction: picklist(['to', 'from']) }))),
  acceptance: optional(
    array(
      strictObject({
        kind: picklist(['text', 'evidence_bound', 'child_task']),
        text: optional(Criterion),
        gate: optional(Gate),
        target: optional(TaskId),
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
  revision: pipe(number(), integer('must be a whole number'), minValue(1, 'must be at least 1')),
});

type Line = InferOutput<typeof Line>;

/** Everything in the text, or nothing: ids stay as they are, so that what refers to them still does. */
export async function importTasks(ctx: MutationContext, content: string): Promise<number> {
  const { store } = ctx;
  const lines = parseLines(content.replace(/^\ufeff/, ''));
  if (lines.length === 0)
    throw new CleoError('E_INVALID_INPUT', { problem: 'There is no task in it; nothing was imported', fix: 'cleo help import' });
  const ids = lines.map((line) => line.id);
  await checkFree(ctx, ids);
  const records = lines.map(recordOf);
  const byId = new Map(records.map((record) => [record.id, record]));
  const outside = (wanted: TaskId[]): TaskId[] => [...new Set(wanted)].filter((id) => !byId.has(id));
  const [lostParent] = await store.tasks.missing(outside(records.flatMap((record) => record.parentId ?? [])));
  if (lostParent) throw new CleoError('E_PARENT_NOT_FOUND', { parent: lostParent });
  await checkDependsExist(store, outside(records.flatMap((record) => record.depends)));
  const relations = relationsOf(lines);
  await checkDependsExist(store, outside(relations.flatMap(({ from, to }) => [from, to])));
  await checkOrder(store, records, 'depends');
  for (const record of records) await checkPlace(ctx, record, byId);
  await store.tasks.insertMany(
    records.map((task, i) => ({ task, notes: (lines[i]?.notes ?? []) as Note[] })),
    'imported',
  );
  await store.tasks.reserveIds(taskId(ids.reduce((last, id) => Math.max(last, seqOf(id)), 0)));
  for (const relation of relations) await relate(ctx, relation, byId);
  return ids.length;
}

function parseLines(content: string): Line[] {
  const whole = /^\s*[[{]/.test(content) ? attempt(content) : undefined;
  const listed = Array.isArray(whole) ? whole : (whole as { tasks?: unknown } | undefined)?.tasks;
  if (Array.isArray(listed)) return listed.map((value, i) => parseLine(value, `entry ${i + 1}`));
  const lines = content.split(/\r?\n/).map((text, i) => ({ text, n: i + 1 }));
  return lines.filter(({ text }) => text.trim() !== '').map(({ text, n }) => parseLine(parseJson(text, n), `line ${n}`));
}

function attempt(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseJson(text: string, n: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const column = Number(/at position (\d+)/.exec((error as Error).message)?.[1] ?? text.length) + 1;
    throw new CleoError('E_INVALID_INPUT', {
      problem: `line ${n}, column ${column} is not valid JSON; nothing was imported`,
      fix: 'cleo help import',
    });
  }
}

function parseLine(value: unknown, where: string): Line {
  const parsed = safeParse(Line, value);
  if (parsed.success) return parsed.output;
  const issue = parsed.issues.find((one) => one.kind === 'schema') ?? parsed.issues[0];
  const field = issue.path?.map((step) => String(step.key)).join('.') ?? '';
  if (issue.kind === 'schema')
    throw new CleoError('E_INVALID_INPUT', { problem: `${where}: ${field} ${issue.message}`.trim(), fix: 'cleo help import' });
  throw new CleoError('E_VALIDATION', {
    field: field.split('.')[0] || 'line',
    problem: `${issue.message} (${where})`,
    fix: 'cleo help import',
  });
}

/** An id that is or ever was in use here means another task. */
async function checkFree({ store }: MutationContext, ids: TaskId[]): Promise<void> {
  const seen = new Set<TaskId>();
  for (const id of ids) {
    if (seen.has(id)) throw new CleoError('E_ID_COLLISION', { id, fix: 'cleo help import' });
    seen.add(id);
  }
  const [used] = await store.tasks.everUsed(ids);
  if (used)
    throw new CleoError('E_ID_COLLISION', {
      id: used,
      fix: (await store.tasks.exists(used)) ? `cleo show ${used}` : `cleo history ${used}`,
    });
}

function recordOf(line: Line): TaskRecord {
  const { epicId: _, relations: __, notes: ___, acceptance = [], labels = [], depends = [], files = [], ...rest } = line;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as Omit<
    TaskRecord,
    'labels' | 'depends' | 'files' | 'acceptance'
  >;
  return { ...given, labels, depends, files, acceptance: acceptance.filter((c) => c.kind !== 'child_task').map(criterionOf) };
}

function criterionOf({ kind, text, gate, metAt, metBy }: NonNullable<Line['acceptance']>[number]): StoredCriterion {
  if (kind === 'text' ? text === undefined || gate !== undefined : gate === undefined || text !== undefined)
    throw new CleoError('E_VALIDATION', {
      field: 'acceptance',
      problem: 'must have a text or a gate, as its kind says',
      fix: 'cleo help import',
    });
  return {
    kind: kind as StoredCriterion['kind'],
    ...(text ? { text } : {}),
    ...(gate ? { gate } : {}),
    ...(metAt ? { metAt } : {}),
    ...(metBy ? { metBy } : {}),
  };
}

/** Each relation stands on both of its tasks; it is kept once. */
function relationsOf(lines: Line[]): StoredRelation[] {
  const all = new Map<string, StoredRelation>();
  for (const { id, relations = [] } of lines)
    for (const { taskId, type, reason, direction } of relations) {
      const [from, to] = direction === 'to' ? [id, taskId] : [taskId, id];
      all.set(`${from} ${to} ${type}`, { from, to, type, reason });
    }
  return [...all.values()];
}

async function checkPlace({ store }: MutationContext, record: TaskRecord, byId: Map<TaskId, TaskRecord>): Promise<void> {
  const ancestry: Ancestor[] = [];
  let up = record.parentId;
  while (up) {
    const inFile = byId.get(up);
    if (!inFile) {
      ancestry.push(...(await store.tasks.ancestry(up)));
      break;
    }
    ancestry.push(inFile);
    up = inFile.parentId;
  }
  checkPlacement({ id: record.id, type: record.type, ancestry, openSiblings: 0, maxSiblings: 0, isOpen: false });
  if (record.status !== 'done') checkParentOpen(ancestry[0]);
}

async function relate({ store }: MutationContext, relation: StoredRelation, byId: Map<TaskId, TaskRecord>): Promise<void> {
  const { from, to } = relation;
  if (from === to) throw new CleoError('E_CIRCULAR_REFERENCE', { path: [from, to], what: 'depends' });
  if (byId.get(from)?.parentId === to || byId.get(to)?.parentId === from) throw new CleoError('E_INVALID_RELATION', { from, to });
  await store.tasks.relate(relation);
}
