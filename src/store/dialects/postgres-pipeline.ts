import type { Socket } from 'node:net';
import type { SqlRow, SqlValue } from '../sql/sql.ts';
import { createMessageWriter } from './postgres-messages.ts';

/** Sends statements over the socket of a connection that the driver has opened, and reads their answers. All statements of a turn share one
 *  `Sync`, so that the server answers them in one packet. The driver adds one to each statement, and the server then flushes each answer: for a
 *  server of a team that is a third of the time that both spend on a call. */
export interface Pipeline {
  /** Sends the statement with those of the same turn. With `isKept` the server parses and plans it once. */
  query(text: string, values: SqlValue[], isKept: boolean): Promise<SqlRow[]>;
  /** Runs a statement although statements before it have failed, and those after it although it fails. */
  queryApart(text: string): Promise<SqlRow[]>;
  /** Runs several statements in one message and returns the rows of the last one. */
  runScript(text: string): Promise<SqlRow[]>;
  isWaiting(): boolean;
  /** Rejects everything that waits for an answer. */
  rejectAll(error: Error): void;
}

export interface PipelineEvents {
  /** A statement waits for its answer, and none did before. */
  onSend(): void;
  /** Answers have arrived. */
  onAnswer(): void;
  onNotify?: (() => void) | undefined;
  /** The server has sent what this client does not understand. */
  onFailure(error: Error): void;
}

interface Column {
  name: string;
  parse: ((text: string) => unknown) | undefined;
}

/** A statement that the server keeps has a name. */
interface Statement {
  text: string;
  name: string;
  columns: Column[];
}

type Waiting = {
  kind: 'statement' | 'script' | 'sync';
  statement: Statement | undefined;
  /** The message that names the statement. Without it no later one can use the name. */
  isFirst: boolean;
  rows: SqlRow[];
  error: unknown;
  resolve(rows: SqlRow[]): void;
  reject(error: unknown): void;
};

export function createPipeline(socket: Socket, { onSend, onAnswer, onNotify, onFailure }: PipelineEvents): Pipeline {
  const writer = createMessageWriter();
  const kept = new Map<string, Statement>();
  let keptCount = 0;
  let waiting: Waiting[] = [];
  let head = 0;
  /** Statements were written since the last `Sync`. */
  let isOpen = false;
  let isScheduled = false;

  const add = (kind: Waiting['kind'], statement: Statement | undefined, isFirst: boolean): Promise<SqlRow[]> =>
    new Promise((resolve, reject) => {
      waiting.push({ kind, statement, isFirst, rows: [], error: undefined, resolve, reject });
      if (waiting.length === 1) onSend();
    });
  const sync = (): void => {
    if (!isOpen) return;
    isOpen = false;
    writer.sync();
    waiting.push(syncEntry);
  };
  const flush = (): void => {
    isScheduled = false;
    sync();
    if (writer.isEmpty() || socket.destroyed) return;
    socket.write(writer.take());
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    afterPromises(() => afterPromises(flush));
  };
  const find = (text: string): { statement: Statement; isFirst: boolean } => {
    const known = kept.get(text);
    if (known) return { statement: known, isFirst: false };
    const statement = { text, name: `k${++keptCount}`, columns: [] };
    kept.set(text, statement);
    return { statement, isFirst: true };
  };
  const finish = (): Waiting => {
    const entry = waiting[head++]!;
    if (head === waiting.length) {
      waiting = [];
      head = 0;
    }
    return entry;
  };
  const reject = (entry: Waiting, error: unknown): void => {
    const { statement, isFirst } = entry;
    // The server does not have it, or its plan is out of date.
    if (statement && (isFirst || isPlanError(error)) && kept.get(statement.text) === statement) kept.delete(statement.text);
    entry.reject(error);
  };

  const handle = (type: number, bytes: Buffer, from: number, to: number): void => {
    const entry = waiting[head];
    switch (type) {
      case 0x44: // DataRow
        entry!.rows.push(readRow(bytes, from, entry!.statement!.columns));
        break;
      case 0x54: // RowDescription
        entry!.statement ??= { text: '', name: '', columns: [] };
        entry!.statement.columns = readColumns(bytes, from);
        entry!.rows = [];
        break;
      case 0x43: // CommandComplete
      case 0x49: // EmptyQueryResponse
        if (entry!.kind === 'statement') finish().resolve(entry!.rows);
        break;
      case 0x45: {
        // ErrorResponse
        const error = readError(bytes, from, to);
        // The server closes the connection after it.
        if (error.severity === 'FATAL' || error.severity === 'PANIC' || !entry) break;
        if (entry.kind === 'script') entry.error = error;
        else {
          if (entry.kind === 'statement') reject(finish(), error);
          while (waiting[head]?.kind === 'statement') reject(finish(), createSkippedError());
        }
        break;
      }
      case 0x5a: // ReadyForQuery
        if (entry?.kind === 'script') {
          finish();
          if (entry.error) entry.reject(entry.error);
          else entry.resolve(entry.rows);
        } else if (entry?.kind === 'sync') finish();
        else throw new Error('the server is ready before it has answered');
        break;
      case 0x41: // NotificationResponse
        onNotify?.();
        break;
      default:
        // ParseComplete, BindComplete, NoData, ParameterStatus and notices tell nothing that is needed.
        if (!ignoredTypes.has(type)) throw new Error(`the server sent a message of type ${type}`);
    }
  };

  let rest: Buffer | undefined;
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
    rest = undefined;
    let at = 0;
    try {
      while (at + 5 <= bytes.length) {
        const end = at + 1 + bytes.readUInt32BE(at + 1);
        if (end > bytes.length) break;
        handle(bytes[at]!, bytes, at + 5, end);
        at = end;
      }
    } catch (error) {
      onFailure(Object.assign(error as Error, { code: 'CONNECTION_INVALID' }));
      return;
    }
    if (at < bytes.length) rest = bytes.subarray(at);
    onAnswer();
  });

  const query: Pipeline['query'] = (text, values, isKept) => {
    const { statement, isFirst } = isKept ? find(text) : { statement: { text, name: '', columns: [] }, isFirst: true };
    if (isFirst) writer.parse(statement.name, text);
    writer.bind(statement.name, values);
    if (isFirst) writer.describe();
    writer.execute();
    isOpen = true;
    schedule();
    return add('statement', statement, isFirst);
  };
  return {
    query,
    queryApart(text) {
      sync();
      const answer = query(text, [], true);
      sync();
      return answer;
    },
    runScript(text) {
      sync();
      writer.script(text);
      schedule();
      return add('script', undefined, false);
    },
    isWaiting: () => waiting.length > 0,
    rejectAll(error) {
      const all = waiting.slice(head);
      waiting = [];
      head = 0;
      for (const entry of all) entry.reject(error);
    },
  };
}

