import { readFileSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { commandsOf } from '#core/command-line.ts';
import type { FilesOf, Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { largestDoc, textOrBase64 } from '#documents/model/doc.ts';
import { placeOfError } from './json-place.ts';

export interface Source {
  name: string;
  path: string;
  as: 'json' | 'text' | 'bytes';
  /** It may be a folder, and the names of files matter. */
  files?: FilesOf;
  /** Nobody asked for it: where nothing is piped in, there is nothing. */
  mayBeEmpty?: true;
}

/** More than this is no text that anyone meant to hand over. */
export const mostBytes = 256 * 1024 * 1024;

/** A parameter from a file, its path as seen from the folder, or from standard input for `-`; for bytes that are no text, `encoding` too. */
export function readSource(source: Source, operation: Operation, folder: string): Record<string, unknown> {
  if (source.as !== 'bytes') return { [source.name]: readText(source, operation, folder) };
  const bytes = readStandardInput(largestDoc + 1);
  if (bytes.length > largestDoc) {
    const problem = `is longer than ${largestDoc >> 20} MiB`;
    throw new CleoError('E_FILE_ERROR', { path: 'standard input', problem, fix: `cleo help ${commandsOf(operation)[0]}` });
  }
  const { content, encoding } = textOrBase64(bytes);
  return { [source.name]: content, ...(encoding === 'base64' ? { encoding } : {}) };
}

function readText({ name, path, as, mayBeEmpty }: Source, operation: Operation, folder: string): unknown {
  if (mayBeEmpty && isatty(0)) return undefined;
  const help = `cleo help ${commandsOf(operation)[0]}`;
  let bytes: Buffer;
  try {
    bytes = path === '-' ? readStandardInput(mostBytes + 1) : readFileSync(resolve(folder, path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new CleoError('E_NOT_FOUND', { what: 'file', id: path, fix: help });
    throw new CleoError('E_FILE_ERROR', { path, problem: code === 'EISDIR' ? 'is a folder' : message, fix: help }, { cause: error });
  }
  if (bytes.length > mostBytes)
    throw new CleoError('E_FILE_ERROR', { path: path === '-' ? 'standard input' : path, problem: 'is larger than 256 MiB', fix: help });
  const text = decoded(bytes, path === '-' ? 'standard input' : path, help);
  if (mayBeEmpty && text.trim() === '') return undefined;
  if (as === 'text') return text;
  try {
    const value = JSON.parse(text);
    // The parameter itself, or an object that has it under its name.
    return typeof value === 'object' && value !== null && Object.keys(value).join() === name ? value[name] : value;
  } catch (error) {
    throw new CleoError('E_INVALID_INPUT', {
      problem: `${path === '-' ? 'standard input' : path} is not valid JSON: ${where(text, error as Error)}`,
      fix: help,
    });
  }
}

/** Text of the bytes. Fatal: bytes that are no text would come in as other characters than were meant. A byte order mark is dropped. */
export function decoded(bytes: Buffer, path: string, fix: string): string {
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

/** What Node says of a JSON error, and where it is. */
function where(text: string, error: Error): string {
  const plain = error.message
    .replace(/ in JSON at position.*$/s, '')
    .replace(/, ?(?:\.\.\.)?".* is not valid JSON$/s, '')
    .slice(0, 200);
  const { line, column } = placeOfError(text);
  return `${plain} (line ${line}, column ${column})`;
}
