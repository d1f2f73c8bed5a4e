import { expect, test } from 'vitest';
import { mayActAs, toTokenAgent } from './token-agent.ts';

test.each([
  ['ada', 'ada', true, 'ada'],
  ['ada', 'ada/claude-1', true, 'ada/claude-1'],
  ['ada', 'adam', false, 'ada/adam'],
  ['ada', 'bob', false, 'ada/bob'],
  ['ada', 'bob/ada', false, 'ada/bob/ada'],
  ['http', 'bob', true, 'bob'],
  ['ada', 'x'.repeat(100), false, `ada/${'x'.repeat(96)}`],
])('token %s and agent %s: allowed %s, acts as %s', (name, agent, isAllowed, actsAs) => {
  expect([mayActAs({ name }, agent), toTokenAgent({ name }, agent)]).toEqual([isAllowed, actsAs]);
});
