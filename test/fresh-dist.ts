import { refresh } from './fresh-build.ts';

/** Global set-up for tests that run the built command: builds `dist/` if a source is newer. */
export default function setup(): void {
  if (!process.env.CLEO_TEST_DIST) refresh('dist/cleo.js', 'build.mjs');
}
