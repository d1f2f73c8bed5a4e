import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultConfig } from '#core/model/config.ts';
import { configMeanings } from '#core/model/config-meanings.ts';
import { asPerson, openApp, type TestApp } from '../../../test/app.ts';
import { createEmptyFolder } from '../../../test/folder.ts';

/** On a server the policy of the project is in the store, and its files are left alone. */
const isPostgres = process.env.CLEO_TEST_ENGINE === 'postgres';
const policySource = isPostgres ? 'store' : 'project';

const projectFile = ({ root }: TestApp): string => join(root, '.cleo', 'config.json');
const userFile = ({ root }: TestApp): string => join(root, 'home', 'config.json');
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const write = (path: string, text: string): void => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
};

test('applies a changed setting', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001'] });
  expect(await app.call('admin.config.get', { key: 'hierarchy.maxSiblings' })).toMatchObject({ value: 7, source: 'default' });
  expect((await app.cli('cleo config set hierarchy.maxSiblings 1')).envelope).toMatchObject({
    success: true,
    key: 'hierarchy.maxSiblings',
    value: 1,
    source: policySource,
  });
  expect(await app.call('admin.config.get', { key: 'hierarchy.maxSiblings' })).toMatchObject({ value: 1, source: policySource });
  expect(await app.call('tasks.add', { title: 'Too many', parent: 'T001' })).toMatchObject({ error: { code: 'E_SIBLING_LIMIT' } });
});

test('exits with 102 if the value is unchanged', async () => {
  const app = await openApp();
  await app.call('admin.config.set', { key: 'backup.keep', value: 3 }, asPerson);
  expect(await app.call('admin.config.set', { key: 'backup.keep', value: '3' }, asPerson)).toMatchObject({
    success: true,
    _meta: { exitCode: 102 },
  });
});

test('keeps other settings, their order, a link and its permissions', async () => {
  const app = await openApp();
  const elsewhere = join(app.root, 'dotfiles.json');
  write(elsewhere, '{"$schema":"x","store":{"durability":"normal"}}');
  mkdirSync(join(app.root, 'home'));
  symlinkSync(elsewhere, userFile(app));
  const { mode } = statSync(elsewhere);
  await app.call('admin.config.set', { key: 'claims.ttlMinutes', value: 5, user: true }, asPerson);
  expect(readFileSync(elsewhere, 'utf8')).toBe(
    `${JSON.stringify({ $schema: 'x', store: { durability: 'normal' }, claims: { ttlMinutes: 5 } }, null, 2)}\n`,
  );
  expect(statSync(elsewhere).mode).toBe(mode);
});

test('the project overrides the user, the user overrides the default, and --user ignores the project', async () => {
  const app = await openApp();
  await app.call('admin.config.set', { key: 'backup.keep', value: 3, user: true }, asPerson);
  expect(await app.call('admin.config.get', { key: 'backup.keep' })).toMatchObject({ value: 3, source: 'user' });
  await app.call('admin.config.set', { key: 'backup.keep', value: 4 }, asPerson);
  expect(await app.call('admin.config.get', { key: 'backup.keep' })).toMatchObject({ value: 4, source: 'project' });
  expect(await app.call('admin.config.get', { key: 'backup.keep', user: true })).toMatchObject({ value: 3, source: 'user' });
  expect(await app.call('admin.config.unset', { key: 'backup.keep' }, asPerson)).toMatchObject({
    key: 'backup.keep',
    value: 3,
    source: 'user',
  });
  expect(await app.call('admin.config.unset', { key: 'backup.keep' }, asPerson)).toMatchObject({ _meta: { exitCode: 102 } });
});

test('lists all settings with descriptions', async () => {
  const { config } = await (await openApp()).call('admin.config.list');
  expect(config.map(({ key }: { key: string }) => key)).toEqual(Object.keys(defaultConfig));
  expect(config[0]).toEqual({
    key: 'hierarchy.maxSiblings',
    value: 7,
    source: 'default',
    about: configMeanings['hierarchy.maxSiblings'],
  });
});

