import postgres from 'postgres';
import type { SqlRow, SqlValue } from '../sql/sql.ts';
import type { PostgresOptions } from './postgres.ts';
import { createPipeline, type Pipeline } from './postgres-pipeline.ts';
import { createSocketSource, type SocketSource } from './postgres-socket.ts';
import { type PostgresTarget, resolveTarget } from './postgres-target.ts';

export interface ConnectionSettings {
  /** Called for every notification of a channel that the connection listens to. */
  onNotify?: () => void;
  onLost?: () => void;
  /** Limits the time for the first answer further than the address does. */
  maxConnectMs?: number;
  /** The longest time without an answer to a statement. The connection is dropped then. */
  answerTimeoutMs?: number;
}

/** One connection. Once it is lost, every statement fails and the connection is not used again: postgres.js would leave
 *  pending statements unsettled or reuse the dead connection. */
export interface Connection {
  /** Sends a statement at once; several can wait for their answers, which arrive in order. */
  query(text: string, values?: SqlValue[]): Promise<SqlRow[]>;
  /** Sends `commit` or `rollback`. It is run although a statement before it has failed. */
  endTransaction(text: 'commit' | 'rollback'): Promise<SqlRow[]>;
  /** Runs several statements in one message and returns the rows of the last one. */
  runScript(text: string): Promise<SqlRow[]>;
  /** The server has answered, so that statements are sent at once. Before that the driver sends only some of those that wait. */
  hasAnswered(): boolean;
  isLost(): boolean;
  /** The server has answered every statement, and waits for the next one. */
  isIdle(): boolean;
  /** Returns the process id that the server, or a pooler in between, has reported at the login. */
  getProcessId(): number | undefined;
  /** From now on the server keeps the plans of statements that are repeated. Only without a pooler in between, which may give every
   *  transaction another connection. */
  keepPlans(): void;
  keepsPlans(): boolean;
  drop(): void;
  end(): Promise<void>;
}

export function openConnection(options: PostgresOptions, settings: ConnectionSettings = {}): Connection {
  const { onNotify, onLost, maxConnectMs, answerTimeoutMs } = settings;
  let isLost = false;
  let hasAnswered = false;
  let processId: number | undefined;
  let isRepeated: ((text: string) => boolean) | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  let waitsSinceMs = 0;
  const unanswered = new Set<(error: Error) => void>();
  let pipeline: Pipeline | undefined;
  const lose = (reason?: Error): void => {
    isLost = true;
    clearTimeout(watchdog);
    // The driver reports the close before the error that caused it.
    const error = sockets.getError() ?? reason ?? createConnectionError();
    for (const reject of unanswered) reject(error);
    unanswered.clear();
    pipeline?.rejectAll(error);
    onLost?.();
  };
  const resolved = resolveTarget(options);
  const target = maxConnectMs === undefined ? resolved : { ...resolved, timeoutMs: Math.min(resolved.timeoutMs, maxConnectMs) };
  const sockets = createSocketSource(target);
  const client = connect(target, sockets, () => lose(), onNotify);
  const drop = (reason?: Error): void => {
    lose(reason);
    void client.end({ timeout: 0 }).catch(() => {});
  };
  /** Restarts the time limit. A first answer that never comes is noticed too: postgres.js reconnects at once and for ever to a server
   *  that closes the connection before it. One timer serves many statements, because two for each of them cost a server a thirtieth of
   *  its time. */
  const watch = (): void => {
    waitsSinceMs = performance.now();
    if (!watchdog && isWaiting()) setWatchdog();
  };
  const isWaiting = (): boolean => unanswered.size > 0 || !!pipeline?.isWaiting();
  const setWatchdog = (): void => {
    watchdog = undefined;
    const limitMs = hasAnswered ? answerTimeoutMs : target.timeoutMs;
    if (!isWaiting() || limitMs === undefined) return;
    const leftMs = waitsSinceMs + limitMs - performance.now();
    // The socket keeps the process alive while there is an answer to come.
    if (leftMs > 0) watchdog = setTimeout(setWatchdog, leftMs).unref();
    else drop(createTimeoutError(limitMs));
  };
  const recordAnswer = (): void => {
    if (hasAnswered) return;
    hasAnswered = true;
    // The limit of later statements may be shorter.
    clearTimeout(watchdog);
    watchdog = undefined;
  };
  const settle = (query: () => Promise<unknown>): Promise<SqlRow[]> => {
    if (isLost) return Promise.reject(createConnectionError());
    return new Promise<SqlRow[]>((resolve, reject) => {
      unanswered.add(reject);
      if (unanswered.size === 1) watch();
      const finish = (): void => {
        unanswered.delete(reject);
        watch();
      };
      query().then(
        (rows) => {
          recordAnswer();
          processId ??= findProcessId(rows);
          finish();
          resolve(toRows(rows as SqlRow[] | SqlRow[][]));
        },
        (error) => {
          // Only a server that has accepted the login rejects a statement.
          if ((error as { severity?: string }).severity === 'ERROR') recordAnswer();
          finish();
          reject(error);
          // A statement after a failed login would log in again.
          if (!hasAnswered) drop();
        },
      );
    });
  };
  const query: Connection['query'] = (text, values = []) => {
    if (pipeline) return isLost ? Promise.reject(createConnectionError()) : pipeline.query(text, values, isRepeated?.(text) ?? false);
    return settle(async () => (values.length > 0 ? sendStatement(client, text, values) : client.unsafe(text)));
  };
  return {
    query,
    endTransaction: (text) => (pipeline && !isLost ? pipeline.queryApart(text) : query(text)),
    runScript: (text) => (pipeline && !isLost ? pipeline.runScript(text) : settle(async () => client.unsafe(text).simple())),
    hasAnswered: () => hasAnswered,
    isLost: () => isLost,
    isIdle: () => hasAnswered && !isLost && !isWaiting(),
    getProcessId: () => processId,
    keepPlans() {
      const socket = sockets.getSocket();
      // The driver would read the answers to statements that it has sent.
      if (isRepeated || isLost || !socket || unanswered.size > 0) return;
      isRepeated = createRepetitionFilter();
      pipeline = createPipeline(socket, { onSend: watch, onAnswer: watch, onNotify, onFailure: drop });
    },
    keepsPlans: () => isRepeated !== undefined,
    drop: () => drop(),
    end: () => client.end({ timeout: isLost ? 0 : 5 }),
  };
}

