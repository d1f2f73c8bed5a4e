import { readFileSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { listCommandNames } from '#core/command-line.ts';
import type { FileSelector, Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { encodeDocBytes, maxDocBytes } from '#documents/model/doc.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import { parseJson } from '#lib/parse-json.ts';

export interface InputSource {
  name: string;
  path: string;
  as: 'json' | 'text' | 'bytes';
  /** It may be a folder, and the names of files matter. */
  files?: FileSelector;
  /** Nobody asked for it: where nothing is piped in, there is nothing. */
  mayBeEmpty?: true;
}

/** More than this is no text that anyone meant to hand over. */
export const maxInputBytes = 256 * 1024 * 1024;

/** A parameter from a file, its path as seen from the folder, or from standard input for `-`; for bytes that are no text, `encoding` too. */
export async function readSource(source: InputSource, operation: Operation, folder: string): Promise<Record<string, unknown>> {
  if (source.as !== 'bytes') return { [source.name]: await readText(source, operation, folder) };
  const bytes = readStandardInput(maxDocBytes + 1);
  if (bytes.length > maxDocBytes) {
    const problem = `is longer than ${maxDocBytes >> 20} MiB`;
    throw new CleoError('E_FILE_ERROR', { path: 'standard input', problem, fix: `cleo help ${listCommandNames(operation)[0]}` });
  }
  const { content, encoding } = encodeDocBytes(bytes);
  return { [source.name]: content, ...(encoding === 'base64' ? { encoding } : {}) };
}

async function readText({ name, path, as, mayBeEmpty }: InputSource, operation: Operation, folder: string): Promise<unknown> {
  if (mayBeEmpty && isatty(0)) return undefined;
  const help = `cleo help ${listCommandNames(operation)[0]}`;
  let bytes: Buffer;
  try {
    bytes = path === '-' ? readStandardInput(maxInputBytes + 1) : readFileSync(resolve(folder, path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new CleoError('E_NOT_FOUND', { what: 'file', id: path, fix: help });
    throw new CleoError('E_FILE_ERROR', { path, problem: code === 'EISDIR' ? 'is a folder' : message, fix: help }, { cause: error });
  }
  if (bytes.length > maxInputBytes)
    throw new CleoError('E_FILE_ERROR', { path: path === '-' ? 'standard input' : path, problem: 'is larger than 256 MiB', fix: help });
  const text = decodeText(bytes, path === '-' ? 'standard input' : path, help);
  if (mayBeEmpty && text.trim() === '') return undefined;
  if (as === 'text') return text;
  const value = parseJson(text);
  if (value === undefined) {
    const { findJsonProblem } = await import('#lib/jsonc.ts');
    const { problem, line, column } = findJsonProblem(text)!;
    throw new CleoError('E_INVALID_INPUT', {
      problem: `${path === '-' ? 'standard input' : path} is not valid JSON: ${problem} (line ${line}, column ${column})`,
      fix: help,
    });
  }
  // The parameter itself, or an object that has it under its name.
  return isPlainObject(value) && Object.keys(value).join() === name ? value[name] : value;
}

/** Text of the bytes. Fatal: bytes that are no text would come in as other characters than were meant. A byte order mark is dropped. */
export function decodeText(bytes: Buffer, path: string, fix: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CleoError('E_INVALID_INPUT', { problem: `${path} is not UTF-8 text`, fix });
  }
}

/** All of it, unless it is longer; `readFileSync` gives up where the other end is slower than we are. */
function readStandardInput(atMost: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < atMost) {
    const chunk = Buffer.alloc(65_536);
    try {
      const length = readSync(0, chunk);
      if (length === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, length));
      total += length;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return Buffer.concat(chunks);
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
  return Buffer.concat(chunks);
}
