import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { defaultRetryOn, explainExit } from '../src/runs/rules/skill-contract.ts';
import { runPage } from './run-page.ts';

const root = resolve(import.meta.dirname, '..');
const guide = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`);
const pages = ['README.md', ...guide].filter((page) => readFileSync(join(root, page), 'utf8').includes('```console\n'));

test('the table of exit codes in the guide matches the catalog', () => {
  const page = readFileSync(join(root, 'docs/guide/running-skills.md'), 'utf8');
  const rows = [...page.matchAll(/^\| ([\d, -]+) \| (\w+) \| ([\w, ]+) \| (yes|no|) ?\|/gm)];
  const told = rows.flatMap(([, codes = '', exitClass, statuses = '', again]) =>
    codes.split(', ').flatMap((range, i) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      const status = statuses.split(', ')[i] ?? statuses;
      return Array.from({ length: last - first + 1 }, (_, n) => `${first + n} ${exitClass} ${status} ${again === 'yes'}`);
    }),
  );
  const holds = Array.from({ length: 256 }, (_, code) => explainExit(code)).map(
    (meant) => `${meant.code} ${meant.class} ${meant.status} ${defaultRetryOn.includes(meant.class)}`,
  );
  expect(told.sort(compareNumbers)).toEqual(holds);
});

const compareNumbers = (one: string, other: string): number => Number.parseInt(one, 10) - Number.parseInt(other, 10);

test.each(pages)('the commands in %s print the output shown', async (page) => {
  const path = join(root, page);
  await expect(await runPage(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
});
