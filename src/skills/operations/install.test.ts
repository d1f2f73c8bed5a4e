import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';
import { createTempFolder } from '../../../test/temp-folder.ts';

const text = (name: string, body = 'Do it.'): string => `---\nname: ${name}\ndescription: Does it\n---\n\n${body}\n`;
const put = (path: string, content: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};
const project = async () => {
  const app = await openApp();
  const { root, call } = app;
  const mine = join(root, '.cleo', 'skills');
  put(join(root, 'vendor', 'upload-main', 'SKILL.md'), text('upload'));
  return {
    ...app,
    mine,
    source: join(root, 'vendor', 'upload-main'),
    read: (path: string): string => readFileSync(join(mine, path), 'utf8'),
    install: (path = 'vendor/upload-main', more: Record<string, unknown> = {}) => call('skills.install', { path, ...more }),
  };
};

test('copies a folder under the name of its skill', async () => {
  const { install, call, source, read, mine } = await project();
  put(join(source, 'references', 'form.md'), 'More.');
  put(join(source, 'run.sh'), '#!/bin/sh\n');
  put(join(source, '.git', 'config'), 'x');
  chmodSync(join(source, 'run.sh'), 0o755);
  const done = await install();
  expect(done).toMatchObject({
    _meta: { command: 'skills.install', resultsField: 'skill' },
    skill: { name: 'upload', origin: 'project', path: '.cleo/skills/upload/SKILL.md' },
    files: ['SKILL.md', 'references/form.md', 'run.sh'],
    data: { created: ['upload'] },
  });
  expect(read('upload/references/form.md')).toBe('More.');
  expect(statSync(join(mine, 'upload', 'run.sh')).mode & 0o100).not.toBe(0);
  expect(readdirSync(mine)).toEqual(['upload']);
  expect(readdirSync(join(mine, 'upload')).sort()).toEqual(['SKILL.md', 'references', 'run.sh']);
  expect(await call('skills.show', { name: 'upload' })).toMatchObject({ skill: { text: 'Do it.' } });
});

test('reports an identical skill as existing and replaces another one only with --replace', async () => {
  const { install, cli, source, read, mine } = await project();
  put(join(source, 'old.md'), 'x');
  await install();
  expect(await install()).toMatchObject({ _meta: { exitCode: 101 }, skill: { name: 'upload' } });
  expect(await install(undefined, { replace: true })).toMatchObject({ _meta: { exitCode: 101 } });
  put(join(source, 'SKILL.md'), text('upload', 'Do it well.'));
  put(join(source, 'new.md'), 'x');
  const refused = await install();
  expect(refused).toMatchObject({
    error: { code: 'E_ID_COLLISION', exitCode: 22, fix: 'cleo skill install vendor/upload-main --replace' },
  });
  expect(read('upload/SKILL.md')).toContain('Do it.');
  expect((await cli(refused.error.fix)).envelope).toMatchObject({ success: true, data: { updated: ['upload'] } });
  expect(read('upload/SKILL.md')).toContain('Do it well.');
  expect(readdirSync(mine)).toEqual(['upload']);
  expect(readdirSync(join(mine, 'upload')).sort()).toEqual(['SKILL.md', 'new.md', 'old.md']);
});

test('writes nothing in a dry run', async () => {
  const { install, mine } = await project();
  expect(await install(undefined, { dryRun: true })).toMatchObject({ files: ['SKILL.md'], data: { dryRun: true, wouldCreate: 1 } });
  expect(existsSync(mine)).toBe(false);
});

test('copies a bundled skill by name', async () => {
  const { install, read, call } = await project();
  const done = await install('ct-documentor');
  expect(done._meta.warnings).toEqual(['the bundled skill ct-documentor is now overridden']);
  expect(read('ct-documentor/SKILL.md')).toBe(readFileSync(join(import.meta.dirname, '../../../skills/ct-documentor/SKILL.md'), 'utf8'));
  expect(await call('skills.show', { name: 'ct-documentor' })).toMatchObject({ skill: { origin: 'project', shadows: ['bundled'] } });
  expect(await install('ct-documentor')).toMatchObject({ _meta: { exitCode: 101 } });
});

test('installs for the user', async () => {
  const { install, env, call } = await project();
  expect(await install(undefined, { user: true })).toMatchObject({ skill: { origin: 'user' } });
  expect(existsSync(join(env.CLEO_HOME!, 'skills', 'upload', 'SKILL.md'))).toBe(true);
  expect(await call('skills.show', { name: 'upload' })).toMatchObject({ skill: { origin: 'user' } });
});

