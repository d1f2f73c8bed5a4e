import type { TaskRank } from '#tasks/model/rank.ts';
import { raw, type SqlRow } from '../sql.ts';

export const rankColumns = raw('r.task_id, r.bucket, r.parent_id, r.is_container, r.score_key, r.urgency_key, r.due');

export const toRank = (row: SqlRow): TaskRank => ({
  taskId: String(row.task_id),
  bucket: String(row.bucket),
  parentId: String(row.parent_id),
  isContainer: Number(row.is_container) === 1,
  scoreKey: Number(row.score_key),
  urgencyKey: Number(row.urgency_key),
  due: row.due === null ? undefined : String(row.due),
});
