import { isAscii, isUtf8 } from 'node:buffer';
import { readFileSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FileSelector } from '#core/cli-definition.ts';
import { listCommandNames } from '#core/command-line.ts';
import type { Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Reply } from '#dispatch/dispatch.ts';
import { encodeDocBytes, maxDocBytes } from '#documents/model/doc.ts';
import { isPlainObject } from '#lib/collections.ts';
import { formatHookOutput } from '#lib/hook-output.ts';
import { parseJson, stripBom } from '#lib/parse-json.ts';
import type { Terminal } from './run.ts';

export interface InputSource {
  name: string;
  path: string;
  as: 'json' | 'text' | 'bytes';
  /** Chooses files if the path is a folder. */
  files?: FileSelector;
  /** Standard input is the default here, so it may be empty or a terminal. */
  mayBeEmpty?: true;
  /** Drops the line breaks at the end of the text. */
  isTrimmed?: true;
}

/** Larger input is probably a mistake. */
export const maxInputBytes = 256 * 1024 * 1024;

/** Reads a parameter from a file, whose path is relative to `folder`, or from standard input for `-`. Adds `encoding` for binary input. */
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

async function readText({ name, path, as, mayBeEmpty, isTrimmed }: InputSource, operation: Operation, folder: string): Promise<unknown> {
  // Loading `node:tty` takes a tenth of a start.
  if (mayBeEmpty && process.getBuiltinModule('node:tty').isatty(0)) return undefined;
  if (mayBeEmpty && as === 'json' && operation.hookInput === name) return readHookInput();
  const help = `cleo help ${listCommandNames(operation)[0]}`;
  let bytes: Buffer;
  try {
    bytes = path === '-' ? readStandardInput(maxInputBytes + 1) : readFileSync(resolve(folder, path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : message;
    throw new CleoError('E_FILE_ERROR', { path, problem, fix: help }, { cause: error });
  }
  if (bytes.length > maxInputBytes)
    throw new CleoError('E_FILE_ERROR', { path: path === '-' ? 'standard input' : path, problem: 'is larger than 256 MiB', fix: help });
  const text = decodeText(bytes, path === '-' ? 'standard input' : path, help);
  if (mayBeEmpty && text.trim() === '') return undefined;
  if (as === 'text') return isTrimmed ? text.trimEnd() : text;
  const value = parseJson(text);
  if (value === undefined) {
    const { findJsonProblem } = await import('#lib/jsonc.ts');
    const { problem, line, column } = findJsonProblem(text)!;
    throw new CleoError('E_INVALID_INPUT', {
      problem: `${path === '-' ? 'standard input' : path} is not valid JSON: ${problem} (line ${line}, column ${column})`,
      fix: help,
    });
  }
  // The file holds the parameter itself, or an object with the parameter as its only key.
  return isPlainObject(value) && Object.keys(value).join() === name ? value[name] : value;
}

/** Decodes UTF-8 and drops a byte order mark. Invalid bytes are an error, because a replacement character would change the text. */
export function decodeText(bytes: Buffer, path: string, fix: string): string {
  if (!isUtf8(bytes)) throw new CleoError('E_INVALID_INPUT', { problem: `${path} is not UTF-8 text`, fix });
  // A `TextDecoder` that rejects invalid bytes takes two bytes of memory for every character.
  return isAscii(bytes) ? bytes.toString('latin1') : stripBom(bytes.toString('utf8'));
}

/** Reads standard input, at most about `maxBytes`. `readFileSync` would fail with EAGAIN on a slow writer. */
const readStandardInput = (maxBytes: number): Buffer => Buffer.concat(readInputChunks(maxBytes));

export function readInputChunks(maxBytes: number): Buffer[] {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < maxBytes) {
    const chunk = Buffer.alloc(65_536);
    try {
      const length = readSync(0, chunk);
      if (length === 0) return chunks;
      chunks.push(chunk.subarray(0, length));
      total += length;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return chunks;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
  return chunks;
}

const hookInputTimeoutMs = 1000;

/** Reads the JSON that a client passes to a hook or a status line. Such a command must not fail or wait: input that is missing,
 *  incomplete after a second, or not an object is ignored. */
function readHookInput(): Promise<Record<string, unknown> | undefined> {
  return new Promise((resolve) => {
    const { stdin } = process;
    const chunks: Buffer[] = [];
    const finish = (): void => {
      clearTimeout(timer);
      stdin.destroy();
      resolve(parse());
    };
    const parse = (): Record<string, unknown> | undefined => {
      const value = parseJson(Buffer.concat(chunks).toString('utf8'));
      return isPlainObject(value) ? value : undefined;
    };
    const timer = setTimeout(finish, hookInputTimeoutMs);
    stdin.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      // A client may leave the pipe open.
      if (parse()) finish();
    });
    stdin.on('end', finish);
    stdin.on('error', finish);
  });
}

/** Reports the error of a hook on standard error and returns 0: otherwise it would reach the model or stop the client. Outside a
 *  project there is nothing to report. A project that is not trusted is reported to the model, too, which can ask the person; that line
 *  contains no text of the project, because the model could follow it. */
export function reportHookError(
  { error, envelope }: Pick<Reply, 'error' | 'envelope'>,
  { write, writeError }: Pick<Terminal, 'write' | 'writeError'>,
  params: unknown,
): number {
  const { hook, input } = params as { hook: string; input?: unknown };
  if (error?.row === 'E_PROJECT_UNTRUSTED') write(`${formatHookOutput(untrustedLine, hook, input)}\n`);
  if (error?.row !== 'E_NOT_INITIALIZED') writeError(`cleo: ${(envelope.error as { message: string }).message}\n`);
  return 0;
}

const untrustedLine = 'cleo: this project is not trusted, so its tasks cannot be read; ask a person to run: cleo trust';
