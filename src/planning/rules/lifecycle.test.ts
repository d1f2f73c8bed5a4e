import { describe, expect, test } from 'vitest';
import { type Stage, type StageName, stageNames } from '../model/lifecycle.ts';
import { allStages, checkStageMove, isProvenance, lifecycleGate, missingBefore, stageOf, stagesThrough } from './lifecycle.ts';

const over = (...names: StageName[]): Stage[] => names.map((stage, i) => ({ stage, status: i % 2 ? 'skipped' : 'completed' }));

test.each([
  ['research', 'research'],
  ['contribution', 'contribution'],
  ['artifact-publish', 'release'],
  ['provenance', 'release'],
  ['something else', 'implementation'],
])('work under %s belongs to %s', (protocol, stage) => {
  expect(stageOf(protocol)).toBe(stage);
});

test('all stages are told, in order', () => {
  expect(allStages([{ stage: 'release', status: 'active' }]).map(({ stage, status }) => `${stage} ${status}`)).toEqual([
    ...stageNames.slice(0, -1).map((stage) => `${stage} pending`),
    'release active',
  ]);
});

test('what is missing before a stage: neither completed nor skipped', () => {
  expect(missingBefore([], 'research')).toEqual([]);
  expect(missingBefore(over('research', 'consensus'), 'decomposition')).toEqual(['specification']);
  expect(missingBefore([...over('research'), { stage: 'consensus', status: 'failed' }], 'specification')).toEqual(['consensus']);
  expect(missingBefore([...over('research'), { stage: 'consensus', status: 'active' }], 'specification')).toEqual(['consensus']);
});

test('strict refuses, advisory warns, off says nothing', () => {
  const known = over('research', 'consensus');
  expect(() => lifecycleGate('T001', known, 'implementation', 'strict')).toThrow(
    expect.objectContaining({
      exitCode: 80,
      fix: "cleo lifecycle skip T001 specification --through decomposition --reason 'Not needed here'",
      details: expect.objectContaining({ missing: ['specification', 'decomposition'], legacyExitCode: 75 }),
    }),
  );
  expect(lifecycleGate('T001', known, 'implementation', 'advisory')).toEqual([
    'T001 enters implementation before specification, decomposition',
  ]);
  expect(lifecycleGate('T001', known, 'implementation', 'off')).toEqual([]);
  expect(lifecycleGate('T001', known, 'specification', 'strict')).toEqual([]);
});

describe('moves', () => {
  const allowed = [
    ['start', 'pending failed'],
    ['complete', 'active'],
    ['skip', 'pending active failed'],
    ['fail', 'active'],
    ['reset', 'active completed skipped failed'],
  ] as const;
  test.each(allowed)('%s is possible from %s and no other', (move, states) => {
    for (const status of ['pending', 'active', 'completed', 'skipped', 'failed'] as const) {
      const attempt = (): void => checkStageMove('T001', { stage: 'research', status }, move);
      if (states.split(' ').includes(status)) expect(attempt).not.toThrow();
      else
        expect(attempt).toThrow(
          expect.objectContaining({ exitCode: 83, fix: expect.stringMatching(/^cleo lifecycle (start|reset|status) T001/) }),
        );
    }
  });
});

test('from a stage through another', () => {
  expect(stagesThrough('research', 'specification')).toEqual(['research', 'consensus', 'specification']);
  expect(stagesThrough('release', 'release')).toEqual(['release']);
  expect(stagesThrough('specification', 'research')).toEqual([]);
});

test.each([
  ['commit:0123abc', true],
  ['tag:v1.0.0', true],
  [`artifact:sha256:${'a'.repeat(64)}`, true],
  [`artifact:${'a'.repeat(64)}`, true],
  ['artifact:abc', false],
  ['commit:main', false],
  ['tag:--upload-pack=x', false],
  ['v1.0.0', false],
  ['', false],
])('%s as provenance: %s', (text, isOne) => {
  expect(isProvenance(text)).toBe(isOne);
});
