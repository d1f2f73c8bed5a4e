import type { Changes } from '#core/model/audit.ts';
import { toTaskNumber } from '#core/model/scalars.ts';
import { memoryLetters } from '#memory/model/memory.ts';
import type { PlanWrites } from '../../port/plan.ts';
import type { Stamp } from '../../port/store.ts';
import type { TaskReads } from '../../port/tasks.ts';
import type { HistoryWriter } from '../admin/audit-writes.ts';
import { noteUpdate } from '../changes.ts';
import { listRows } from '../list-rows.ts';
import { createMemoryWrites } from '../memory/writes.ts';
import { indexTasks, indexTexts, joinRest, unindexMemory, unindexTask } from '../search/writes.ts';
import { type Db, raw, splitChunks, sql } from '../sql.ts';
import type { RankRefresher } from '../tasks/rank-refresher.ts';

/** Columns that contain the id of a task. The audit log is append-only and is not among them. */
const taskColumns: [table: string, column: string][] = [
  ['tasks', 'parent_id'],
  ['task_labels', 'task_id'],
  ['task_files', 'task_id'],
  ['task_dependencies', 'task_id'],
  ['task_dependencies', 'depends_on'],
  ['task_relations', 'task_id'],
  ['task_relations', 'related_to'],
  ['task_acceptance_criteria', 'task_id'],
  ['task_acceptance_criteria', 'target_task_id'],
  ['task_notes', 'task_id'],
  ['task_history', 'task_id'],
  ['task_aliases', 'task_id'],
  ['task_baselines', 'task_id'],
  ['task_gates', 'task_id'],
  ['task_verifications', 'task_id'],
  ['claims', 'task_id'],
  ['spawns', 'task_id'],
  ['lifecycle_stages', 'epic_id'],
  ['releases', 'epic_id'],
  ['release_tasks', 'task_id'],
  ['sessions', 'scope_root'],
  ['memory_tasks', 'task_id'],
  ['doc_tasks', 'task_id'],
  ['nexus_depends', 'task_id'],
  ['import_records', 'task_id'],
];

/** Columns that contain the id of a memory entry. */
const memoryColumns: [table: string, column: string][] = [
  ['memories', 'superseded_by'],
  ['memory_tags', 'memory_id'],
  ['memory_tasks', 'memory_id'],
  ['citations', 'memory_id'],
];

