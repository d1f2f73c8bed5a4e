import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCleo } from './built-cli.ts';
import { createTempFolder } from './temp-folder.ts';

test('sixteen concurrent registrations lose nothing', async () => {
  const top = createTempFolder();
  const env = { CLEO_HOME: join(top, 'home') };
  const names = Array.from({ length: 16 }, (_, i) => `p${i}`);
  for (const name of names) {
    mkdirSync(join(top, name, '.cleo'), { recursive: true });
    writeFileSync(join(top, name, '.cleo', 'config.json'), JSON.stringify({ project: { key: name } }));
  }
  await runCleo(['nexus', 'init'], { cwd: top, env });
  const ran = await Promise.all(names.map((name) => runCleo(['nexus', 'register', name], { cwd: top, env })));
  expect(ran.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
  const { projects } = JSON.parse(readFileSync(join(top, 'home', 'nexus.json'), 'utf8'));
  expect(projects.map(({ name }: { name: string }) => name).sort()).toEqual(names.toSorted());
});
