import { expect, test } from 'vitest';
import { type AgentInstance, findSharedFact } from './independence.ts';

const ada: AgentInstance = { agent: 'ada', isRecorded: true, conversations: [] };
const ben: AgentInstance = { ...ada, agent: 'ben' };

test.each<[string, Partial<AgentInstance>, Partial<AgentInstance>, string | undefined]>([
  ['two client processes', { process: 'p1' }, { process: 'p2' }, undefined],
  ['two tokens', { token: 'a' }, { token: 'b' }, undefined],
  ['a token and a client process', { process: 'p1' }, { token: 'b' }, undefined],
  ['work of an older version, known by its name', { isRecorded: false }, {}, undefined],
  ['the same name', { process: 'p1' }, { agent: 'ada', process: 'p2' }, 'ada worked on it'],
  ['the same token', { token: 'a' }, { token: 'a', process: 'p2' }, 'the call has the same token as ada'],
  ['the same client process', { process: 'p1' }, { process: 'p1', token: 'b' }, 'the call comes from the same client process as ada'],
  [
    'one conversation that was resumed in another process',
    { process: 'p1', conversations: ['claude-1'] },
    { process: 'p2', conversations: ['claude-2', 'claude-1'] },
    'the call belongs to the conversation of ada',
  ],
  ['only another name', {}, {}, 'only the name distinguishes the call from one of ada'],
  ['a judge without a client process', { process: 'p1' }, {}, 'only the name distinguishes the call from one of ada'],
  ['a worker without a client process', {}, { process: 'p2' }, 'only the name distinguishes the call from one of ada'],
])('%s', (_, worker, judge, problem) => {
  const isSame = !problem?.startsWith('only');
  expect(findSharedFact({ ...ben, ...judge }, { ...ada, ...worker })).toEqual(problem && { problem, isSame });
});
