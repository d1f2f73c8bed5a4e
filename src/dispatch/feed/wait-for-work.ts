import { CleoError } from '#core/errors/error.ts';
import type { Changes } from '#core/model/audit.ts';
import type { Platform } from '#platform/port.ts';
import { type CallContext, createContext } from '../call-context.ts';
import { type App, type Call, createFailure, type Reply } from '../dispatch.ts';
import type { LogFeed } from './log-feed.ts';
import { type AttemptResult, createWaitQueue, type Waiter, type WaitQueue } from './wait-queue.ts';

type HandleCall = (app: App, call: Call, startedAt: number) => Promise<Reply>;

/** The callers of a process that wait for work, by the feed that wakes them. */
interface WaitRoom {
  queue: WaitQueue;
  /** Called when the process stops. */
  endAll: Set<() => void>;
  unsubscribe?: () => void;
}

const rooms = new WeakMap<LogFeed, WaitRoom>();

/** Repeats a call that found no work when there may be some, until it gets some, its time is over or its caller stops waiting. It holds no
 *  transaction meanwhile and reads nothing while the log does not change. */
export async function waitForWork(app: App, call: Call, first: Reply, handleCall: HandleCall): Promise<Reply> {
  const { timeoutMs, ctx } = first.wait!;
  const { platform } = app;
  const startedAt = platform.monotonicMs();
  const feed = await app.getLogFeed();
  const room = getRoom(feed, ctx);
  let isOver = timeoutMs === 0 || call.signal?.aborted === true;
  let isTrying = false;
  let timer: NodeJS.Timeout | undefined;
  const reply = isOver
    ? undefined
    : await new Promise<Reply | undefined>((resolve, reject) => {
        const attempt = async (): Promise<AttemptResult> => {
          isTrying = true;
          const next = await handleCall(app, { ...dropOldFacts(call, platform), isWoken: true }, platform.monotonicMs()).catch((error) => {
            reject(error);
            end();
          });
          isTrying = false;
          if (!next) return 'nothing';
          if (next.wait) {
            if (isOver) end();
            return 'nothing';
          }
          if (isTemporary(next.error) && !isOver) return 'failed';
          end(next);
          return { taken: listChangedIds(next) };
        };
        const waiter: Waiter = { attempt };
        const end = (result?: Reply): void => {
          isOver = true;
          clearTimeout(timer);
          call.signal?.removeEventListener('abort', abort);
          leaveRoom(room, waiter, stop);
          resolve(result);
        };
        const expire = (): void => {
          isOver = true;
          if (!isTrying) end();
        };
        const abort = (): void => end(first);
        const stop = (): void => end(createStopReply(app, first, platform.monotonicMs() - startedAt));
        if (timeoutMs !== undefined) timer = setTimeout(expire, timeoutMs);
        call.signal?.addEventListener('abort', abort, { once: true });
        enterRoom(room, feed, waiter, stop);
      });
  if (reply) return reply;
  const { wait: _, ...last } = await handleCall(app, { ...call, hasWaited: true }, platform.monotonicMs());
  return last;
}

/** Drops what a client observed too long ago. It observes again and repeats the call. */
function dropOldFacts(call: Call, platform: Platform): Call {
  const { clientFacts } = call;
  if (!clientFacts || platform.monotonicMs() - clientFacts.receivedMs < maxFactAgeMs) return call;
  return { ...call, clientFacts: { ...clientFacts, facts: [] } };
}

const maxFactAgeMs = 30_000;

function getRoom(feed: LogFeed, ctx: CallContext): WaitRoom {
  const known = rooms.get(feed);
  if (known) return known;
  const { app, operation } = ctx;
  const queue = createWaitQueue(async () => {
    const now = app.platform.now();
    return (await app.openStore('read')).read((store) => {
      store.ahead?.(operation.readAhead, {} as never, { ...ctx, now });
      return operation.findWork!(createContext({ ...ctx, now }, { store }) as never);
    });
  });
  const room: WaitRoom = { queue, endAll: new Set() };
  rooms.set(feed, room);
  return room;
}

function enterRoom(room: WaitRoom, feed: LogFeed, waiter: Waiter, stop: () => void): void {
  room.endAll.add(stop);
  room.queue.enter(waiter);
  room.unsubscribe ??= feed.subscribe({
    onChange: (events) => room.queue.check(events?.flatMap(({ created = [], updated = [] }) => [...created, ...updated])),
    onReset: () => room.queue.check(undefined),
    onClose() {
      for (const end of [...room.endAll]) end();
    },
  });
}

function leaveRoom(room: WaitRoom, waiter: Waiter, stop: () => void): void {
  room.endAll.delete(stop);
  room.queue.leave(waiter);
  if (room.endAll.size > 0) return;
  room.unsubscribe?.();
  delete room.unsubscribe;
}

/** Errors of a store that restarts or is busy. They are reported only if they last until the end. */
const isTemporary = (error: CleoError | undefined): boolean =>
  error !== undefined && ['E_STORE_UNAVAILABLE', 'E_LOCK_TIMEOUT'].includes(error.row);

const listChangedIds = ({ envelope: { data } }: Reply): string[] => {
  const { created = [], updated = [] } = (data ?? {}) as Partial<Changes>;
  return [...created, ...updated];
};

/** Answers a caller whose server stops. It is an error, because an empty answer would mean that there was no work. */
function createStopReply({ platform }: App, first: Reply, waitedMs: number): Reply {
  const problem = 'The server stopped while the call waited for a task';
  const error = new CleoError('E_LOCK_TIMEOUT', { waitedMs: Math.round(waitedMs), path: first.envelope._meta.command, problem });
  const { command, version } = first.envelope._meta;
  const { operation, caller } = first;
  return {
    envelope: createFailure({ command, timestamp: platform.now(), version: version ?? platform.version }, error),
    exitCode: error.exitCode,
    error,
    ...(operation ? { operation } : {}),
    ...(caller ? { caller } : {}),
  };
}
