import type { Changes } from '#core/model/audit.ts';
import type { FarDepend } from '#nexus/model/nexus.ts';
import type { NexusReads, NexusWrites } from '../port-knowledge.ts';
import { type Db, inList, type Row, raw, sql } from './sql.ts';
import { hitColumns, toHit } from './task-rows.ts';

const columns = raw('d.task_id, d.project, d.far_id, d.far_title, d.far_status, d.synced_at');

export const nexusReads = (db: Db): NexusReads => ({
  async of(taskId) {
    const found = await db.all(sql`select ${columns} from nexus_depends d where d.task_id = ${taskId} order by d.project, d.far_id`);
    return found.map(toDepend);
  },
  async all() {
    const found = await db.all(
      sql`select ${columns} from nexus_depends d join tasks t on t.id = d.task_id order by t.seq, d.project, d.far_id`,
    );
    return found.map(toDepend);
  },
  async waitingFor(project, farId) {
    const found = await db.all(
      sql`select ${hitColumns} from nexus_depends d join tasks t on t.id = d.task_id
          where d.project = ${project} and d.far_id = ${farId} order by t.seq`,
    );
    return found.map(toHit);
  },
});

export const nexusWrites = (db: Db, changes: Changes): NexusWrites => {
  const touch = (taskId: string): void => {
    if (!changes.updated.includes(taskId)) changes.updated.push(taskId);
  };
  return {
    async put({ taskId, project, farId, farTitle, farStatus, syncedAt }) {
      await db.run(
        sql`insert into nexus_depends (task_id, project, far_id, far_title, far_status, synced_at)
            values (${taskId}, ${project}, ${farId}, ${farTitle}, ${farStatus}, ${syncedAt})
            on conflict (task_id, project, far_id) do update
            set far_title = excluded.far_title, far_status = excluded.far_status, synced_at = excluded.synced_at`,
      );
      touch(taskId);
    },
    async remove({ taskId, project, farId }) {
      await db.run(sql`delete from nexus_depends where task_id = ${taskId} and project = ${project} and far_id = ${farId}`);
      touch(taskId);
    },
    async seen(projects, at) {
      if (projects.length > 0) await db.run(sql`update nexus_depends set synced_at = ${at} where project in ${inList(projects)}`);
    },
  };
};

const toDepend = (row: Row): FarDepend => ({
  taskId: String(row.task_id),
  project: String(row.project),
  farId: String(row.far_id),
  farTitle: String(row.far_title),
  farStatus: String(row.far_status),
  syncedAt: String(row.synced_at),
});
