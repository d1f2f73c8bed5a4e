import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { cleoPath, isNative } from '../built-cli.ts';
import { createNobodyOptions } from './disks.ts';
import { createFaultFolder, createFaultProject, runCleoProcess } from './processes.ts';

test('CLEO_ROOT that is not a folder contains no project, and none can be created in it', async () => {
  const folder = createFaultFolder();
  writeFileSync(join(folder, 'file'), '');
  for (const root of ['/dev/null', join(folder, 'file')])
    for (const [words, exit] of [
      [['list'], 8],
      [['add', 'x'], 8],
      [['doctor'], 8],
      [['init'], 3],
    ] as const) {
      const env = { CLEO_HOME: join(folder, 'home'), CLEO_ROOT: root };
      const { exitCode, answer } = await runCleoProcess([...words], { cwd: folder, env });
      expect([words, exitCode, answer.error.code]).toEqual([words, exit, exit === 8 ? 'E_NOT_INITIALIZED' : 'E_FILE_ERROR']);
      if (exit === 8) expect(answer.error.message).toBe(`No .cleo folder in ${root}, which CLEO_ROOT names`);
    }
});

test('an empty HOME is the home folder of the user, not the project', async () => {
  const project = await createFaultProject();
  const { exitCode, answer } = await runCleoProcess(['show', 'T1'], {
    cwd: project.root,
    env: { HOME: '', USERPROFILE: '', CLEO_HOME: '' },
  });
  expect([exitCode, answer.error.code]).toEqual([4, 'E_NOT_FOUND']);
});

test('a home folder that cannot be read is ignored by a build without a code cache', async () => {
  const { cleo = cleoPath, ...nobody } = createNobodyOptions();
  // Without root, the copy of the build is the build itself, whose cache other tests need. The native build has none.
  if (nobody.uid !== undefined && !isNative) rmSync(join(dirname(cleo), 'cache'), { recursive: true });
  const folder = createFaultFolder();
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'home', 'cache'), { recursive: true, mode: 0o700 });
  const { exitCode, stderr } = await runCleoProcess(['version'], {
    ...nobody,
    cleo,
    cwd: folder,
    env: { CLEO_HOME: join(folder, 'home') },
  });
  expect([exitCode, stderr]).toEqual([0, '']);
});
