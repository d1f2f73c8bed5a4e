import { CleoError } from '#core/errors/error.ts';
import type { PostgresOptions } from './postgres.ts';
import { type Connection, type ConnectionSettings, openConnection } from './postgres-connection.ts';

export interface ConnectionPool {
  /** Returns a connection that is free, or opens one. If all are in use it waits for at most `leftMs`. */
  take(leftMs: number): Promise<Connection>;
  give(connection: Connection): void;
  /** Closes connections as soon as they are not used. */
  closeWhenIdle(): void;
  /** Reports the notifications of all connections, and when one is lost. */
  setListener(listener: Pick<ConnectionSettings, 'onNotify' | 'onLost'>): void;
  close(): Promise<void>;
}

/** Time for an answer in addition to `store.busyTimeoutMs`, which the server itself keeps to while a call waits for the lock. */
const graceMs = 5000;
/** A call that has waited for its whole time still gets the chance to connect. */
const minConnectMs = 1000;

/** Opens at most `connections` connections, and closes those that were not used for `idleTimeoutMs`. */
export function createPool(options: PostgresOptions): ConnectionPool {
  const { busyTimeoutMs } = options;
  let { idleTimeoutMs } = options;
  let listener: Pick<ConnectionSettings, 'onNotify' | 'onLost'> = {};
  const idle: Connection[] = [];
  const waiting: (() => void)[] = [];
  let free = options.connections ?? 1;
  let idleTimer: NodeJS.Timeout | undefined;
  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  const closeIdle = async (): Promise<void> => {
    clearTimeout(idleTimer);
    await Promise.all(idle.splice(0).map((connection) => connection.end()));
  };
  const waitForTurn = (leftMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(
        () => {
          waiting.splice(waiting.indexOf(enter), 1);
          reject(
            new CleoError('E_LOCK_TIMEOUT', {
              waitedMs: busyTimeoutMs,
              path: options.schema,
              problem: `Other calls of this server used its connections to the store for more than ${busyTimeoutMs} ms`,
            }),
          );
        },
        Math.max(0, leftMs),
      );
      waiting.push(enter);
    });
  return {
    async take(leftMs) {
      clearTimeout(idleTimer);
      if (free > 0) free--;
      else await waitForTurn(leftMs);
      const connection = idle.pop();
      if (connection && !connection.isLost()) return connection;
      try {
        return openConnection(options, {
          maxConnectMs: Math.max(leftMs, minConnectMs),
          answerTimeoutMs: busyTimeoutMs + graceMs,
          onNotify: () => listener.onNotify?.(),
          onLost: () => listener.onLost?.(),
        });
      } catch (error) {
        release();
        throw error;
      }
    },
    give(connection) {
      if (!connection.isLost()) idle.push(connection);
      release();
      clearTimeout(idleTimer);
      // A connection that listens is in use.
      if (idleTimeoutMs !== undefined && (idleTimeoutMs === 0 || !listener.onNotify))
        idleTimer = setTimeout(() => void closeIdle().catch(() => {}), idleTimeoutMs).unref();
    },
    closeWhenIdle() {
      idleTimeoutMs = 0;
      void closeIdle().catch(() => {});
    },
    setListener(next) {
      listener = next;
    },
    close: closeIdle,
  };
}
