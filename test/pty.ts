import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { measureWidth, prepareWidths } from '../src/core/terminal/index.ts';

export interface Pty {
  /** Returns the text on the screen, without blanks at the ends of lines. */
  getScreen(): string;
  press(keys: string): void;
  resize(columns: number, rows: number): Promise<void>;
  /** Waits until the screen matches; the error contains the screen. */
  waitFor(what: RegExp): Promise<string>;
  pid(): number;
  ended: Promise<void>;
}

/** Runs a shell script on a pseudo terminal. The script writes the process id of its last command to `pid`. It is killed when
 *  the test ends. */
export async function openPty(script: string, { cwd, env, columns = 80, rows = 24 }: PtyOptions): Promise<Pty> {
  await prepareWidths('\u6f22');
  const lines = `stty cols ${columns} rows ${rows}; tty >tty; ${script}`;
  const child = spawn('script', ['-qfec', lines, '/dev/null'], { cwd, env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...env } });
  const ended = once(child, 'exit').then(() => {});
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await ended;
  });
  const screen = createScreen(columns, rows);
  child.stdout.setEncoding('utf8').on('data', screen.write);
  child.stdin.on('error', () => {});
  return {
    getScreen: screen.seen,
    press: (keys) => void child.stdin.write(keys),
    async resize(columns, rows) {
      screen.resize(columns, rows);
      const tty = readFileSync(join(cwd, 'tty'), 'utf8').trim();
      await once(spawn('stty', ['-F', tty, 'cols', String(columns), 'rows', String(rows)]), 'exit');
    },
    async waitFor(what) {
      for (let waited = 0; !what.test(screen.seen()); waited += 25) {
        if (waited > 15_000) throw new Error(`${what} was not seen:\n${screen.seen()}`);
        await sleep(25);
      }
      return screen.seen();
    },
    pid: () => Number(readFileSync(join(cwd, 'pid'), 'utf8')),
    ended,
  };
}

interface PtyOptions {
  cwd: string;
  env: Record<string, string>;
  columns?: number;
  rows?: number;
}

/** Emulates the part of a terminal that is used here: two screens, a cursor that stays on the last column, and clearing. */
function createScreen(width: number, height: number) {
  let [columns, rows] = [width, height];
  const createCells = (): string[][] => Array.from({ length: rows }, () => Array<string>(columns).fill(' '));
  let cells = createCells();
  let shell = { cells, x: 0, y: 0 };
  let [x, y] = [0, 0];
  let rest = '';
  const put = (character: string): void => {
    const wide = measureWidth(character);
    if (wide === 0) return;
    cells[y]![x] = character;
    for (let i = 1; i < wide; i++) cells[y]![x + i] = '';
    x = Math.min(columns - 1, x + wide);
  };
  const runCommand = (parameters: string, command: string): void => {
    const [first = 0, second = 0] = parameters.split(';').map(Number);
    if (command === 'H') [y, x] = [Math.min(rows, first || 1) - 1, Math.min(columns, second || 1) - 1];
    else if (command === 'K') cells[y]!.fill(' ', x);
    else if (command === 'J') cells = createCells();
    else if (parameters === '?1049' && command === 'h') {
      shell = { cells, x, y };
      cells = createCells();
    } else if (parameters === '?1049' && command === 'l') ({ cells, x, y } = shell);
  };
  const addLine = (): void => {
    y += 1;
    if (y < rows) return;
    y = rows - 1;
    cells = [...cells.slice(1), Array<string>(columns).fill(' ')];
  };
  return {
    write(text: string): void {
      const all = rest + text;
      rest = /\u001b(?:\[[?0-9;]*)?$/.exec(all)?.[0] ?? '';
      for (const [part, parameters = '', command = ''] of all
        .slice(0, all.length - rest.length)
        .matchAll(/\u001b\[([?0-9;]*)([A-Za-z])|[\s\S]/gu)) {
        if (command) runCommand(parameters, command);
        else if (part === '\r') x = 0;
        else if (part === '\n') addLine();
        else put(part);
      }
    },
    resize(width: number, height: number): void {
      [columns, rows] = [width, height];
      cells = createCells();
      [x, y] = [0, 0];
    },
    seen: (): string =>
      cells
        .map((row) => row.join('').trimEnd())
        .join('\n')
        .trimEnd(),
  };
}
