import { commandLine } from '#core/errors/quote.ts';

/** What goes on with a run: what it was asked for, its record knows. */
export const resumeCommand = (id: string, kind: string, name: string): string =>
  commandLine(['cleo', ...(kind === 'skill' ? ['skill', 'run', name] : ['construct', 'run']), '--resume', id]);

/** What shows where every skill of a construct is, and what it runs. */
export const showCommand = (file: string): string => commandLine(['cleo', 'construct', 'show', file]);
