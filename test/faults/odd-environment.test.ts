import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFaultFolder, createFaultProject, dist, runCleoProcess } from './processes.ts';

test('CLEO_ROOT that is not a folder is a configuration error', async () => {
  const folder = createFaultFolder();
  writeFileSync(join(folder, 'file'), '');
  for (const root of ['/dev/null', join(folder, 'file')])
    for (const words of [['list'], ['add', 'x'], ['init'], ['doctor']]) {
      const { exitCode, answer } = await runCleoProcess(words, { cwd: folder, env: { CLEO_HOME: join(folder, 'home'), CLEO_ROOT: root } });
      expect([exitCode, answer.error.code]).toEqual([8, 'E_CONFIG_ERROR']);
      expect(answer.error.message).toContain('is not a folder');
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

test('a deleted working folder is an error with a code', async () => {
  const project = await createFaultProject();
  const folder = join(project.root, 'gone');
  for (const words of [['list'], ['add', 'x'], ['init'], ['version']]) {
    mkdirSync(folder);
    const script = 'rm -r "$PWD" && exec "$@"';
    const { status, stdout } = spawnSync('sh', ['-c', script, 'sh', process.execPath, join(dist, 'cleo.js'), ...words], { cwd: folder });
    const { error } = JSON.parse(String(stdout));
    expect([status, error.code]).toEqual([3, 'E_FILE_ERROR']);
    expect(error.message).toContain('working folder');
    rmSync(folder, { recursive: true, force: true });
  }
});
