import type { Registry } from '#core/define.ts';
import type { AuditEntry } from '#core/model/audit.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import type { LogSubscription } from '#store/port/store.ts';
import type { App } from '../call-context.ts';
import { readLogHead } from './log-head.ts';

/** A new entry of the log, without parameters: they can be long, and readers fetch what they show. */
export interface LogEvent {
  seq: number;
  at: string;
  operation: string;
  agent: string;
  session?: string;
  created?: string[];
  updated?: string[];
  deleted?: string[];
  /** Set for a call that failed. */
  exitCode?: number;
  errorCode?: string;
  /** A committed write that changed something; otherwise a failed call or a read in grade mode. */
  isChange: boolean;
}

export interface LogListener {
  /** New entries can be read: these, or more of them if the list is undefined. It is called once without entries when the end of the log
   *  is known, because what was read before may be out of date. */
  onChange(events: LogEvent[] | undefined): void;
  /** The log was replaced and ends at `seq`. */
  onReset(seq: number): void;
  /** The log could not be read, and will be tried again. */
  onError?(): void;
  /** The process stops. */
  onClose?(): void;
}

/** Follows the log for all readers of a process, and only while there is one. Where the store reports commits, nothing is read until it does;
 *  elsewhere one poll serves all readers. */
export interface LogFeed {
  subscribe(listener: LogListener): () => void;
  /** Reads the head now, because this process has written. */
  wake(): void;
  close(): void;
}

/** The feed of a process that has the store. */
export interface StoredLogFeed extends LogFeed {
  /** Returns the number of the last entry. */
  readHead(): Promise<number>;
  /** Returns the entries after `seq`, oldest first. */
  readAfter(seq: number, limit: number): Promise<LogEvent[]>;
}

/** SQLite reports nothing about writes of other processes. */
const sqlitePollMs = 200;
const retryMs = 1000;
/** Readers that are up to date share these entries. Others read the store. */
const maxRecent = 1000;

export function createLogFeed(app: App): StoredLogFeed {
  const listeners = new Set<LogListener>();
  let recent: LogEvent[] = [];
  let head: { seq: number; hash: string } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let subscription: LogSubscription | undefined;
  let isReading = false;
  let isWanted = false;
  let isClosed = false;

  const readEntries = async (seq: number, limit: number): Promise<LogEvent[]> =>
    (await (await app.openStore('read')).read(({ audit }) => audit.listAfter(seq, limit))).map((entry) => toLogEvent(app.registry, entry));

  const advance = async (): Promise<void> => {
    const next = await readLogHead(app);
    const isReplaced = head && (next.seq < head.seq || (next.seq === head.seq && next.hash !== head.hash));
    if (isReplaced) {
      recent = [];
      for (const listener of [...listeners]) listener.onReset(next.seq);
    } else if (head && next.seq > head.seq) {
      // After a long pause the entries in between are read by each reader itself.
      const from = Math.max(head.seq, next.seq - maxRecent);
      const events = await readEntries(from, maxRecent);
      recent = [...(from === head.seq ? recent : []), ...events].slice(-maxRecent);
      for (const listener of [...listeners]) listener.onChange(from === head.seq ? events : undefined);
    } else if (!head) for (const listener of [...listeners]) listener.onChange([]);
    head = next;
  };

  const run = async (): Promise<void> => {
    let delayMs: number | undefined;
    try {
      do {
        isWanted = false;
        await advance();
      } while (isWanted);
      delayMs = subscription ? subscription.getPollMs() : sqlitePollMs;
    } catch {
      // A store that is locked, restored or unreachable is read again.
      delayMs = retryMs;
      for (const listener of [...listeners]) listener.onError?.();
    } finally {
      isReading = false;
      schedule(delayMs);
    }
  };
  const wake = (): void => {
    if (listeners.size === 0) return;
    isWanted = true;
    if (isReading) return;
    isReading = true;
    void run();
  };
  const schedule = (delayMs: number | undefined): void => {
    clearTimeout(timer);
    timer = listeners.size > 0 && delayMs !== undefined ? setTimeout(wake, delayMs).unref() : undefined;
  };
  const start = async (): Promise<void> => {
    const { listen } = await app.openStore('read');
    if (!listen || listeners.size === 0 || subscription) return;
    subscription = listen(wake);
  };
  const stop = (): void => {
    clearTimeout(timer);
    subscription?.stop();
    subscription = undefined;
    // The next reader begins with the head of its time.
    head = undefined;
    recent = [];
  };
  return {
    readHead: async () => (await readLogHead(app)).seq,
    async readAfter(seq, limit) {
      const at = recent.findIndex((event) => event.seq > seq);
      if (recent[0] && recent[0].seq <= seq + 1) return at < 0 ? [] : recent.slice(at, at + limit);
      return readEntries(seq, limit);
    },
    subscribe(listener) {
      if (isClosed) {
        setImmediate(() => listener.onClose?.());
        return () => {};
      }
      listeners.add(listener);
      if (listeners.size === 1) start().catch(() => {});
      wake();
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stop();
      };
    },
    wake,
    close() {
      isClosed = true;
      const all = [...listeners];
      listeners.clear();
      stop();
      for (const listener of all) listener.onClose?.();
    },
  };
}

function toLogEvent(registry: Registry, entry: AuditEntry): LogEvent {
  const called = `${entry.domain}.${entry.operation}`;
  const operation = registry.find(called);
  return {
    seq: entry.seq,
    at: entry.timestamp,
    operation: operation?.name ?? called,
    agent: entry.agent,
    ...defined({ session: entry.session, errorCode: entry.errorCode, exitCode: entry.exitCode || undefined }),
    ...omitEmpty({ created: entry.created, updated: entry.updated, deleted: entry.deleted }),
    isChange: entry.success && operation?.kind !== 'query' && entry.exitCode !== noChangeExit,
  };
}

const noChangeExit = 102;
