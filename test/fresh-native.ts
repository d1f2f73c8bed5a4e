import { executableName } from '../scripts/find-bun.mjs';
import { refresh } from './fresh-build.ts';

/** Global set-up for tests that run the native build: compiles it if a source is newer. */
export default function setup(): void {
  refresh(`dist-native/${executableName}`, 'native.mjs');
}
