import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { registry } from '../src/core/index.generated.ts';
import { createReferencePages } from './reference.ts';

const folder = resolve(import.meta.dirname, '../docs/reference');
const written = createReferencePages(await Promise.all(registry.entries.map((entry) => entry.load())));

test.each([...written])('docs/reference/%s matches the definitions', async (name, text) => {
  await expect(text).toMatchFileSnapshot(join(folder, name));
});

test('has no outdated pages', () => {
  const stale = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => !written.has(name));
  // `-u` rewrites existing pages; this removes outdated ones.
  const { snapshotState } = expect.getState() as unknown as { snapshotState?: { _updateSnapshot?: string } };
  if (snapshotState?._updateSnapshot === 'all') for (const name of stale) rmSync(join(folder, name));
  else expect(stale).toEqual([]);
});
