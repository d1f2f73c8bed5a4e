import { readFileSync } from 'node:fs';
import { commandsOf } from '../../dispatch/command-line.ts';
import { CleoError } from '../../errors/error.ts';
import type { Operation } from '../../operations/define.ts';

/** A parameter from a file, or from standard input for `-`. */
export function readSource(path: string, as: 'json' | 'text', operation: Operation): unknown {
  const help = `cleo help ${commandsOf(operation)[0]}`;
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new CleoError('E_NOT_FOUND', { what: 'file', id: path });
    throw new CleoError('E_FILE_ERROR', { path, problem: code === 'EISDIR' ? 'is a folder' : message, fix: help }, { cause: error });
  }
  text = text.replace(/^\uFEFF/, '');
  if (as === 'text') return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CleoError('E_INVALID_INPUT', {
      problem: `${path === '-' ? 'standard input' : path} is not valid JSON: ${where(text, error as Error)}`,
      fix: help,
    });
  }
}

/** Line and column of a JSON error; Node names the position in some versions and quotes the text in others. */
function where(text: string, error: Error): string {
  const position = /at position (\d+)/.exec(error.message)?.[1];
  const at = position === undefined ? (/end of JSON/.test(error.message) ? text.length : undefined) : Number(position);
  const plain = error.message
    .replace(/ in JSON at position.*$/s, '')
    .replace(/ \(line \d+ column \d+\)/, '')
    .slice(0, 200);
  if (at === undefined) return plain;
  const before = text.slice(0, at).split('\n');
  return `${plain} (line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`;
}
