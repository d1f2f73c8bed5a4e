import { expect, test } from 'vitest';
import { isFirstTestTool } from './first-tool.ts';

const testing = { command: 'npm test', from: 'package.json' } as never;

test.each([
  ['the detected command of a project without a policy', 'verification.tools.test', 'npm test', {}, testing, true],
  ['settings that are not about verification', 'verification.tools.test', 'npm test', { 'docs.types': ['adr'] }, testing, true],
  ['another command', 'verification.tools.test', 'true', {}, testing, false],
  ['the command as words of a shell', 'verification.tools.test', ['sh', '-c', 'npm test'], {}, testing, false],
  ['another tool', 'verification.tools.lint', 'npm test', {}, testing, false],
  ['a gate of releases', 'release.gates.test', 'npm test', {}, testing, false],
  ['a project without tests', 'verification.tools.test', 'npm test', {}, undefined, false],
  ['tests of a subfolder', 'verification.tools.test', 'npm test', {}, { ...(testing as object), folder: 'api' } as never, false],
  ['a tool that is set', 'verification.tools.test', 'npm test', { 'verification.tools.test': 'make test' }, testing, false],
  ['a policy', 'verification.tools.test', 'npm test', { 'verification.required': true }, testing, false],
] as const)('%s: %s', (_, key, value, set, found, expected) => {
  expect(isFirstTestTool(key, value, set, found)).toBe(expected);
});
