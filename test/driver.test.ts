import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const dist = resolve(import.meta.dirname, '..', process.env.CLEO_TEST_DIST ?? 'dist');

test('fails with exit code 5 without a safe SQLite, and creates no store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-driver-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  const env = { PATH: process.env.PATH, CLEO_HOME: join(folder, 'home') };
  const cleo = (...words: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, [join(folder, 'dist', 'cleo.js'), ...words], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    return { status, answer: JSON.parse(stdout) };
  };
  const made = cleo('init');
  // A newer Node has a built-in SQLite.
  if (process.versions.sqlite) {
    expect(made.status).toBe(0);
    return;
  }
  expect(made).toMatchObject({ status: 5, answer: { success: false, error: { code: 'E_DEPENDENCY_ERROR', fix: 'cleo version' } } });
  expect(existsSync(join(folder, '.cleo', 'cleo.db'))).toBe(false);
  expect(cleo('version')).toMatchObject({ status: 0, answer: { version: expect.any(String) } });
});
