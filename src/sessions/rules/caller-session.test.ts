import { expect, test } from 'vitest';
import { chooseSession, type SessionCandidate, type SessionReference } from './caller-session.ts';

const session = (id: string, more: Partial<SessionCandidate> = {}): SessionCandidate => ({
  id,
  status: 'active',
  scope: { kind: 'global' },
  isGraded: false,
  isMine: false,
  ...more,
});
const mine = { isMine: true };
const ended = { status: 'ended' as const };
const call = (id: string): SessionReference => ({ id, by: 'call' });
const fromEnvironment = (id: string): SessionReference => ({ id, by: 'environment' });

test.each<[string, SessionCandidate[], SessionReference | undefined, string]>([
  ['named in the call', [session('a'), session('b', mine)], call('a'), 'session a'],
  ['named in the call, unknown', [session('a')], call('x'), 'unknown x'],
  ['named in the call, ended: no other session is chosen', [session('a', ended), session('b', mine)], call('a'), 'inactive a'],
  ['named by the environment', [session('a'), session('b', mine)], fromEnvironment('a'), 'session a'],
  ['the environment names an unknown session', [session('b', mine)], fromEnvironment('x'), 'tag x'],
  [
    'the environment names an ended session: the active one is chosen',
    [session('a', ended), session('b', mine)],
    fromEnvironment('a'),
    'session b',
  ],
  ['the environment names an ended session, and no other is active', [session('a', ended)], fromEnvironment('a'), 'inactive a'],
  ['the only session of this agent', [session('a'), session('b', mine)], undefined, 'session b'],
  ['the only active session, of another agent: it is not joined', [session('a')], undefined, 'others a'],
  ['the only active session, its own', [session('a', mine)], undefined, 'session a'],
  ['two sessions of this agent', [session('a', mine), session('b', mine)], undefined, 'ambiguous a,b'],
  ['two sessions of this agent and one of another', [session('a', mine), session('b'), session('c', mine)], undefined, 'ambiguous a,c'],
  ['several sessions, none of this agent', [session('a'), session('b')], undefined, 'others a,b'],
  ['no session', [], undefined, 'others '],
])('%s', (_, candidates, named, expected) => {
  const [[kind, value] = []] = Object.entries(chooseSession(candidates, named)) as [string, SessionCandidate | string][];
  expect(`${kind} ${typeof value === 'object' && 'id' in value ? value.id : value}`).toBe(expected);
});