test("ignores and refuses what counts as proof in the user's file, which an agent can choose", async () => {
  const app = await openApp({ tasks: ['T001 evidence testsPassed', 'gate T001 implemented by ada'] });
  write(userFile(app), JSON.stringify({ verification: { tools: { mine: 'true' }, allowNotes: true, timeoutSeconds: 60 } }));
  const { call } = app.as('ada');
  await call('tasks.start', { taskId: 'T001' });
  for (const evidence of ['tool:mine', 'note:done'])
    expect(await call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence })).toMatchObject({ success: false });
  expect(await app.call('admin.config.get', { key: 'verification.allowNotes' })).toMatchObject({ value: false, source: 'default' });
  expect(await app.call('admin.config.get', { key: 'verification.timeoutSeconds' })).toMatchObject({ value: 60, source: 'user' });
  const listed = await app.call('admin.config.list', {});
  expect(listed._meta.warnings).toContainEqual(expect.stringContaining('verification.tools.mine says what counts as proof'));
  expect((await app.cli(['config', 'set', 'verification.tools.mine', 'true', '--user'], asPerson)).envelope).toMatchObject({
    error: { code: 'E_CONFIG_ERROR', fix: 'cleo config set verification.tools.mine true' },
  });
  expect((await app.cli(['config', 'unset', 'verification.tools.mine', '--user'], asPerson)).exitCode).toBe(0);
});

test('sets and unsets a tool with a custom name', async () => {
  const app = await openApp();
  expect(await app.call('admin.config.get', { key: 'verification.tools.test' })).toMatchObject({ value: '', source: 'default' });
  expect((await app.cli(['config', 'set', 'verification.tools.test', 'npm test'], asPerson)).envelope).toMatchObject({ value: 'npm test' });
  expect(await app.call('admin.config.set', { key: 'verification.tools.lint', value: ['npm', 'run', 'lint'] }, asPerson)).toMatchObject({
    success: true,
  });
  expect(await app.call('admin.config.set', { key: 'verification.tools.lint', value: '["npm","run","lint"]' }, asPerson)).toMatchObject({
    _meta: { exitCode: 102 },
  });
  const own = { tools: { test: 'npm test', lint: ['npm', 'run', 'lint'] } };
  expect(readJson(projectFile(app)).verification).toEqual(isPostgres ? undefined : own);
  const { config } = await app.call('admin.config.list');
  expect(config.slice(-2)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ key: 'verification.tools.test' }),
      expect.objectContaining({ key: 'verification.tools.lint', source: policySource }),
    ]),
  );
  expect((await app.cli(['config', 'unset', 'verification.tools.lint'], asPerson)).exitCode).toBe(0);
  expect(await app.call('admin.config.get', { key: 'verification.tools.lint' })).toMatchObject({ source: 'default' });
  expect(await app.call('admin.config.set', { key: 'verification.tools.__proto__', value: 'x' }, asPerson)).toMatchObject({
    error: { exitCode: 8 },
  });
});

test('keeps the policy of the project in a shared store, with its entry of the log', async () => {
  const app = await openApp({ config: { claims: { ttlMinutes: 30 }, grade: { nudge: false } } });
  const get = async (key: string) => {
    const { value, source } = await app.call('admin.config.get', { key });
    return [value, source];
  };
  const seq = async () => (await app.store.read((store) => store.audit.getHead()))?.seq ?? 0;
  expect(await get('claims.ttlMinutes')).toEqual([30, 'project']);
  const before = await seq();
  expect(await app.call('admin.config.set', { key: 'claims.ttlMinutes', value: 60 }, asPerson)).toMatchObject({ source: policySource });
  expect(await seq()).toBe(before + 1);
  expect(await get('claims.ttlMinutes')).toEqual([60, policySource]);
  expect(readJson(projectFile(app)).claims.ttlMinutes).toBe(isPostgres ? 30 : 60);
  expect(await app.call('admin.config.set', { key: 'claims.ttlMinutes', value: 60 }, asPerson)).toMatchObject({ _meta: { exitCode: 102 } });
  expect(await app.call('admin.config.set', { key: 'claims.ttlMinutes', value: 1 })).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
  // What is personal stays in the file.
  await app.call('admin.config.set', { key: 'grade.nudge', value: true }, asPerson);
  expect(await get('grade.nudge')).toEqual([true, 'project']);
  const { config } = await app.call('admin.config.list');
  expect(config.find(({ key }: { key: string }) => key === 'claims.ttlMinutes')).toMatchObject({ value: 60, source: policySource });
  const unset = await app.call('admin.config.unset', { key: 'claims.ttlMinutes' }, asPerson);
  expect(unset).toMatchObject(isPostgres ? { value: 30, source: 'project' } : { value: 240, source: 'default' });
});