export function createPlanWrites(
  db: Db,
  reads: TaskReads,
  stamp: Stamp,
  changes: Changes,
  ranks: RankRefresher,
  history: HistoryWriter,
): PlanWrites {
  const moveId = async (columns: [string, string][], from: string, to: string): Promise<void> => {
    for (const [table, column] of columns)
      await db.run(sql`update ${raw(table)} set ${raw(column)} = ${to} where ${raw(column)} = ${from}`);
  };
  const setCitations = (kind: string, from: string, to: string): Promise<void> =>
    db.run(sql`update citations set by_id = ${to} where by_kind = ${kind} and by_id = ${from}`);
  return {
    setSyncedPosition: (position) =>
      db.run(sql`
        insert into store_facts (name, value) values ('plan.position', ${JSON.stringify(position)})
        on conflict (name) do update set value = excluded.value`),
    async saveRows(rows) {
      for (const some of splitChunks(rows, 100))
        await db.run(sql`
          insert into plan_records (kind, uid, record, projected, summary, outcome, file_stat)
          values ${listRows(some.map((row) => [row.kind, row.uid, row.record, row.projected, row.summary, row.outcome, row.fileStat]))}
          on conflict (kind, uid) do update set record = excluded.record, projected = excluded.projected, summary = excluded.summary,
            outcome = excluded.outcome, file_stat = excluded.file_stat`);
    },
    async setFileStats(stats, tree) {
      if (tree === undefined) {
        for (const { kind, uid, fileStat } of stats)
          await db.run(sql`update plan_records set file_stat = ${fileStat} where kind = ${kind} and uid = ${uid}`);
        return;
      }
      for (const some of splitChunks(stats, 200))
        await db.run(sql`
          insert into plan_files (tree, kind, uid, file_stat) values ${listRows(some.map(({ kind, uid, fileStat }) => [tree, kind, uid, fileStat]))}
          on conflict (tree, kind, uid) do update set file_stat = excluded.file_stat`);
    },
    async forgetFiles(keys, exceptTree = '') {
      if (keys.length === 0) return;
      const [known] = await db.all(sql`select tree from plan_files where tree <> ${exceptTree} limit 1`);
      if (!known) return;
      for (const { kind, uid } of keys)
        await db.run(sql`delete from plan_files where kind = ${kind} and uid = ${uid} and tree <> ${exceptTree}`);
    },
    forgetTree: (tree) => db.run(sql`delete from plan_files where tree = ${tree}`),
    async renumberTasks(moves) {
      // Ids that are in use by another task of the list are free only after all have moved.
      for (const { from } of moves) {
        await unindexTask(db, from);
        await db.run(sql`update tasks set id = ${`~${from}`}, seq = ${-toTaskNumber(from)} where id = ${from}`);
        await moveId(taskColumns, from, `~${from}`);
        await setCitations('task', from, `~${from}`);
      }
      for (const { from, to } of moves) {
        await db.run(sql`update tasks set id = ${to}, seq = ${toTaskNumber(to)} where id = ${`~${from}`}`);
        await moveId(taskColumns, `~${from}`, to);
        await setCitations('task', `~${from}`, to);
        await history.add([{ taskId: to, field: 'id', old: from, new: to, reason: 'sync' }]);
        noteUpdate(changes, to);
      }
      // Keys end with the number of the task, and ranks name their parent.
      const ids = moves.map(({ to }) => to);
      const children = await reads.listChildIds(ids);
      const tasks = await reads.getMany(ids);
      ranks.mark(moves.map(({ from }) => from));
      ranks.mark([...ids, ...children.map(({ to }) => to), ...tasks.flatMap(({ parentId }) => parentId ?? [])]);
      const notes = await reads.getNotes(tasks.map(({ id }) => id));
      await indexTasks(
        db,
        tasks.map(({ id, title, description = '', labels }) => ({
          seq: toTaskNumber(id),
          title,
          rest: joinRest(description, labels, notes.get(id) ?? []),
        })),
      );
    },
    setUpdatedAt: (id, at) => db.run(sql`update tasks set updated_at = ${at} where id = ${id} and updated_at <> ${at}`),
    async replaceNotes(id, notes) {
      await db.run(sql`delete from task_notes where task_id = ${id}`);
      for (const some of splitChunks(notes, 100))
        await db.run(
          sql`insert into task_notes (task_id, at, by_agent, content) values ${listRows(some.map(({ at, by, text }) => [id, at, by, text]))}`,
        );
      noteUpdate(changes, id);
    },
    async replaceRelations(id, relations) {
      await db.run(sql`delete from task_relations where task_id = ${id}`);
      for (const { to, type, reason, at, by } of relations)
        await db.run(sql`
          insert into task_relations (task_id, related_to, relation_type, reason, created_at, created_by)
          values (${id}, ${to}, ${type}, ${reason}, ${at}, ${by})`);
      noteUpdate(changes, id);
    },
    async replaceAttempts(id, attempts) {
      await db.run(sql`delete from task_gates where task_id = ${id}`);
      for (const { gate, round, passed, evidence, by, at, observer } of attempts)
        await db.run(sql`
          insert into task_gates (task_id, gate, round, passed, evidence, agent_id, at, observer)
          values (${id}, ${gate}, ${round}, ${passed ? 1 : 0}, ${JSON.stringify(evidence)}, ${by}, ${at}, ${observer && JSON.stringify(observer)})`);
      noteUpdate(changes, id);
    },
    async setForeignClaim(id, agent, at) {
      await db.run(sql`delete from claims where task_id = ${id}`);
      await db.run(sql`
        insert into claims (task_id, session_id, agent_id, claimed_at, focused_at, renewed_at) values (${id}, '', ${agent}, ${at}, ${at}, ${at})`);
    },
    async renumberMemory(moves) {
      for (const { from } of moves) {
        await db.run(sql`update memories set id = ${`~${from}`} where id = ${from}`);
        await moveId(memoryColumns, from, `~${from}`);
        await setCitations('memory', from, `~${from}`);
      }
      for (const { from, to } of moves) {
        await db.run(sql`update memories set id = ${to} where id = ${`~${from}`}`);
        await moveId(memoryColumns, `~${from}`, to);
        await setCitations('memory', `~${from}`, to);
        noteUpdate(changes, to);
      }
    },
    async saveMemory(entry) {
      const [row] = await db.all(sql`select seq from memories where id = ${entry.id}`);
      if (!row) await createMemoryWrites(db, stamp, changes).insertMany([entry]);
      else {
        await db.run(sql`update memories set title = ${entry.title}, content = ${entry.content} where id = ${entry.id}`);
        await db.run(sql`delete from memory_tags where memory_id = ${entry.id}`);
        await db.run(sql`delete from memory_tasks where memory_id = ${entry.id}`);
        for (const tag of entry.tags) await db.run(sql`insert into memory_tags (memory_id, tag) values (${entry.id}, ${tag})`);
        for (const task of entry.tasks) await db.run(sql`insert into memory_tasks (memory_id, task_id) values (${entry.id}, ${task})`);
        const seq = Number(row.seq);
        await unindexMemory(db, seq);
        await indexTexts(db, 'memory_search', [{ seq, title: entry.title, rest: [entry.content, ...entry.tags].join('\n') }]);
        noteUpdate(changes, entry.id);
      }
      await db.run(sql`
        update memories set confirmation_state = ${entry.state}, superseded_by = ${entry.supersededBy}, decided_by = ${entry.decidedBy},
          decided_at = ${entry.decidedAt}, decided_reason = ${entry.decidedReason}, proof = ${entry.proof} where id = ${entry.id}`);
    },
    reserveMemoryIds: (type, upTo) =>
      db.run(sql`
        insert into counters (name, value) values (${`memory:${memoryLetters[type]}`}, ${upTo})
        on conflict (name) do update set value = case when counters.value < excluded.value then excluded.value else counters.value end`),
    async saveDocument({ slug, kind, title, createdAt, createdBy, updatedAt, versions, tasks }, contents) {
      const [known] = await db.all(sql`select slug from docs where slug = ${slug}`);
      await db.run(sql`
        insert into docs (slug, kind, title, version, created_at, created_by, updated_at)
        values (${slug}, ${kind}, ${title}, ${versions.length}, ${createdAt}, ${createdBy}, ${updatedAt})
        on conflict (slug) do update set kind = excluded.kind, title = excluded.title, version = excluded.version, updated_at = excluded.updated_at`);
      for (const { digest, encoding, size } of versions) {
        const content = contents.get(digest);
        if (content !== undefined)
          await db.run(sql`
            insert into doc_contents (digest, encoding, size, content) values (${digest}, ${encoding}, ${size}, ${content})
            on conflict (digest) do nothing`);
      }
      await db.run(sql`delete from doc_versions where slug = ${slug}`);
      for (const [i, { digest, path, at, by }] of versions.entries())
        await db.run(
          sql`insert into doc_versions (slug, version, digest, path, at, agent_id) values (${slug}, ${i + 1}, ${digest}, ${path}, ${at}, ${by})`,
        );
      await db.run(sql`delete from doc_tasks where slug = ${slug}`);
      for (const task of tasks) await db.run(sql`insert into doc_tasks (slug, task_id) values (${slug}, ${task})`);
      if (known) noteUpdate(changes, slug);
      else changes.created.push(slug);
    },
    async saveHandoff(session) {
      await db.run(sql`
        insert into sessions (id, name, scope_type, scope_root, status, phase, graded, started_by, started_at, updated_at, ended_at, note, handoff, handed_over)
        values (${session.id}, ${session.name}, ${session.scope.kind}, ${session.scope.root}, 'ended', ${session.phase},
          ${session.isGraded ? 1 : 0}, ${session.startedBy}, ${session.startedAt}, ${session.updatedAt}, ${session.endedAt}, ${session.note},
          ${session.handoff ? JSON.stringify(session.handoff) : null}, (select max(seq) from audit_log))
        on conflict (id) do update set name = excluded.name, note = excluded.note, handoff = excluded.handoff`);
      noteUpdate(changes, session.id);
    },
  };
}
