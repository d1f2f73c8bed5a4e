import '../errors.ts';
import { CleoError } from '#core/errors/error.ts';
import type { OnMoved } from '../move/check-marker.ts';
import type { ReadStore, SendAhead, Stamp, Store, WriteStore } from '../port/store.ts';
import { createReadStore } from '../sql/read-store.ts';
import type { Db, Sql } from '../sql/sql.ts';
import type { Connection } from './postgres-connection.ts';
import {
  createUnavailableError,
  fromPostgresError,
  getErrorCode,
  isCollision,
  isConnectionLoss,
  isReadOnlyServer,
  isTransient,
  isUnexpectedHistory,
} from './postgres-errors.ts';
import { listenOnPool, listenToLog } from './postgres-listener.ts';
import { createPool } from './postgres-pool.ts';
import { formatApplicationName, resolveTarget } from './postgres-target.ts';
import { beginTransaction, flushMessages, startHeartbeat, type Transaction } from './postgres-transaction.ts';

export interface PostgresOptions {
  url: string;
  /** The variable or file that the address is from, for messages. */
  source?: string;
  /** The address is the user's own, not the project's, so it may weaken the checks of TLS. */
  isOwnAddress?: boolean;
  /** The variables of the PostgreSQL clients: PGPASSWORD, PGSSLMODE and so on. */
  environment?: Record<string, string | undefined>;
  /** The address to listen at for commits, if the pooler at `url` cannot carry that. */
  listen?: Omit<PostgresOptions, 'listen'>;
  /** The project's own schema: the same SQL as on SQLite, no project column. */
  schema: string;
  busyTimeoutMs: number;
  connections?: number;
  /** The server keeps the plans of statements, for a process that runs long. */
  keepsPlans?: boolean;
  /** Closes connections that were not used for this time. */
  idleTimeoutMs?: number;
  /** Time limit for the first answer of the server. */
  connectTimeoutMs?: number;
  /** The command line and agent of this process. The server shows the command to its administrators, not its parameters. */
  client?: { argv: string[]; agent: string };
  onMoved?: OnMoved | undefined;
  /** Called before an older schema is migrated. */
  beforeMigration?: (store: Pick<Store, 'backupTo'>) => Promise<void>;
}

interface TransactionOptions {
  sendAhead?: SendAhead | undefined;
  /** Returns another statement to read ahead. */
  readAhead?(): Sql | undefined;
  acceptsEarlier?: boolean;
}

const maxRepeats = 5;
const maxPauseMs = 1000;

