import { expect, test } from 'vitest';
import { bumped, versionFiles } from './version-files.ts';

test.each<[string, string, string, string | undefined]>([
  [
    'package.json',
    'its own form is kept',
    '{\r\n\t"name" : "x",\r\n\t"version":   "1.0.0",\r\n\t"a": {"version": "9"}\r\n}\r\n',
    '{\r\n\t"name" : "x",\r\n\t"version":   "2.0.0",\r\n\t"a": {"version": "9"}\r\n}\r\n',
  ],
  [
    'package.json',
    'a version that comes late',
    '{"scripts":{"version":"x"},"version":"1.0.0"}',
    '{"scripts":{"version":"x"},"version":"2.0.0"}',
  ],
  ['package.json', 'none', '{"name":"x"}', undefined],
  ['package.json', 'no JSON', '{"version": ', undefined],
  [
    'package-lock.json',
    'both places',
    '{"version":"1.0.0","packages":{"":{"version":"1.0.0"},"a":{"version":"1.0.0"}}}',
    '{"version":"2.0.0","packages":{"":{"version":"2.0.0"},"a":{"version":"1.0.0"}}}',
  ],
  [
    'Cargo.toml',
    'of the package, not of what it depends on',
    '[dependencies]\nversion = "9"\n\n[package] # ours\nname = "x"\nversion = "1.0.0" # now\n\n[dependencies.y]\nversion = "1.0.0"\n',
    '[dependencies]\nversion = "9"\n\n[package] # ours\nname = "x"\nversion = "2.0.0" # now\n\n[dependencies.y]\nversion = "1.0.0"\n',
  ],
  [
    'Cargo.toml',
    'of the workspace',
    "[package]\nversion.workspace = true\n[workspace.package]\nversion = '1.0.0'\n",
    "[package]\nversion.workspace = true\n[workspace.package]\nversion = '2.0.0'\n",
  ],
  ['Cargo.toml', 'not one of a list of tables', '[[bin]]\nversion = "1"\n', undefined],
  [
    'pyproject.toml',
    'of the project',
    '[build-system]\nversion = "9"\r\n[project]\r\nversion="1.0.0"\r\n',
    '[build-system]\nversion = "9"\r\n[project]\r\nversion="2.0.0"\r\n',
  ],
  ['pyproject.toml', 'of poetry', '[tool.poetry]\nversion = "1.0.0"\n', '[tool.poetry]\nversion = "2.0.0"\n'],
  [
    'pyproject.toml',
    'not in a text over several lines',
    '[project]\ndescription = """\n[project]\nversion = "1"\n"""\nversion = "1.0.0"\n',
    '[project]\ndescription = """\n[project]\nversion = "1"\n"""\nversion = "2.0.0"\n',
  ],
  ['pyproject.toml', 'one that is worked out elsewhere', '[project]\ndynamic = ["version"]\n', undefined],
  ['VERSION', 'a line', '1.0.0\n', '2.0.0\n'],
  ['VERSION', 'with a v, and no line end', 'v1.0.0', 'v2.0.0'],
  ['VERSION', 'and more lines', '1.0.0-rc.1 \r\nmore\r\n', '2.0.0 \r\nmore\r\n'],
  ['README', 'no file of versions', '1.0.0', undefined],
])('%s: %s', (file, _, text, expected) => {
  expect(bumped(file, text, '2.0.0')).toBe(expected);
});

test('signs that mean something to a replacement mean nothing here', () => {
  for (const file of versionFiles) {
    const text =
      { VERSION: '1\n', 'Cargo.toml': '[package]\nversion = "1"\n', 'pyproject.toml': '[project]\nversion = "1"\n' }[file] ??
      '{"version":"1"}';
    expect(bumped(file, text, '1.0.0-$&')).toContain('1.0.0-$&');
  }
});