test('a command that a colleague has set in the store needs the trust of each user', async () => {
  const app = await openApp({ isUntrusted: true, tasks: ['T001'] });
  write(join(app.root, 'work.txt'), 'work');
  await app.call('verify.gate', { taskId: 'T001', gate: 'implemented', evidence: 'files:work.txt' });
  const set = { key: 'verification.tools.test', value: 'node check.js' };
  if (isPostgres) {
    const content = JSON.stringify(set.value);
    await app.store.write({ at: '2026-01-01T00:00:00.000Z', by: 'colleague' }, (store) =>
      store.records.save('settings', [{ name: set.key, hash: 'x', size: content.length, stored: { encoding: 'utf8', content } }]),
    );
  } else write(projectFile(app), JSON.stringify({ ...readJson(projectFile(app)), verification: { tools: { test: set.value } } }));
  const verify = () => app.call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: 'tool:test' });
  const place = isPostgres ? 'the store' : projectFile(app);
  expect(await verify()).toMatchObject({ error: { code: 'E_PROJECT_UNTRUSTED', details: { name: set.key, file: place } } });
  expect(await app.call('admin.trust', {}, asPerson)).toMatchObject({ trusted: [{ name: set.key, file: place }] });
  expect((await verify()).error?.code).not.toBe('E_PROJECT_UNTRUSTED');
});

test('removes a group with its last setting', async () => {
  const app = await openApp({ config: { backup: { keep: 3 } } });
  await app.call('admin.config.unset', { key: 'backup.keep' }, asPerson);
  expect(readJson(projectFile(app))).not.toHaveProperty('backup');
});

