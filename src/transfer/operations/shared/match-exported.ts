import type { MutationContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined, groupBy } from '#lib/collections.ts';
import type { Task, TaskRecord } from '#tasks/model/task.ts';
import { toTask } from '#tasks/rules/view.ts';
import type { ForeignStream, SourceFile } from '../../model/foreign.ts';
import type { ImportTool } from '../../rules/detect-tool.ts';
import type { ExportedIdentity } from '../../rules/export/context.ts';
import { createToolFormatter } from '../../rules/export/formats.ts';
import { comparedFields, diffDigests, digestTask, formatBase } from '../../rules/import-base.ts';
import type { ImportDraft, ImportItem } from '../../rules/import-draft.ts';
import { type NormalizedTask, normalizeTask } from '../../rules/normalize-task.ts';
import { isEarlier } from '../../rules/source-values.ts';
import { loadReader } from './import-readers.ts';
import { splitBatches } from './write-import.ts';

/** Compares the records of a file with what an export would write for their tasks now, read again. A record that was exported from a task
 *  here belongs to that task, and a field that says what the export says has not changed, even if the tool cannot contain all of it. */
export async function matchExported(ctx: MutationContext, draft: ImportDraft, tool: ImportTool): Promise<void> {
  const matches = await findMatches(ctx, draft);
  // A record that no export wrote has changed where it says something else than at the last import.
  const changed = draft.items.filter(
    ({ earlier, isOlder, changed, uid }) => uid && earlier && earlier.state !== 'deleted' && !isOlder && changed.size > 0,
  );
  if (matches.size === 0 && changed.length === 0) return;
  const items = [...matches.keys(), ...changed];
  const idsInFile = new Map(items.map((item) => [matches.get(item) ?? item.earlier!.taskId, item.id]));
  const { identities, hierarchy } = await listIdentities(ctx);
  const format = createToolFormatter(tool, identities, idsInFile);
  const { isImported } = draft;
  for (const some of splitBatches(items)) {
    const records = await readRecords(
      ctx,
      some.map((item) => matches.get(item) ?? item.earlier!.taskId),
    );
    const exported = await exportAndRead(ctx, tool, records, hierarchy, format);
    for (const item of some) {
      const record = records.get(matches.get(item) ?? item.earlier!.taskId);
      const written = exported.get(item.id);
      if (!record || !written) continue;
      const differences = diffDigests(digestTask(written, isImported), draft.formatDigest(item));
      if (matches.has(item)) linkToTask(draft, item, record, written, digestTask(written, isImported), differences);
      else item.changed = new Set([...item.changed].filter((field) => differences.has(field)));
    }
  }
}

/** Finds the task of each record that is not known yet. Of several records with one uid, copies in the other tool, the first is taken. */
async function findMatches({ store }: MutationContext, { items, earlierImports }: ImportDraft): Promise<Map<ImportItem, TaskId>> {
  const unknown = items.filter(({ earlier, uid }) => !earlier && uid !== undefined);
  const matches = new Map<ImportItem, TaskId>();
  if (unknown.length === 0) return matches;
  const taken = new Set(items.flatMap(({ earlier }) => earlier?.taskId ?? []));
  const deleted = new Set([...earlierImports.values()].filter(({ state }) => state === 'deleted').map(({ taskId }) => taskId));
  for (const some of splitBatches(unknown)) {
    const found = await store.tasks.findByUids(some.map(({ uid }) => uid!));
    for (const item of some) {
      const taskId = found.get(item.uid!);
      if (taskId === undefined || taken.has(taskId) || deleted.has(taskId)) continue;
      taken.add(taskId);
      matches.set(item, taskId);
    }
  }
  return matches;
}

