import { closeSync, openSync, writeSync } from 'node:fs';
import { isatty, ReadStream } from 'node:tty';
import { findMarks, getProgramName } from '#sessions/rules/agent-marks.ts';
import type { PersonTerminal } from './port.ts';
import { listParentProcesses, readTerminalName } from './processes.ts';

/** Creates access to the controlling terminal, on which the shell of the person was started. A terminal as standard input is not enough,
 *  because a program that starts another one chooses its input. */
export function createPersonTerminal(env: Record<string, string | undefined>): PersonTerminal {
  const ancestors = listParentProcesses();
  return {
    name: findTerminal(),
    marks: findMarks(env, ancestors),
    processes: ancestors.map(getProgramName),
    ask: askLine,
    print(line) {
      const fds = openTerminal();
      if (!fds) return;
      writeSync(fds.out, `${line}\n`);
      closeTerminal(fds);
    },
  };
}

interface TerminalFiles {
  in: number;
  out: number;
}

/** Opens the controlling terminal. Windows has no file for it, so standard input and standard error are used there. */
function openTerminal(): TerminalFiles | undefined {
  if (process.platform === 'win32') return isatty(0) && isatty(2) ? { in: 0, out: 2 } : undefined;
  try {
    const fd = openSync('/dev/tty', 'r+');
    return { in: fd, out: fd };
  } catch {
    return undefined;
  }
}

const closeTerminal = ({ in: fd }: TerminalFiles): void => {
  if (fd > 2) closeSync(fd);
};

/** Finds the name of the terminal if one of the standard streams is connected to it. A command that an agent starts in the background can
 *  share the terminal of the person, but none of its streams is connected. */
function findTerminal(): string | undefined {
  if (![0, 1, 2].some((fd) => isatty(fd))) return undefined;
  const fds = openTerminal();
  if (!fds) return undefined;
  closeTerminal(fds);
  return readTerminalName();
}

const interrupt = '\u0003';
const endOfInput = '\u0004';

/** Reads one line. A secret is read in raw mode, because only then the terminal does not echo it. */
const askLine: PersonTerminal['ask'] = async (question, { isSecret = false, timeoutMs, check }) => {
  const fds = openTerminal();
  if (!fds) return undefined;
  const input = new ReadStream(fds.in);
  writeSync(fds.out, question);
  try {
    if (isSecret) input.setRawMode(true);
    const line = await readLine(input, timeoutMs);
    if (line !== undefined) await check?.(line);
    return line;
  } finally {
    if (isSecret) {
      input.setRawMode(false);
      writeSync(fds.out, '\n');
    }
    // Destroying the stream closes the file.
    input.destroy();
  }
};

function readLine(input: ReadStream, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const timer = setTimeout(() => resolve(undefined), timeoutMs);
    const end = (line: string | undefined): void => {
      clearTimeout(timer);
      resolve(line);
    };
    input.setEncoding('utf8');
    input.on('error', () => end(undefined));
    input.on('end', () => end(undefined));
    input.on('data', (chunk: string) => {
      for (const character of chunk) {
        if (character === interrupt || (character === endOfInput && text === '')) return end(undefined);
        if (character === '\r' || character === '\n' || character === endOfInput) return end(text);
        text = character === '\b' || character === '\u007f' ? [...text].slice(0, -1).join('') : text + character;
      }
    });
  });
}
