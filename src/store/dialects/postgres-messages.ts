import type { SqlValue } from '../sql/sql.ts';

/** Collects messages to PostgreSQL. */
interface MessageWriter {
  parse(name: string, text: string): void;
  /** All values are sent as text, and the server converts them. */
  bind(name: string, values: SqlValue[]): void;
  /** Asks for the columns of the statement that was bound. */
  describe(): void;
  execute(): void;
  /** Ends a group of statements. If one of them fails, the server skips the rest of the group. */
  sync(): void;
  /** Several statements in one text. */
  script(text: string): void;
  isEmpty(): boolean;
  /** Returns the messages, and begins anew. */
  take(): Buffer;
}

const minBytes = 1 << 14;
/** Memory that is used again for the next messages. An import may need more. */
const maxKeptBytes = 1 << 18;

const describePortal = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0]);
const executeAll = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const syncAll = Buffer.from([0x53, 0, 0, 0, 4]);

export function createMessageWriter(): MessageWriter {
  let bytes = Buffer.allocUnsafe(minBytes);
  let at = 0;
  const reserve = (length: number): void => {
    if (at + length <= bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, at + length));
    bytes.copy(larger, 0, 0, at);
    bytes = larger;
  };
  const begin = (type: number): number => {
    reserve(5);
    bytes[at] = type;
    at += 5;
    return at - 4;
  };
  const end = (start: number): void => {
    bytes.writeUInt32BE(at - start, start);
  };
  const writeText = (text: string): void => {
    reserve(text.length * 3 + 1);
    at += bytes.write(text, at);
    bytes[at++] = 0;
  };
  const writeNumber16 = (value: number): void => {
    reserve(2);
    at = bytes.writeUInt16BE(value, at);
  };
  const writeValue = (value: SqlValue): void => {
    const text = value === null ? '' : String(value);
    reserve(4 + text.length * 3);
    const length = value === null ? -1 : bytes.write(text, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  };
  const append = (message: Buffer): void => {
    reserve(message.length);
    at += message.copy(bytes, at);
  };
  return {
    parse(name, text) {
      const start = begin(0x50);
      writeText(name);
      writeText(text);
      writeNumber16(0);
      end(start);
    },
    bind(name, values) {
      if (values.length > maxValues) throw new RangeError(`a statement has ${values.length} values; PostgreSQL takes ${maxValues}`);
      const start = begin(0x42);
      writeText('');
      writeText(name);
      writeNumber16(0);
      writeNumber16(values.length);
      for (const value of values) writeValue(value);
      writeNumber16(0);
      end(start);
    },
    describe: () => append(describePortal),
    execute: () => append(executeAll),
    sync: () => append(syncAll),
    script(text) {
      const start = begin(0x51);
      writeText(text);
      end(start);
    },
    isEmpty: () => at === 0,
    take() {
      // The socket may send it later.
      const taken = Buffer.from(bytes.subarray(0, at));
      at = 0;
      if (bytes.length > maxKeptBytes) bytes = Buffer.allocUnsafe(minBytes);
      return taken;
    },
  };
}

const maxValues = 65_535;
