import { describe, expect, test } from 'vitest';
import { createSourceFiles, type LayoutFiles, layouts } from '../../../test/project-layouts.ts';
import type { ProjectContext } from '../model/project-context.ts';
import { detectProject } from './detect.ts';

const detect = (files: LayoutFiles, above: string[] = []): ProjectContext =>
  detectProject({
    files: Object.keys(files),
    texts: new Map(Object.entries(files).map(([path, text]) => [path, typeof text === 'string' ? text : JSON.stringify(text)])),
    above,
  });
const summarize = ({ type, packageManager, testing, languages, monorepo }: ProjectContext) => ({
  type,
  manager: packageManager?.name,
  framework: testing?.framework,
  command: testing?.command,
  folder: testing?.folder,
  languages: languages.map(({ name }) => name),
  packages: monorepo?.packages.map(({ folder }) => folder),
});

test.each(layouts)('%s', (_, files, { type, manager, framework, command, languages, folder, packages }) => {
  const found = summarize(detect(files));
  expect(found).toMatchObject({
    type,
    manager: manager || undefined,
    framework,
    command,
    folder,
    ...(languages ? { languages } : {}),
    packages,
  });
});

describe('sources', () => {
  test('are recorded with every value', () => {
    const found = detect({
      'package.json': { scripts: { test: 'vitest run', lint: 'biome check' }, engines: { node: '>=20' } },
      'pnpm-lock.yaml': '',
      'commitlint.config.js': '',
      'CONTRIBUTING.md': '',
      ...createSourceFiles('src', 'ts'),
      'src/a.test.ts': '',
    });
    expect(found).toEqual({
      type: 'node',
      languages: [{ name: 'typescript', from: 'src' }],
      packageManager: { name: 'pnpm', from: 'pnpm-lock.yaml' },
      testing: { framework: 'vitest', command: 'pnpm test', from: 'package.json' },
      parts: [
        {
          type: 'node',
          from: 'package.json',
          packageManager: { name: 'pnpm', from: 'pnpm-lock.yaml' },
          testing: { framework: 'vitest', command: 'pnpm test', from: 'package.json' },
        },
      ],
      llmHints: [
        { about: 'install', text: 'pnpm install --frozen-lockfile', from: 'package.json' },
        { about: 'lint', text: 'pnpm run lint', from: 'package.json' },
        { about: 'runtime', text: 'Node >=20', from: 'package.json' },
        { about: 'source', text: 'src', from: 'src' },
        { about: 'tests', text: 'Tests are next to the source', from: 'src/a.test.ts' },
        { about: 'commits', text: 'Conventional Commits: feat: …, fix: …', from: 'commitlint.config.js' },
        { about: 'read', text: 'CONTRIBUTING.md', from: 'CONTRIBUTING.md' },
      ],
    });
  });

  test('can be above the project', () => {
    const found = detect({ 'package.json': { scripts: { test: 'jest' } }, 'a.js': '' }, ['../README.md', '../../yarn.lock']);
    expect(found).toMatchObject({ packageManager: { name: 'yarn', from: '../../yarn.lock' }, testing: { command: 'yarn test' } });
  });
});

describe('folders that are not parts', () => {
  test.each(['test/fixtures/app', 'examples/react', 'docs', 'packages/a/__fixtures__/b', 'templates/rails'])('%s', (folder) => {
    const found = detect({
      'go.mod': 'module a\n',
      'main.go': '',
      [`${folder}/package.json`]: { scripts: { test: 'jest' } },
      ...createSourceFiles(`${folder}/src`, 'ts'),
    });
    expect(found.parts).toHaveLength(1);
    expect(found.type).toBe('go');
  });

  test('samples in another language do not make a project mixed', () => {
    const found = detect({
      'Cargo.toml': '[package]\n',
      'pyproject.toml': '[project]\nname="x"\n',
      ...createSourceFiles('src', 'rs', 30),
      ...createSourceFiles('tests/fixtures', 'py', 300),
    });
    expect(found).toMatchObject({ type: 'rust', languages: [{ name: 'rust' }] });
  });
});

describe('damaged or hostile files', () => {
  const broken: [string, LayoutFiles][] = [
    ['JSON', { 'package.json': '{"scripts": {', 'composer.json': '[]', 'turbo.json': 'null' }],
    ['TOML', { 'pyproject.toml': '[project\n', 'Cargo.toml': 'members = [', 'main.py': '' }],
    ['YAML', { 'pnpm-workspace.yaml': 'packages: [*a', 'package.json': '{}', 'Taskfile.yml': ': : :' }],
    ['other types', { 'package.json': { scripts: ['test'], workspaces: 3, packageManager: {}, devDependencies: 'vitest' } }],
    [
      'names of the prototype',
      { 'package.json': { scripts: { __proto__: 'x', constructor: 'y', test: 'npm run constructor' }, packageManager: 'constructor' } },
    ],
    [
      'scripts that call each other',
      { 'package.json': { scripts: { test: 'npm run a', a: 'npm run b', b: 'npm run a && npm run test' } } },
    ],
    [
      'too many aliases',
      { 'package.json': '{}', 'pnpm-workspace.yaml': `a: &a [x]\nb: &b [${'*a,'.repeat(99)}]\npackages: [${'*b,'.repeat(99)}]` },
    ],
  ];
  test.each(broken)('%s: still returns a result', (_, files) => {
    expect(detect(files)).toMatchObject({ llmHints: expect.any(Array) });
  });

  test('match patterns with many stars quickly', () => {
    const stars = `${'*a'.repeat(60)}b`;
    const found = detect({
      'package.json': { workspaces: [`packages/${stars}`, `${'**/'.repeat(40)}x/${stars}`] },
      ...Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`packages/${'a'.repeat(200)}${i}/package.json`, '{}'])),
      Makefile: `${'test '.repeat(20_000)}\n${'a'.repeat(100_000)}`,
    });
    expect(found.monorepo?.packages).toEqual([]);
  });

  test('keep line breaks and shell characters out of commands', () => {
    const found = detect({ 'go.work': 'use (\n\t./a;rm\n\t"./b c"\n\t./ok\n\t../out\n)\n', 'ok/go.mod': 'module x\n', 'ok/a.go': '' });
    expect(found.testing?.command).toBe('go test ./ok/...');
  });
});

test('handles twenty thousand files within two seconds', () => {
  const files = Array.from({ length: 20_000 }, (_, i) => `packages/p${i % 400}/src/deep/f${i}.ts`);
  const manifests = Array.from({ length: 400 }, (_, i) => `packages/p${i}/package.json`);
  const texts = new Map([['package.json', '{"workspaces":["packages/*"],"scripts":{"test":"vitest run"}}']]);
  const from = process.cpuUsage().user;
  const found = detectProject({ files: ['package.json', ...manifests, ...files], texts, above: [] });
  expect(found.monorepo).toMatchObject({ more: 350 });
  expect((process.cpuUsage().user - from) / 1000).toBeLessThan(2000);
});
