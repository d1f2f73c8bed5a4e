import { rmSync } from 'node:fs';
import { getRunFolder } from './fixes/run-folder.ts';
import { refresh } from './fresh-build.ts';

/** Global set-up: writes the operation index if a source is newer, so that a test run never uses an old one. */
export default function setup(): () => void {
  refresh('src/core/index.generated.ts', 'index.mjs');
  return () => rmSync(getRunFolder(process.pid), { recursive: true, force: true });
}
