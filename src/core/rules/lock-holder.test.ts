import { expect, test } from 'vitest';
import { formatLockHolder } from './lock-holder.ts';

test.each([
  [{ pid: 7 }, 'Server process 7'],
  [{ pid: 7, user: 'ada' }, 'Server process 7 of ada'],
  [
    { pid: 7, name: 'cleo tasks.add agent-1', user: 'ada', client: '10.0.0.1', since: '2026-01-01T00:00:00Z', state: 'active' },
    'cleo tasks.add agent-1 (server process 7 of ada from 10.0.0.1) since 2026-01-01T00:00:00Z',
  ],
  [{ pid: 7, name: 'psql', since: '12:00', state: 'idle in transaction' }, 'psql (server process 7) since 12:00, without activity'],
])('formats %j', (holder, text) => {
  expect(formatLockHolder(holder)).toBe(text);
});
