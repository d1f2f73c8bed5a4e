import { expect, test } from 'vitest';
import { formatTrustPreview } from './trust-preview.ts';

test('shows whole values without control characters', () => {
  const long = `echo ${'x'.repeat(400)}; rm -rf /`;
  expect(
    formatTrustPreview(
      '/home/ada/clone',
      [
        { name: 'release.gates.test', value: long, file: 'config.json', state: 'new' },
        { name: 'store.url', value: 'postgres://b\u001b[2K', before: 'postgres://a', file: 'config.json', state: 'changed' },
      ],
      ['.cleo belongs to user 7'],
    ),
  ).toEqual([
    'Trusting /home/ada/clone makes cleo obey:',
    '  .cleo belongs to user 7',
    `  release.gates.test: "${long}"`,
    '  store.url: "postgres://b\\u001b[2K" (changed, was "postgres://a")',
  ]);
});
