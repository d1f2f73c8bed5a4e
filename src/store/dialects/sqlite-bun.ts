import type { SqliteDatabase, SqliteDriver } from './sqlite-driver.ts';

const opened = new Map<SqliteDatabase, { path: string; readOnly: boolean }>();

/** Returns a connection of this process, for a statement that reads no table. */
export const getOpenDatabase = (): SqliteDatabase | undefined => opened.keys().next().value;

/** When a process exits, Bun empties the log of every open database and closes it, with a sync for each step. Node leaves that to the next
 *  long log. Connections are therefore closed before Bun does it, in a way that leaves the log. */
export function keepLogsAtExit({ DatabaseSync, ...driver }: SqliteDriver): SqliteDriver {
  class TrackedDatabase extends DatabaseSync {
    constructor(path: string, options: { readOnly?: boolean; timeout?: number } = {}) {
      super(path, options);
      opened.set(this, { path, readOnly: options.readOnly === true });
    }

    override close(): void {
      opened.delete(this);
      super.close();
    }
  }
  process.on('exit', () => {
    for (const [database, { path, readOnly }] of opened) {
      // The last connection that can write empties the log. A reader that is still open makes sure that this one is not the last.
      const reader = readOnly ? undefined : openReader(path);
      database.close();
      reader?.close();
    }
  });
  /** Returns undefined if the database was deleted or is damaged: then there is no log to keep. */
  const openReader = (path: string): SqliteDatabase | undefined => {
    try {
      const reader = new DatabaseSync(path, { readOnly: true });
      // The first read takes the shared lock of the file, which is released when the connection is closed.
      reader.prepare('pragma user_version').all();
      return reader;
    } catch {
      return undefined;
    }
  };
  return { ...driver, DatabaseSync: TrackedDatabase };
}
