import type { LogSubscription } from '../port/store.ts';
import type { PostgresOptions } from './postgres.ts';
import { type Connection, openConnection } from './postgres-connection.ts';
import type { ConnectionPool } from './postgres-pool.ts';

const retryMs = 1000;
/** The end of the log is read so often while commits may not be reported: without a connection, and behind a pooler. */
const pollMs = 1000;
/** The same for a client that gave its connection back, because the server has few left. */
const scarcePollMs = 2000;
/** A connection that was cut off without notice is found by reading the end of the log now and then. */
const checkMs = 60_000;
/** A client that waits keeps its connection only while so many of the server's connections are free. */
const minFreeShare = 0.5;

/** Listens to the commits of a project on a connection of its own, and connects again when it is lost. */
export function listenToLog(options: PostgresOptions, onChange: () => void): LogSubscription {
  let connection: Connection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isReported = false;
  const retry = (): void => {
    connection = undefined;
    isReported = false;
    clearTimeout(timer);
    if (isStopped) return;
    timer = setTimeout(start, retryMs).unref();
    onChange();
  };
  const start = (): void => {
    try {
      connection = openConnection(options, { onNotify: onChange, onLost: retry });
      startListening(connection, options.schema).then(
        ({ isDirect }) => {
          isReported = isDirect;
          onChange();
        },
        () => connection?.drop(),
      );
    } catch {
      retry();
    }
  };
  start();
  return {
    getPollMs: () => (isReported ? checkMs : pollMs),
    stop() {
      isStopped = true;
      clearTimeout(timer);
      void connection?.end().catch(() => {});
    },
  };
}

/** Listens to the commits on the one connection of a client, which it also reads and writes with. If the server has few connections left,
 *  the client closes it and asks from time to time instead. */
export function listenOnPool(pool: ConnectionPool, options: PostgresOptions, onChange: () => void): LogSubscription {
  let state: 'off' | 'reported' | 'scarce' = 'off';
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const start = async (): Promise<void> => {
    try {
      const connection = await pool.take(options.busyTimeoutMs);
      try {
        const { isDirect, isScarce } = await startListening(connection, options.schema);
        state = isScarce ? 'scarce' : isDirect ? 'reported' : 'off';
      } finally {
        pool.give(connection);
      }
      if (state === 'scarce') pool.closeWhenIdle();
    } catch {
      retry();
    }
    if (!isStopped) onChange();
  };
  const retry = (): void => {
    clearTimeout(timer);
    if (isStopped || state === 'scarce') return;
    const wasReported = state === 'reported';
    state = 'off';
    timer = setTimeout(() => void start(), retryMs).unref();
    if (wasReported) onChange();
  };
  pool.setListener({ onNotify: onChange, onLost: retry });
  void start();
  return {
    getPollMs: () => ({ off: pollMs, reported: checkMs, scarce: scarcePollMs })[state],
    stop() {
      isStopped = true;
      clearTimeout(timer);
      pool.setListener({});
    },
  };
}

/** A pooler in between has a process id of its own, and gives the connection that listens to others. */
async function startListening(connection: Connection, schema: string): Promise<{ isDirect: boolean; isScarce: boolean }> {
  await connection.query(`listen "${schema}"`);
  const [row] = await connection.query(
    `select pg_backend_pid() as process, (select sum(numbackends) from pg_stat_database) as used,
       cast(current_setting('max_connections') as int) as most`,
  );
  return {
    isDirect: Number(row?.process) === connection.getProcessId(),
    isScarce: Number(row?.used) > Number(row?.most) * (1 - minFreeShare),
  };
}
