import { combineReads, splitCombinedRow } from '../sql/combine-reads.ts';
import type { Sql, SqlRow } from '../sql/sql.ts';

/** Sends reads that are requested together as one statement. Each statement costs the server and this process several times as much as
 *  reading a few rows by a key does. */
interface ReadBatch {
  /** Collects the reads of this turn of the event loop. */
  open(): void;
  /** Gives the reads of this turn their place before the driver writes. Called before the first message of a turn, it makes one message to
   *  the server of both: each costs this process and the server a system call, and the reads would be a turn late. */
  reserve(): void;
  isOpen(): boolean;
  add(statement: Sql): Promise<SqlRow[]>;
  /** Sends what was collected. */
  flush(): void;
  /** Rejects what was not sent, and what is added later. */
  close(): void;
}

const maxReads = 50;

interface PendingRead {
  statement: Sql;
  resolve(rows: SqlRow[]): void;
  reject(error: unknown): void;
}

export function createReadBatch(send: (statement: Sql) => Promise<SqlRow[]>): ReadBatch {
  let pending: PendingRead[] = [];
  let timer: NodeJS.Immediate | undefined;
  let isOpen = false;
  let isClosed = false;
  const take = (): PendingRead[] => {
    clearImmediate(timer);
    timer = undefined;
    isOpen = false;
    const taken = pending;
    pending = [];
    return taken;
  };
  const flush = (): void => {
    const reads = take();
    const [first] = reads;
    if (!first) return;
    if (reads.length === 1) return void send(first.statement).then(first.resolve, first.reject);
    send(combineReads(reads.map(({ statement }) => statement))).then(
      ([row]) => {
        const found = splitCombinedRow(row, reads.length);
        for (const [i, { resolve }] of reads.entries()) resolve(found[i]!);
      },
      (error) => {
        for (const { reject } of reads) reject(error);
      },
    );
  };
  const reserve = (): void => {
    if (!isClosed) timer ??= setImmediate(flush);
  };
  return {
    open() {
      reserve();
      isOpen = !isClosed;
    },
    reserve,
    isOpen: () => isOpen,
    add: (statement) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(createEndedError());
        pending.push({ statement, resolve, reject });
        if (pending.length >= maxReads) flush();
      }),
    flush,
    close() {
      isClosed = true;
      for (const { reject } of take()) reject(createEndedError());
    },
  };
}

const createEndedError = (): Error => new Error('the transaction has ended');
