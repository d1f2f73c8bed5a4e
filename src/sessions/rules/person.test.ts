import { expect, test } from 'vitest';
import { type Acting, isPersons } from './person.ts';

const typed: Acting = { gateway: 'cli', isAtTerminal: true, isNamed: false };

test.each<[string, Acting, boolean]>([
  ['typed at a terminal', typed, true],
  ['from a script or an agent', { ...typed, isAtTerminal: false }, false],
  ['in the name of an agent', { ...typed, isNamed: true }, false],
  ['through MCP, also where the server was started at a terminal', { ...typed, gateway: 'cleo_mutate' }, false],
  ['through HTTP without a token', { ...typed, gateway: 'http' }, false],
  ['with a token that writes', { ...typed, gateway: 'http', token: { scope: 'mutate' } }, false],
  ['with a token of scope admin', { ...typed, gateway: 'http', isAtTerminal: false, token: { scope: 'admin' } }, true],
  ['with one through MCP', { ...typed, gateway: 'cleo_mutate', isAtTerminal: false, isNamed: true, token: { scope: 'admin' } }, true],
])('%s', (_, acting, is) => {
  expect(isPersons(acting)).toBe(is);
});
