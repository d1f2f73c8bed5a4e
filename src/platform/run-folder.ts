import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunFolder } from './ground-port.ts';
import { writing } from './unwritable.ts';

/** What runs leave behind: each in a folder of its own, for nobody else to read. */
export function runFolder(top: string): RunFolder {
  return {
    attempt(runId, phase, skill, attempt) {
      const folder = join(top, runId, phase, skill, String(attempt));
      writing(folder, 73, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
      return folder;
    },
    write(runId, name, text, how = 'durable') {
      const path = join(top, runId, name);
      writing(path, 73, () => {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        const fresh = `${path}.tmp-${process.pid}`;
        try {
          const file = openSync(fresh, 'w', 0o600);
          try {
            writeFileSync(file, text);
            if (how === 'durable') fsyncSync(file);
          } finally {
            closeSync(file);
          }
          renameSync(fresh, path);
        } catch (error) {
          rmSync(fresh, { force: true });
          throw error;
        }
      });
    },
    read: (runId, name) => {
      const path = join(top, runId, name);
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    },
    list: () =>
      (existsSync(top) ? readdirSync(top, { withFileTypes: true }) : [])
        .filter((entry) => entry.isDirectory() && entry.name.startsWith('run-'))
        .map(({ name }) => name)
        .sort(),
    changedAt: (runId) => statSync(join(top, runId), { throwIfNoEntry: false })?.mtime.toISOString() ?? '',
    remove: (runId) => writing(runId, 73, () => rmSync(join(top, runId), { recursive: true, force: true })),
  };
}
