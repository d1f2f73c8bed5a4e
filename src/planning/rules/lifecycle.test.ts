import { describe, expect, test } from 'vitest';
import { type Stage, type StageName, stageNames } from '../model/lifecycle.ts';
import {
  checkStageMove,
  type EpicWork,
  findMissingStages,
  formatSkipReason,
  getProtocolStage,
  isProvenance,
  listStages,
  listStagesBetween,
  type StageWork,
  suggestStageFix,
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

const work = (entries: Partial<Record<StageName, Partial<StageWork>>>): EpicWork =>
  new Map(Object.entries(entries).map(([stage, some]) => [stage as StageName, { done: [], open: [], running: [], ...some }]));

const skip = (through: string) => `cleo lifecycle skip T001 research --through ${through} --reason 'No task of T001 belongs to this stage'`;

test.each<[what: string, work: EpicWork, fix: string]>([
  ['skips stages without tasks', work({}), skip('decomposition')],
  ['completes a stage whose tasks are done', work({ research: { done: ['T002'] } }), 'cleo lifecycle complete T001 research'],
  ['names the open task', work({ research: { done: ['T002'], open: ['T003'] } }), 'cleo orchestrate spawn T003'],
  ['names the task without an agent', work({ research: { open: ['T003', 'T004'], running: ['T003'] } }), 'cleo orchestrate spawn T004'],
  ['shows a task that is worked on', work({ research: { open: ['T003'], running: ['T003'] } }), 'cleo show T003'],
  ['does not skip a later stage with tasks', work({ specification: { done: ['T002'] } }), skip('consensus')],
])('the fix of a missing stage %s', (_, tasks, fix) => {
  expect(suggestStageFix('T001', ['research', 'consensus', 'specification', 'decomposition'], tasks).fix).toBe(fix);
});

test.each<[work: StageWork | undefined, reason: string]>([
  [undefined, 'No task of T001 belongs to this stage'],
  [{ done: [], open: ['T002'], running: [] }, 'Skipped while T002 is open'],
  [{ done: ['T004'], open: ['T002', 'T003'], running: [] }, 'Skipped while T002, T003 are open'],
  [{ done: ['T002'], open: [], running: [] }, 'Skipped after T002'],
])('the reason for skipping is true: %j', (tasks, reason) => {
  expect(formatSkipReason('T001', tasks)).toBe(reason);
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
