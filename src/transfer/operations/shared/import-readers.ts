import type { ForeignStream, SourceFile } from '../../model/foreign.ts';
import { type ImportTool, importTools, sourceFilePatterns } from '../../rules/detect-tool.ts';

/** Loads the reader of a tool, which no other import needs. */
export const loadReader: Record<ImportTool, () => Promise<(files: SourceFile[]) => ForeignStream>> = {
  beads: async () => (await import('../../rules/beads.ts')).streamBeads,
  taskmaster: async () => (await import('../../rules/taskmaster.ts')).streamTaskmaster,
  backlog: async () => (await import('../../rules/backlog.ts')).streamBacklog,
  taskwarrior: async () => (await import('../../rules/taskwarrior.ts')).streamTaskwarrior,
  github: async () => (await import('../../rules/github.ts')).streamGithub,
  'todo.txt': async () => (await import('../../rules/todo-txt.ts')).streamTodoTxt,
};

/** Folders inside a project where tools store their files. */
const sourceFolders: Partial<Record<ImportTool, string>> = { beads: '.beads', taskmaster: '.taskmaster', backlog: 'backlog' };

/** Selects the files of a folder that the command line reads: those of the given tool, or of any tool. */
export function selectSourceFiles({ from }: Record<string, unknown>): { folders: string[]; wants(name: string): boolean } {
  const given = importTools.filter((tool) => tool === from);
  const selected = given.length > 0 ? given : importTools;
  return {
    folders: selected.flatMap((tool) => sourceFolders[tool] ?? []),
    wants: (name) => selected.some((tool) => sourceFilePatterns[tool].test(name)),
  };
}
