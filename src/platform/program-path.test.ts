import { expect, test } from 'vitest';
import { findProgram } from './program-path.ts';

const installed = ['C:\\Git\\git.exe', 'C:\\tools\\x.com', 'git.exe', '.\\git.exe', 'C:\\clone\\git.exe'];
const find = (program: string, env: Record<string, string>): string =>
  findProgram(program, env, { isWindows: true, exists: (path) => installed.includes(path) });

test.each([
  ['git', { Path: 'C:\\none;C:\\Git' }, 'C:\\Git\\git.exe'],
  ['git.exe', { PATH: 'C:\\Git' }, 'C:\\Git\\git.exe'],
  ['x', { PATH: 'C:\\tools' }, 'C:\\tools\\x.com'],
  ['C:\\clone\\git.exe', { PATH: '' }, 'C:\\clone\\git.exe'],
  // Neither the working folder nor a relative folder of the PATH.
  ['git', { PATH: '.;;C:\\none' }, '<missing>\\git'],
  ['git', {}, '<missing>\\git'],
] as const)('Windows runs %s with %j as %s', (program, env, expected) => {
  expect(find(program, env)).toBe(expected);
});

test('other systems look only into the PATH by themselves', () => {
  expect(findProgram('git', {}, { isWindows: false })).toBe('git');
});
