import { expect, test } from 'vitest';
import { formatTokenRenewal, toExpiry } from './token-terms.ts';

const now = '2026-01-01T10:00:00.000Z';

test.each([
  [undefined, '2026-04-01T10:00:00.000Z'],
  ['12h', '2026-01-01T22:00:00.000Z'],
  ['2w', '2026-01-15T10:00:00.000Z'],
  ['2026-01-31', '2026-02-01T00:00:00.000Z'],
  ['never', undefined],
])('a token that expires after %s is valid until %s', (text, expected) => {
  expect(toExpiry(now, text)).toBe(expected);
});

test.each([
  [{ name: 'ada', scope: 'mutate' }, 'cleo token create --name ada-2 --scope mutate --acts-as ada'],
  [{ name: 'ada-2', scope: 'mutate', agent: 'ada' }, 'cleo token create --name ada-3 --scope mutate --acts-as ada'],
  [
    { name: 'ci', scope: 'query', owner: 'builds', ownerKind: 'service' },
    'cleo token create --name ci-2 --scope query --acts-as ci --service builds',
  ],
] as const)('the successor of a token acts under the same name', (token, command) => {
  expect(formatTokenRenewal({ ...token, hash: '', createdAt: now, createdBy: 'ada' })).toBe(command);
});
