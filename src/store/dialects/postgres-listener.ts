import type { PostgresOptions } from './postgres.ts';
import { type Connection, openConnection } from './postgres-connection.ts';

const retryMs = 1000;

/** Listens to the commits of a project on a connection of its own, and connects again when it is lost. Returns a function that ends it.
 *  After each connection `onChange` is called, because commits in between were not reported. */
export function listenToLog(options: PostgresOptions, onChange: () => void): () => void {
  let connection: Connection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const retry = (): void => {
    connection = undefined;
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(start, retryMs).unref();
  };
  const start = (): void => {
    try {
      connection = openConnection(options, { onNotify: onChange, onLost: retry });
      connection.query(`listen "${options.schema}"`).then(onChange, () => connection?.drop());
    } catch {
      retry();
    }
  };
  start();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    void connection?.end().catch(() => {});
  };
}
