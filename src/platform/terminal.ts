import { closeSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { findMarks, getProgramName } from '#sessions/rules/agent-marks.ts';
import type { PersonTerminal } from './port.ts';
import { listParentProcesses, readTerminalName } from './processes.ts';
import { openTerminalInput, type TerminalInput } from './terminal-input.ts';

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
      const fd = openTerminal();
      if (fd === undefined) return;
      writeSync(fd, `${line}\n`);
      closeTerminal(fd);
    },
  };
}

/** Opens the controlling terminal for output. Windows has no file for it, so standard error is used there. */
function openTerminal(): number | undefined {
  if (process.platform === 'win32') return isatty(0) && isatty(2) ? 2 : undefined;
  try {
    return openSync('/dev/tty', 'r+');
  } catch {
    return undefined;
  }
}

const closeTerminal = (fd: number): void => {
  if (fd > 2) closeSync(fd);
};

/** Finds the name of the terminal if one of the standard streams is connected to it. A command that an agent starts in the background can
 *  share the terminal of the person, but none of its streams is connected. */
function findTerminal(): string | undefined {
  if (![0, 1, 2].some((fd) => isatty(fd))) return undefined;
  const fd = openTerminal();
  if (fd === undefined) return undefined;
  closeTerminal(fd);
  return readTerminalName();
}

/** Reads one line. A secret is read in raw mode, because only then the terminal does not echo it. */
const askLine: PersonTerminal['ask'] = async (question, { isSecret = false, timeoutMs, check }) => {
  const fd = openTerminal();
  if (fd === undefined) return undefined;
  const input = openTerminalInput();
  const showInput = isSecret ? hideInput(input, fd) : undefined;
  try {
    writeSync(fd, question);
    const line = await input.readLine(timeoutMs);
    if (line !== undefined) await check?.(line);
    return line;
  } finally {
    showInput?.();
    input.close();
    closeTerminal(fd);
  }
};

const endingSignals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Switches the echo off. The function that is returned switches it on again, as does a signal that ends the process. */
function hideInput(input: TerminalInput, output: number): () => void {
  const showInput = (): void => {
    for (const signal of endingSignals) process.off(signal, endProcess);
    try {
      input.setRawMode(false);
      writeSync(output, '\n');
    } catch {
      // The terminal was closed, so there is nothing to restore.
    }
  };
  const endProcess = (signal: NodeJS.Signals): void => {
    showInput();
    // Without a listener the signal ends the process.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  input.setRawMode(true);
  for (const signal of endingSignals) process.on(signal, endProcess);
  return showInput;
}
