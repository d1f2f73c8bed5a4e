import { commandLine } from '#core/errors/catalog.ts';

/** The command that resumes a run. The record of the run holds its other parameters. */
export const resumeCommand = (id: string, kind: string, name: string): string =>
  commandLine(['cleo', ...(kind === 'skill' ? ['skill', 'run', name] : ['construct', 'run']), '--resume', id]);
