import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultConfig } from '#core/model/config.ts';
import { createTempFolder } from '../../test/temp-folder.ts';
import { createConfigFiles } from './config.ts';

function createWorld(files: { project?: string; user?: string }) {
  const root = createTempFolder();
  const project = { root, folder: join(root, '.cleo') };
  const home = join(root, 'home');
  for (const folder of [project.folder, home]) mkdirSync(folder);
  if (files.project !== undefined) writeFileSync(join(project.folder, 'config.json'), files.project);
  if (files.user !== undefined) writeFileSync(join(home, 'config.json'), files.user);
  return { project, config: createConfigFiles(home), path: join(project.folder, 'config.json') };
}

test('uses defaults without files; the project overrides the user', () => {
  const nothing = createWorld({});
  expect(nothing.config.load(nothing.project)).toEqual(defaultConfig);
  const { config, project } = createWorld({
    user: '{"backup":{"keep":3},"claims":{"ttlMinutes":9}}',
    project: '\ufeff{"backup":{"keep":4}}',
  });
  expect(config.load(project)).toEqual({ ...defaultConfig, 'backup.keep': 4, 'claims.ttlMinutes': 9 });
  expect(config.load(undefined)).toMatchObject({ 'backup.keep': 3 });
});

test("takes what counts as proof from the user's file for nothing but the tools of a client of a server", () => {
  const verification = { required: true, tools: { test: ['npm', 'test'] }, timeoutSeconds: 5 };
  const user = JSON.stringify({ verification });
  const load = (project: string) => {
    const world = createWorld({ user, project });
    return world.config.load(world.project);
  };
  expect(load('{}')).toEqual({ ...defaultConfig, 'verification.timeoutSeconds': 5 });
  const server = { 'server.url': 'https://cleo.example.com', 'verification.tools.test': ['npm', 'test'] };
  expect(load('{"server":{"url":"https://cleo.example.com"}}')).toEqual({ ...defaultConfig, ...server, 'verification.timeoutSeconds': 5 });
});

describe('an invalid file fails with exit code 8 and suggests a fix', () => {
  test.each([
    { project: '{"nope":1}', fix: 'cleo config unset nope' },
    { project: '{"store":{"durability":"fast"}}', fix: 'cleo config unset store.durability' },
    { project: '{"a b":1}', fix: 'cleo doctor --fix' },
    { project: '[]', fix: 'cleo doctor --fix' },
    { project: '{', fix: 'cleo doctor --fix' },
    { project: '', fix: 'cleo doctor --fix' },
    { user: '{"nope":1}', fix: 'cleo config unset nope --user' },
  ])('$project $user', ({ fix, ...files }) => {
    const { config, project } = createWorld(files);
    expect(() => config.load(project)).toThrow(expect.objectContaining({ code: 'E_CONFIG_ERROR', exitCode: 8, fix }));
  });
});

test.each<{ why: string; before: string; key: string; value: number | undefined; after: object }>([
  { why: 'a first key', before: '{}', key: 'backup.keep', value: 3, after: { backup: { keep: 3 } } },
  { why: 'next to other keys', before: '{"backup":{"keep":1},"x":1}', key: 'backup.keep', value: 3, after: { backup: { keep: 3 }, x: 1 } },
  { why: 'in place of a value that is not a group', before: '{"backup":5}', key: 'backup.keep', value: 3, after: { backup: { keep: 3 } } },
  {
    why: 'removes a key and its empty group',
    before: '{"backup":{"keep":1},"x":1}',
    key: 'backup.keep',
    value: undefined,
    after: { x: 1 },
  },
  {
    why: 'removes one of two keys',
    before: '{"store":{"url":"","durability":"full"}}',
    key: 'store.url',
    value: undefined,
    after: { store: { durability: 'full' } },
  },
  { why: 'a name that contains a dot', before: '{"a.b":1,"a":{"b":2,"c":3}}', key: 'a.b', value: undefined, after: { a: { b: 2, c: 3 } } },
  { why: 'a dotted name inside a group', before: '{"a":{"b.c":1}}', key: 'a.b.c', value: undefined, after: {} },
  {
    why: 'a property of the prototype',
    before: '{"__proto__":{"x":1},"constructor":1}',
    key: '__proto__',
    value: undefined,
    after: { constructor: 1 },
  },
  { why: 'a missing key', before: '{"x":1}', key: 'backup.keep', value: undefined, after: { x: 1 } },
])('setting: $why', ({ before, key, value, after }) => {
  const { config, path } = createWorld({ project: before });
  config.set(path, key, value);
  expect(JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))).toBe(JSON.stringify(after));
});
