import type { Changes } from '#core/model/audit.ts';
import { formatMemoryId, memoryLetters } from '#memory/model/memory.ts';
import type { MemoryWrites } from '../../port/memory.ts';
import type { Stamp } from '../../port/store.ts';
import { noteUpdate } from '../changes.ts';
import { listRows } from '../list-rows.ts';
import { indexTexts } from '../search/writes.ts';
import { type Db, listValues, splitChunks, sql } from '../sql.ts';
import { storeMemoryImage } from '../undo/images.ts';

export function createMemoryWrites(db: Db, stamp: Stamp, changes: Changes): MemoryWrites {
  return {
    async nextIds(type, count) {
      const [row] = await db.all(
        sql`insert into counters (name, value) values (${`memory:${memoryLetters[type]}`}, ${count})
            on conflict (name) do update set value = counters.value + excluded.value returning value`,
      );
      return Array.from({ length: count }, (_, i) => formatMemoryId(type, Number(row?.value) - count + 1 + i));
    },
    async insertMany(entries) {
      for (const { id } of entries) await storeMemoryImage(db, stamp, id);
      const seqs = new Map<string, number>();
      for (const some of splitChunks(entries, 100)) {
        const added = await db.all(sql`
          insert into memories (id, type, title, digest, confirmation_state, decided_by, decided_at, decided_reason, superseded_by,
            source_table, source_rowid, session_id, agent_id, created_at, content)
          values ${listRows(
            some.map((m) => [
              m.id,
              m.type,
              m.title,
              m.digest,
              m.state,
              m.decidedBy,
              m.decidedAt,
              m.decidedReason,
              m.supersededBy,
              m.source?.table,
              m.source?.rowid,
              m.sessionId,
              m.agentId,
              m.createdAt,
              m.content,
            ]),
          )} returning seq, id`);
        for (const row of added) seqs.set(String(row.id), Number(row.seq));
      }
      const tags = entries.flatMap(({ id, tags }) => tags.map((tag) => [id, tag]));
      for (const some of splitChunks(tags, 200)) await db.run(sql`insert into memory_tags (memory_id, tag) values ${listRows(some)}`);
      const tasks = entries.flatMap(({ id, tasks }) => tasks.map((taskId) => [id, taskId]));
      for (const some of splitChunks(tasks, 200)) await db.run(sql`insert into memory_tasks (memory_id, task_id) values ${listRows(some)}`);
      await indexTexts(
        db,
        'memory_search',
        entries.map(({ id, title, content, tags }) => ({ seq: seqs.get(id)!, title, rest: [content, ...tags].join('\n') })),
      );
      for (const { id } of entries) changes.created.push(id);
    },
    async decide(id, state, { reason, by, proof }) {
      await storeMemoryImage(db, stamp, id);
      await db.run(sql`
        update memories set confirmation_state = ${state}, superseded_by = ${by}, decided_by = ${stamp.by}, decided_at = ${stamp.at}, decided_reason = ${reason}, proof = ${proof}
        where id = ${id}`);
      noteUpdate(changes, id);
    },
    async saveCitations(kind, id, cited) {
      await db.run(sql`delete from citations where by_kind = ${kind} and by_id = ${id}`);
      for (const some of splitChunks(cited, 500))
        await db.run(sql`
          insert into citations (memory_id, by_kind, by_id)
          select m.id, cast(${kind} as text), cast(${id} as text) from memories m where m.id in ${listValues(some)} and m.id <> ${id}`);
    },
  };
}
