import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { routes } from '../src/routes.ts';

/** The limit of spec 9.1 for everything that a first visit loads. */
const maxBytes = 150 * 1024;
const folder = resolve(import.meta.dirname, '../../dist/web');

// The scripts have no types.
const { listFirstVisits } = await import(new URL('../../scripts/build-web.mjs', import.meta.url).href);

test('a first visit loads at most 150 KB, compressed, in any view', () => {
  const visits = Object.entries<string[]>(listFirstVisits(folder)).map(([view, files]) => ({
    view,
    bytes: files.map((name) => gzipSync(readFileSync(join(folder, name))).length).reduce((sum, each) => sum + each, 0),
  }));
  expect(visits).toHaveLength(routes.length);
  for (const { view, bytes } of visits) {
    expect(bytes, view).toBeGreaterThan(20_000);
    expect(bytes, view).toBeLessThan(maxBytes);
  }
});
