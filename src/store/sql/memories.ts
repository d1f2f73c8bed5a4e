import type { ConfirmationState, MemoryHit, MemoryType } from '../../model/memory.ts';
import type { MemoryReads } from '../port-knowledge.ts';
import { type Db, type Row, raw, sql, text } from './sql.ts';

const hitColumns = raw('m.id, m.type, m.title, m.confirmation_state, m.superseded_by');

export const memoryReads = (db: Db): MemoryReads => ({
  async about(taskId) {
    return (
      await db.all(
        sql`select ${hitColumns} from memory_tasks l join memories m on m.id = l.memory_id where l.task_id = ${taskId} order by m.seq desc`,
      )
    ).map(toHit);
  },
  async openDecisions(limit) {
    return (
      await db.all(
        sql`select ${hitColumns} from memories m where m.type = 'decision' and m.confirmation_state = 'proposed' order by m.seq desc limit ${limit}`,
      )
    ).map(toHit);
  },
});

export function toHit(row: Row): MemoryHit {
  const supersededBy = text(row.superseded_by);
  return {
    id: String(row.id),
    type: row.type as MemoryType,
    title: String(row.title),
    state: row.confirmation_state as ConfirmationState,
    ...(supersededBy ? { supersededBy } : {}),
  };
}
