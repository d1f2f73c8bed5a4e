import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configKeys } from '#core/model/config.ts';
import { openApp, type TestApp } from '../../../test/app.ts';
import { createEmptyFolder } from '../../../test/folder.ts';

const projectFile = ({ root }: TestApp): string => join(root, '.cleo', 'config.json');
const userFile = ({ root }: TestApp): string => join(root, 'home', 'config.json');
const inFile = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const write = (path: string, text: string): void => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
};

test('a setting that is set holds from then on', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001'] });
  expect(await app.call('admin.config.get', { key: 'hierarchy.maxSiblings' })).toMatchObject({ value: 7, source: 'default' });
  expect((await app.cli('cleo config set hierarchy.maxSiblings 1')).envelope).toMatchObject({
    success: true,
    key: 'hierarchy.maxSiblings',
    value: 1,
    source: 'project',
  });
  expect(await app.call('admin.config.get', { key: 'hierarchy.maxSiblings' })).toMatchObject({ value: 1, source: 'project' });
  expect(await app.call('tasks.add', { title: 'Too many', parent: 'T001' })).toMatchObject({ error: { code: 'E_SIBLING_LIMIT' } });
});

test('the same value again changes nothing', async () => {
  const app = await openApp();
  await app.call('admin.config.set', { key: 'backup.keep', value: 3 });
  expect(await app.call('admin.config.set', { key: 'backup.keep', value: '3' })).toMatchObject({
    success: true,
    _meta: { exitCode: 102 },
  });
});

test('the rest of the file stays, in its order; so do a link and its permissions', async () => {
  const app = await openApp();
  const elsewhere = join(app.root, 'dotfiles.json');
  write(elsewhere, '{"$schema":"x","store":{"durability":"normal"}}');
  mkdirSync(join(app.root, 'home'));
  symlinkSync(elsewhere, userFile(app));
  const { mode } = statSync(elsewhere);
  await app.call('admin.config.set', { key: 'claims.ttlMinutes', value: 5, user: true });
  expect(readFileSync(elsewhere, 'utf8')).toBe(
    `${JSON.stringify({ $schema: 'x', store: { durability: 'normal' }, claims: { ttlMinutes: 5 } }, null, 2)}\n`,
  );
  expect(statSync(elsewhere).mode).toBe(mode);
});

test('the project wins over the user, the user over the default; --user looks past the project', async () => {
  const app = await openApp();
  await app.call('admin.config.set', { key: 'backup.keep', value: 3, user: true });
  expect(await app.call('admin.config.get', { key: 'backup.keep' })).toMatchObject({ value: 3, source: 'user' });
  await app.call('admin.config.set', { key: 'backup.keep', value: 4 });
  expect(await app.call('admin.config.get', { key: 'backup.keep' })).toMatchObject({ value: 4, source: 'project' });
  expect(await app.call('admin.config.get', { key: 'backup.keep', user: true })).toMatchObject({ value: 3, source: 'user' });
  expect(await app.call('admin.config.unset', { key: 'backup.keep' })).toMatchObject({ key: 'backup.keep', value: 3, source: 'user' });
  expect(await app.call('admin.config.unset', { key: 'backup.keep' })).toMatchObject({ _meta: { exitCode: 102 } });
});

test('the list has every key, with its meaning', async () => {
  const { config } = await (await openApp()).call('admin.config.list');
  expect(config.map(({ key }: { key: string }) => key)).toEqual(Object.keys(configKeys));
  expect(config[0]).toEqual({
    key: 'hierarchy.maxSiblings',
    value: 7,
    source: 'default',
    about: configKeys['hierarchy.maxSiblings'].about,
  });
});

test('a tool has a name of its own, and is there until it is taken out', async () => {
  const app = await openApp();
  expect(await app.call('admin.config.get', { key: 'verification.tools.test' })).toMatchObject({ value: '', source: 'default' });
  expect((await app.cli(['config', 'set', 'verification.tools.test', 'npm test'])).envelope).toMatchObject({ value: 'npm test' });
  expect(await app.call('admin.config.set', { key: 'verification.tools.lint', value: ['npm', 'run', 'lint'] })).toMatchObject({
    success: true,
  });
  expect(await app.call('admin.config.set', { key: 'verification.tools.lint', value: '["npm","run","lint"]' })).toMatchObject({
    _meta: { exitCode: 102 },
  });
  expect(inFile(projectFile(app)).verification).toEqual({ tools: { test: 'npm test', lint: ['npm', 'run', 'lint'] } });
  const { config } = await app.call('admin.config.list');
  expect(config.slice(-2)).toMatchObject([{ key: 'verification.tools.test' }, { key: 'verification.tools.lint', source: 'project' }]);
  expect((await app.cli(['config', 'unset', 'verification.tools.lint'])).exitCode).toBe(0);
  expect(await app.call('admin.config.get', { key: 'verification.tools.lint' })).toMatchObject({ source: 'default' });
  expect(await app.call('admin.config.set', { key: 'verification.tools.__proto__', value: 'x' })).toMatchObject({
    error: { exitCode: 8 },
  });
});

test('taking out the last setting of a group leaves no empty group', async () => {
  const app = await openApp({ config: { backup: { keep: 3 } } });
  await app.call('admin.config.unset', { key: 'backup.keep' });
  expect(inFile(projectFile(app))).not.toHaveProperty('backup');
});

