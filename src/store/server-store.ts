import { CleoError } from '#core/errors/error.ts';
import { openSqlite, type SqliteOptions } from './dialects/sqlite.ts';
import type { Store } from './port/store.ts';
import type { StoreLocation } from './store-admin.ts';
import { trackUsage } from './track-usage.ts';

const maxReaders = 4;
const maxServerReaders = 2;
const serverIdleMs = 60_000;
const clientIdleMs = 10_000;

/** Opens the store of a server, which runs calls concurrently: one connection writes, one call at a time, and other
 *  connections read. On a shared connection an `await` inside a transaction would let a second call into it. */
export async function openServerStore({ postgres, sqlite }: StoreLocation, isOfOneClient = false): Promise<Store> {
  if (!postgres) {
    const begin = retryWhileLocked(sqlite.busyTimeoutMs);
    const pair = createReadWritePair(
      () => openSqlite({ ...sqlite, mode: 'write', begin }),
      () => createReaderPool(() => begin(() => openSqlite({ ...sqlite, mode: 'read', begin }), performance.now())),
    );
    return trackUsage(pair, { read: maxReaders, write: 1 });
  }
  const { openPostgres } = await import('./dialects/postgres.ts');
  const { listenToLog } = await import('./dialects/postgres-listener.ts');
  // Connections of a server are scarce: every client of an agent has such a process.
  const idleTimeoutMs = isOfOneClient ? clientIdleMs : serverIdleMs;
  const shared = { ...postgres, idleTimeoutMs, keepsPlans: !isOfOneClient };
  // It connects at its first use, and again after it was closed.
  const reader = openPostgres({ ...shared, connections: isOfOneClient ? 1 : maxServerReaders });
  const pair = createReadWritePair(
    () => openPostgres(shared),
    () => reader,
  );
  // The process of one client listens on the connection that it reads with.
  const listen: Store['listen'] = (onChange) =>
    isOfOneClient ? reader.listen!(onChange) : listenToLog(postgres.listen ?? postgres, onChange);
  return trackUsage({ ...pair, listen }, { read: isOfOneClient ? 1 : maxServerReaders, write: 1 });
}

type ReadSide = Pick<Store, 'read' | 'backupTo' | 'releaseConnections' | 'close'>;

/** Opens each connection at its first use, and again after it was closed: a store that could not be opened may be available
 *  later, and callers keep the same store object across a restore. */
function createReadWritePair(openWriter: () => Store, openReader: () => ReadSide): Store {
  let writer: Store | undefined;
  let reader: ReturnType<typeof openReader> | undefined;
  const getWriter = (): Store => {
    writer ??= openWriter();
    return writer;
  };
  const getReader = (): typeof reader & object => {
    reader ??= openReader();
    return reader;
  };
  return {
    read: async (work) => getReader().read(work),
    write: async (...args) => getWriter().write(...args),
    migrate: async () => getWriter().migrate(),
    backupTo: async (file) => getReader().backupTo(file),
    async releaseConnections() {
      for (const side of [reader, writer]) await side?.releaseConnections?.();
    },
    async close() {
      const open = [reader, writer];
      reader = undefined;
      writer = undefined;
      for (const side of open) await side?.close();
    },
  };
}

/** Opens at most `maxReaders` connections. If all are in use, a call waits for one. */
function createReaderPool(open: () => Promise<Store>): Pick<Store, 'read' | 'backupTo' | 'close'> {
  const all = new Set<Store>();
  const idle: Store[] = [];
  const waiting: (() => void)[] = [];
  let free = maxReaders;
  const withReader = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      const store = idle.pop() ?? (await open());
      all.add(store);
      try {
        return await work(store);
      } finally {
        idle.push(store);
      }
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
  return {
    read: (work) => withReader((store) => store.read(work)),
    backupTo: (file) => withReader((store) => store.backupTo(file)),
    async close() {
      for (const store of all) await store.close();
    },
  };
}

/** Retries while the database is locked, until `busyTimeoutMs` after the call arrived, and at least once. The timer lets
 *  other calls run between attempts. */
function retryWhileLocked(busyTimeoutMs: number): NonNullable<SqliteOptions['begin']> {
  return async (attempt, sinceMs) => {
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 25)) {
      try {
        return attempt();
      } catch (error) {
        const leftMs = sinceMs + busyTimeoutMs - performance.now();
        if (leftMs <= 0 || !(error instanceof CleoError && error.row === 'E_LOCK_TIMEOUT')) throw error;
        const nextMs = Math.min(leftMs, pauseMs * (0.5 + Math.random()));
        await new Promise((resolve) => setTimeout(resolve, nextMs));
      }
    }
  };
}
