import type { ConfirmationState, MemoryHit, MemoryRecord, MemoryType } from '#memory/model/memory.ts';
import { omitNull, raw, type SqlRow } from '../sql.ts';

export const memoryHitColumns = raw('m.id, m.type, m.title, m.confirmation_state, m.superseded_by');

export const toMemoryHit = (row: SqlRow): MemoryHit => ({
  id: String(row.id),
  type: row.type as MemoryType,
  title: String(row.title),
  state: row.confirmation_state as ConfirmationState,
  ...omitNull({ supersededBy: row.superseded_by as string | null }),
});

export const toMemoryRecord = (row: SqlRow, tags: string[], tasks: string[]): MemoryRecord => ({
  ...toMemoryHit(row),
  content: String(row.content),
  digest: String(row.digest),
  ...omitNull({
    decidedBy: row.decided_by as string | null,
    decidedAt: row.decided_at as string | null,
    decidedReason: row.decided_reason as string | null,
    source: row.source_table === null ? null : { table: String(row.source_table), rowid: String(row.source_rowid) },
    proof: row.proof as string | null,
    sessionId: row.session_id as string | null,
  }),
  agentId: String(row.agent_id),
  createdAt: String(row.created_at),
  tags,
  tasks,
});