/** Calls `then` when the pending promises have run, before other events of this process: the server works while they are handled. Joined reads
 *  are sent at the first such moment, so the statements of a turn are complete at the second. */
const afterPromises = (then: () => void): void => queueMicrotask(() => process.nextTick(then));

const syncEntry: Waiting = {
  kind: 'sync',
  statement: undefined,
  isFirst: false,
  rows: [],
  error: undefined,
  resolve() {},
  reject() {},
};

/** ParseComplete, BindComplete, CloseComplete, NoData, ParameterStatus, NoticeResponse, ParameterDescription. */
const ignoredTypes = new Set([...'123nSNt'].map((letter) => letter.charCodeAt(0)));

/** The server skips the statements after one that failed, up to the next `Sync`. */
const createSkippedError = (): Error => Object.assign(new Error('current transaction is aborted'), { code: '25P02', severity: 'ERROR' });

const isPlanError = (error: unknown): boolean =>
  (error as { routine?: string }).routine === 'RevalidateCachedQuery' || (error as { code?: string }).code === '26000';

function readRow(bytes: Buffer, from: number, columns: Column[]): SqlRow {
  const row: Record<string, unknown> = {};
  let at = from + 2;
  for (const { name, parse } of columns) {
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < 0) row[name] = null;
    else {
      const text = bytes.toString('utf8', at, at + length);
      row[name] = parse ? parse(text) : text;
      at += length;
    }
  }
  return row as SqlRow;
}

function readColumns(bytes: Buffer, from: number): Column[] {
  const columns: Column[] = [];
  let at = from + 2;
  for (let left = bytes.readUInt16BE(from); left > 0; left--) {
    const end = bytes.indexOf(0, at);
    columns.push({ name: bytes.toString('utf8', at, end), parse: parsers[bytes.readUInt32BE(end + 7)] });
    at = end + 19;
  }
  return columns;
}

/** The conversions of the driver, by the number of the type: boolean, numbers but `numeric`, and JSON. */
const parsers: Record<number, (text: string) => unknown> = {
  16: (text) => text === 't',
  ...Object.fromEntries([20, 21, 23, 26, 700, 701].map((type) => [type, Number])),
  114: (text) => JSON.parse(text),
  3802: (text) => JSON.parse(text),
};

const errorFields: Record<string, string> = {
  V: 'severity',
  C: 'code',
  M: 'message',
  D: 'detail',
  H: 'hint',
  W: 'where',
  s: 'schema_name',
  t: 'table_name',
  c: 'column_name',
  n: 'constraint_name',
  F: 'file',
  L: 'line',
  R: 'routine',
};

function readError(bytes: Buffer, from: number, to: number): Error & { severity?: string } {
  const fields: Record<string, string> = {};
  for (let at = from; at < to && bytes[at] !== 0; ) {
    const end = bytes.indexOf(0, at + 1);
    const name = errorFields[String.fromCharCode(bytes[at]!)];
    if (name) fields[name] = bytes.toString('utf8', at + 1, end);
    at = end + 1;
  }
  return Object.assign(new Error(fields.message), fields);
}
