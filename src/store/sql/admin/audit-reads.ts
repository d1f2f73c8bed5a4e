import type { AuditEntry, Gateway } from '#core/model/audit.ts';
import type { GradeEntry } from '#grade/model/grade.ts';
import type { AuditFilter, AuditReads } from '../../port/admin.ts';
import { countUpTo } from '../queries.ts';
import { type Db, listValues, omitNull, raw, type Sql, type SqlRow, sql } from '../sql.ts';
import { listUpdates } from './list-updates.ts';

export function createAuditReads(db: Db): AuditReads {
  return {
    async getHead() {
      const [row] = await db.all(sql`select seq, hash from audit_head`);
      return row && { seq: Number(row.seq), hash: String(row.hash) };
    },
    async getStoreFacts() {
      const [row] = await db.all(
        sql`select f.value as replica, c.value as task_number from store_facts f, counters c where f.name = 'replica' and c.name = 'task'`,
      );
      return { engine: db.engine, replica: String(row?.replica ?? ''), taskNumber: Number(row?.task_number ?? 0) };
    },
    async getLatestTime() {
      const [row] = await db.all(sql`select timestamp from audit_log order by seq desc limit 1`);
      return row && String(row.timestamp);
    },
    async list(filter, page) {
      const order = raw(filter.after === undefined ? 'seq desc' : 'seq');
      return (
        await db.all(sql`select * from audit_log a where ${whereAudit(filter)} order by ${order} limit ${page.limit} offset ${page.offset}`)
      ).map(toEntry);
    },
    count: (filter, atMost) => countUpTo(db, sql`select 1 as one from audit_log a where ${whereAudit(filter)}`, atMost),
    async listLinks(after, limit) {
      const found = await db.all(sql`
        select prev_hash, cast(seq as text) as seq, timestamp, session_id, agent_id, gateway, domain, operation, params, cast(success as text) as success,
          cast(exit_code as text) as exit_code, error_code, created_ids, updated_ids, deleted_ids, cast(duration_ms as text) as duration_ms, principal, project,
          cast(history_seq as text) as history_seq, signature, hash
        from audit_log where audit_log.seq > ${after} order by audit_log.seq limit ${limit}`);
      return found.map((row) => ({
        seq: Number(row.seq),
        prevHash: row.prev_hash as string,
        columns: chainedColumns.map((name) => row[name] as string | null),
        hash: row.hash as string,
        ...omitNull({ signature: row.signature as string | null }),
      }));
    },
    async listAfter(seq, limit) {
      return (await db.all(sql`select * from audit_log where seq > ${seq} order by seq limit ${limit}`)).map(toEntry);
    },
    async listProofs() {
      const found = await db.all(sql`select * from audit_log where success = 1 and principal like '%"evidence":{%' order by seq`);
      return found.map(toEntry);
    },
    async findKnownNames(names) {
      const agent = raw(db.engine === 'postgres' ? 'agent_id collate "C"' : 'agent_id');
      const known: string[] = [];
      for (const name of names) {
        // A dash is followed by a full stop in the order of bytes.
        const found = await db.all(sql`
          select 1 as known where exists (select 1 from audit_log where ${agent} = ${name})
          or exists (select 1 from audit_log where ${agent} >= ${`${name}-`} and ${agent} < ${`${name}.`})
          or exists (select 1 from tokens where name = ${name} or created_by = ${name})`);
        if (found.length > 0) known.push(name);
      }
      return known;
    },
    async listRuns(taskId) {
      const found = await listUpdates(db, taskId, raw("operation = 'run' and exit_code = 0"));
      return found.flatMap((row) => [...parseIds(row.created_ids), ...parseIds(row.updated_ids)]).filter((id) => id.startsWith('run-'));
    },
    async listForSession(session, seq, limit) {
      // Transferring a column takes longer than reading it, and there may be a million entries. Columns that every entry has
      // come as one text; created ids and parameters, which the grade needs for few entries, only for those.
      const found = await db.all(sql`
        select seq || ' ' || success || ' ' || exit_code || ' ' || gateway || ' ' || timestamp || ' ' || domain || '.' || operation as common,
          case when created_ids = '[]' and exit_code <> 4 then null else created_ids || ' ' || params end as details
        from audit_log where session_id = ${session} and seq > ${seq} order by seq limit ${limit}`);
      return found.map(toGradeEntry);
    },
    async getSessionEnds(session) {
      const found = await db.all(sql`
        select seq, hash from audit_log where seq in (
          (select min(seq) from audit_log where session_id = ${session}), (select max(seq) from audit_log where session_id = ${session})) order by seq`);
      const ends = found.map((row) => ({ seq: Number(row.seq), hash: String(row.hash) }));
      const [first, last = first] = ends;
      return first && last && { first, last };
    },
    async getHash(seq) {
      const [row] = await db.all(sql`select hash from audit_log where seq = ${seq}`);
      return row && String(row.hash);
    },
  };
}

