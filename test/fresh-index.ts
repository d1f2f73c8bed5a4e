import { refresh } from './fresh-build.ts';

/** Global set-up: writes the operation index if a source is newer, so that a test run never uses an old one. */
export default function setup(): void {
  refresh('src/core/index.generated.ts', 'index.mjs');
}
