import type { ForeignFile, GivenFile } from '../../model/foreign.ts';
import { type Tool, tools } from '../../rules/recognise.ts';

/** What is to be known of a tool before its files are read. Each reader is loaded only where it is asked for. */
interface Reader {
  /** The folder in which the tool keeps its files, inside that of the project. */
  folder?: string;
  load(): Promise<{ read(files: GivenFile[]): ForeignFile; wanted(name: string): boolean }>;
}

export const readers: Record<Tool, Reader> = {
  beads: {
    folder: '.beads',
    load: async () => {
      const { readBeads: read, wanted } = await import('../../rules/beads.ts');
      return { read, wanted };
    },
  },
  taskmaster: {
    folder: '.taskmaster',
    load: async () => {
      const { readTaskmaster: read, wanted } = await import('../../rules/taskmaster.ts');
      return { read, wanted };
    },
  },
  backlog: {
    folder: 'backlog',
    load: async () => {
      const { readBacklog: read, wanted } = await import('../../rules/backlog.ts');
      return { read, wanted };
    },
  },
  taskwarrior: {
    load: async () => {
      const { readTaskwarrior: read, wanted } = await import('../../rules/taskwarrior.ts');
      return { read, wanted };
    },
  },
  github: {
    load: async () => {
      const { readGithub: read, wanted } = await import('../../rules/github.ts');
      return { read, wanted };
    },
  },
  'todo.txt': {
    load: async () => {
      const { readTodoTxt: read, wanted } = await import('../../rules/todo-txt.ts');
      return { read, wanted };
    },
  },
};

const isTool = (name: unknown): name is Tool => tools.includes(name as Tool);

/** Which files of a folder the command line reads: those of the tool, or, where none is named, of any. */
export async function wantedFor({ from }: Record<string, unknown>): Promise<{ folders: string[]; wants(name: string): boolean }> {
  const asked = isTool(from) ? [readers[from]] : Object.values(readers);
  const all = await Promise.all(asked.map((reader) => reader.load()));
  return { folders: asked.flatMap(({ folder }) => folder ?? []), wants: (name) => all.some(({ wanted }) => wanted(name)) };
}
