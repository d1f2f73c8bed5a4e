import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleoPath, cleoRunner } from '../built-cli.ts';
import { createFaultProject } from './processes.ts';

test('a deleted working folder is an error with a code', async () => {
  const project = await createFaultProject();
  const folder = join(project.root, 'gone');
  for (const words of [['list'], ['add', 'x'], ['init'], ['version'], ['mcp']]) {
    mkdirSync(folder);
    const script = 'rm -r "$PWD" && exec "$@"';
    const { status, stdout } = spawnSync('sh', ['-c', script, 'sh', cleoRunner, cleoPath, ...words], { cwd: folder });
    const { error } = JSON.parse(String(stdout));
    expect([status, error.code]).toEqual([3, 'E_FILE_ERROR']);
    expect(error.message).toContain('working folder');
    rmSync(folder, { recursive: true, force: true });
  }
});
