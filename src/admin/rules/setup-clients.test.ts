import { expect, test } from 'vitest';
import { formatHookCommand } from './setup-clients.ts';

test('the hook prints plain text, because JSON would be treated as instructions', () => {
  expect(formatHookCommand('claude')).toContain('--hook claude');
  expect(formatHookCommand('claude')).toMatch(/2>\/dev\/null \|\| true$/);
});
