import { expect, test } from 'vitest';
import { type CallOrigin, isPersonCall } from './person.ts';

const typed: CallOrigin = { gateway: 'cli', isAtTerminal: true, isNamed: false };

test.each<[string, CallOrigin, boolean]>([
  ['a call typed in a terminal', typed, true],
  ['a call from a script or an agent', { ...typed, isAtTerminal: false }, false],
  ['a call that names an agent', { ...typed, isNamed: true }, false],
  ['a call over MCP, even if the server was started in a terminal', { ...typed, gateway: 'cleo_mutate' }, false],
  ['a call over HTTP without a token', { ...typed, gateway: 'http' }, false],
  ['a call with a token of scope mutate', { ...typed, gateway: 'http', token: { scope: 'mutate' } }, false],
  ['a call with a token of scope admin', { ...typed, gateway: 'http', isAtTerminal: false, token: { scope: 'admin' } }, true],
  [
    'a call over MCP with a token of scope admin',
    { ...typed, gateway: 'cleo_mutate', isAtTerminal: false, isNamed: true, token: { scope: 'admin' } },
    true,
  ],
])('%s', (_, origin, isPerson) => {
  expect(isPersonCall(origin)).toBe(isPerson);
});
