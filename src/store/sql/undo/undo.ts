import type { Changes } from '#core/model/audit.ts';
import { toTaskNumber } from '#core/model/scalars.ts';
import type { Stamp } from '../../port/store.ts';
import type { TaskReads } from '../../port/tasks.ts';
import type { UndoWrites } from '../../port/undo.ts';
import type { HistoryWriter } from '../admin/audit-writes.ts';
import { noteUpdate } from '../changes.ts';
import { insertRow } from '../insert-row.ts';
import { indexTasks, joinRest, unindexMemory, unindexTask } from '../search/writes.ts';
import { type Db, listValues, raw, type SqlRow, sql } from '../sql.ts';
import type { ItemImage } from './images.ts';

/** Reads what one entry of the log changed, and restores what it changed. */
export function createUndoWrites(
  db: Db,
  tasks: Pick<TaskReads, 'getNotes'>,
  stamp: Stamp,
  changes: Changes,
  history: HistoryWriter,
): UndoWrites {
  const listImages = (entry: number): Promise<SqlRow[]> =>
    db.all(sql`
      select u.* from undo_images u join audit_log a on a.seq = u.entry and a.timestamp = u.at where u.entry = ${entry} order by u.seq desc`);
  return {
    async listTaskChanges(entry) {
      const found = await db.all(
        sql`select seq, history_seq, timestamp, agent_id from audit_log where seq in (${entry - 1}, ${entry}) order by seq`,
      );
      const [before, after] = found.length === 1 && entry === 1 ? [{ history_seq: 0 }, found[0]] : found;
      if (!after || before?.history_seq === null || after.history_seq === null) return undefined;
      // A job writes before its entry, so rows of another call can be between two entries.
      const rows = await db.all(sql`
        select task_id, field, old_value, new_value from task_history
        where seq > ${Number(before?.history_seq)} and seq <= ${Number(after.history_seq)}
          and at = ${after.timestamp} and by_agent = ${after.agent_id} order by seq`);
      return rows.map((row) => ({
        taskId: String(row.task_id),
        field: String(row.field),
        ...(row.old_value === null ? {} : { old: JSON.parse(String(row.old_value)) }),
        ...(row.new_value === null ? {} : { new: JSON.parse(String(row.new_value)) }),
      }));
    },
    listChangedItems: async (entry) =>
      (await listImages(entry)).map((row) => ({
        kind: row.kind as 'doc' | 'memory',
        id: String(row.item_id),
        isNew: row.image === null,
      })),
    async restoreItems(entry) {
      for (const row of await listImages(entry)) {
        const image = row.image === null ? undefined : (JSON.parse(String(row.image)) as ItemImage);
        const restore = row.kind === 'doc' ? restoreDoc : restoreMemory;
        await restore(db, changes, String(row.item_id), image);
      }
    },
    async removeNotes(task, count) {
      await db.run(sql`
        delete from task_notes where seq in (select seq from task_notes where task_id = ${task.id} order by seq desc limit ${count})`);
      await db.run(sql`
        update tasks set updated_at = case when updated_at < ${stamp.at} then ${stamp.at} else updated_at end, revision = revision + 1
        where id = ${task.id}`);
      await history.add([{ taskId: task.id, field: 'notes', reason: `undo: ${count} removed` }]);
      const notes = (await tasks.getNotes([task.id])).get(task.id) ?? [];
      await unindexTask(db, task.id);
      const rest = joinRest(task.description, task.labels, notes);
      await indexTasks(db, [{ seq: toTaskNumber(task.id), title: task.title, rest }]);
      noteUpdate(changes, task.id);
    },
  };
}

async function restoreDoc(db: Db, changes: Changes, slug: string, image: ItemImage | undefined): Promise<void> {
  const present = await db.all(sql`select digest from doc_versions where slug = ${slug}`);
  await db.run(sql`delete from docs where slug = ${slug}`);
  await db.run(sql`delete from citations where by_kind = 'doc' and by_id = ${slug}`);
  if (image) {
    for (const content of image.contents ?? []) await insertRow(db, 'doc_contents', content, raw(' on conflict (digest) do nothing'));
    await insertRow(db, 'docs', image.item);
    for (const version of image.versions ?? []) await insertRow(db, 'doc_versions', version);
    for (const task of image.tasks ?? []) await insertRow(db, 'doc_tasks', task);
    for (const citation of image.citations ?? []) await insertRow(db, 'citations', citation);
  }
  const digests = present.map((row) => String(row.digest));
  if (digests.length > 0)
    await db.run(sql`
      delete from doc_contents where digest in ${listValues(digests)}
        and not exists (select 1 from doc_versions v where v.digest = doc_contents.digest)`);
  if (!image) changes.deleted.push(slug);
  else if (digests.length > 0) noteUpdate(changes, slug);
  else changes.created.push(slug);
}

/** A memory entry is only ever created or decided about. */
async function restoreMemory(db: Db, changes: Changes, id: string, image: ItemImage | undefined): Promise<void> {
  if (image) {
    const { confirmation_state, superseded_by, decided_by, decided_at, decided_reason, proof } = image.item;
    await db.run(sql`
      update memories set confirmation_state = ${confirmation_state}, superseded_by = ${superseded_by}, decided_by = ${decided_by},
        decided_at = ${decided_at}, decided_reason = ${decided_reason}, proof = ${proof} where id = ${id}`);
    return noteUpdate(changes, id);
  }
  const [row] = await db.all(sql`delete from memories where id = ${id} returning seq`);
  if (row) await unindexMemory(db, Number(row.seq));
  await db.run(sql`delete from citations where by_kind = 'memory' and by_id = ${id}`);
  changes.deleted.push(id);
}
