import { checkSchemaVersion } from '../schema-version.ts';
import { combineReads, splitCombinedRow } from '../sql/combine-reads.ts';
import { type Db, type Sql, type SqlRow, type SqlValue, sql } from '../sql/sql.ts';
import type { PostgresOptions } from './postgres.ts';
import type { Connection } from './postgres-connection.ts';
import { createMissingSchemaError, getErrorCode } from './postgres-errors.ts';
import { createReadBatch } from './postgres-read-batch.ts';

export interface Transaction {
  db: Db;
  /** Sends reads at once, and keeps their rows for the same statement of `db` until the next write. */
  ahead: Db;
  /** Waits until the write lock is held. Work that is not a statement, such as a file that is read, relies on it. */
  lock(): Promise<void>;
  /** Commits, and throws if a statement has failed: the server answers `commit` with a rollback then, which is not an error. Calls `onSent`
   *  when the connection may begin another transaction. */
  commit(onSent: () => void): Promise<void>;
  /** Ends a transaction that has only read. It sends the commit, and does not wait for its answer. */
  endRead(): Promise<void>;
  isCommitSent(): boolean;
  /** Drops the reads ahead that were not sent. */
  abandon(): void;
  /** Returns the first error of a statement whose answer was not waited for. */
  getFailure(): unknown;
}

/** A client that pauses for longer inside a transaction loses it, so that one that was stopped or cut off frees the lock. */
const maxPauseInTransaction = '5s';
const heartbeatMs = 2000;
/** Work that hangs loses its transaction after about five minutes. */
const maxHeartbeats = 150;

/** Keeps the transaction of a client that works between two statements for longer, as a sync that writes many files does. One that was
 *  stopped or cut off sends nothing, nor does one whose event loop is blocked. Returns the function that ends it. */
export function startHeartbeat(connection: Connection): () => void {
  let sent = 0;
  const timer = setInterval(() => {
    if (connection.isIdle() && sent++ < maxHeartbeats) connection.query('select 1').catch(() => {});
  }, heartbeatMs).unref();
  return () => clearInterval(timer);
}

/** Statements without an answer at most, so that an import does not fill the memory. */
const maxUnanswered = 32;

/** Limits of the rows that a transaction keeps, because an export reads everything. */
const maxKnown = 100;
const maxKnownRows = 20;

interface TransactionRequest {
  isWrite: boolean;
  leftMs: number;
  applicationName: string | undefined;
  /** The schema may be of an earlier version. */
  acceptsEarlier?: boolean;
}

/** Begins a transaction without waiting for the answer: that of a read arrives with the first statement, and `lock` waits for that of a
 *  write. A statement that changes something is sent without waiting for the one before, and its error is reported by the next read or
 *  by the commit. */
