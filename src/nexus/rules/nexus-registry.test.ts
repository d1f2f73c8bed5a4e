import { describe, expect, test } from 'vitest';
import type { RegisteredProject, Registry } from '../model/nexus.ts';
import { emptyRegistry, freeName, nameOf, permits, readRegistry, register, registryText } from './nexus-registry.ts';

const at = '2026-01-01T00:00:00.000Z';
const web: RegisteredProject = { name: 'web', path: '/home/ada/web', key: 'web_1', permission: 'read', registeredAt: at };
const registry: Registry = { format: 'cleo-nexus', version: 1, projects: [web] };
const told = (change: object): string => JSON.stringify({ ...registry, ...change });

describe('a registry is read whole or not at all', () => {
  test.each([
    ['nothing', '', 'is empty'],
    ['half of it', registryText(registry).slice(0, 60), 'is not valid JSON'],
    ['something else', '{"projects":[]}', 'is not a registry of projects'],
    ['a list', '[]', 'is not a registry of projects'],
    ['null', 'null', 'is not a registry of projects'],
    ['no version', told({ version: undefined }), 'version'],
    ['a version that is none', told({ version: '1' }), 'version'],
    ['no projects', told({ projects: undefined }), 'projects'],
    ['a project without a key', told({ projects: [{ ...web, key: undefined }] }), 'projects.0.key'],
    ['a permission that is none', told({ projects: [{ ...web, permission: 'all' }] }), 'projects.0.permission'],
    ['a name that is none', told({ projects: [{ ...web, name: 'We b' }] }), 'projects.0.name'],
    ['a relative path', told({ projects: [{ ...web, path: '../web' }] }), 'not absolute'],
    ['a name twice', told({ projects: [web, { ...web, path: '/other' }] }), 'has web twice'],
  ])('%s', (_, text, problem) => {
    expect(readRegistry(text)).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  test('a newer one is told as such', () => {
    expect(readRegistry(told({ version: 2 }))).toEqual({ problem: 'has version 2; this cleo knows 1', isNewer: true });
  });

  test('fields that are not ours stay where they are', () => {
    const text = `{"$schema":"x","format":"cleo-nexus","version":1,"projects":[{"colour":"red","name":"web","path":"/w","key":"","permission":"read","registeredAt":"${at}"}]}`;
    const read = readRegistry(text) as { registry: Registry };
    expect(JSON.stringify(read.registry)).toBe(text);
  });

  test('an empty one is sound', () => expect(readRegistry(emptyRegistry())).toEqual({ registry: { ...registry, projects: [] } }));
});

describe('what comes of a wish to register', () => {
  const ctx = { path: '/home/ada/web', key: 'web_1', at };
  test.each<[string, object, boolean, object]>([
    [
      'a new project',
      { ...ctx, path: '/home/ada/api', key: 'api_1', name: 'api' },
      true,
      { is: 'new', project: { name: 'api', permission: 'read' } },
    ],
    ['one without a name', { ...ctx, path: '/x/My App', key: 'k' }, true, { is: 'new', project: { name: 'my-app' } }],
    ['one without a name whose own is taken', { ...ctx, path: '/x/web', key: 'k' }, true, { is: 'new', project: { name: 'web-2' } }],
    ['the same again', { ...ctx, name: 'web' }, true, { is: 'there', project: web }],
    ['the same, unnamed', ctx, true, { is: 'there', project: web }],
    ['a taken name', { ...ctx, path: '/x', key: 'k', name: 'web' }, true, { is: 'refused', why: 'name taken' }],
    ['a second name', { ...ctx, name: 'site' }, true, { is: 'refused', why: 'other name' }],
    ['another permission', { ...ctx, permission: 'write' }, true, { is: 'refused', why: 'other permission' }],
    ['a copy', { ...ctx, path: '/x' }, true, { is: 'refused', why: 'copy' }],
    ['one that has moved', { ...ctx, path: '/x' }, false, { is: 'moved', from: '/home/ada/web', project: { ...web, path: '/x' } }],
    ['one with a new key', { ...ctx, key: 'web_2' }, true, { is: 'moved', project: { ...web, key: 'web_2' } }],
  ])('%s', (_, wish, isStanding, result) => {
    expect(register(registry, wish as never, () => isStanding)).toMatchObject(result);
  });

  test('no key is nobody’s', () => {
    const keyless = { ...registry, projects: [{ ...web, key: '' }] };
    expect(register(keyless, { path: '/x', key: '', at, name: 'x' }, () => false)).toMatchObject({ is: 'new' });
  });

  test('what else an entry says moves along', () => {
    const marked = { ...registry, projects: [{ ...web, colour: 'red' }] };
    expect(register(marked, { ...ctx, path: '/x' }, () => false)).toMatchObject({
      registry: { projects: [{ colour: 'red', path: '/x' }] },
    });
  });
});

test.each([
  ['/home/ada/My App', 'my-app'],
  ['/', 'project'],
  ['C:\\work\\Web', 'web'],
  ['/x/...', 'project'],
])('%s is called %s', (path, name) => expect(nameOf(path)).toBe(name));

test('a free name is counted up', () => expect(freeName('web', [{ name: 'web' }, { name: 'web-2' }])).toBe('web-3'));

test.each([
  ['none', 'read', false],
  ['read', 'read', true],
  ['read', 'write', false],
  ['write', 'read', true],
  ['execute', 'write', true],
] as const)('%s allows %s: %s', (has, needs, is) => expect(permits(has, needs)).toBe(is));
