import { combineReads, splitCombinedRow } from '../sql/combine-reads.ts';
import type { Sql, SqlRow } from '../sql/sql.ts';

/** Sends reads that are requested together as one statement. Each statement costs the server and this process several times as much as
 *  reading a few rows by a key does. */
interface ReadBatch {
  /** Collects the reads that are requested before the pending promises have run. */
  open(): void;
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
  let isOpen = false;
  let isClosed = false;
  const take = (): PendingRead[] => {
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
  return {
    open() {
      if (isClosed || isOpen) return;
      isOpen = true;
      // A tick that a promise requests comes after all of them, and before the driver writes, which it does at the end of the turn. Reads
      // and writes of one turn are then one message: each costs this process and the server a system call.
      queueMicrotask(() => process.nextTick(flush));
    },
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