/** Opens the store of a project on a server, which several machines can share. */
export function openPostgres(options: PostgresOptions): Store {
  const pool = createPool(options);
  /** The rows of history are numbered one after another, so that the last one is known before it is inserted. A sequence that keeps
   *  numbers for each connection does not do that. */
  let isHistoryNumbered = true;

  /** Repeats `attempt` while the server is not available, until the call has waited for `busyTimeoutMs`. A transaction that was begun is
   *  repeated at most `maxRepeats` times. */
  const retry = async <T>(attempt: (sinceMs: number, begin: () => void) => Promise<T>): Promise<T> => {
    const sinceMs = performance.now();
    let begun = 0;
    const begin = (): void => {
      begun++;
    };
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(sinceMs, begin);
      } catch (error) {
        if (error instanceof CleoError) throw error;
        if (isUnexpectedHistory(error)) isHistoryNumbered = false;
        const waitedMs = performance.now() - sinceMs;
        const leftMs = options.busyTimeoutMs - waitedMs;
        const isOtherServerPossible = isReadOnlyServer(error) && resolveTarget(options).servers.length > 1;
        if (!(isCollision(error) || isTransient(error) || isOtherServerPossible)) throw fromPostgresError(error, options);
        if (leftMs <= 0 || begun > maxRepeats)
          throw isCollision(error) ? fromPostgresError(error, options) : createUnavailableError(options, error, waitedMs);
        const pauseMs = Math.min(leftMs, maxPauseMs, 20 * 2 ** tries) * (0.5 + Math.random() / 2);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  };

  const runTransaction = <T>(
    stamp: Stamp | undefined,
    work: (transaction: Transaction) => Promise<T>,
    { sendAhead, readAhead, acceptsEarlier = false }: TransactionOptions = {},
  ): Promise<T> =>
    retry(async (sinceMs, begin) => {
      const getLeftMs = (): number => options.busyTimeoutMs - (performance.now() - sinceMs);
      const connection = await pool.take(getLeftMs());
      let isGiven = false;
      const giveBack = (): void => {
        if (!isGiven) pool.give(connection);
        isGiven = true;
      };
      const transaction = beginTransaction(connection, options, {
        isWrite: stamp !== undefined,
        leftMs: getLeftMs(),
        applicationName: stamp && formatApplicationName(options, stamp),
        acceptsEarlier,
      });
      const stopHeartbeat = startHeartbeat(connection);
      try {
        if (sendAhead) createAhead(transaction.ahead)(sendAhead);
        const statement = readAhead?.();
        if (statement) transaction.ahead.all(statement).catch(() => {});
        if (stamp) await transaction.lock();
        const result = await work(transaction);
        await (stamp ? commitWrite(transaction, giveBack) : transaction.endRead());
        return result;
      } catch (error) {
        const reported = await rollBack(connection, transaction, error);
        // A server that accepted no connection, or that is still a replica, has not begun it.
        if (connection.hasAnswered() && !isReadOnlyServer(reported)) begin();
        throw reported;
      } finally {
        stopHeartbeat();
        giveBack();
      }
    });

  /** Ends the transaction and returns the error to report. */
  const rollBack = async (connection: Connection, transaction: Transaction, error: unknown): Promise<unknown> => {
    transaction.abandon();
    const failure = transaction.getFailure();
    if (isConnectionLoss(failure ?? error) || isReadOnlyServer(failure ?? error)) connection.drop();
    // The work may have ended with another error before it knew that a statement had failed.
    const reported = failure && !isConnectionLoss(failure) ? failure : error;
    // The server has ended the transaction, and the next one may have begun on the connection.
    if (transaction.isCommitSent()) return reported;
    // A transaction that cannot be rolled back ends with its connection. The next message can be sent before the answer: the work may be
    // repeated, and would wait for a round trip.
    if (!connection.isLost()) void connection.endTransaction('rollback').catch(connection.drop);
    await flushMessages();
    return getErrorCode(failure) === '55P03' && !connection.isLost() ? createLockError(connection, options, failure) : reported;
  };

  return {
    read: <T>(work: (store: ReadStore) => Promise<T>) =>
      runTransaction(undefined, ({ db, ahead }) => work(createReadStore(db, createAhead(ahead)))),
    readEarlierTokens: (work) => runTransaction(undefined, ({ db }) => work(createReadStore(db).tokens), { acceptsEarlier: true }),
    write: async <T>(stamp: Stamp, work: (store: WriteStore) => Promise<T>, sendAhead?: SendAhead) => {
      const { runWrite, selectLogEnd } = await import('../sql/write-store.ts');
      // A call that reads ahead ends with an entry in the log.
      const readAhead = () => (sendAhead && isHistoryNumbered ? selectLogEnd : undefined);
      const run = ({ db, ahead }: Transaction): Promise<T> => {
        const statement = readAhead();
        return runWrite(db, stamp, work, { ahead: createAhead(ahead), logEnd: statement && db.all(statement) });
      };
      return runTransaction(stamp, run, { sendAhead, readAhead });
    },
    migrate: async () => (await import('./postgres-schema.ts')).createPostgres(options, new Date().toISOString()),
    async backupTo() {
      throw (await import('../store-admin.ts')).createBackupError();
    },
    listen: (onChange) => {
      if (!options.listen) return listenOnPool(pool, options, onChange);
      pool.closeWhenIdle();
      return listenToLog(options.listen, onChange);
    },
    releaseConnections: pool.close,
    close: pool.close,
  };
}

const createAhead = (db: Db): NonNullable<ReadStore['ahead']> => {
  let store: ReadStore | undefined;
  return (send, ...args) => {
    if (!send) return;
    store ??= createReadStore(db);
    for (const read of send(store, ...args)) read.catch(() => {});
  };
};

/** Commits. Whether it happened is unknown if the connection breaks before the answer, unless a statement had failed before. */
async function commitWrite(transaction: Transaction, onSent: () => void): Promise<void> {
  try {
    await transaction.commit(onSent);
  } catch (failure) {
    if (!isConnectionLoss(failure) || !transaction.isCommitSent()) throw failure;
    throw new CleoError('E_OUTCOME_UNKNOWN', { problem: 'The connection broke during commit' }, { cause: failure });
  }
}

/** Creates the error of a call that waited for the write lock in vain, with the session that holds it. */
async function createLockError(connection: Connection, { busyTimeoutMs, schema }: PostgresOptions, cause: unknown): Promise<CleoError> {
  const { findLockHolder } = await import('../sql/admin/lock-holder.ts');
  const { toQuery } = await import('./postgres-transaction.ts');
  const all: Db['all'] = (statement) => connection.query(...toQuery(statement));
  const holder = await findLockHolder({ engine: 'postgres', all }, schema).catch(() => undefined);
  const { formatLockHolder } = await import('#core/rules/lock-holder.ts');
  const facts = holder && { holder, problem: `${formatLockHolder(holder)} holds the write lock; waited ${busyTimeoutMs} ms for it` };
  return new CleoError('E_LOCK_TIMEOUT', { waitedMs: busyTimeoutMs, path: schema, ...facts }, { cause });
}
