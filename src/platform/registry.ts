import { lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RegistryText } from '#nexus/model/nexus.ts';
import { files, guarded } from './files.ts';
import type { Project } from './port.ts';
import { findProject } from './project.ts';

/** A registry of any sensible size is far below this; what is larger is something else. */
const mostBytes = 16 << 20;

/** The user's registry of projects: one file, written whole, one process at a time. */
export function registryFile(home: string) {
  const path = join(home, 'nexus.json');
  const read = (): RegistryText | undefined =>
    guarded(path, () => {
      if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
      const found = statSync(path, { throwIfNoEntry: false });
      if (!found) return { problem: 'is a link that leads nowhere' };
      // A pipe would be waited for, a device read without end.
      if (!found.isFile()) return { problem: 'is not a plain file' };
      if (found.size > mostBytes) return { problem: 'is far too large' };
      const bytes = readFileSync(path);
      const text = bytes.toString('utf8');
      return Buffer.from(text).equals(bytes) ? { text } : { problem: 'is not UTF-8' };
    });
  return {
    path,
    read,
    /** False if there is something already, whatever it is. */
    create(text: string): boolean {
      guarded(path, () => void mkdirSync(dirname(path), { recursive: true }));
      return !lstatSync(path, { throwIfNoEntry: false }) && files.writeNew(path, text);
    },
    /** Hands over what is there and writes what comes back, if anything does. */
    change<T>(work: (found: RegistryText | undefined) => { text?: string; result: T }): T {
      // Without the folder there is no registry, and no place for a lock.
      if (!files.exists(home)) return work(undefined).result;
      return files.alone(path, () => {
        const { text, result } = work(read());
        if (text !== undefined) files.writeWhole(path, text);
        return result;
      });
    },
  };
}

/** A folder as the registry keeps it: absolute, links followed, so that one folder has one name. */
export function realFolder(from: string, path: string): string | undefined {
  try {
    const folder = realpathSync(resolve(from, path));
    return statSync(folder).isDirectory() ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The project in this very folder. */
export const projectAt = (path: string, home: string): Project | undefined => findProject(path, path, home);
