import { isatty } from 'node:tty';
import type { App } from '#dispatch/dispatch.ts';

/** Checks whether a person can answer a question: standard input is a terminal, and neither an agent nor CI runs the command. */
export async function isInteractive({ loadTerminal }: Pick<App['platform'], 'loadTerminal'>): Promise<boolean> {
  if (!isatty(0)) return false;
  const { name, marks } = await loadTerminal();
  return name !== undefined && marks.every(({ kind }) => kind === 'terminal');
}
