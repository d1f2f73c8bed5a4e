import { measureWidth } from '#core/terminal/index.ts';

/** The terminal streams of Node, or a test double of them. */
export interface Tty {
  /** Reads raw keys; undefined if standard input is not a terminal. */
  input?: NodeJS.ReadStream;
  output: Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'on' | 'off'>;
  /** Writes synchronously; throws when the terminal is gone. */
  write(text: string): void;
  /** Registers `restore` for the end of the process. */
  onExit(restore: () => void): void;
}

// Autowrap is off, so that a character that is wider than measured does not break the next line.
const enterSequence = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const leaveSequence = '\u001b[?2026l\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l';
// Synchronized output: the terminal shows the frame when it is complete, or ignores the sequence.
const beginFrame = '\u001b[?2026h';
const endFrame = '\u001b[?2026l';

interface FullScreen {
  /** Writes the lines that changed since the last frame, in one write. */
  draw(lines: string[], columns: number): void;
  /** Clears the screen, so that the next frame is drawn whole. */
  clear(): void;
  enter(): void;
  /** Restores the screen of the shell; a second call does nothing. */
  restore(): void;
}

/** Switches to the alternate screen, and restores the shell's screen when the process ends for any reason. */
export function openFullScreen({ input, write, onExit }: Tty): FullScreen {
  let shown: string[] = [];
  let isOpen = false;
  const enter = (): void => {
    isOpen = true;
    shown = [];
    input?.setRawMode(true);
    input?.resume();
    write(enterSequence);
  };
  const restore = (): void => {
    if (!isOpen) return;
    isOpen = false;
    try {
      input?.setRawMode(false);
      input?.pause();
      write(leaveSequence);
    } catch {
      // The terminal is gone, so there is nothing to restore.
    }
  };
  onExit(restore);
  enter();
  return {
    enter,
    restore,
    draw(lines, columns) {
      if (!isOpen) return;
      // After a full line the cursor is on its last character, which an erase would remove.
      const ending = (line: string): string => (measureWidth(line) < columns ? '\u001b[0m\u001b[K' : '\u001b[0m');
      const changed = lines.flatMap((line, row) => (line === shown[row] ? [] : [`\u001b[${row + 1};1H${line}${ending(line)}`]));
      shown = lines;
      if (changed.length > 0) write(`${beginFrame}${changed.join('')}${endFrame}`);
    },
    clear() {
      shown = [];
      write('\u001b[2J');
    },
  };
}
