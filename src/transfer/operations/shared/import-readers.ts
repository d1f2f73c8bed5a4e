import type { ForeignData, SourceFile } from '../../model/foreign.ts';
import { type ImportTool, importTools, sourceFilePatterns } from '../../rules/detect-tool.ts';

/** Loads the reader of a tool, which no other import needs. */
export const loadReader: Record<ImportTool, () => Promise<(files: SourceFile[]) => ForeignData>> = {
  beads: async () => (await import('../../rules/beads.ts')).readBeads,
  taskmaster: async () => (await import('../../rules/taskmaster.ts')).readTaskmaster,
  backlog: async () => (await import('../../rules/backlog.ts')).readBacklog,
  taskwarrior: async () => (await import('../../rules/taskwarrior.ts')).readTaskwarrior,
  github: async () => (await import('../../rules/github.ts')).readGithub,
  'todo.txt': async () => (await import('../../rules/todo-txt.ts')).readTodoTxt,
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
