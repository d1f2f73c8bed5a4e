import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { played } from './console.ts';

const root = resolve(import.meta.dirname, '..');
const guide = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`);
const pages = ['README.md', ...guide].filter((page) => readFileSync(join(root, page), 'utf8').includes('```console\n'));

test.each(pages)('the commands in %s print what stands below them', async (page) => {
  const path = join(root, page);
  await expect(await played(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
});
