import { expect, test } from 'vitest';
import type { Profile } from '../model/profile.ts';
import { createAgentCommand, findPermissionBypass, formatWritable } from './profiles.ts';
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
  expect(Object.values(shippedProfiles).map(({ argv }) => findPermissionBypass(argv))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(findPermissionBypass(['codex', 'exec', '--dangerously-bypass-approvals-and-sandbox'])).toBe(
    '--dangerously-bypass-approvals-and-sandbox',
  );
});
