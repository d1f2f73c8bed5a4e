import { measureWidth } from '#core/terminal/text.ts';

/** The terminal as it is needed here: Node's streams, or something that behaves like them. */
export interface Tty {
  /** Raw keys, where there is somebody to press them. */
  input?: NodeJS.ReadStream;
  output: Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'on' | 'off'>;
  /** Writes all of it before it returns; throws where nobody is there to read it. */
  write(text: string): void;
  /** Called when the process ends, for whatever reason it does. */
  onExit(restore: () => void): void;
}

// Autowrap is off while we draw: a character that the terminal takes for wider than we do must not break the next line.
const enterSequence = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const leaveSequence = '\u001b[?2026l\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l';
// Terminals that know it show the frame at once when it is whole; others pass over it.
const beginFrame = '\u001b[?2026h';
const endFrame = '\u001b[?2026l';

export interface FullScreen {
  /** Writes the lines that differ from those on the screen, in one piece. */
  draw(lines: string[], columns: number): void;
  /** The next drawing begins from nothing. */
  clear(): void;
  enter(): void;
  /** As it was found; twice is once. */
  restore(): void;
}

/** A screen beside the one the shell writes on. It is given back also when the process ends in a way that nobody thought of. */
export function openFullScreen({ input, write, onExit }: Tty): FullScreen {
  let shown: string[] = [];
  let isTaken = false;
  const take = (): void => {
    isTaken = true;
    shown = [];
    input?.setRawMode(true);
    input?.resume();
    write(enterSequence);
  };
  const giveBack = (): void => {
    if (!isTaken) return;
    isTaken = false;
    try {
      input?.setRawMode(false);
      input?.pause();
      write(leaveSequence);
    } catch {
      // The terminal is gone, and with it what would have to be restored.
    }
  };
  onExit(giveBack);
  take();
  return {
    enter: take,
    restore: giveBack,
    draw(lines, columns) {
      if (!isTaken) return;
      // Behind a full line the cursor stands on its last character, which clearing the rest would take away.
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
