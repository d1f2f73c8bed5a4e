import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schemaVersion } from '#store/schema-version.ts';
import { openApp } from '../../../test/app.ts';
import { createEmptyFolder } from '../../../test/folder.ts';

test('shows versions, store and root', async () => {
  const app = await openApp();
  expect(await app.call('admin.version')).toMatchObject({
    success: true,
    version: '0.0.0-test',
    build: 'node',
    runtime: `node ${process.versions.node}`,
    sqlite: expect.stringMatching(/^3\.\d+\.\d+$/),
    schema: schemaVersion,
    store: process.env.CLEO_TEST_ENGINE,
    root: app.root,
  });
});

test('works without a project and in a broken one', async () => {
  const folder = createEmptyFolder();
  expect(await folder.call('admin.version')).toEqual(expect.not.objectContaining({ store: expect.anything(), root: expect.anything() }));
  mkdirSync(join(folder.root, '.cleo'));
  writeFileSync(join(folder.root, '.cleo', 'config.json'), '{');
  expect(await folder.call('admin.version')).toMatchObject({ success: true, root: folder.root });
});
