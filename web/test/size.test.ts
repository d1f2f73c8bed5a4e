import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

/** The limit of spec 9.1 for everything that a first visit loads. */
const maxBytes = 150 * 1024;
const folder = resolve(import.meta.dirname, '../../dist/web');

test('a first visit loads at most 150 KB, compressed, in any view', () => {
  const files = ['index.html', 'theme.js', 'icon.svg', ...readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)];
  const bytes = files.map((name) => gzipSync(readFileSync(join(folder, name))).length).reduce((sum, each) => sum + each, 0);
  // All views together are below the limit; count only what one view loads as soon as they are not.
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(maxBytes);
});
