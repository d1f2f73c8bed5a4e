import { expect, test } from 'vitest';
import { findObservedProblem, formatEvidence, listEvidenceFiles, parseEvidence, splitPaths } from './evidence.ts';
import { getGatePolicy } from './gate-policy.ts';

const policy = getGatePolicy({});

test.each([
  ['commit:abc1234', ['commit=abc1234']],
  ['files:a.ts,b c.ts', ['files=a.ts,b c.ts']],
  ['commit:abc; files:a,b;tool:test', ['commit=abc', 'files=a,b', 'tool=test']],
  ['it works; really', ['note=it works; really']],
  ['note:one; two', ['note=one; two']],
  ['see url:x', ['note=see url:x']],
  ['test-run:{"passed":1,"failed":0}', ['test-run={"passed":1,"failed":0}']],
  ['run:run-1; files:a', ['run=run-1', 'files=a']],
  ['Commit:abc', ['note=Commit:abc']],
  [' ; ', ['note=;']],
  ['', []],
])('parses %j', (text, claims) => {
  expect(parseEvidence(text).map(({ kind, value }) => `${kind}=${value}`)).toEqual(claims);
});

test('splitPaths removes duplicates and empty items', () => {
  expect(splitPaths(' a, b,,a ')).toEqual(['a', 'b']);
});

const evidence = [
  { kind: 'commit' as const, commit: 'abc' },
  {
    kind: 'files' as const,
    files: [
      { path: 'a', sha256: '1' },
      { path: 'b', sha256: '2' },
    ],
  },
  { kind: 'test-run' as const, passed: 1, skipped: 0, path: 'r.json', sha256: '3' },
  { kind: 'tool' as const, name: 'test', exitCode: 0, sha256: '4' },
  { kind: 'test-run' as const, passed: 1, skipped: 0, sha256: '5' },
  { kind: 'verdict' as const, verdict: 'attested' as const },
  { kind: 'run' as const, run: 'run-1', files: [{ path: 'c', sha256: '6' }] },
  { kind: 'run' as const, run: 'run-2', files: [] },
];

test('lists evidence files, test reports included', () => {
  expect(listEvidenceFiles(evidence).map(({ path }) => path)).toEqual(['a', 'b', 'r.json', 'c']);
});

test('formats evidence for resubmission without missing files', () => {
  const all = 'commit:abc; files:a,b; test-run:r.json; tool:test; files:c; run:run-2';
  expect(formatEvidence(policy, 'implemented', evidence, () => true)).toBe(all);
  expect(formatEvidence(policy, 'testsPassed', evidence, () => true)).toBe(all);
  expect(formatEvidence(policy, 'implemented', evidence, (path) => path === 'b')).toBe('commit:abc; files:b; tool:test; run:run-2');
  expect(formatEvidence(policy, 'implemented', [evidence[1]!], () => false)).toBe('');
});

test('formats nothing that would not open the gate again', () => {
  const [, files, report, , , , run] = evidence;
  expect(formatEvidence(policy, 'testsPassed', [files!], () => true)).toBe('');
  expect(formatEvidence(policy, 'testsPassed', [run!], () => true)).toBe('');
  expect(formatEvidence(policy, 'testsPassed', [report!], () => true)).toBe('');
  expect(formatEvidence(policy, 'implemented', [run!], () => true)).toBe('files:c');
});

const sha = 'a'.repeat(40);
const tool = { kind: 'tool' as const, name: 'test', exitCode: 0, sha256: '4' };
const file = { path: 'a', sha256: '1' };

test.each<[string, Parameters<typeof findObservedProblem>[1], boolean]>([
  ['commit:HEAD', [{ kind: 'commit', commit: sha }], true],
  ['commit:HEAD', [{ kind: 'commit', commit: 'HEAD' }], false],
  ['files:a', [{ kind: 'files', files: [file] }], true],
  ['files:a,b', [{ kind: 'files', files: [file] }], false],
  ['tool:test', [tool], true],
  ['tool:lint', [tool], false],
  ['tool:test', [{ ...tool, exitCode: 1 }], false],
  ['note:x', [tool], false],
  ['note:x', [{ kind: 'note', text: 'x' }], true],
  ['url:x', [{ kind: 'url', url: 'y' }], false],
  ['test-run:r.json', [{ kind: 'test-run', passed: 1, skipped: 0, path: 'r.json', sha256: '3' }], true],
  ['test-run:r.json', [{ kind: 'test-run', passed: 1, skipped: 0, sha256: '3' }], false],
  ['run:run-1', [{ kind: 'run', run: 'run-1', files: [] }], true],
  ['run:run-2', [{ kind: 'run', run: 'run-2', files: [] }], false],
  ['run:run-1', [{ kind: 'verdict', verdict: 'attested', independence: 'spawn' }], false],
  ['tool:test', [{ kind: 'claimed', text: 'tool:test', problem: 'x' }], true],
  ['tool:test', [], false],
  ['tool:test', [tool, { kind: 'verdict', verdict: 'attested' }], false],
])('evidence for %s observed as %j is an answer: %s', (text, observed, isAnswer) => {
  expect(findObservedProblem(parseEvidence(text), observed, ['run-1']) === undefined).toBe(isAnswer);
});
