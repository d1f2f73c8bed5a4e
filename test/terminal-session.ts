import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { quote } from '../src/core/errors/catalog.ts';
import { cleoPath, cleoRunner } from './built-cli.ts';

export interface TerminalSession {
  cwd: string;
  env: Record<string, string>;
  answers?: TerminalAnswer[];
}

/** The keys to press when the screen shows a question. */
export type TerminalAnswer = [question: RegExp, keys: string | (() => Promise<string>)];

/** Copies a program under a name that is on no list of marks. `script` makes terminals, and only its name says so. */
export function copyProgram(folder: string, program: string, name: string): string {
  const path = join(folder, name);
  copyFileSync(program, path);
  chmodSync(path, 0o755);
  return path;
}

/** The line of a shell that runs the built command. */
export const cleoLine = (...words: string[]): string => [cleoRunner, cleoPath, ...words].map(quote).join(' ');

/** Runs the line of a shell at a real terminal and returns everything that the terminal showed. The process is detached from this one,
 *  because the tests may run inside an agent or CI, whose processes are marks. */
export function runAtTerminal(line: string, { cwd, env, answers = [] }: TerminalSession): Promise<string> {
  const window = copyProgram(cwd, '/usr/bin/script', 'window');
  const detached = `${[window, '-qec', line, '/dev/null'].map(quote).join(' ')} <&3 3<&- &`;
  const child = spawn('sh', ['-c', detached], {
    cwd,
    env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  // Node closes the standard input of a process that has ended, and the shell ends at once.
  const keyboard = child.stdio[3] as Writable;
  const left = [...answers];
  let [seen, start] = ['', 0];
  const press = async (keys: TerminalAnswer[1]): Promise<void> => {
    const text = typeof keys === 'string' ? keys : await keys();
    // Some programs switch the echo off after they have printed their question.
    setTimeout(() => keyboard.write(text), 100);
  };
  keyboard.on('error', () => {});
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    seen += text;
    const found = left[0]?.[0].exec(seen.slice(start));
    if (!found) return;
    start += found.index + found[0].length;
    void press(left.shift()?.[1] ?? '');
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the terminal did not end:\n${seen}`)), 60_000);
    child.stdout?.on('close', () => {
      clearTimeout(timer);
      keyboard.destroy();
      resolve(seen);
    });
  });
}
