import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeText } from '#core/model/text-frames.ts';
import { isPlainObject } from '#lib/collections.ts';
import { parseBody } from '../read-body.ts';

/** A call whose long texts are in files until it is closed. */
export interface FramedCall {
  value: Record<string, unknown>;
  close(): Promise<void>;
}

/** Reads a call with long texts. The texts go to files in a temporary folder that only this user can read, so that the server needs no memory
 *  for them. Returns the problem if the body is too long or is not such a call. */
export async function readFramedCall(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<FramedCall | 'too long' | 'not a call'> {
  const folder = await mkdtemp(join(tmpdir(), 'cleo-request-'));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  let read: FramedCall | 'too long' | 'not a call' = 'not a call';
  try {
    const bytes = createByteReader(body, maxBytes);
    const line = await bytes.takeLine();
    const parsed = line && parseBody(line);
    if (!parsed || !isPlainObject(parsed.value) || !Array.isArray(parsed.value.texts)) return read;
    const { texts, ...value } = parsed.value;
    for (const path of texts as unknown[]) {
      const text = await writeText(bytes, join(folder, randomBytes(8).toString('hex')));
      if (!text || !placeText(value.params, path, text)) return read;
    }
    if (!(await bytes.isAtEnd())) return read;
    read = { value, close };
    return read;
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    read = 'too long';
    return read;
  } finally {
    if (typeof read === 'string') await close();
  }
}

class TooLong extends Error {}

/** Writes the frames of a text to a file. Undefined if the body ends before the text. */
async function writeText(bytes: ByteReader, path: string) {
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let size = 0;
  try {
    for (;;) {
      const head = await bytes.take(4);
      if (!head) return undefined;
      const length = head.readUInt32BE();
      if (length === 0) break;
      const frame = length > maxFrameBytes ? undefined : await bytes.take(length);
      if (!frame) return undefined;
      hash.update(frame);
      size += length;
      await file.write(frame);
    }
  } finally {
    await file.close();
  }
  const sha256 = hash.digest('hex');
  return { length: size, chunks: () => readChunks(path), toJSON: () => ({ length: size, sha256 }) };
}

/** A client sends frames of about 64 KiB. */
const maxFrameBytes = 1 << 20;
const chunkBytes = 1 << 16;

function* readChunks(path: string): Generator<string> {
  const file = openSync(path, 'r');
  const decoder = new TextDecoder();
  const buffer = Buffer.alloc(chunkBytes);
  try {
    for (let count = readSync(file, buffer); count > 0; count = readSync(file, buffer))
      yield decoder.decode(buffer.subarray(0, count), { stream: true });
    yield decoder.decode();
  } finally {
    closeSync(file);
  }
}

type ByteReader = ReturnType<typeof createByteReader>;

function createByteReader(body: AsyncIterable<Uint8Array>, maxBytes: number) {
  const parts = body[Symbol.asyncIterator]();
  let waiting: Buffer[] = [];
  let held = 0;
  let total = 0;
  const readMore = async (): Promise<Buffer | undefined> => {
    const { value, done } = await parts.next();
    if (done) return undefined;
    total += value.byteLength;
    if (total > maxBytes) throw new TooLong();
    const part = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    waiting.push(part);
    held += part.length;
    return part;
  };
  const cut = (length: number, rest = length): Buffer => {
    const all = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting);
    waiting = all.length > rest ? [all.subarray(rest)] : [];
    held = all.length - rest;
    return all.subarray(0, length);
  };
  return {
    /** Returns the next bytes, or undefined if there are fewer. */
    async take(length: number): Promise<Buffer | undefined> {
      while (held < length) if (!(await readMore())) return undefined;
      return cut(length);
    },
    async takeLine(): Promise<Buffer | undefined> {
      for (;;) {
        const before = held;
        const part = await readMore();
        if (!part) return undefined;
        const at = part.indexOf(10);
        if (at >= 0) return cut(before + at, before + at + 1);
      }
    },
    isAtEnd: async (): Promise<boolean> => held === 0 && !(await readMore()),
  };
}
