import type { RestoredLog } from '../port/store.ts';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';

/** Copies into the restored database what a restore must not undo: the audit log, idempotency keys, the id of the store and
 *  revoked tokens. The log of the backup is kept only if it continues the present one. */
export function carryOver(fresh: string, path: string): RestoredLog {
  const database = new (loadSqliteDriver().DatabaseSync)(fresh, {});
  try {
    database.prepare('attach ? as present').run(path);
    const heads = { present: readHead(database, 'present'), backup: readHead(database, 'main') };
    const { seq, hash } = heads.present;
    const [same] = database.prepare('select hash from main.audit_log where seq = ?').all(seq);
    const isContinued = heads.backup.seq > seq && (seq === 0 || same?.hash === hash);
    database.exec('pragma foreign_keys = off; begin immediate');
    if (!isContinued) replaceLog(database);
    replaceTable(database, 'idempotency_keys');
    replaceTable(database, 'store_facts');
    keepRevokedTokens(database);
    database.exec('commit; detach present');
    return { kept: isContinued ? 'backup' : 'present', ...heads };
  } finally {
    database.close();
  }
}

function readHead(database: SqliteDatabase, schema: 'main' | 'present'): { seq: number; hash: string } {
  const [row] =
    listColumns(database, schema, 'audit_head').length > 0 ? database.prepare(`select seq, hash from ${schema}.audit_head`).all() : [];
  return row ? { seq: Number(row.seq), hash: String(row.hash) } : { seq: 0, hash: '0'.repeat(64) };
}

/** The triggers that make the log append-only are dropped for the copy and created again in the same transaction. The one that fills
 *  `audit_updates` stays, because the present store may have an older schema, without that table. */
function replaceLog(database: SqliteDatabase): void {
  const triggers = database
    .prepare(
      `select name, sql from main.sqlite_schema
       where type = 'trigger' and tbl_name in ('audit_log', 'audit_head') and name <> 'audit_log_updates'`,
    )
    .all();
  for (const { name } of triggers) database.exec(`drop trigger main."${name}"`);
  database.exec('delete from main.audit_updates');
  for (const table of ['audit_log', 'audit_head']) replaceTable(database, table);
  for (const { sql } of triggers) database.exec(String(sql));
}

/** Replaces the rows of a table. The present store may have an older schema, without some of the columns or the table. */
function replaceTable(database: SqliteDatabase, table: string): void {
  const shared = listSharedColumns(database, table);
  if (shared !== '')
    database.exec(`delete from main.${table}; insert into main.${table} (${shared}) select ${shared} from present.${table}`);
}

/** A token that was created and revoked after the backup keeps its name, so that no other token gets it. */
function keepRevokedTokens(database: SqliteDatabase): void {
  const shared = listSharedColumns(database, 'tokens');
  if (shared.includes('"revoked_at"'))
    database.exec(`insert or replace into main.tokens (${shared}) select ${shared} from present.tokens where revoked_at is not null`);
}

function listSharedColumns(database: SqliteDatabase, table: string): string {
  const own = listColumns(database, 'main', table);
  return listColumns(database, 'present', table)
    .filter((name) => own.includes(name))
    .map((name) => `"${name}"`)
    .join(', ');
}

const listColumns = (database: SqliteDatabase, schema: string, table: string): string[] =>
  database
    .prepare(`pragma ${schema}.table_info(${table})`)
    .all()
    .map(({ name }) => String(name));
