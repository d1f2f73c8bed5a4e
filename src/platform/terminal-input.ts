import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadStream } from 'node:tty';

/** Reads the lines that are typed at a terminal. Bytes after a line are for the next reader: another prompt, a program that is started, or
 *  the shell. */
export interface TerminalInput {
  /** Returns undefined if the terminal is closed, the person cancels, or no line is typed for `timeoutMs`. */
  readLine(timeoutMs: number): Promise<string | undefined>;
  /** In raw mode the terminal does not echo. */
  setRawMode(isRaw: boolean): void;
  close(): void;
}

/** Opens the input of the controlling terminal. Windows has no file for it, so standard input is used there. */
export const openTerminalInput = (): TerminalInput => (process.platform === 'win32' ? openConsole(process.stdin) : openDevice());

/** A person does not notice a pause of this length, and a command that waits uses less than 1 % of a processor. */
const pollIntervalMs = 50;

/** Reads `/dev/tty` byte by byte and without blocking. A stream reads more than a line, and one that is closed cannot cancel the read that
 *  it has begun: with Bun that read takes the next line, which is then lost. */
function openDevice(): TerminalInput {
  const fd = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK);
  // This stream only sets the mode. The mode belongs to the terminal, so that it applies to `fd` too.
  let modes: ReadStream | undefined;
  return {
    async readLine(timeoutMs) {
      const buffer = createLineBuffer();
      const byte = new Uint8Array(1);
      for (const endsAt = performance.now() + timeoutMs; performance.now() < endsAt; ) {
        const state = readByte(fd, byte);
        if (state === 'closed') return undefined;
        if (state === 'empty') await sleep(pollIntervalMs);
        else if (buffer.add(byte[0]!)) return buffer.getLine();
      }
      return undefined;
    },
    setRawMode(isRaw) {
      modes ??= new ReadStream(openSync('/dev/tty', 'r+'));
      modes.setRawMode(isRaw);
    },
    close() {
      modes?.destroy();
      closeSync(fd);
    },
  };
}

function readByte(fd: number, byte: Uint8Array): 'read' | 'empty' | 'closed' {
  try {
    return readSync(fd, byte) === 1 ? 'read' : 'closed';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 'empty' : 'closed';
  }
}

/** Reads a stream that stays open for the life of the process and is paused between two lines. */
export function openConsole(input: Readable & Partial<Pick<ReadStream, 'setRawMode'>>): TerminalInput {
  return {
    readLine: (timeoutMs) =>
      new Promise((resolve) => {
        const buffer = createLineBuffer();
        const end = (line?: string): void => {
          clearTimeout(timer);
          input.off('data', add).off('end', cancel).off('error', cancel).pause();
          resolve(line);
        };
        const cancel = (): void => end();
        const add = (chunk: Buffer): void => {
          const index = chunk.findIndex((byte) => buffer.add(byte));
          if (index < 0) return;
          end(buffer.getLine());
          const rest = chunk.subarray(index + (chunk.toString('latin1', index, index + 2) === '\r\n' ? 2 : 1));
          if (rest.length > 0) input.unshift(rest);
        };
        const timer = setTimeout(cancel, timeoutMs);
        if (input.readableEnded || input.destroyed) return cancel();
        input.on('data', add).on('end', cancel).on('error', cancel).resume();
      }),
    setRawMode: (isRaw) => void input.setRawMode?.(isRaw),
    close() {},
  };
}

const [interrupt, endOfInput, backspace, newline, carriageReturn, erase] = [3, 4, 8, 10, 13, 127];

/** Collects the bytes of a line, and handles the keys that a terminal in raw mode leaves to the program. */
function createLineBuffer() {
  const bytes: number[] = [];
  let isCancelled = false;
  return {
    /** Returns true if the line has ended or is cancelled. */
    add(byte: number): boolean {
      isCancelled = byte === interrupt || (byte === endOfInput && bytes.length === 0);
      if (isCancelled || byte === newline || byte === carriageReturn || byte === endOfInput) return true;
      if (byte === backspace || byte === erase) removeCharacter(bytes);
      else bytes.push(byte);
      return false;
    },
    getLine: (): string | undefined => (isCancelled ? undefined : Buffer.from(bytes).toString('utf8')),
  };
}

/** Removes the last character with all of its bytes in UTF-8. */
function removeCharacter(bytes: number[]): void {
  let byte: number | undefined;
  do byte = bytes.pop();
  while (byte !== undefined && (byte & 0xc0) === 0x80);
}
