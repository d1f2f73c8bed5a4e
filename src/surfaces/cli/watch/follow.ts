import { setTimeout as sleep } from 'node:timers/promises';
import { CleoError } from '#core/errors/error.ts';
import { toOneLine } from '#core/terminal/text.ts';
import { type App, dispatch, type Reply } from '#dispatch/dispatch.ts';
import { createFailure, type Meta } from '#dispatch/envelope.ts';
import { readLogHead } from '#dispatch/log-head.ts';
import type { Column } from '#tasks/model/board.ts';
import { formatOutcome } from './log.ts';
import { listChangedIds, type WatchEntry } from './state.ts';

const pollEveryMs = 300;
const retryEveryMs = 1000;
const maxEntries = 1000;

export interface FollowOptions {
  isJson: boolean;
  /** Only what changes it or something inside it. */
  epic?: string;
  /** Throws where nobody is there to read it. */
  write(text: string): void;
}

/** A line for everything that changes a record, from now on, for who reads a pipe. Refused calls and reads change nothing. */
export async function follow(app: App, { isJson, epic, write }: FollowOptions): Promise<number> {
  const isMeant = epic === undefined ? undefined : await trackEpic(app, epic);
  const say = (line: object): void => write(`${JSON.stringify(line)}\n`);
  const meta = createMeta(app, 'watch');
  let { seq, hash } = await readLogHead(app);
  if (isJson) say({ _meta: { ...meta(), resultsField: 'watching' }, success: true, watching: { seq } });
  const tell = async (): Promise<void> => {
    const head = await readLogHead(app);
    if (head.hash === hash) return;
    // After a restore the log may end before what was seen of it.
    seq = Math.min(seq, Math.max(0, head.seq - 1));
    await isMeant?.refresh();
    while (seq < head.seq) {
      const { envelope, error: refusal } = await dispatch(app, {
        operation: 'admin.log',
        params: { after: seq, limit: maxEntries },
        gateway: 'cli',
      });
      if (refusal) throw refusal;
      const entries = envelope.entries as WatchEntry[];
      for (const entry of entries.filter((one) => isChange(one) && (isMeant?.has(one) ?? true)))
        write(isJson ? `${JSON.stringify(toChange(entry))}\n` : formatChange(entry));
      seq = entries.at(-1)?.seq ?? head.seq;
    }
    hash = head.hash;
  };
  return pollUntilClosed(tell, (error) =>
    isJson ? say(createFailure(meta(), error)) : write(`${toOneLine(`${error.code} ${error.message}`)}\n`),
  );
}

/** Most cards that a board answers with. */
const maxCards = 10_000;

/** What is inside an epic, or has been: what is deleted or moved out of it is told too. */
async function trackEpic(app: App, epic: string) {
  const known = new Set([epic]);
  const refresh = async (): Promise<Reply> => {
    const reply = await dispatch(app, { operation: 'tasks.board', params: { epic, limit: maxCards }, gateway: 'cli' });
    for (const { cards } of (reply.envelope.columns ?? []) as Column[]) for (const { id } of cards) known.add(id);
    return reply;
  };
  const { error: refusal } = await refresh();
  if (refusal) throw refusal;
  return { refresh, has: (entry: WatchEntry): boolean => listChangedIds(entry).some((id) => known.has(id)) };
}

/** The same question again and again, answered where the answer is another than before. */
export async function repeat(
  app: App,
  question: { operation: string; params: object },
  print: (reply: Reply) => Promise<unknown>,
): Promise<number> {
  const ask = (): Promise<Reply> => dispatch(app, { ...question, gateway: 'cli' });
  const meta = createMeta(app, question.operation);
  let { hash } = await readLogHead(app);
  const first = await ask();
  let last = '';
  const show = async (reply: Reply): Promise<void> => {
    const { _meta: _, ...answer } = reply.envelope;
    const said = JSON.stringify(answer);
    if (said !== last) await print(reply);
    last = said;
  };
  await show(first);
  if (first.error) return first.exitCode;
  const tell = async (): Promise<void> => {
    const head = await readLogHead(app);
    if (head.hash !== hash || last === '') await show(await ask());
    hash = head.hash;
  };
  return pollUntilClosed(tell, async (error) => {
    last = '';
    await print({ envelope: createFailure(meta(), error), exitCode: error.exitCode, error: error });
  });
}

const createMeta =
  ({ platform }: App, command: string) =>
  (): Meta => ({ command, timestamp: platform.now(), version: platform.version });

const isChange = (entry: WatchEntry): boolean => entry.success && listChangedIds(entry).length > 0;

const toChange = ({ seq, timestamp, operation, agent, session, created, updated, deleted }: WatchEntry): object => ({
  seq,
  timestamp,
  operation,
  agent,
  ...(session ? { session } : {}),
  ...(created ? { created } : {}),
  ...(updated ? { updated } : {}),
  ...(deleted ? { deleted } : {}),
});

const formatChange = (entry: WatchEntry): string =>
  `${toOneLine(`${entry.timestamp} ${entry.agent} ${entry.operation}: ${formatOutcome(entry)}`)}\n`;

/** Tells what is new again and again. A store that cannot be read is said once, and tried until it can; the end of the pipe is
 *  the end of the watch, and no failure. */
async function pollUntilClosed(tell: () => Promise<void>, report: (error: CleoError) => unknown): Promise<number> {
  let said = '';
  for (;;) {
    let pauseMs = pollEveryMs;
    try {
      try {
        await tell();
        said = '';
      } catch (error) {
        if (!(error instanceof CleoError)) throw error;
        if (said !== error.message) await report(error);
        said = error.message;
        pauseMs = retryEveryMs;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0;
      throw error;
    }
    await sleep(pauseMs);
  }
}
