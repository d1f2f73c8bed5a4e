import { describe, expect, test } from 'vitest';
import { type Stage, type StageName, stageNames } from '../model/lifecycle.ts';
import {
  checkLifecycleGate,
  checkStageMove,
  findMissingStages,
  getProtocolStage,
  isProvenance,
  listStages,
  listStagesBetween,
} from './lifecycle.ts';

const finish = (...names: StageName[]): Stage[] => names.map((stage, i) => ({ stage, status: i % 2 ? 'skipped' : 'completed' }));

test.each([
  ['research', 'research'],
  ['contribution', 'contribution'],
  ['artifact-publish', 'release'],
  ['provenance', 'release'],
  ['something else', 'implementation'],
])('work under %s belongs to %s', (protocol, stage) => {
  expect(getProtocolStage(protocol)).toBe(stage);
});

test('lists all stages in order', () => {
  expect(listStages([{ stage: 'release', status: 'active' }]).map(({ stage, status }) => `${stage} ${status}`)).toEqual([
    ...stageNames.slice(0, -1).map((stage) => `${stage} pending`),
    'release active',
  ]);
});

test('finds earlier stages that are neither completed nor skipped', () => {
  expect(findMissingStages([], 'research')).toEqual([]);
  expect(findMissingStages(finish('research', 'consensus'), 'decomposition')).toEqual(['specification']);
  expect(findMissingStages([...finish('research'), { stage: 'consensus', status: 'failed' }], 'specification')).toEqual(['consensus']);
  expect(findMissingStages([...finish('research'), { stage: 'consensus', status: 'active' }], 'specification')).toEqual(['consensus']);
});

test('strict throws, advisory warns, off does nothing', () => {
  const known = finish('research', 'consensus');
  expect(() => checkLifecycleGate('T001', known, 'implementation', 'strict')).toThrow(
    expect.objectContaining({
      exitCode: 80,
      fix: "cleo lifecycle skip T001 specification --through decomposition --reason 'Not needed here'",
      details: expect.objectContaining({ missing: ['specification', 'decomposition'], legacyExitCode: 75 }),
    }),
  );
  expect(checkLifecycleGate('T001', known, 'implementation', 'advisory')).toEqual([
    'T001 enters implementation before specification, decomposition',
  ]);
  expect(checkLifecycleGate('T001', known, 'implementation', 'off')).toEqual([]);
  expect(checkLifecycleGate('T001', known, 'specification', 'strict')).toEqual([]);
});

describe('moves', () => {
  const allowed = [
    ['start', 'pending failed'],
    ['complete', 'active'],
    ['skip', 'pending active failed'],
    ['fail', 'active'],
    ['reset', 'active completed skipped failed'],
  ] as const;
  test.each(allowed)('%s is allowed only from %s', (move, states) => {
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

test('lists the stages from one to another', () => {
  expect(listStagesBetween('research', 'specification')).toEqual(['research', 'consensus', 'specification']);
  expect(listStagesBetween('release', 'release')).toEqual(['release']);
  expect(listStagesBetween('specification', 'research')).toEqual([]);
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
])('%s as provenance: %s', (text, isValid) => {
  expect(isProvenance(text)).toBe(isValid);
});
