import { expect, test } from 'vitest';
import { agentIdPattern, isAgentId } from './agent-id.ts';
import { isCanonicalId, parseTaskId } from './scalars.ts';

const names = [
  'a',
  'sam',
  'claude-7f3a',
  'A',
  'a b',
  '',
  '-',
  'a.b:c@d/e_f',
  'ä',
  'a\n',
  '\0',
  'a'.repeat(100),
  'a'.repeat(101),
  `${'a'.repeat(99)}B`,
];

test.each(names)('accepts the agent %j if the pattern does', (name) => {
  expect(isAgentId(name)).toBe(agentIdPattern.test(name));
});

test.each(['T001', 'T500', 'T1000', 'T99999999999999'])('%s is canonical', (id) => {
  expect(isCanonicalId(id)).toBe(true);
  expect(parseTaskId(id)).toBe(id);
});

test.each([
  'T1',
  'T01',
  't001',
  '001',
  'T1.5',
  'TInfinity',
  'TNaN',
  'T',
  'T-55',
  'T000',
  'T0x1F',
  'T1e5',
  'T 001',
  'T001 ',
  'E-T001',
  'T٠٠١',
])('%s is not canonical', (id) => {
  expect(isCanonicalId(id)).toBe(false);
});
