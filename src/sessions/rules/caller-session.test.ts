import { expect, test } from 'vitest';
import { type Candidate, chooseSession, type Named } from './caller-session.ts';

const session = (id: string, more: Partial<Candidate> = {}): Candidate => ({
  id,
  status: 'active',
  scope: { kind: 'global' },
  isGraded: false,
  isMine: false,
  ...more,
});
const mine = { isMine: true };
const ended = { status: 'ended' as const };
const call = (id: string): Named => ({ id, by: 'call' });
const around = (id: string): Named => ({ id, by: 'surroundings' });

test.each<[string, Candidate[], Named | undefined, string]>([
  ['named in the call', [session('a'), session('b', mine)], call('a'), 'session a'],
  ['named in the call, unknown', [session('a')], call('x'), 'unknown x'],
  ['named in the call, ended: nothing else will do', [session('a', ended), session('b', mine)], call('a'), 'asleep a'],
  ['named by the surroundings', [session('a'), session('b', mine)], around('a'), 'session a'],
  ['the surroundings name what the store does not know', [session('b', mine)], around('x'), 'tag x'],
  ['the surroundings name an ended one: the agent has moved on', [session('a', ended), session('b', mine)], around('a'), 'session b'],
  ['the surroundings name an ended one, and there is no other', [session('a', ended)], around('a'), 'asleep a'],
  ['the one of this agent', [session('a'), session('b', mine)], undefined, 'session b'],
  ['the only one', [session('a')], undefined, 'session a'],
  ['two of this agent', [session('a', mine), session('b', mine)], undefined, 'several a,b'],
  ['several, none of this agent', [session('a'), session('b')], undefined, 'several a,b'],
  ['none at all', [], undefined, 'none true'],
])('%s', (_, candidates, named, expected) => {
  const [[kind, value] = []] = Object.entries(chooseSession(candidates, named)) as [string, Candidate | string][];
  expect(`${kind} ${typeof value === 'object' && 'id' in value ? value.id : value}`).toBe(expected);
});
