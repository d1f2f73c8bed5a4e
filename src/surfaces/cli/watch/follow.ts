import { setTimeout as sleep } from 'node:timers/promises';
import { CleoError } from '#core/errors/error.ts';
import { toOneLine } from '#core/terminal/index.ts';
import { type App, createFailure, dispatch, type Meta, type Reply } from '#dispatch/dispatch.ts';
import { followChanges } from '#dispatch/feed/follow-changes.ts';
import { defined } from '#lib/collections.ts';
import type { Column } from '#tasks/model/board.ts';
import { formatOutcome } from './log.ts';
import { readLogEnd } from './log-end.ts';
import { listWatchedIds, type WatchEntry } from './state.ts';

/** Many changes in a short time are read together. */
const minPauseMs = 100;
const retryEveryMs = 1000;
const maxEntries = 1000;

interface FollowOptions {
  isJson: boolean;
  /** Only changes of this epic and the tasks inside it. */
  epic?: string;
  /** Throws EPIPE when the reader is gone. */
  write(text: string): void;
}

/** Prints a line for each write from now on, until the reader is gone. */
export async function follow(app: App, { isJson, epic, write }: FollowOptions): Promise<number> {
  const epicFilter = epic === undefined ? undefined : await trackEpic(app, epic);
  const writeJson = (line: object): void => write(`${JSON.stringify(line)}\n`);
  const meta = createMeta(app, 'watch');
  let { seq, hash } = await readLogEnd(app);
  if (isJson) writeJson({ _meta: { ...meta(), resultsField: 'watching' }, success: true, watching: { seq } });
  const printChanges = async (): Promise<void> => {
    const head = await readLogEnd(app);
    if (head.hash === hash) return;
    // A restored log may end before the last entry that was printed.
    seq = Math.min(seq, Math.max(0, head.seq - 1));
    await epicFilter?.refresh();
    while (seq < head.seq) {
      const { envelope, error } = await dispatch(app, {
        operation: 'admin.log',
        params: { after: seq, limit: maxEntries },
        gateway: 'cli',
      });
      if (error) throw error;
      const entries = envelope.entries as WatchEntry[];
      for (const entry of entries.filter((one) => isChange(one) && (epicFilter?.has(one) ?? true)))
        write(isJson ? `${JSON.stringify(toChange(entry))}\n` : formatChange(entry));
      seq = entries.at(-1)?.seq ?? head.seq;
    }
    hash = head.hash;
  };
  return repeatUntilClosed(app, printChanges, (error) =>
    isJson ? writeJson(createFailure(meta(), error)) : write(`${toOneLine(`${error.code} ${error.message}`)}\n`),
  );
}

/** The largest limit of `tasks.board`. */
const maxCards = 10_000;

/** Tracks the tasks that are or were inside an epic, so that deleted and moved tasks are reported too. */
async function trackEpic(app: App, epic: string) {
  const known = new Set([epic]);
  const refresh = async (): Promise<Reply> => {
    const reply = await dispatch(app, { operation: 'tasks.board', params: { epic, limit: maxCards }, gateway: 'cli' });
    for (const { cards } of (reply.envelope.columns ?? []) as Column[]) for (const { id } of cards) known.add(id);
    return reply;
  };
  const { error } = await refresh();
  if (error) throw error;
  return { refresh, has: (entry: WatchEntry): boolean => listWatchedIds(entry).some((id) => known.has(id)) };
}

/** Repeats a query after each write, and prints the answer when it changes. */
export async function repeat(
  app: App,
  query: { operation: string; params: object },
  print: (reply: Reply) => Promise<unknown>,
): Promise<number> {
  const run = (): Promise<Reply> => dispatch(app, { ...query, gateway: 'cli' });
  const meta = createMeta(app, query.operation);
  let { hash } = await readLogEnd(app);
  const first = await run();
  let last = '';
  const show = async (reply: Reply): Promise<void> => {
    const { _meta: _, ...answer } = reply.envelope;
    const text = JSON.stringify(answer);
    if (text !== last) await print(reply);
    last = text;
  };
  await show(first);
  if (first.error) return first.exitCode;
  const printNew = async (): Promise<void> => {
    const head = await readLogEnd(app);
    if (head.hash !== hash || last === '') await show(await run());
    hash = head.hash;
  };
  return repeatUntilClosed(app, printNew, async (error) => {
    last = '';
    await print({ envelope: createFailure(meta(), error), exitCode: error.exitCode, error });
  });
}

const createMeta =
  ({ platform }: App, command: string) =>
  (): Meta => ({ command, timestamp: platform.now(), version: platform.version });

const isChange = (entry: WatchEntry): boolean => entry.success && listWatchedIds(entry).length > 0;

const toChange = ({ seq, timestamp, operation, agent, session, created, updated, deleted }: WatchEntry): object => ({
  seq,
  timestamp,
  operation,
  agent,
  ...defined({ session, created, updated, deleted }),
});

const formatChange = (entry: WatchEntry): string =>
  `${toOneLine(`${entry.timestamp} ${entry.agent} ${entry.operation}: ${formatOutcome(entry)}`)}\n`;

/** Calls `read` after each change of the log until the reader closes the pipe, which is not an error. A store that cannot be read is
 *  reported once and retried. */
async function repeatUntilClosed(app: App, read: () => Promise<void>, report: (error: CleoError) => unknown): Promise<number> {
  const changes = followChanges(await app.getLogFeed());
  let reported = '';
  for (;;) {
    let pauseMs = minPauseMs;
    let isFailed = false;
    try {
      try {
        await read();
        reported = '';
      } catch (error) {
        if (!(error instanceof CleoError)) throw error;
        if (reported !== error.message) await report(error);
        reported = error.message;
        pauseMs = retryEveryMs;
        isFailed = true;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0;
      throw error;
    }
    await sleep(pauseMs);
    if (!isFailed) await changes.wait();
  }
}