/** In the order of `toHashedColumns`. */
const chainedColumns = [
  'prev_hash',
  'seq',
  'timestamp',
  'session_id',
  'agent_id',
  'gateway',
  'domain',
  'operation',
  'params',
  'success',
  'exit_code',
  'error_code',
  'created_ids',
  'updated_ids',
  'deleted_ids',
  'duration_ms',
  'principal',
  'project',
  'history_seq',
];

function whereAudit(filter: AuditFilter): Sql {
  let all = raw('1 = 1');
  if (filter.session) all = sql`${all} and a.session_id = ${filter.session}`;
  if (filter.agent) all = sql`${all} and a.agent_id = ${filter.agent}`;
  if (filter.token) {
    // "like" of SQLite ignores case; it is here for the index.
    const key = `"token":${JSON.stringify(filter.token)}`;
    all = sql`${all} and a.principal like '%"token":"%' and replace(a.principal, ${key}, '') <> a.principal`;
  }
  if (filter.operations) all = sql`${all} and a.domain || '.' || a.operation in ${listValues(filter.operations)}`;
  if (filter.after !== undefined) all = sql`${all} and a.seq > ${filter.after}`;
  if (filter.before !== undefined) all = sql`${all} and a.seq < ${filter.before}`;
  if (filter.since !== undefined) all = sql`${all} and a.timestamp >= ${filter.since}`;
  if (filter.until !== undefined) all = sql`${all} and a.timestamp <= ${filter.until}`;
  if (filter.failed) all = sql`${all} and a.success = 0`;
  if (filter.taskId) {
    const quoted = `%"${filter.taskId}"%`;
    all = sql`${all} and (a.created_ids like ${quoted} or a.updated_ids like ${quoted} or a.deleted_ids like ${quoted} or a.params like ${quoted})`;
  }
  return all;
}

const toEntry = (row: SqlRow): AuditEntry => ({
  seq: Number(row.seq),
  timestamp: String(row.timestamp),
  ...omitNull({ session: row.session_id as string | null }),
  agent: String(row.agent_id),
  gateway: row.gateway as Gateway,
  domain: String(row.domain),
  operation: String(row.operation),
  params: String(row.params),
  success: Number(row.success) === 1,
  exitCode: Number(row.exit_code),
  ...omitNull({ errorCode: row.error_code as string | null }),
  created: parseIds(row.created_ids),
  updated: parseIds(row.updated_ids),
  deleted: parseIds(row.deleted_ids),
  durationMs: Number(row.duration_ms),
  ...omitNull({
    principal: row.principal as string | null,
    project: row.project as string | null,
    signature: row.signature as string | null,
  }),
  ...(row.history_seq === null || row.history_seq === undefined ? {} : { historySeq: Number(row.history_seq) }),
  prevHash: String(row.prev_hash),
  hash: String(row.hash),
});

const noIds: string[] = [];

function toGradeEntry({ common, details }: SqlRow): GradeEntry {
  const [seq, success, exitCode, gateway, timestamp, operation] = String(common).split(' ') as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const text = details === null || details === undefined ? undefined : String(details);
  const end = text?.indexOf(' ') ?? 0;
  return {
    seq: Number(seq),
    timestamp,
    gateway: gateway as Gateway,
    operation,
    params: text?.slice(end + 1) ?? '{}',
    success: success === '1',
    exitCode: Number(exitCode),
    created: text ? parseIds(text.slice(0, end)) : noIds,
  };
}

/** Returns no ids for a list that is not JSON: `audit verify` reports tampering, and the log stays readable. */
export function parseIds(value: string | number | null | undefined): string[] {
  try {
    const ids: unknown = JSON.parse(String(value));
    return Array.isArray(ids) ? ids.map(String) : [];
  } catch {
    return [];
  }
}