test('reads a path outside the project only for the command line', async () => {
  const { call, mine } = await project();
  const outside = createTempFolder();
  put(join(outside, 'SKILL.md'), text('outer'));
  for (const gateway of ['http', 'cleo_mutate'] as const)
    expect(await call('skills.install', { path: outside }, { gateway })).toMatchObject({
      error: { exitCode: 3, code: 'E_FILE_ERROR', fix: `cleo skill install ${outside}` },
    });
  symlinkSync(outside, join(mine, '..', '..', 'way-out'));
  expect(await call('skills.install', { path: 'way-out' }, { gateway: 'http' })).toMatchObject({ error: { exitCode: 3 } });
  expect(await call('skills.install', { path: outside })).toMatchObject({ success: true, skill: { name: 'outer' } });
});

describe('refuses and writes nothing:', () => {
  test.each<[why: string, make: (source: string) => void, exit: number, problem: RegExp]>([
    ['no SKILL.md', (source) => put(join(source, 'skill.md'), text('upload')), 3, /contains no SKILL.md/],
    [
      'a broken SKILL.md',
      (source) => put(join(source, 'SKILL.md'), '---\nname: A\n---\n'),
      6,
      /name must be .*; description is missing; there is no text/,
    ],
    ['a name with a path', (source) => put(join(source, 'SKILL.md'), text('../../x')), 6, /name must be/],
    ['a link', (source) => link(source, '/etc/hostname'), 3, /contains linked, which is a link/],
    ['a link to a folder', (source) => link(source, '..'), 3, /contains linked, which is a link/],
    ['too many files', (source) => many(source, 201), 3, /contains more than 200 files/],
    ['too many bytes', (source) => put(join(source, 'big'), 'x'.repeat(2_100_000)), 3, /or 2 MiB/],
    ['too deep', (source) => put(join(source, 'a/b/c/d/e/f/g/h'), 'x'), 3, /more than 6 folders deep/],
  ])('%s', async (_, make, exit, problem) => {
    const { root, install, mine, cli } = await openApp().then((app) => ({
      ...app,
      mine: join(app.root, '.cleo', 'skills'),
      install: (path: string) => app.call('skills.install', { path }),
    }));
    const source = join(root, 'in');
    if (!/SKILL.md|broken|name/.test(_)) put(join(source, 'SKILL.md'), text('upload'));
    make(source);
    const refused = await install('in');
    expect(refused).toMatchObject({ error: { exitCode: exit, message: expect.stringMatching(problem) } });
    expect(existsSync(mine)).toBe(false);
    expect((await cli(refused.error.fix)).exitCode).toBe(0);
  });

  test('an unknown name', async () => {
    const { install, cli } = await project();
    const refused = await install('nowhere');
    expect(refused).toMatchObject({ error: { exitCode: 4, code: 'E_NOT_FOUND' } });
    expect((await cli(refused.error.fix)).exitCode).toBe(0);
    expect(await install('vendor/upload-main/SKILL.md')).toMatchObject({ error: { exitCode: 3 } });
  });

  test('a skills folder that links outside the project', async () => {
    const { install, mine } = await project();
    const outside = createTempFolder();
    symlinkSync(outside, mine);
    expect(await install()).toMatchObject({ error: { code: 'E_PROJECT_UNTRUSTED', exitCode: 8 } });
    expect(readdirSync(outside)).toEqual([]);
  });

  test('a link at the target of the skill', async () => {
    const { install, mine, read } = await project();
    const outside = createTempFolder();
    put(join(outside, 'SKILL.md'), 'theirs');
    mkdirSync(mine);
    symlinkSync(outside, join(mine, 'upload'));
    expect(await install(undefined, { replace: true })).toMatchObject({ error: { exitCode: 3 } });
    expect(read('upload/SKILL.md')).toBe('theirs');
    expect(readFileSync(join(outside, 'SKILL.md'), 'utf8')).toBe('theirs');
  });
});

function link(source: string, target: string): void {
  symlinkSync(target, join(source, 'linked'));
}

function many(source: string, count: number): void {
  for (let i = 0; i < count; i += 1) put(join(source, `file-${i}`), 'x');
}

test('rejects a path with NUL', async () => {
  const { call } = await openApp();
  expect(await call('skills.install', { path: 'a\0b' })).toMatchObject({ success: false, error: { exitCode: 6 } });
});
