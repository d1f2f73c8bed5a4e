import type { ForeignData, SourceFile } from '../../model/foreign.ts';
import { type ImportTool, importTools } from '../../rules/detect-tool.ts';

/** Describes a tool without loading its reader, which is loaded only when it is used. */
interface ImportReader {
  /** Folder inside the project where the tool stores its files. */
  folder?: string;
  load(): Promise<{ read(files: SourceFile[]): ForeignData; accepts(name: string): boolean }>;
}

export const importReaders: Record<ImportTool, ImportReader> = {
  beads: {
    folder: '.beads',
    load: async () => {
      const { readBeads, isBeadsFile } = await import('../../rules/beads.ts');
      return { read: readBeads, accepts: isBeadsFile };
    },
  },
  taskmaster: {
    folder: '.taskmaster',
    load: async () => {
      const { readTaskmaster, isTaskmasterFile } = await import('../../rules/taskmaster.ts');
      return { read: readTaskmaster, accepts: isTaskmasterFile };
    },
  },
  backlog: {
    folder: 'backlog',
    load: async () => {
      const { readBacklog, isBacklogFile } = await import('../../rules/backlog.ts');
      return { read: readBacklog, accepts: isBacklogFile };
    },
  },
  taskwarrior: {
    load: async () => {
      const { readTaskwarrior, isTaskwarriorFile } = await import('../../rules/taskwarrior.ts');
      return { read: readTaskwarrior, accepts: isTaskwarriorFile };
    },
  },
  github: {
    load: async () => {
      const { readGithub, isGithubFile } = await import('../../rules/github.ts');
      return { read: readGithub, accepts: isGithubFile };
    },
  },
  'todo.txt': {
    load: async () => {
      const { readTodoTxt, isTodoTxtFile } = await import('../../rules/todo-txt.ts');
      return { read: readTodoTxt, accepts: isTodoTxtFile };
    },
  },
};

const isTool = (name: unknown): name is ImportTool => importTools.includes(name as ImportTool);

/** Selects the files of a folder that the command line reads: those of the given tool, or of any tool. */
export async function selectSourceFiles({ from }: Record<string, unknown>): Promise<{ folders: string[]; wants(name: string): boolean }> {
  const selected = isTool(from) ? [importReaders[from]] : Object.values(importReaders);
  const loaded = await Promise.all(selected.map((reader) => reader.load()));
  return { folders: selected.flatMap(({ folder }) => folder ?? []), wants: (name) => loaded.some(({ accepts }) => accepts(name)) };
}