/** What the export would write now is the last common state. Fields that did not change in the tool stay as they are here. */
function linkToTask(
  draft: ImportDraft,
  item: ImportItem,
  record: TaskRecord,
  written: NormalizedTask,
  digest: string,
  differences: ImportItem['changed'],
): void {
  item.earlier = {
    taskId: record.id,
    theirs: undefined,
    updatedAt: written.updatedAt,
    base: formatBase(written, digest, record),
    state: record.archivedAt ? 'archived' : 'present',
    isUntouched: false,
  };
  draft.earlierImports.set(item.id, item.earlier);
  if (item.updatedAt && written.updatedAt && isEarlier(item.updatedAt, written.updatedAt)) {
    item.isOlder = true;
    return;
  }
  item.changed = differences;
  item.local = {
    changed: new Set(comparedFields.filter((field) => !differences.has(field))),
    updatedAt: record.updatedAt,
    hasEvidence: record.acceptance.some(({ kind }) => kind === 'evidence_bound'),
  };
}

type Position = Pick<TaskRecord, 'id' | 'type' | 'status' | 'parentId'>;

/** Reads what ids in other tools depend on, without the texts. An id depends on those of all tasks: two must not get the same. */
async function listIdentities({ store }: MutationContext): Promise<{ identities: ExportedIdentity[]; hierarchy: Map<TaskId, Position> }> {
  const identities: ExportedIdentity[] = [];
  const hierarchy = new Map<TaskId, Position>();
  for (let last: TaskId | undefined; ; ) {
    const page = await store.tasks.listIdentitiesAfter(last, 500);
    if (page.length === 0) return { identities, hierarchy };
    for (const { type, status, ...identity } of page) {
      const { id, parentId, depends, ...rest } = identity;
      identities.push({ id, ...rest, ...defined({ parentId }), ...(depends.length > 0 ? { depends } : {}) });
      hierarchy.set(id, { id, type, status, ...defined({ parentId }) });
    }
    last = page.at(-1)!.id;
  }
}

function listAncestry(hierarchy: Map<TaskId, Position>, id: TaskId): Position[] {
  const ancestry: Position[] = [];
  for (let at = hierarchy.get(id); at && !ancestry.includes(at); at = at.parentId ? hierarchy.get(at.parentId) : undefined)
    ancestry.push(at);
  return ancestry;
}

/** Reads the tasks and their parents, without which Task Master has no subtasks. */
async function readRecords({ store }: MutationContext, ids: TaskId[]): Promise<Map<TaskId, TaskRecord>> {
  const records = new Map((await store.tasks.getMany(ids)).map((record) => [record.id, record]));
  const parents = [...records.values()].flatMap(({ parentId }) => (parentId && !records.has(parentId) ? [parentId] : []));
  for (const parent of parents.length > 0 ? await store.tasks.getMany(parents) : []) records.set(parent.id, parent);
  return records;
}

async function exportAndRead(
  { store }: MutationContext,
  tool: ImportTool,
  records: Map<TaskId, TaskRecord>,
  hierarchy: Map<TaskId, Position>,
  format: ReturnType<typeof createToolFormatter>,
): Promise<Map<string, NormalizedTask>> {
  const ids = [...records.keys()];
  const notes = await store.tasks.getNotes(ids);
  const relations = groupBy(await store.tasks.listRelationsTouching(ids), ({ from }) => from);
  const tasks: Task[] = [];
  for (const record of records.values())
    tasks.push(
      toTask(record, {
        ancestry: listAncestry(hierarchy, record.id),
        children: [],
        notes: notes.get(record.id) ?? [],
        relations: (relations.get(record.id) ?? []).map(({ to, type, reason }) => ({ taskId: to, type, reason, direction: 'to' as const })),
      }),
    );
  const { content } = format(tasks);
  const files: SourceFile[] = typeof content === 'string' ? [{ name: '', text: content }] : content;
  const read = await loadReader[tool]();
  const stream: ForeignStream = read(files);
  const written = new Map<string, NormalizedTask>();
  for (const foreign of stream.tasks) written.set(foreign.id, normalizeTask(tool, foreign, []));
  return written;
}
