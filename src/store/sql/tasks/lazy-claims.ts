import type { ClaimReads } from '../../port/tasks.ts';
import { readClaims, selectClaims, toClaim } from '../caller-reads.ts';
import { queryInChunks } from '../queries.ts';
import { type Db, listValues, raw, sql } from '../sql.ts';

type LazyClaimReads = Pick<ClaimReads, 'getTakenFrom' | 'listFiles' | 'listForTasks' | 'listForSession' | 'findOrphaned'>;

export function createLazyClaimReads(db: Db): LazyClaimReads {
  return {
    async getTakenFrom(holders) {
      return (await readClaims(db, sql`where taken_from in ${listValues(holders)} order by claimed_at desc limit 1`))[0];
    },
    async listFiles() {
      const found = await db.all(
        sql`select f.task_id, f.path from claims cross join task_files f where f.task_id = claims.task_id order by f.task_id, f.position`,
      );
      return found.map((row) => ({ taskId: String(row.task_id), path: String(row.path) }));
    },
    async listForTasks(ids) {
      return (await queryInChunks(db, ids, (some) => selectClaims(sql`where task_id in ${some}`))).map(toClaim);
    },
    listForSession: (id) => readClaims(db, sql`where session_id = ${id} order by task_id`),
    findOrphaned: () =>
      readClaims(
        db,
        raw(`where session_id <> '' and (
          exists (select 1 from sessions s where s.id = claims.session_id and s.status = 'ended')
          or (not exists (select 1 from sessions s where s.id = claims.session_id)
            and not exists (select 1 from audit_log a where a.session_id = claims.session_id))) order by task_id`),
      ),
  };
}