describe('what is not valid', () => {
  test.each([
    ['hierarchy.maxSibling', 'cleo config set hierarchy.maxSiblings 9', ['hierarchy.maxSiblings']],
    ['maxSiblings', 'cleo config set hierarchy.maxSiblings 9', ['hierarchy.maxSiblings']],
    ['hierarchy', 'cleo config list', ['hierarchy.autoCompleteParents', 'hierarchy.maxSiblings']],
    ['nothing.like.it', 'cleo config list', Object.keys(configKeys)],
    ['__proto__', 'cleo config list', Object.keys(configKeys)],
  ])('the key %s is 8, and the keys that may be meant are named', async (key, fix, valid) => {
    const app = await openApp();
    const before = readFileSync(projectFile(app), 'utf8');
    expect((await app.cli(['config', 'set', key, '9'])).envelope).toMatchObject({
      error: { code: 'E_CONFIG_ERROR', exitCode: 8, fix, details: { valid } },
    });
    expect(readFileSync(projectFile(app), 'utf8')).toBe(before);
    expect((await app.cli(fix)).exitCode).toBe(0);
    expect(await app.call('admin.config.get', { key })).toMatchObject({ error: { exitCode: 8 } });
    expect(await app.call('admin.config.unset', { key })).toMatchObject({ error: { exitCode: 8 } });
  });

  test.each([
    ['hierarchy.maxSiblings', 'many', 'cleo config list'],
    ['hierarchy.maxSiblings', -1, 'cleo config list'],
    ['hierarchy.autoCompleteParents', 'treu', 'cleo config set hierarchy.autoCompleteParents true'],
    ['store.durability', 'ful', 'cleo config set store.durability full'],
    ['store.durability', true, 'cleo config list'],
    ['project.key', 'Not A Name', 'cleo config list'],
  ])('%s = %j is 8', async (key, value, fix) => {
    const app = await openApp();
    expect(await app.call('admin.config.set', { key, value })).toMatchObject({ error: { code: 'E_CONFIG_ERROR', exitCode: 8, fix } });
    expect((await app.cli(fix)).exitCode).toBe(0);
  });

  test('a password in an address is 6', async () => {
    const answer = await (await openApp()).call('admin.config.set', {
      key: 'store.url',
      value: 'postgres://ada:hunter2hunter2@db.example/x',
    });
    expect(answer).toMatchObject({ error: { exitCode: 6, fix: 'cleo config set store.url postgres://ada@db.example/x' } });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  test('outside a project there is only the user', async () => {
    const folder = createEmptyFolder();
    expect(await folder.call('admin.config.set', { key: 'backup.keep', value: 3 })).toMatchObject({
      error: { code: 'E_NOT_INITIALIZED', exitCode: 8 },
    });
    expect(await folder.call('admin.config.set', { key: 'backup.keep', value: 3, user: true })).toMatchObject({
      success: true,
      source: 'user',
    });
    expect(inFile(join(folder.env.HOME!, '.cleo', 'config.json'))).toEqual({ backup: { keep: 3 } });
    expect(await folder.call('admin.config.get', { key: 'backup.keep' })).toMatchObject({ value: 3, source: 'user' });
  });
});

describe('a file with mistakes in it', () => {
  const broken = (app: TestApp, more: object): void => {
    write(projectFile(app), JSON.stringify({ ...inFile(projectFile(app)), ...more }));
  };

  test('stops every other command with 8, and its fixes, one after the other, lead out', async () => {
    const app = await openApp({ tasks: ['T001'] });
    broken(app, { hierarchy: { maxSiblings: 'seven', depth: 3 }, claims: [], 'a.b': { c: 1 } });
    let fixes = 0;
    for (; fixes < 10; fixes++) {
      const { error } = await app.call('tasks.add', { title: 'x', parent: 'T001' });
      if (!error) break;
      expect(error).toMatchObject({ exitCode: 8, fix: expect.stringMatching(/^cleo config unset /) });
      expect((await app.cli(error.fix)).exitCode).toBe(0);
    }
    expect(fixes).toBe(4);
    expect(Object.keys(inFile(projectFile(app)))).toEqual(['store', 'project']);
  });

  test('can be listed and changed; what is invalid counts as absent and is warned about', async () => {
    const app = await openApp();
    broken(app, { hierarchy: { maxSiblings: 'seven' }, claims: 5 });
    expect(await app.call('admin.config.get', { key: 'hierarchy.maxSiblings' })).toMatchObject({
      value: 7,
      source: 'default',
      _meta: {
        warnings: [expect.stringContaining('hierarchy.maxSiblings must be a whole number'), expect.stringContaining('claims is not a key')],
      },
    });
    expect(await app.call('admin.config.set', { key: 'hierarchy.maxSiblings', value: 9 })).toMatchObject({ success: true });
    expect(await app.call('admin.config.set', { key: 'claims.ttlMinutes', value: 9 })).toMatchObject({ success: true });
    expect(await app.call('tasks.add', { title: 'It works again' })).toMatchObject({ success: true });
  });

  test("the user's file is repaired with --user", async () => {
    const app = await openApp();
    write(userFile(app), '{"nope":true}');
    const { error } = await app.call('tasks.add', { title: 'x' });
    expect(error).toMatchObject({ exitCode: 8, fix: 'cleo config unset nope --user' });
    await app.cli(error.fix);
    expect(await app.call('tasks.add', { title: 'x' })).toMatchObject({ success: true });
  });

  test('that is no JSON is not touched', async () => {
    const app = await openApp();
    write(projectFile(app), '{"backup": ');
    expect(await app.call('admin.config.set', { key: 'backup.keep', value: 3 })).toMatchObject({
      error: { code: 'E_CONFIG_ERROR', exitCode: 8, fix: 'cleo doctor --fix' },
    });
    expect(await app.call('admin.config.get', { key: 'backup.keep' })).toMatchObject({
      value: 10,
      _meta: { warnings: [expect.stringContaining('is not valid JSON')] },
    });
    expect(readFileSync(projectFile(app), 'utf8')).toBe('{"backup": ');
    expect(existsSync(`${projectFile(app)}.lock`)).toBe(false);
  });
});
