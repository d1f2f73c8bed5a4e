import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { registry } from '../src/core/index.generated.ts';
import { createReferencePages } from './reference.ts';

const folder = resolve(import.meta.dirname, '../docs/reference');
const written = createReferencePages(await Promise.all(registry.entries.map((entry) => entry.load())));

test.each([...written])('docs/reference/%s says what the definitions say', async (name, text) => {
  await expect(text).toMatchFileSnapshot(join(folder, name));
});

test('no page is left of what is gone', () => {
  const stale = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => !written.has(name));
  // What `-u` does for the pages that are there.
  const { snapshotState } = expect.getState() as unknown as { snapshotState?: { _updateSnapshot?: string } };
  if (snapshotState?._updateSnapshot === 'all') for (const name of stale) rmSync(join(folder, name));
  else expect(stale).toEqual([]);
});
