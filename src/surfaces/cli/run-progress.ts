import type { EventObserver } from '#core/define.ts';
import type { ProgressLine, ProgressReporter } from '#core/model/progress.ts';
import type { Colour } from '#core/terminal/screen.ts';
import { createScreen } from '#core/terminal/screen.ts';
import { prepareWidths, toOneLine, truncate, wrap } from '#core/terminal/text.ts';
import type { Terminal } from './run.ts';

const marks: Record<ProgressLine['mark'], [sign: string, colour: Colour]> = {
  phase: ['▸', 'bold'],
  good: ['✓', 'green'],
  bad: ['✗', 'red'],
  odd: ['!', 'yellow'],
  open: ['?', 'yellow'],
  made: ['+', 'green'],
  again: ['↻', 'yellow'],
  note: ['·', 'dim'],
};

const redrawEveryMs = 250;
const clearLine = '\r\u001b[K';

/** Draws on standard error what a run does: a line for whatever is decided, and below them one for what goes on now, which is gone
 *  when it ends. */
export async function showRunProgress(
  { initialState: begin, step, formatStatus: now }: ProgressReporter,
  terminal: Pick<Terminal, 'columns' | 'hasColour' | 'writeError'>,
  clock: () => number = () => performance.now(),
): Promise<{ observe: EventObserver; done(): void }> {
  // What will be told is not known yet: it may be in any script.
  await prepareWidths('\u6f22');
  const { paint, columns } = createScreen(terminal);
  let tale = begin;
  let drawn = '';
  let isSaid = false;
  const draw = (before: string): void => {
    const current = now(tale, clock());
    // A line as wide as the screen would go on in the next, and could not be taken back.
    const line = current === undefined ? '' : truncate(`  ${toOneLine(current)} …`, columns - 1);
    if (before === '' && line === drawn) return;
    terminal.writeError(`${drawn === '' ? '' : clearLine}${before}${paint('dim', line)}`);
    isSaid ||= before !== '';
    drawn = line;
  };
  const told = ({ mark, text }: ProgressLine): string => {
    const [sign, colour] = marks[mark];
    if (mark === 'phase') return `${paint('bold', `${sign} ${truncate(toOneLine(text), columns - 2)}`)}\n`;
    const [first = '', ...more] = wrap(toOneLine(text), columns - 4);
    return `${[`  ${paint(colour, sign)} ${first}`, ...more.map((line) => `    ${line}`)].join('\n')}\n`;
  };
  const timer = setInterval(() => draw(''), redrawEveryMs);
  timer.unref();
  return {
    observe(event, data, about) {
      const next = step(tale, { event, data, about }, clock());
      tale = next.state;
      draw(next.lines.map(told).join(''));
    },
    done() {
      clearInterval(timer);
      const rest = `${drawn === '' ? '' : clearLine}${isSaid ? '\n' : ''}`;
      if (rest !== '') terminal.writeError(rest);
      drawn = '';
      isSaid = false;
    },
  };
}
