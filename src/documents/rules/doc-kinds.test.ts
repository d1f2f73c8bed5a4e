import { expect, test } from 'vitest';
import { listDocKinds } from './doc-kinds.ts';

const listNames = (added: string[]) => listDocKinds(added).map(({ name }) => name);

test('has eight built-in kinds', () => {
  expect(listNames([])).toEqual(['spec', 'adr', 'research', 'handoff', 'note', 'llm-readme', 'plan', 'changelog']);
});

test('adds kinds of the configuration once and keeps the built-in ones', () => {
  expect(listDocKinds(['runbook', 'note', 'runbook']).slice(4)).toMatchObject([
    { name: 'note', source: 'built-in' },
    { name: 'llm-readme' },
    { name: 'plan' },
    { name: 'changelog' },
    { name: 'runbook', source: 'config' },
  ]);
  expect(listNames(['constructor'])).toContain('constructor');
});
