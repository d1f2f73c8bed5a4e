import { expect, test } from 'vitest';
import { type Config, evidenceGateNames } from '#core/model/config.ts';
import type { GateName } from '#core/model/scalars.ts';

import { parseEvidence } from './evidence.ts';
import {
  findCommitProblem,
  findFileProblem,
  findObserverProblem,
  formatUnfitProblem,
  getGatePolicy,
  isChangedSince,
  listOpeningForms,
  opensGate,
  suggestToolEvidence,
} from './gate-policy.ts';

test.each<[string, GateName[], GateName[]]>([
  ['commit:HEAD', ['implemented'], ['implemented']],
  ['files:a', ['implemented'], ['implemented']],
  ['tool:test', ['testsPassed'], ['testsPassed']],
  ['test-run:r.json', ['testsPassed'], ['testsPassed']],
  ['run:run-1', [...evidenceGateNames], [...evidenceGateNames]],
  ['note:done', [], [...evidenceGateNames]],
  ['url:x', [], [...evidenceGateNames]],
])('%s opens %j, and %j where notes are allowed', (text, gates, withNotes) => {
  const [claim] = parseEvidence(text);
  const list = (config: Partial<Config>) => evidenceGateNames.filter((gate) => opensGate(getGatePolicy(config), gate, [claim!]));
  expect([list({}), list({ 'verification.allowNotes': true })]).toEqual([gates, withNotes]);
});

test('only a verdict of the validator and a run open qaPassed', () => {
  expect(opensGate(getGatePolicy({}), 'qaPassed', [{ kind: 'verdict', verdict: 'attested' }])).toBe(true);
  expect(listOpeningForms(getGatePolicy({}), 'qaPassed')).toEqual([
    'a verdict of the validator (validator attest)',
    'run:<id of a run for this task>',
  ]);
});

test('the problem of evidence that does not fit names the forms that do', () => {
  const [claim] = parseEvidence('files:README.md');
  expect(formatUnfitProblem(getGatePolicy({}), 'testsPassed', claim!)).toBe(
    'files: does not open testsPassed, which needs tool:<name>, run:<id of a run for this task> or test-run:<report that such a tool or run wrote>',
  );
});

test.each<[string[], string, boolean]>([
  [['tool:test'], 'tool:test', true],
  [['tool:test'], 'tool:lint', false],
  [['tool:test'], 'run:run-1', false],
  [['tool:test+tool:lint', 'run'], 'tool:test', false],
  [['tool:test+tool:lint', 'run'], 'tool:lint; note:x; tool:test', true],
  [['tool:test+tool:lint', 'run'], 'run:run-1', true],
  [['tool+test-run'], 'tool:any; test-run:r.json', true],
])('with verification.gates.testsPassed %j, %s opens it: %s', (kinds, text, isOpened) => {
  expect(opensGate(getGatePolicy({ 'verification.gates.testsPassed': kinds }), 'testsPassed', parseEvidence(text))).toBe(isOpened);
});

test.each<[string[], string[], string | undefined]>([
  [['tool'], ['lint', 'test'], 'tool:test'],
  [['tool'], ['lint'], 'tool:lint'],
  [['tool'], [], undefined],
  [['tool:unit'], ['test'], undefined],
  [['run', 'tool:unit+tool:lint'], ['lint', 'unit'], 'tool:unit; tool:lint'],
  [['run'], ['test'], undefined],
])('with %j and the tools %j, %s is suggested', (kinds, configured, evidence) => {
  expect(suggestToolEvidence(getGatePolicy({ 'verification.gates.testsPassed': kinds }), 'testsPassed', configured)).toBe(evidence);
});

test.each<[string[] | undefined, string | undefined, string | undefined]>([
  [undefined, undefined, undefined],
  [[], 'laptop', undefined],
  [['ci'], 'ci', undefined],
  [
    ['ci', 'work-1'],
    'laptop',
    'verification.observers.testsPassed accepts testsPassed from ci or work-1 only, and this call has the token "laptop"',
  ],
  [['ci'], undefined, 'verification.observers.testsPassed accepts testsPassed from ci only, and this call has no token'],
])('with the observers %j, evidence of the token %s: %s', (observers, token, problem) => {
  const config = observers ? { 'verification.observers.testsPassed': observers } : {};
  expect(findObserverProblem(config, 'testsPassed', token ? { token } : {})).toBe(problem);
});

test('names tools that are needed together', () => {
  expect(listOpeningForms(getGatePolicy({ 'verification.gates.testsPassed': ['tool:test+tool:lint', 'run'] }), 'testsPassed')).toEqual([
    'tool:test together with tool:lint',
    'run:<id of a run for this task>',
  ]);
});

const claimed = { taskId: 'T001', isClaim: true };
test.each([
  ['work', { isEmpty: false, isInBaseline: false, isCopied: false }, undefined],
  ['an empty commit', { isEmpty: true, isInBaseline: false, isCopied: false }, '0123456789ab changes no file outside .cleo'],
  ['an old commit', { isEmpty: true, isInBaseline: true, isCopied: false }, '0123456789ab existed when T001 was first claimed'],
  [
    'a copy of an old commit',
    { isEmpty: false, isInBaseline: false, isCopied: true },
    '0123456789ab only repeats a change that existed when T001 was first claimed',
  ],
])('a commit: %s', (_, facts, problem) => {
  expect(findCommitProblem('0123456789abcdef', facts, claimed)).toBe(problem);
});

test.each([
  ['src/a.ts', true, undefined],
  ['src/a.ts', false, '"src/a.ts" has not changed since T001 was created'],
  ['.cleo/config.json', true, '".cleo/config.json" is under .cleo, where no work is stored'],
  ['sub/.git/config', true, '"sub/.git/config" is under .git, where no work is stored'],
  ['.cleo.md', true, undefined],
])('a file: %s, changed: %s', (name, isChanged, problem) => {
  expect(findFileProblem(name, { isChanged }, { taskId: 'T001', isClaim: false })).toBe(problem);
});

const at = '2026-01-01T10:00:00.500Z';
const file = { size: 3, changedAt: '2026-01-01T11:00:00.000Z', sha256: 'new' };
test.each([
  ['newer than the baseline', undefined, file, true],
  ['of the same second, on a file system without fractions', undefined, { ...file, changedAt: '2026-01-01T10:00:00.000Z' }, true],
  ['older than the baseline', undefined, { ...file, changedAt: '2026-01-01T09:59:59.999Z' }, false],
  ['with another content', { ...file, sha256: 'old' }, file, true],
  ['touched only', { ...file, changedAt: at }, file, false],
  ['missing before', {}, file, true],
  ['too large to hash, unchanged', { size: 3, changedAt: file.changedAt }, file, false],
  ['too large to hash, touched', { size: 3, changedAt: at }, file, true],
])('outside git, a file %s', (_, before, now, isChanged) => {
  expect(isChangedSince(now, before, at)).toBe(isChanged);
});
