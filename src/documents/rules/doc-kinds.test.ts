import { expect, test } from 'vitest';
import { docKinds } from './doc-kinds.ts';

const names = (added: string[]) => docKinds(added).map(({ name }) => name);

test('eight kinds are ours', () => {
  expect(names([])).toEqual(['spec', 'adr', 'research', 'handoff', 'note', 'llm-readme', 'plan', 'changelog']);
});

test('the configuration adds kinds, each once, and changes none of ours', () => {
  expect(docKinds(['runbook', 'note', 'runbook']).slice(4)).toMatchObject([
    { name: 'note', source: 'built-in' },
    { name: 'llm-readme' },
    { name: 'plan' },
    { name: 'changelog' },
    { name: 'runbook', source: 'config' },
  ]);
  expect(names(['constructor'])).toContain('constructor');
});
