import { spawnSync } from 'node:child_process';
import { measureWidth } from '#core/terminal/index.ts';
import type { App } from '#dispatch/dispatch.ts';
import { isInteractive } from './interactive.ts';
import type { Terminal } from './run.ts';

/** Prints a text that is longer than the screen through a pager. An agent on a terminal of its own could not leave the pager, so it
 *  gets the whole text. */
export async function printByPage(platform: App['platform'], text: string, { rows, columns, write }: Terminal): Promise<void> {
  const { env } = process;
  const pager = env.PAGER ?? (process.platform === 'win32' ? '' : 'less');
  if (!rows || countLines(text, columns) < rows || pager.trim() === '' || env.TERM === 'dumb') return write(text);
  if (!(await isInteractive(platform))) return write(text);
  const { status, error } = spawnSync(pager, {
    input: text,
    stdio: ['pipe', 'inherit', 'inherit'],
    shell: env.PAGER !== undefined,
    // -F ends at once if the text fits, -R shows colours, -X leaves the text on the screen.
    env: { ...env, LESS: env.LESS ?? 'FRX', LESSCHARSET: env.LESSCHARSET ?? 'utf-8' },
  });
  // 127: the shell did not find the pager, and nothing was printed.
  if (error || status === 127) write(text);
}

/** Counts the lines on the screen: a longer line takes several. */
const countLines = (text: string, columns: number): number =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(measureWidth(line) / columns)), -1);
