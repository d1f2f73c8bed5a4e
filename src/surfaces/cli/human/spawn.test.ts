import { expect, test } from 'vitest';
import { shown } from '../../../../test/shown.ts';

const spawn = {
  taskId: 'T002',
  agentId: 'T002-worker-1',
  skill: 'ct-research-agent',
  protocol: 'research',
  tier: 0,
  promptTokens: 5000,
  env: { CLEO_AGENT_ID: 'T002-worker-1', CLEO_SESSION_ID: 'session-1772359200000-abcdef' },
};

test('a prompt stands as it is, to be copied, and nothing in it reaches the terminal', async () => {
  const long = 'long '.repeat(30).trim();
  expect(await shown({ spawn: { ...spawn, prompt: `# Do T002\n\n\u001b[31m${long}\n` } }, {}, 50)).toBe(
    [
      'T002 → T002-worker-1',
      '  ct-research-agent · research · tier 0 · 5000',
      '  tokens',
      '  CLEO_AGENT_ID=T002-worker-1 CLEO_SESSION_ID=session-1772359200000-abcdef',
      '',
      '# Do T002',
      '',
      `␛[31m${long}`,
      '',
      '',
    ].join('\n'),
  );
});

test('several of them, and what a file holds', async () => {
  const second = {
    ...spawn,
    taskId: 'T003',
    agentId: 'T003-worker-1',
    prompt: 'Read it.',
    promptFile: '.cleo/research/prompts/T003-worker-1.md',
  };
  expect(await shown({ spawns: [spawn, second] }, {}, 120)).toBe(
    [
      'T002 → T002-worker-1',
      '  ct-research-agent · research · tier 0 · 5000 tokens',
      '  CLEO_AGENT_ID=T002-worker-1 CLEO_SESSION_ID=session-1772359200000-abcdef',
      '',
      'T003 → T003-worker-1',
      '  ct-research-agent · research · tier 0 · 5000 tokens · .cleo/research/prompts/T003-worker-1.md',
      '  CLEO_AGENT_ID=T002-worker-1 CLEO_SESSION_ID=session-1772359200000-abcdef',
      '',
      'Read it.',
      '',
    ].join('\n'),
  );
});

test('some fields of it stand by their names', async () => {
  expect(await shown({ spawn: { agentId: 'T002-worker-1', skill: 'ct-research-agent' } }, {}, 80)).toBe(
    'agent  T002-worker-1\nskill  ct-research-agent\n',
  );
});
