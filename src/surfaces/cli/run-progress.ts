import type { EventObserver } from '#core/define.ts';
import type { ProgressLine, ProgressReporter } from '#core/model/progress.ts';
import { type Colour, createScreen, prepareWidths, toOneLine, truncate, wrap } from '#core/terminal/index.ts';
import type { Terminal } from './run.ts';

const marks: Record<ProgressLine['mark'], [sign: string, colour: Colour]> = {
  phase: ['▸', 'bold'],
  success: ['✓', 'green'],
  failure: ['✗', 'red'],
  warning: ['!', 'yellow'],
  pending: ['?', 'yellow'],
  output: ['+', 'green'],
  retry: ['↻', 'yellow'],
  note: ['·', 'dim'],
};

const redrawEveryMs = 250;
const clearLine = '\r\u001b[K';

/** Draws the progress of a run on standard error: a line for each result, and below them the current activity, which is cleared at
 *  the end. */
export async function showRunProgress(
  { initialState, step, formatStatus }: ProgressReporter,
  terminal: Pick<Terminal, 'columns' | 'hasColour' | 'writeError'>,
  clock: () => number = () => performance.now(),
): Promise<{ observe: EventObserver; done(): void }> {
  // Later lines may be in any script, so the width tables are loaded now.
  await prepareWidths('\u6f22');
  const { paint } = createScreen(terminal);
  let state = initialState;
  let activity = '';
  let hasLines = false;
  const draw = (before: string): void => {
    // A line as wide as the screen would wrap, and could not be cleared. Ctrl-C writes "^C" behind it, and may do so twice.
    const room = createScreen(terminal).columns - 1 - 2 * '^C'.length;
    const current = formatStatus(state, clock(), room - 4);
    const line = current === undefined ? '' : truncate(`  ${toOneLine(current)} …`, room);
    if (before === '' && line === activity) return;
    terminal.writeError(`${activity === '' ? '' : clearLine}${before}${paint('dim', line)}`);
    hasLines ||= before !== '';
    activity = line;
  };
  const drawLine = ({ mark, text }: ProgressLine): string => {
    const [sign, colour] = marks[mark];
    const { columns } = createScreen(terminal);
    if (mark === 'phase') return `${paint('bold', `${sign} ${truncate(toOneLine(text), columns - 2)}`)}\n`;
    const [first = '', ...more] = wrap(toOneLine(text), columns - 4);
    return `${[`  ${paint(colour, sign)} ${first}`, ...more.map((line) => `    ${line}`)].join('\n')}\n`;
  };
  const timer = setInterval(() => draw(''), redrawEveryMs);
  timer.unref();
  return {
    observe(event, data, about) {
      const next = step(state, { event, data, about }, clock());
      state = next.state;
      draw(next.lines.map(drawLine).join(''));
    },
    done() {
      clearInterval(timer);
      const rest = `${activity === '' ? '' : clearLine}${hasLines ? '\n' : ''}`;
      if (rest !== '') terminal.writeError(rest);
      activity = '';
      hasLines = false;
    },
  };
}
