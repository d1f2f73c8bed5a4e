import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { addFolder } from './fixes/folders.ts';
import { endFolder, endTimeoutMs } from './fixes/record.ts';

/** Creates a folder that is removed when the test ends. */
export function createTempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cleo-unit-')));
  addFolder(folder);
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
    return endFolder(folder);
  }, endTimeoutMs);
  return folder;
}

/** Runs `work` as the user nobody if this process is root, which ignores permissions. */
export function runAsNobody<T>(work: () => T): T {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65534);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}