export function beginTransaction(
  connection: Connection,
  options: PostgresOptions,
  { isWrite, leftMs, applicationName, acceptsEarlier }: TransactionRequest,
): Transaction {
  let failure: { error: unknown } | undefined;
  const fail = (error: unknown): void => {
    // Statements that were sent after one that failed are rejected because of it.
    if (!failure || isConsequence(failure.error)) failure = { error };
  };
  let unanswered = 0;
  let isCommitSent = false;
  const isNew = !connection.hasAnswered();
  const begun = sendPrelude(connection, options, { isWrite, leftMs, applicationName }).then(
    async ([row]) => {
      if (options.keepsPlans && !connection.keepsPlans() && Number(row?.process) === connection.getProcessId()) connection.keepPlans();
      try {
        if (row?.marker) (await import('../move/check-marker.ts')).checkMarker(String(row.marker), isWrite, options.onMoved);
        checkSchemaVersion(Number(row?.version), acceptsEarlier);
      } catch (error) {
        fail(error);
      }
    },
    (error) => fail(isSchemaMissing(error) ? createMissingSchemaError(options, error) : error),
  );
  const throwFailure = (): void => {
    if (failure) throw failure.error;
  };
  const send = async (statement: Sql): Promise<SqlRow[]> => {
    // A write must not reach the server before the transaction has begun for certain.
    if (isNew || !isSelect(statement)) await begun;
    throwFailure();
    const answer = connection.query(...toQuery(statement)).catch((error) => {
      fail(error);
      return [];
    });
    await begun;
    const rows = await answer;
    throwFailure();
    return rows;
  };
  const batch = createReadBatch(send);
  /** Rows that were read before they are needed, and short answers that may be needed again, by statement. */
  let known: { statement: Sql; rows: Promise<SqlRow[]> }[] = [];
  const findKnown = (statement: Sql): Promise<SqlRow[]> | undefined => known.find((one) => isSame(one.statement, statement))?.rows;
  const ahead: Db = {
    engine: 'postgres',
    allWith: (tables, reads) => readTogether(ahead, tables, reads),
    all: (statement) => {
      batch.open();
      const found = findKnown(statement);
      if (found) return found;
      const rows = batch.add(statement);
      known.push({ statement, rows });
      return rows;
    },
    run: () => Promise.reject(new Error('a read ahead does not write')),
  };
  const db: Db = {
    engine: 'postgres',
    joinReads: batch.open,
    allWith: (tables, reads) => readTogether(db, tables, reads),
    all: (statement) => {
      if (!isSelect(statement)) {
        known = [];
        batch.flush();
        return send(statement);
      }
      const found = findKnown(statement);
      if (found) return found;
      const rows = batch.isOpen() ? batch.add(statement) : send(statement);
      if (known.length < maxKnown) {
        known.push({ statement, rows });
        rows.then(
          ({ length }) => {
            if (length > maxKnownRows) known = known.filter((one) => one.rows !== rows);
          },
          () => {},
        );
      }
      return rows;
    },
    run: async (statement) => {
      known = [];
      batch.flush();
      await begun;
      throwFailure();
      unanswered++;
      const sent = connection.query(...toQuery(statement)).then(
        () => {
          unanswered--;
        },
        (error) => {
          unanswered--;
          fail(error);
        },
      );
      if (unanswered >= maxUnanswered) await sent;
    },
  };
  return {
    ahead,
    db,
    async lock() {
      await begun;
      throwFailure();
    },
    async commit(onSent) {
      await begun;
      throwFailure();
      batch.close();
      isCommitSent = true;
      const ended = connection.endTransaction('commit').catch(fail);
      onSent();
      await ended;
      throwFailure();
    },
    async endRead() {
      await begun;
      throwFailure();
      batch.close();
      connection.endTransaction('commit').catch(connection.drop);
      await flushMessages();
    },
    isCommitSent: () => isCommitSent,
    abandon: batch.close,
    getFailure: () => failure?.error,
  };
}

/** See `Db.allWith`. */
export async function readTogether(db: Db, tables: Sql, reads: Sql[]): Promise<SqlRow[][]> {
  const [row] = await db.all(sql`${tables} ${combineReads(reads)}`);
  return splitCombinedRow(row, reads.length);
}

/** Waits until the driver has written, which it does in the next turn of the event loop. A command exits before it, and the server would log
 *  a lost transaction. */
export const flushMessages = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

type Prelude = Omit<TransactionRequest, 'acceptsEarlier'>;

const formatBegin = (isWrite: boolean): string => (isWrite ? 'begin' : 'begin isolation level repeatable read read only');

/** PostgreSQL reads 0 as no limit. */
const formatLockTimeout = (leftMs: number): string => `${Math.max(1, Math.ceil(leftMs))}ms`;

/** Formats the settings that are the same in all transactions. */
const formatSettings = (set: string, schema: string): string[] => [
  `${set} search_path to "${schema}", public`,
  `${set} idle_in_transaction_session_timeout to '${maxPauseInTransaction}'`,
  // Statements read by keys, and what they read is in memory. The default prefers whole tables of a few thousand rows.
  `${set} random_page_cost to 1.1`,
];

