import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is gone when the test ends. */
export function createTempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cleo-unit-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Root ignores permissions; as nobody they count. */
export function runAsNobody<T>(work: () => T): T {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65534);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}
