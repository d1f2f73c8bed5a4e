import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exitLibrary } from '../scripts/exit-library.mjs';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, process.env.CLEO_TEST_DIST ?? 'dist');
const isSupported = `${process.platform}-${process.arch}` === 'linux-x64';
/** The loader of glibc reports what it loads. Others do not, so that only the results can be checked there. */
const isReported =
  isSupported && Boolean((process.report.getReport() as { header?: { glibcVersionRuntime?: string } }).header?.glibcVersionRuntime);

function openProject(options: { env?: NodeJS.ProcessEnv; flags?: string[]; from?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-exit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { env = {}, flags = [], from = dist } = options;
  return {
    folder,
    run(...words: string[]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, join(from, 'cleo.js'), ...words], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: '/nonexistent', LOGNAME: 'sam', LD_DEBUG: 'libs', ...env },
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      });
      const [, last] = /calling init: (\S+)\s+\d+:\s*$/.exec(stderr) ?? [];
      const endedAtOnce = last === join(from, exitLibrary);
      return { status, stdout, problems: stderr.replace(/^ +\d+:\t.*\n/gm, '').trim(), endedAtOnce };
    },
  };
}

const success = { status: 0, stdout: expect.stringContaining('"success":true'), problems: '' };

test('a command that succeeds ends without the work that Node does at its end', () => {
  const { run } = openProject();
  for (const words of [['init'], ['add', 'Write'], ['list']]) expect(run(...words)).toMatchObject(success);
  // The first runs of a command store their code at the end.
  for (let runs = 0; runs < 3; runs++) run('show', 'T1');
  for (const words of [
    ['show', 'T1'],
    ['add', 'Test'],
    ['show', 'T2'],
  ])
    expect(run(...words)).toMatchObject({ ...success, ...(isReported ? { endedAtOnce: true } : {}) });
});

test('a command that fails, options of Node and coverage end as Node does', () => {
  const { run, folder } = openProject();
  run('init');
  expect(run('show', 'T9')).toMatchObject({ status: 4, endedAtOnce: false });
  for (const options of [{ flags: ['--no-warnings'] }, { env: { NODE_OPTIONS: '--no-warnings' } }])
    expect(openProject(options).run('version')).toMatchObject({ ...success, endedAtOnce: false });
  const coverage = join(folder, 'coverage');
  expect(openProject({ env: { NODE_V8_COVERAGE: coverage } }).run('version')).toMatchObject({ ...success, endedAtOnce: false });
  expect(readdirSync(coverage)).toHaveLength(1);
});

test('a command ends without the library too, or with one that the system does not load', () => {
  const { folder } = openProject();
  mkdirSync(join(folder, 'node_modules'));
  if (existsSync(join(root, 'node_modules', '@photostructure')))
    symlinkSync(join(root, 'node_modules', '@photostructure'), join(folder, 'node_modules', '@photostructure'));
  const from = join(folder, 'dist');
  cpSync(dist, from, { recursive: true });
  const { run } = openProject({ from });
  writeFileSync(join(from, exitLibrary), 'no library');
  expect(run('init')).toMatchObject({ ...success, endedAtOnce: false });
  rmSync(join(from, exitLibrary));
  expect(run('add', 'Write')).toMatchObject({ ...success, endedAtOnce: false });
  expect(run('show', 'T1')).toMatchObject({ ...success, endedAtOnce: false });
});

test('a long answer arrives as a whole', () => {
  const { run, folder } = openProject();
  run('init');
  const tasks = Array.from({ length: 400 }, (_, i) => ({ title: `Task ${i}`, description: 'ü'.repeat(4000) }));
  writeFileSync(join(folder, 'batch.json'), JSON.stringify(tasks));
  expect(run('add-batch', '--file', 'batch.json')).toMatchObject(success);
  const { stdout } = run('list', '--limit', '0', '--fields', 'id,description');
  expect(JSON.parse(stdout).tasks).toHaveLength(400);
});
