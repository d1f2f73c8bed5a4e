import { firstHash, hashLink, toHashedColumns, toProjectIdentity } from '#admin/rules/audit-chain.ts';
import type { AuditDraft, SignEntry } from '#core/model/audit.ts';
import { type Db, raw, sql } from '../sql.ts';

/** Wakes the listeners of the project at the commit, on the channel named after its schema. It is part of a statement that is sent anyway. */
const notify = 'returning pg_notify(current_schema(), cast(seq as text))';

const maxPlainLength = 32 << 10;
/** A process that appends so many entries is a server. */
const maxPlainEntries = 20;
let plainEntries = 0;

/** The native build hashes natively anyway, and `node:crypto` takes it 1 ms to load. */
const isHashedNatively = (params: string): boolean =>
  !process.versions.bun && (params.length > maxPlainLength || ++plainEntries > maxPlainEntries);

const hashNatively = (text: string): string => process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');

/** Appends the entry to the hash chain. The caller holds the write lock, so no other entry is appended after `head`.
 *  A project without a key is identified by the id of its store. */
export async function appendAudit(db: Db, draft: AuditDraft, sign?: SignEntry): Promise<void> {
  const [head] = await db.all(
    sql`select f.value as replica, h.seq, h.hash, (select coalesce(max(seq), 0) from task_history) as history_seq
        from store_facts f left join audit_head h on 1 = 1 where f.name = 'replica'`,
  );
  const isFirst = head?.seq === null || head?.seq === undefined;
  const entry = {
    ...draft,
    project: toProjectIdentity(draft.project, String(head?.replica)),
    seq: isFirst ? 1 : Number(head.seq) + 1,
    prevHash: isFirst ? firstHash : String(head.hash),
    historySeq: Number(head?.history_seq),
  };
  // SHA-256 in JavaScript takes 0.1 ms per kilobyte at first. Loading the native one takes longer than most entries.
  const hash = hashLink(toHashedColumns(entry), isHashedNatively(entry.params) ? hashNatively : undefined);
  await db.run(sql`
    insert into audit_log (seq, timestamp, session_id, agent_id, gateway, domain, operation, params, success, exit_code, error_code, created_ids, updated_ids, deleted_ids, duration_ms, principal, project, signature, prev_hash, hash, history_seq)
    values (${entry.seq}, ${entry.timestamp}, ${entry.session}, ${entry.agent}, ${entry.gateway}, ${entry.domain}, ${entry.operation}, ${entry.params}, ${entry.success ? 1 : 0}, ${entry.exitCode},
      ${entry.errorCode}, ${JSON.stringify(entry.created)}, ${JSON.stringify(entry.updated)}, ${JSON.stringify(entry.deleted)}, ${entry.durationMs}, ${entry.principal}, ${entry.project}, ${sign?.(entry.seq, hash)}, ${entry.prevHash}, ${hash},
      ${entry.historySeq})`);
  const wake = raw(db.engine === 'postgres' ? notify : '');
  await db.run(
    isFirst
      ? sql`insert into audit_head (id, seq, hash) values (1, ${entry.seq}, ${hash}) ${wake}`
      : sql`update audit_head set seq = ${entry.seq}, hash = ${hash} ${wake}`,
  );
}
