import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunFolder } from './ground-port.ts';
import { replacePrivate } from './private-file.ts';
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
        replacePrivate(path, text, how);
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
