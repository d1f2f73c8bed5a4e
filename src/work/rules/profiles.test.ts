import { expect, test } from 'vitest';
import { defaultConfig } from '#core/model/config.ts';
import type { Profile } from '../model/profile.ts';
import { createAgentCommand, findPermissionBypass, formatWritable, resolveProfile } from './profiles.ts';
import { shippedProfiles } from './shipped-profiles.ts';

const values = {
  prompt: 'Write the parser',
  promptFile: '/p/prompt.md',
  root: '/p',
  output: '/p/out',
  agent: 'T002-worker-1',
  home: '/h',
  writable: formatWritable(['/p/tree', '/p/.git', '/p/tree']),
};
const profile: Omit<Profile, 'prompt' | 'argv'> = { name: 'own', output: 'text', env: [], timeoutMinutes: 60, concurrency: 0 };

test('lists each writable folder once', () => {
  expect(values.writable).toBe('"/p/tree" = "write", "/p/.git" = "write"');
});

test.each([
  ['stdin', ['agent', '--as', '{agent}', '{{root}}'], ['agent', '--as', 'T002-worker-1', '{/p}'], 'Write the parser'],
  ['arg', ['agent', 'run'], ['agent', 'run', 'Write the parser'], ''],
  ['arg', ['agent', '--text={prompt}', 'end'], ['agent', '--text=Write the parser', 'end'], ''],
  ['file', ['agent', '{writable}'], ['agent', values.writable, '/p/prompt.md'], ''],
] as const)('passes the prompt by %s and replaces names in %j', (prompt, argv, expected, stdin) => {
  expect(createAgentCommand({ ...profile, prompt, argv: [...argv] }, values)).toEqual({ argv: expected, stdin });
});

test('no shipped profile switches off the checks of its client', () => {
  const bypasses = Object.entries(shippedProfiles).map(([name, { argv = [] }]) => [name, findPermissionBypass(argv)]);
  expect(bypasses).toEqual(['claude', 'codex', 'gemini', 'opencode', 'command'].map((name) => [name, undefined]));
});

test.each([
  [['codex', 'exec', '--dangerously-bypass-approvals-and-sandbox'], '--dangerously-bypass-approvals-and-sandbox'],
  [['gemini', '--approval-mode', 'yolo'], 'yolo'],
  [['sh', '-c', 'cd src && claude --dangerously-skip-permissions -p'], '--dangerously-skip-permissions'],
  [['claude', '-p', '--settings', '{"permissions":{"defaultMode":"bypassPermissions"}}'], 'bypassPermissions'],
  [['my-agent', '--check-permissions'], undefined],
])('finds what switches off the permission checks in %j', (argv, bypass) => {
  expect(findPermissionBypass(argv)).toBe(bypass);
});

test('the profile command has no command until its argv is set', () => {
  expect(resolveProfile('command', defaultConfig)).toBeUndefined();
  const config = { ...defaultConfig, 'profiles.command': { argv: 'my-agent --yes', env: ['MY_KEY'] } };
  expect(resolveProfile('command', config)).toMatchObject({ argv: ['my-agent', '--yes'], prompt: 'stdin', output: 'text' });
  expect(resolveProfile('command', config)?.env).toEqual(expect.arrayContaining(['HTTPS_PROXY', 'GIT_AUTHOR_NAME', 'MY_KEY']));
});
