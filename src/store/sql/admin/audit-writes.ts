import { firstHash, hashLink, toHashedColumns } from '#admin/rules/audit-chain.ts';
import type { AuditDraft } from '#core/model/audit.ts';
import { type Db, sql } from '../sql.ts';
import { createAuditReads } from './audit-reads.ts';

/** Appends the entry to the hash chain. The caller holds the write lock, so no other entry is appended after `head`. */
export async function appendAudit(db: Db, draft: AuditDraft): Promise<void> {
  const head = await createAuditReads(db).getHead();
  const entry = { ...draft, seq: (head?.seq ?? 0) + 1, prevHash: head?.hash ?? firstHash };
  const hash = hashLink(toHashedColumns(entry));
  await db.run(sql`
    insert into audit_log (seq, timestamp, session_id, agent_id, gateway, domain, operation, params, success, exit_code, error_code, created_ids, updated_ids, deleted_ids, duration_ms, prev_hash, hash)
    values (${entry.seq}, ${entry.timestamp}, ${entry.session}, ${entry.agent}, ${entry.gateway}, ${entry.domain}, ${entry.operation}, ${entry.params}, ${entry.success ? 1 : 0}, ${entry.exitCode},
      ${entry.errorCode}, ${JSON.stringify(entry.created)}, ${JSON.stringify(entry.updated)}, ${JSON.stringify(entry.deleted)}, ${entry.durationMs}, ${entry.prevHash}, ${hash})`);
  await db.run(
    sql`insert into audit_head (id, seq, hash) values (1, ${entry.seq}, ${hash}) on conflict (id) do update set seq = excluded.seq, hash = excluded.hash`,
  );
}
