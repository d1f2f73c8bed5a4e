import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from './temp-folder.ts';

const root = resolve(import.meta.dirname, '..');
const { man, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { man: string[]; files: string[] };

test('the package has a manual page for cleo and for each namespace, generated from the definitions', () => {
  const folder = createTempFolder();
  execFileSync(process.execPath, [join(root, 'scripts/man.mjs'), folder]);
  const pages = readdirSync(folder).filter((name) => name.endsWith('.1'));
  expect(man.toSorted()).toEqual(pages.map((name) => `./man/${name}`).toSorted());
  expect(files).toContain('man');
  const main = readFileSync(join(folder, 'cleo.1'), 'utf8');
  expect(main).toContain('.B cleo complete');
  expect(main).toContain('\\-\\-json');
  expect(readFileSync(join(folder, 'cleo-tasks.1'), 'utf8')).toContain('\\-\\-description\\-file FILE');
  for (const name of pages) {
    const text = readFileSync(join(folder, name), 'utf8');
    // A line that begins with a dot or a quote is a request.
    for (const line of text.split('\n').filter((each) => /^[.']/.test(each)))
      expect(line).toMatch(/^\.(\\"|TH|SH|SS|TP|PP|B|BR|I|nf|fi)\b|^\.\\"/);
    const shown = spawnSync('man', ['--warnings', '-l', join(folder, name)], { encoding: 'utf8', env: { ...process.env, MANWIDTH: '80' } });
    if (shown.error) continue;
    expect([name, shown.status, shown.stderr]).toEqual([name, 0, '']);
    expect(shown.stdout).toContain('NAME');
  }
});
