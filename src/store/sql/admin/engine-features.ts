import type { Db } from '../sql.ts';
import { raw } from '../sql.ts';

/** Something that cleo needs of a database. The statement returns one row: `is_met` and, for people, `detail`. */
interface EngineFeature {
  name: string;
  statement: string;
  problem: string;
}

/** The list is also in the guide "PostgreSQL". Each statement runs in a transaction of its own, as those of a read do. */
const postgres: EngineFeature[] = [
  {
    name: 'version',
    statement: `select current_setting('server_version_num')::integer >= 130000 as is_met, current_setting('server_version') as detail`,
    problem: 'is too old; cleo needs PostgreSQL 13 or newer',
  },
  {
    name: 'encoding',
    statement: `select current_setting('server_encoding') = 'UTF8' as is_met, current_setting('server_encoding') as detail`,
    problem: 'is not UTF8; create the database again with encoding UTF8',
  },
  {
    name: 'advisory locks',
    statement: `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' doctor', 0)) is not null as is_met,
      'pg_advisory_xact_lock' as detail`,
    problem: 'do not work; without them two writers could work at once',
  },
  {
    name: 'transactions',
    statement: `select current_setting('transaction_isolation') = 'repeatable read' as is_met,
      current_setting('transaction_isolation') as detail`,
    problem: 'of a read are not repeatable; an answer could mix two states',
  },
  {
    name: 'timeouts',
    statement: `select current_setting('idle_in_transaction_session_timeout') = '5s' as is_met,
      'idle_in_transaction_session_timeout ' || current_setting('idle_in_transaction_session_timeout') as detail`,
    problem: 'are not applied; a client that is cut off could block the project',
  },
  {
    name: 'pg_trgm',
    statement: `select count(*) > 0 as is_met, max(extversion) as detail from pg_extension where extname = 'pg_trgm'`,
    problem: 'is not installed; run in the database: create extension pg_trgm with schema public',
  },
  {
    name: 'PL/pgSQL',
    statement: `select count(*) > 0 as is_met, 'for triggers' as detail from pg_language where lanname = 'plpgsql'`,
    problem: 'is missing; the triggers that protect the log need it',
  },
  {
    name: 'GIN indexes',
    statement: `select count(*) > 0 as is_met, 'for search' as detail from pg_am where amname = 'gin'`,
    problem: 'are missing; search needs them',
  },
  {
    name: 'LISTEN',
    statement: 'listen cleo_doctor',
    problem: 'does not work; waiting commands ask once a second instead, or name a server with store.listenUrl',
  },
  {
    name: 'writes',
    statement: `select not pg_is_in_recovery() as is_met, case when pg_is_in_recovery() then 'replica' else 'primary' end as detail`,
    problem: 'are not accepted: this server is a replica; name all servers in the address, separated by commas',
  },
  {
    name: 'rights',
    statement: `select count(*) = 0 as is_met, current_user || coalesce(' may not change ' || string_agg(relname, ', '), '')
      || case when has_table_privilege('audit_log', 'update') then '; may change the audit log' else '; can only append to the audit log' end as detail
      from pg_class c where c.relnamespace = to_regnamespace(quote_ident(current_schema())) and c.relkind = 'r'
        and not (has_table_privilege(c.oid, 'select') and (has_table_privilege(c.oid, 'insert') or c.relname = 'schema_migrations'))`,
    problem: 'are missing; grant select, insert, update and delete on the tables of the schema',
  },
  {
    name: 'clock',
    statement: `select true as is_met, to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as detail`,
    problem: 'cannot be read',
  },
];

const sqlite: EngineFeature[] = [
  { name: 'version', statement: 'select 1 as is_met, sqlite_version() as detail', problem: 'cannot be read' },
  {
    name: 'log',
    statement: `select journal_mode = 'wal' as is_met, journal_mode as detail from pragma_journal_mode`,
    problem: 'is not a write-ahead log; readers and writers would wait for each other',
  },
  {
    name: 'full-text search',
    statement: `select count(*) > 0 as is_met, 'FTS5' as detail from pragma_module_list where name = 'fts5'`,
    problem: 'is missing in this SQLite library',
  },
];

const features = { sqlite, postgres };

export const listFeatures = ({ engine }: Db): string[] => features[engine].map(({ name }) => name);

/** Checks one feature. An error of the database means that it is missing, and ends the transaction. */
export async function checkFeature(db: Db, name: string): Promise<{ isMet: boolean; detail?: string; problem: string }> {
  const { statement, problem } = features[db.engine].find((feature) => feature.name === name)!;
  const isQuestion = statement.startsWith('select');
  const [row] = await db.all(raw(statement));
  const isMet = !isQuestion || Boolean(row?.is_met);
  return { isMet, problem, ...(row?.detail === undefined || row.detail === null ? {} : { detail: String(row.detail) }) };
}