/** Sends text, values and the request to execute in one message. With `args` the driver would first ask the server for the types of
 *  the values, which costs each statement a round trip; all our values are sent as text, and the server knows their types.
 *  A statement without a name leaves nothing behind on the server, so that a pooler may give every transaction another connection. */
const sendStatement = (client: postgres.Sql, text: string, values: SqlValue[]): PromiseLike<unknown> =>
  Object.assign(client.unsafe(text, [], { prepare: false, simple: false } as postgres.UnsafeQueryOptions), { parameters: [...values] });

/** Plans that a connection keeps at most. The server holds them in the memory of the connection. */
const maxPlans = 300;
const maxSeen = 2000;

/** Returns true for statements that were sent before. Lists of values make many statements that are sent once. */
function createRepetitionFilter(): (text: string) => boolean {
  const repeated = new Set<string>();
  const seen = new Set<string>();
  return (text) => {
    if (repeated.has(text)) return true;
    if (repeated.size >= maxPlans) return false;
    if (seen.delete(text)) repeated.add(text);
    else {
      if (seen.size >= maxSeen) seen.clear();
      seen.add(text);
    }
    return repeated.has(text);
  };
}

/** A script of several statements has a result for each of them. */
const findProcessId = (result: unknown): number | undefined => {
  const { state } = (Array.isArray(result) && Array.isArray(result.at(-1)) ? result.at(-1) : result) as { state?: { pid: number | null } };
  return state?.pid ?? undefined;
};

function toRows(rows: SqlRow[] | SqlRow[][]): SqlRow[] {
  const last = rows.at(-1);
  return [...(Array.isArray(last) ? last : (rows as SqlRow[]))];
}

const createConnectionError = (): Error => Object.assign(new Error('the connection was closed'), { code: 'CONNECTION_CLOSED' });
const createTimeoutError = (limitMs: number): Error =>
  Object.assign(new Error(`no answer within ${Math.round(limitMs / 1000)} s`), { code: 'CONNECTION_TIMEOUT' });

function connect(target: PostgresTarget, sockets: SocketSource, onclose: () => void, onnotify?: () => void): postgres.Sql {
  const options = {
    host: target.servers.map(({ host }) => host),
    port: target.servers.map(({ port }) => port),
    user: target.user,
    database: target.database,
    pass: sockets.readPassword,
    socket: sockets.open,
    // The socket is encrypted before the driver gets it.
    ssl: false,
    max: 1,
    onclose,
    onnotice: () => {},
    ...(onnotify ? { onnotify } : {}),
    connection: target.startup,
    ...(target.sessionKind ? { target_session_attrs: target.sessionKind } : {}),
    connect_timeout: target.timeoutMs / 1000,
    // Seconds of silence before the operating system asks whether the server still exists.
    keep_alive: 10,
    // Array types are not used, and fetching them costs each connection a round trip.
    fetch_types: false,
    // Otherwise postgres.js closes an old connection between two statements of a transaction.
    max_lifetime: null,
    // Counts and sequences stay far below 2^53.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  };
  // The types of the driver lack the option `socket`.
  return postgres(options as unknown as postgres.Options<Record<string, postgres.PostgresType>>) as unknown as postgres.Sql;
}
