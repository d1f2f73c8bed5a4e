import { firstHash, hashLink, toHashedColumns, toProjectIdentity } from '#admin/rules/audit-chain.ts';
import type { AuditEntry } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { AuditWrites } from '../../port/admin.ts';
import type { Stamp } from '../../port/store.ts';
import { insertItems } from '../list-rows.ts';
import { type Db, type Sql, type SqlRow, type SqlValue, sql } from '../sql.ts';

/** The end of the log when a transaction begins, and the last number of a row of history that was given out. Rows that were rolled back have
 *  used numbers, too. The function needs no right that inserts do not need; reading the sequence does. Only for PostgreSQL. */
export const selectLogEnd = sql`
  select f.value as replica, h.seq, h.hash, history.seq as history_seq,
    coalesce(pg_sequence_last_value(to_regclass('task_history_seq_seq')), history.seq) as history_number
  from (select coalesce(max(seq), 0) as seq from task_history) history, store_facts f left join audit_head h on 1 = 1 where f.name = 'replica'`;

const selectHead = sql`
  select f.value as replica, h.seq, h.hash, (select coalesce(max(seq), 0) from task_history) as history_seq
  from store_facts f left join audit_head h on 1 = 1 where f.name = 'replica'`;

const maxPlainLength = 32 << 10;
/** A process that appends so many entries is a server. */
const maxPlainEntries = 20;
let plainEntries = 0;

/** The native build hashes natively anyway, and `node:crypto` takes it 1 ms to load. */
const isHashedNatively = (params: string): boolean =>
  !process.versions.bun && (params.length > maxPlainLength || ++plainEntries > maxPlainEntries);

const hashNatively = (text: string): string => process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');

/** Appends entries to the hash chain in one transaction. It holds the write lock, so no other entry is appended after the head. `logEnd` are
 *  the rows of `selectLogEnd`, which were read before the first write: with them the entry is sent together with the writes. A project
 *  without a key is identified by the id of its store. */
export function createAuditWriter(db: Db, history: HistoryWriter, logEnd?: Promise<SqlRow[]>): AuditWrites {
  let appended: { seq: number; hash: string } | undefined;
  // A call that fails before it appends does not await it.
  logEnd?.catch(() => {});
  const readEnd = async (): Promise<SqlRow | undefined> => {
    const [row] = await (logEnd ?? db.all(selectHead));
    if (!logEnd || !row) return row;
    // The database checks it when the entry is inserted.
    const added = history.countAdded();
    return { ...row, ...appended, history_seq: added === 0 ? row.history_seq! : Number(row.history_number) + added };
  };
  return {
    async append(draft, sign) {
      const head = await readEnd();
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
      appended = { seq: entry.seq, hash };
      await insertEntry(db, { ...entry, hash, ...(sign ? { signature: sign(entry.seq, hash) } : {}) }, isFirst);
    },
  };
}

async function insertEntry(db: Db, entry: AuditEntry, isFirst: boolean): Promise<void> {
  const { seq, hash, historySeq } = entry;
  const isOnServer = db.engine === 'postgres';
  const insert = sql`
    insert into audit_log (seq, timestamp, session_id, agent_id, gateway, domain, operation, params, success, exit_code, error_code, created_ids, updated_ids, deleted_ids, duration_ms, principal, project, signature, prev_hash, hash, history_seq)
    values (${seq}, ${entry.timestamp}, ${entry.session}, ${entry.agent}, ${entry.gateway}, ${entry.domain}, ${entry.operation}, ${entry.params}, ${entry.success ? 1 : 0}, ${entry.exitCode},
      ${entry.errorCode}, ${JSON.stringify(entry.created)}, ${JSON.stringify(entry.updated)}, ${JSON.stringify(entry.deleted)}, ${entry.durationMs}, ${entry.principal}, ${entry.project}, ${entry.signature}, ${entry.prevHash}, ${hash},
      ${isOnServer ? checkHistorySeq(historySeq) : historySeq})`;
  const setHead = isFirst
    ? sql`insert into audit_head (id, seq, hash) values (1, ${seq}, ${hash})`
    : sql`update audit_head set seq = ${seq}, hash = ${hash}`;
  // Wakes the listeners of the project at the commit, on the channel named after its schema.
  if (isOnServer) return db.run(sql`with entry as (${insert}) ${setHead} returning pg_notify(current_schema(), cast(seq as text))`);
  await db.run(insert);
  await db.run(setHead);
}

/** Fails with a division by zero if the last row of history is another one. */
const checkHistorySeq = (expected: number | undefined): Sql =>
  sql`${expected} / case when (select coalesce(max(seq), 0) from task_history) = ${expected} then 1 else 0 end`;

interface HistoryRow {
  taskId: TaskId;
  field: string;
  old?: unknown;
  new?: unknown;
  reason?: string | undefined;
}

/** Adds rows to the history of tasks in one transaction. Only this writer adds them, so that the log can tell its last row. */
export interface HistoryWriter {
  add(rows: HistoryRow[]): Promise<void>;
  /** Adds the row with which the history of each new task begins: its title. */
  addCreated(field: string, tasks: readonly { id: TaskId; title: string }[]): Promise<void>;
  /** Counts the rows that this transaction has added. */
  countAdded(): number;
}

const historyColumns = 'task_history (task_id, at, by_agent, field, old_value, new_value, reason)';

export function createHistoryWriter(db: Db, stamp: Stamp): HistoryWriter {
  let added = 0;
  const setStart = (values: SqlValue[], at: number, taskId: TaskId, field: string): void => {
    values[at] = taskId;
    values[at + 1] = stamp.at;
    values[at + 2] = stamp.by;
    values[at + 3] = field;
  };
  return {
    async add(rows) {
      added += rows.length;
      await insertItems(db, historyColumns, { columns: 7, maxRows: 100 }, rows, (values, at, row) => {
        setStart(values, at, row.taskId, row.field);
        values[at + 4] = toJson(row.old) ?? null;
        values[at + 5] = toJson(row.new) ?? null;
        values[at + 6] = row.reason ?? null;
      });
    },
    async addCreated(field, tasks) {
      added += tasks.length;
      await insertItems(db, historyColumns, { columns: 7, maxRows: 100 }, tasks, (values, at, { id, title }) => {
        setStart(values, at, id, field);
        values[at + 5] = JSON.stringify(title);
      });
    },
    countAdded: () => added,
  };
}

export const toJson = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
