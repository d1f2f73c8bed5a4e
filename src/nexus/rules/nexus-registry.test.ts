import { describe, expect, test } from 'vitest';
import type { ProjectRegistry, RegisteredProject } from '../model/nexus.ts';
import {
  deriveProjectName,
  findFreeName,
  formatEmptyRegistry,
  formatRegistry,
  hasPermission,
  parseRegistry,
  registerProject,
} from './nexus-registry.ts';

const at = '2026-01-01T00:00:00.000Z';
const web: RegisteredProject = { name: 'web', path: '/home/ada/web', key: 'web_1', permission: 'read', registeredAt: at };
const registry: ProjectRegistry = { format: 'cleo-nexus', version: 1, projects: [web] };
const formatWith = (change: object): string => JSON.stringify({ ...registry, ...change });

describe('refuses to parse', () => {
  test.each([
    ['an empty file', '', 'is empty'],
    ['an incomplete file', formatRegistry(registry).slice(0, 60), 'is not valid JSON'],
    ['another format', '{"projects":[]}', 'is not a project registry'],
    ['a list', '[]', 'is not a project registry'],
    ['null', 'null', 'is not a project registry'],
    ['no version', formatWith({ version: undefined }), 'version'],
    ['an invalid version', formatWith({ version: '1' }), 'version'],
    ['no projects', formatWith({ projects: undefined }), 'projects'],
    ['a project without a key', formatWith({ projects: [{ ...web, key: undefined }] }), 'projects.0.key'],
    ['an unknown permission', formatWith({ projects: [{ ...web, permission: 'all' }] }), 'projects.0.permission'],
    ['an invalid name', formatWith({ projects: [{ ...web, name: 'We b' }] }), 'projects.0.name'],
    ['a relative path', formatWith({ projects: [{ ...web, path: '../web' }] }), 'not absolute'],
    ['a duplicate name', formatWith({ projects: [web, { ...web, path: '/other' }] }), 'has web twice'],
  ])('%s', (_, text, problem) => {
    expect(parseRegistry(text)).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  test('a newer version, and marks it', () => {
    expect(parseRegistry(formatWith({ version: 2 }))).toEqual({ problem: 'has version 2; this cleo supports version 1', isNewer: true });
  });

  test('nothing else: unknown fields keep their position', () => {
    const text = `{"$schema":"x","format":"cleo-nexus","version":1,"projects":[{"colour":"red","name":"web","path":"/w","key":"","permission":"read","registeredAt":"${at}"}]}`;
    const read = parseRegistry(text) as { registry: ProjectRegistry };
    expect(JSON.stringify(read.registry)).toBe(text);
  });

  test('nothing else: an empty registry is valid', () =>
    expect(parseRegistry(formatEmptyRegistry())).toEqual({ registry: { ...registry, projects: [] } }));
});

describe('registers', () => {
  const folder = { path: '/home/ada/web', key: 'web_1', at };
  test.each<[string, object, boolean, object]>([
    [
      'a new project',
      { ...folder, path: '/home/ada/api', key: 'api_1', name: 'api' },
      true,
      { kind: 'new', project: { name: 'api', permission: 'read' } },
    ],
    ['a project without a name', { ...folder, path: '/x/My App', key: 'k' }, true, { kind: 'new', project: { name: 'my-app' } }],
    ['a project whose folder name is used', { ...folder, path: '/x/web', key: 'k' }, true, { kind: 'new', project: { name: 'web-2' } }],
    ['an existing project', { ...folder, name: 'web' }, true, { kind: 'exists', project: web }],
    ['an existing project without a name', folder, true, { kind: 'exists', project: web }],
    ['a used name', { ...folder, path: '/x', key: 'k', name: 'web' }, true, { kind: 'refused', why: 'name taken' }],
    ['a second name', { ...folder, name: 'site' }, true, { kind: 'refused', why: 'other name' }],
    ['another permission', { ...folder, permission: 'write' }, true, { kind: 'refused', why: 'other permission' }],
    ['a copy', { ...folder, path: '/x' }, true, { kind: 'refused', why: 'copy' }],
    ['a moved project', { ...folder, path: '/x' }, false, { kind: 'moved', from: '/home/ada/web', project: { ...web, path: '/x' } }],
    ['a project with a new key', { ...folder, key: 'web_2' }, true, { kind: 'moved', project: { ...web, key: 'web_2' } }],
  ])('%s', (_, request, isInPlace, result) => {
    expect(registerProject(registry, request as never, () => isInPlace)).toMatchObject(result);
  });

  test('projects without a key separately', () => {
    const keyless = { ...registry, projects: [{ ...web, key: '' }] };
    expect(registerProject(keyless, { path: '/x', key: '', at, name: 'x' }, () => false)).toMatchObject({ kind: 'new' });
  });

  test('a move with the unknown fields of the entry', () => {
    const marked = { ...registry, projects: [{ ...web, colour: 'red' }] };
    expect(registerProject(marked, { ...folder, path: '/x' }, () => false)).toMatchObject({
      registry: { projects: [{ colour: 'red', path: '/x' }] },
    });
  });
});

test.each([
  ['/home/ada/My App', 'my-app'],
  ['/', 'project'],
  ['C:\\work\\Web', 'web'],
  ['/x/...', 'project'],
])('derives from %s the name %s', (path, name) => expect(deriveProjectName(path)).toBe(name));

test('appends a number to a used name', () => expect(findFreeName('web', [{ name: 'web' }, { name: 'web-2' }])).toBe('web-3'));

test.each([
  ['none', 'read', false],
  ['read', 'read', true],
  ['read', 'write', false],
  ['write', 'read', true],
  ['execute', 'write', true],
] as const)('%s includes %s: %s', (has, needs, is) => expect(hasPermission(has, needs)).toBe(is));
