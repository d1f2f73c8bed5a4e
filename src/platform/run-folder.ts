import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { skillRefusal } from '../errors/skill.ts';
import type { RunFolder } from './ground-port.ts';

/** What runs leave behind: each in a folder of its own, for nobody else to read. */
export function runFolder(top: string): RunFolder {
  const guarded = <T>(path: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      throw skillRefusal(73, `${path} cannot be written: ${code}`, 'cleo doctor', { path });
    }
  };
  return {
    attempt(runId, phase, skill, attempt) {
      const folder = join(top, runId, phase, skill, String(attempt));
      guarded(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
      return folder;
    },
    write(runId, name, text) {
      const path = join(top, runId, name);
      guarded(path, () => {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        const fresh = `${path}.tmp-${process.pid}`;
        const file = openSync(fresh, 'w', 0o600);
        try {
          writeSync(file, text);
          fsyncSync(file);
        } finally {
          closeSync(file);
        }
        renameSync(fresh, path);
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
    remove: (runId) => guarded(runId, () => rmSync(join(top, runId), { recursive: true, force: true })),
  };
}