describe('invalid input', () => {
  test.each([
    ['hierarchy.maxSibling', 'cleo config set hierarchy.maxSiblings 9', ['hierarchy.maxSiblings']],
    ['maxSiblings', 'cleo config set hierarchy.maxSiblings 9', ['hierarchy.maxSiblings']],
    ['hierarchy', 'cleo config list', ['hierarchy.autoCompleteParents', 'hierarchy.maxSiblings']],
    ['nothing.like.it', 'cleo config list', Object.keys(defaultConfig)],
    ['__proto__', 'cleo config list', Object.keys(defaultConfig)],
  ])('rejects the key %s with 8 and suggests keys', async (key, fix, valid) => {
    const app = await openApp();
    const before = readFileSync(projectFile(app), 'utf8');
    expect((await app.cli(['config', 'set', key, '9'])).envelope).toMatchObject({
      error: { code: 'E_CONFIG_ERROR', exitCode: 8, fix, details: { valid } },
    });
    expect(readFileSync(projectFile(app), 'utf8')).toBe(before);
    expect((await app.cli(fix, asPerson)).exitCode).toBe(0);
    expect(await app.call('admin.config.get', { key })).toMatchObject({ error: { exitCode: 8 } });
    expect(await app.call('admin.config.unset', { key }, asPerson)).toMatchObject({ error: { exitCode: 8 } });
  });

  test.each([
    ['hierarchy.maxSiblings', 'many', 'cleo config list'],
    ['hierarchy.maxSiblings', -1, 'cleo config list'],
    ['hierarchy.autoCompleteParents', 'treu', 'cleo config set hierarchy.autoCompleteParents true'],
    ['store.durability', 'ful', 'cleo config set store.durability full'],
    ['store.durability', true, 'cleo config list'],
    ['project.key', 'Not A Name', 'cleo config list'],
  ])('rejects %s = %j with 8', async (key, value, fix) => {
    const app = await openApp();
    expect(await app.call('admin.config.set', { key, value }, asPerson)).toMatchObject({
      error: { code: 'E_CONFIG_ERROR', exitCode: 8, fix },
    });
    expect((await app.cli(fix, asPerson)).exitCode).toBe(0);
  });

  test('rejects a password in an address with 6', async () => {
    const answer = await (await openApp()).call(
      'admin.config.set',
      {
        key: 'store.url',
        value: 'postgres://ada:hunter2hunter2@db.example/x',
      },
      asPerson,
    );
    expect(answer).toMatchObject({
      error: { exitCode: 6, fix: expect.stringContaining('cleo config set store.url postgres://ada@db.example/x') },
    });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  test('changes only the user settings outside a project', async () => {
    const folder = createEmptyFolder();
    expect(await folder.call('admin.config.set', { key: 'backup.keep', value: 3 }, asPerson)).toMatchObject({
      error: { code: 'E_NOT_INITIALIZED', exitCode: 8 },
    });
    expect(await folder.call('admin.config.set', { key: 'backup.keep', value: 3, user: true }, asPerson)).toMatchObject({
      success: true,
      source: 'user',
    });
    expect(readJson(join(folder.env.HOME!, '.cleo', 'config.json'))).toEqual({ backup: { keep: 3 } });
    expect(await folder.call('admin.config.get', { key: 'backup.keep' })).toMatchObject({ value: 3, source: 'user' });
  });
});

describe('an invalid file', () => {
  const writeInvalid = (app: TestApp, values: object): void => {
    write(projectFile(app), JSON.stringify({ ...readJson(projectFile(app)), ...values }));
  };

  test('fails all other commands with 8, and the fixes repair it one by one', async () => {
    const app = await openApp({ tasks: ['T001'] });
    writeInvalid(app, { hierarchy: { maxSiblings: 'seven', depth: 3 }, claims: [], 'a.b': { c: 1 } });
    let fixes = 0;
    for (; fixes < 10; fixes++) {
      const { error } = await app.call('tasks.add', { title: 'x', parent: 'T001' });
      if (!error) break;
      expect(error).toMatchObject({ exitCode: 8, fix: expect.stringMatching(/^(Ask a person to run: )?cleo config unset /) });
      expect((await app.cli(error.fix, asPerson)).exitCode).toBe(0);
    }
    expect(fixes).toBe(4);
    expect(Object.keys(readJson(projectFile(app)))).toEqual(['store', 'project']);
  });

  test('can be listed and changed, with warnings for invalid values', async () => {
    const app = await openApp();
    writeInvalid(app, { hierarchy: { maxSiblings: 'seven' }, claims: 5 });
    expect(await app.call('admin.config.get', { key: 'hierarchy.maxSiblings' })).toMatchObject({
      value: 7,
      source: 'default',
      _meta: {
        warnings: [expect.stringContaining('hierarchy.maxSiblings must be a whole number'), expect.stringContaining('claims is not a key')],
      },
    });
    expect(await app.call('admin.config.set', { key: 'hierarchy.maxSiblings', value: 9 })).toMatchObject({ success: true });
    expect(await app.call('admin.config.set', { key: 'claims.ttlMinutes', value: 9 }, asPerson)).toMatchObject({ success: true });
    expect(await app.call('tasks.add', { title: 'It works again' })).toMatchObject({ success: true });
  });

  test('is repaired with --user if it belongs to the user', async () => {
    const app = await openApp();
    write(userFile(app), '{"nope":true}');
    const { error } = await app.call('tasks.add', { title: 'x' });
    expect(error).toMatchObject({ exitCode: 8, fix: 'Ask a person to run: cleo config unset nope --user' });
    await app.cli(error.fix, asPerson);
    expect(await app.call('tasks.add', { title: 'x' })).toMatchObject({ success: true });
  });

  test('is not changed if it is not JSON', async () => {
    const app = await openApp();
    write(projectFile(app), '{"backup": ');
    expect(await app.call('admin.config.set', { key: 'backup.keep', value: 3 }, asPerson)).toMatchObject({
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
