import { expect, test } from 'vitest';
import { replaceVersion, versionFiles } from './version-files.ts';

test.each<[string, string, string, string | undefined]>([
  [
    'package.json',
    'keeps the formatting',
    '{\r\n\t"name" : "x",\r\n\t"version":   "1.0.0",\r\n\t"a": {"version": "9"}\r\n}\r\n',
    '{\r\n\t"name" : "x",\r\n\t"version":   "2.0.0",\r\n\t"a": {"version": "9"}\r\n}\r\n',
  ],
  [
    'package.json',
    'only the top-level version',
    '{"scripts":{"version":"x"},"version":"1.0.0"}',
    '{"scripts":{"version":"x"},"version":"2.0.0"}',
  ],
  ['package.json', 'no version', '{"name":"x"}', undefined],
  ['package.json', 'not JSON', '{"version": ', undefined],
  [
    'package-lock.json',
    'both versions of the project',
    '{"version":"1.0.0","packages":{"":{"version":"1.0.0"},"a":{"version":"1.0.0"}}}',
    '{"version":"2.0.0","packages":{"":{"version":"2.0.0"},"a":{"version":"1.0.0"}}}',
  ],
  [
    'Cargo.toml',
    'the package, not its dependencies',
    '[dependencies]\nversion = "9"\n\n[package] # ours\nname = "x"\nversion = "1.0.0" # now\n\n[dependencies.y]\nversion = "1.0.0"\n',
    '[dependencies]\nversion = "9"\n\n[package] # ours\nname = "x"\nversion = "2.0.0" # now\n\n[dependencies.y]\nversion = "1.0.0"\n',
  ],
  [
    'Cargo.toml',
    'the workspace',
    "[package]\nversion.workspace = true\n[workspace.package]\nversion = '1.0.0'\n",
    "[package]\nversion.workspace = true\n[workspace.package]\nversion = '2.0.0'\n",
  ],
  ['Cargo.toml', 'not an array of tables', '[[bin]]\nversion = "1"\n', undefined],
  [
    'pyproject.toml',
    'the project',
    '[build-system]\nversion = "9"\r\n[project]\r\nversion="1.0.0"\r\n',
    '[build-system]\nversion = "9"\r\n[project]\r\nversion="2.0.0"\r\n',
  ],
  ['pyproject.toml', 'poetry', '[tool.poetry]\nversion = "1.0.0"\n', '[tool.poetry]\nversion = "2.0.0"\n'],
  [
    'pyproject.toml',
    'not inside a multi-line string',
    '[project]\ndescription = """\n[project]\nversion = "1"\n"""\nversion = "1.0.0"\n',
    '[project]\ndescription = """\n[project]\nversion = "1"\n"""\nversion = "2.0.0"\n',
  ],
  ['pyproject.toml', 'a dynamic version', '[project]\ndynamic = ["version"]\n', undefined],
  ['VERSION', 'a line', '1.0.0\n', '2.0.0\n'],
  ['VERSION', 'a leading v without a line break', 'v1.0.0', 'v2.0.0'],
  ['VERSION', 'only the first line', '1.0.0-rc.1 \r\nmore\r\n', '2.0.0 \r\nmore\r\n'],
  ['README', 'not a version file', '1.0.0', undefined],
])('%s: %s', (file, _, text, expected) => {
  expect(replaceVersion(file, text, '2.0.0')).toBe(expected);
});

test('replacement patterns in a version are literal', () => {
  for (const file of versionFiles) {
    const text =
      { VERSION: '1\n', 'Cargo.toml': '[package]\nversion = "1"\n', 'pyproject.toml': '[project]\nversion = "1"\n' }[file] ??
      '{"version":"1"}';
    expect(replaceVersion(file, text, '1.0.0-$&')).toContain('1.0.0-$&');
  }
});
