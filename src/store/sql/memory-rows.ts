import type { ConfirmationState, MemoryHit, MemoryRecord, MemoryType } from '#memory/model/memory.ts';
import { type Row, raw, text } from './sql.ts';
import { present } from './task-rows.ts';

export const hitColumns = raw('m.id, m.type, m.title, m.confirmation_state, m.superseded_by');

export const toHit = (row: Row): MemoryHit => ({
  id: String(row.id),
  type: row.type as MemoryType,
  title: String(row.title),
  state: row.confirmation_state as ConfirmationState,
  ...present('supersededBy', text(row.superseded_by)),
});

export const toRecord = (row: Row, tags: string[], tasks: string[]): MemoryRecord => ({
  ...toHit(row),
  content: String(row.content),
  digest: String(row.digest),
  ...present('decidedBy', text(row.decided_by)),
  ...present('decidedAt', text(row.decided_at)),
  ...present('decidedReason', text(row.decided_reason)),
  ...present('source', row.source_table === null ? undefined : { table: String(row.source_table), rowid: String(row.source_rowid) }),
  ...present('sessionId', text(row.session_id)),
  agentId: String(row.agent_id),
  createdAt: String(row.created_at),
  tags,
  tasks,
});
