import type { Changes } from '#core/model/audit.ts';
import type { RemoteDependency } from '#nexus/model/nexus.ts';
import type { NexusReads, NexusWrites } from '../../port/nexus.ts';
import { noteUpdate } from '../changes.ts';
import { type Db, listValues, raw, type SqlRow, sql } from '../sql.ts';
import { parseTaskHit, taskHitColumns } from '../tasks/rows.ts';

const columns = raw('d.task_id, d.project, d.far_id, d.far_title, d.far_status, d.synced_at');

export const createNexusReads = (db: Db): NexusReads => ({
  async listForTask(taskId) {
    const found = await db.all(sql`select ${columns} from nexus_depends d where d.task_id = ${taskId} order by d.project, d.far_id`);
    return found.map(toDepend);
  },
  async list() {
    const found = await db.all(
      sql`select ${columns} from nexus_depends d join tasks t on t.id = d.task_id order by t.seq, d.project, d.far_id`,
    );
    return found.map(toDepend);
  },
  async listWaitingFor(project, farId) {
    const found = await db.all(
      sql`select ${taskHitColumns} from nexus_depends d join tasks t on t.id = d.task_id
          where d.project = ${project} and d.far_id = ${farId} order by t.seq`,
    );
    return found.map(parseTaskHit);
  },
});

export const createNexusWrites = (db: Db, changes: Changes): NexusWrites => {
  return {
    async save({ taskId, project, remoteId, remoteTitle, remoteStatus, syncedAt }) {
      await db.run(
        sql`insert into nexus_depends (task_id, project, far_id, far_title, far_status, synced_at)
            values (${taskId}, ${project}, ${remoteId}, ${remoteTitle}, ${remoteStatus}, ${syncedAt})
            on conflict (task_id, project, far_id) do update
            set far_title = excluded.far_title, far_status = excluded.far_status, synced_at = excluded.synced_at`,
      );
      noteUpdate(changes, taskId);
    },
    async remove({ taskId, project, remoteId }) {
      await db.run(sql`delete from nexus_depends where task_id = ${taskId} and project = ${project} and far_id = ${remoteId}`);
      noteUpdate(changes, taskId);
    },
    async markSynced(projects, at) {
      if (projects.length > 0) await db.run(sql`update nexus_depends set synced_at = ${at} where project in ${listValues(projects)}`);
    },
  };
};

const toDepend = (row: SqlRow): RemoteDependency => ({
  taskId: String(row.task_id),
  project: String(row.project),
  remoteId: String(row.far_id),
  remoteTitle: String(row.far_title),
  remoteStatus: String(row.far_status),
  syncedAt: String(row.synced_at),
});
