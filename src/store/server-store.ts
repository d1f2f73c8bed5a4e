import { CleoError } from '#core/errors/error.ts';
import { openSqlite, type SqliteOptions } from './dialects/sqlite.ts';
import type { Store } from './port.ts';
import type { StoreLocation } from './store-admin.ts';

const readers = 4;

/** The store of a process that serves many calls at once: one connection writes, its calls one after another, and others
 *  read beside it. An `await` inside a transaction on a shared connection would let a second call into it. */
export async function serveStore({ postgres, sqlite }: StoreLocation): Promise<Store> {
  if (!postgres) {
    const begin = patiently(sqlite.busyTimeoutMs);
    return sides(
      () => openSqlite({ ...sqlite, mode: 'write', begin }),
      () => readingSide(() => begin(() => openSqlite({ ...sqlite, mode: 'read', begin }), performance.now())),
    );
  }
  const { openPostgres } = await import('./dialects/postgres.ts');
  return sides(
    () => openPostgres(postgres),
    () => openPostgres({ ...postgres, connections: readers }),
  );
}

/** Both are opened when they are first used, and again after they were closed: a store that could not be opened may be
 *  back, and who asked for it before a restore goes on with it after. */
function sides(openWriter: () => Store, openReader: () => Pick<Store, 'read' | 'backupTo' | 'close'>): Store {
  let writer: Store | undefined;
  let reader: ReturnType<typeof openReader> | undefined;
  const writing = (): Store => {
    writer ??= openWriter();
    return writer;
  };
  const reading = (): typeof reader & object => {
    reader ??= openReader();
    return reader;
  };
  return {
    read: async (work) => reading().read(work),
    write: async (stamp, work) => writing().write(stamp, work),
    migrate: async () => writing().migrate(),
    backupTo: async (file) => reading().backupTo(file),
    async close() {
      const open = [reader, writer];
      reader = undefined;
      writer = undefined;
      for (const side of open) await side?.close();
    },
  };
}

/** A few connections that read; who finds them all taken waits for one. */
function readingSide(open: () => Promise<Store>): Pick<Store, 'read' | 'backupTo' | 'close'> {
  const all = new Set<Store>();
  const idle: Store[] = [];
  const waiting: (() => void)[] = [];
  let free = readers;
  const using = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
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
    read: (work) => using((store) => store.read(work)),
    backupTo: (file) => using((store) => store.backupTo(file)),
    async close() {
      for (const store of all) await store.close();
    },
  };
}

/** Tries again while others run, for as long as a call may wait, counted from when it came; at least once. */
function patiently(busyTimeoutMs: number): NonNullable<SqliteOptions['begin']> {
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
