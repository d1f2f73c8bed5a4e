import { lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RegistryText } from '#nexus/model/nexus.ts';
import { convertFileErrors, files } from './files.ts';
import { withFileLock } from './lock-file.ts';
import { findProject } from './platform.ts';
import type { Project } from './port.ts';

/** A larger file is not a registry. */
const maxRegistryBytes = 16 << 20;

/** The user's registry of projects: one file, written atomically and under a lock. */
export function createRegistryFile(home: string) {
  const path = join(home, 'nexus.json');
  const read = (): RegistryText | undefined =>
    convertFileErrors(path, () => {
      if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
      const found = statSync(path, { throwIfNoEntry: false });
      if (!found) return { problem: 'is a broken link' };
      // Reading a pipe would block, and a device may have no end.
      if (!found.isFile()) return { problem: 'is not a regular file' };
      if (found.size > maxRegistryBytes) return { problem: 'is too large' };
      const bytes = readFileSync(path);
      const text = bytes.toString('utf8');
      return Buffer.from(text).equals(bytes) ? { text } : { problem: 'is not UTF-8' };
    });
  return {
    path,
    read,
    /** Returns false if the path exists already. */
    create(text: string): boolean {
      convertFileErrors(path, () => void mkdirSync(dirname(path), { recursive: true, mode: 0o700 }));
      return !lstatSync(path, { throwIfNoEntry: false }) && files.writeNew(path, text, true);
    },
    /** Calls `work` with the content under a lock and writes the text that it returns, if any. */
    update<T>(work: (found: RegistryText | undefined) => { text?: string; result: T }): T {
      // Without the folder there is neither a registry nor a place for the lock.
      if (!files.exists(home)) return work(undefined).result;
      return withFileLock(path, () => {
        const { text, result } = work(read());
        if (text !== undefined) files.writeAtomic(path, text);
        return result;
      });
    },
  };
}

/** Returns the absolute path of a folder without links, so that each folder has one name in the registry. */
export function resolveFolder(from: string, path: string): string | undefined {
  try {
    const folder = realpathSync(resolve(from, path));
    return statSync(folder).isDirectory() ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the project in this folder, without searching parent folders. */
export const findProjectAt = (path: string, home: string): Project | undefined => findProject(path, path, home);