const formatVersion = (schema: string): string =>
  `select max(version) as version, max(case when version = -1 then checksum end) as marker from "${schema}".schema_migrations`;

/** Connections that have the settings of all transactions. */
const prepared = new WeakSet<Connection>();

/** Sends the beginning of a transaction. A connection that keeps plans is not shared by a pooler, so that it keeps the settings, too. */
async function sendPrelude(connection: Connection, options: PostgresOptions, prelude: Prelude): Promise<SqlRow[]> {
  if (!connection.keepsPlans()) return connection.runScript(formatPrelude(options, prelude));
  const { isWrite, leftMs, applicationName } = prelude;
  const { schema } = options;
  // In a message before the transaction, whose rollback would undo them.
  if (!prepared.has(connection)) connection.runScript(formatSettings('set', schema).join(';\n')).catch(connection.drop);
  prepared.add(connection);
  const settings = [
    `set_config('lock_timeout', $1, true)`,
    ...(applicationName ? [`set_config('application_name', $2, true)`] : []),
    ...(isWrite ? [formatProjectLock(schema)] : []),
  ];
  const [, , version] = await Promise.all([
    connection.query(formatBegin(isWrite)),
    connection.query(`select ${settings.join(', ')}`, [formatLockTimeout(leftMs), ...(applicationName ? [applicationName] : [])]),
    // A statement of its own sees what was committed while this transaction waited for the lock.
    connection.query(formatVersion(schema)),
  ]);
  return version;
}

/** All in one message. The settings end with the transaction, so that they work behind a pooler, too. */
const formatPrelude = ({ schema, keepsPlans }: PostgresOptions, { isWrite, leftMs, applicationName }: Prelude): string =>
  [
    formatBegin(isWrite),
    ...formatSettings('set local', schema),
    `set local lock_timeout to '${formatLockTimeout(leftMs)}'`,
    ...(applicationName ? [`set local application_name to ${quoteLiteral(applicationName)}`] : []),
    ...(isWrite ? [`select ${formatProjectLock(schema)}`] : []),
    // The schema can change while a server process runs. A pooler in between has reported another process at the login.
    keepsPlans ? `select *, pg_backend_pid() as process from (${formatVersion(schema)}) stored` : formatVersion(schema),
  ].join(';\n');

/** Formats the call that takes the write lock of a project until the transaction ends. */
export const formatProjectLock = (schema: string): string => `pg_advisory_xact_lock(hashtextextended(${quoteLiteral(schema)}, 0))`;

/** Quotes text for every setting of `standard_conforming_strings`. */
const quoteLiteral = (text: string): string => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

const isSelect = ({ parts }: Sql): boolean =>
  /^\s*select\s/.test(parts[0] ?? '') ||
  (/^\s*with\s/.test(parts[0] ?? '') && !parts.some((part) => /\b(insert|update|delete)\b/.test(part)));
/** Statements are mostly different from their first text on, so comparing them costs less than a key of each. */
const isSame = (one: Sql, other: Sql): boolean =>
  (one.parts === other.parts || (one.parts.length === other.parts.length && one.parts.every((part, i) => part === other.parts[i]))) &&
  one.values.every((value, i) => value === other.values[i]);

const isConsequence = (error: unknown): boolean => getErrorCode(error) === '25P02';
const isSchemaMissing = (error: unknown): boolean => ['42P01', '3F000'].includes(getErrorCode(error));

export const toQuery = ({ parts, values }: Sql): [string, SqlValue[]] => [toText(parts), values];

/** Texts of templates, which are looked up faster than new ones of the same content. */
const texts = new WeakMap<string[], string>();

function toText(parts: string[]): string {
  const known = texts.get(parts);
  if (known !== undefined) return known;
  const text = parts.reduce((all, part, i) => `${all}$${i}${part}`);
  if (Object.isFrozen(parts)) texts.set(parts, text);
  return text;
}
