import { expect, test } from 'vitest';
import { claimsIn, evidenceForms, evidenceText, filesIn, listed, wordsOf } from './evidence.ts';

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
])('%j', (text, claims) => {
  expect(claimsIn(text).map(({ kind, value }) => `${kind}=${value}`)).toEqual(claims);
});

test.each([
  ['npm test', ['npm', 'test']],
  ['  npm   run  "two words" ', ['npm', 'run', 'two words']],
  ['a \'b "c" d\' e', ['a', 'b "c" d', 'e']],
  ['--name="x y"', ['--name=x y']],
  ['a; rm -rf / && b | c > d $(e) `f`', ['a;', 'rm', '-rf', '/', '&&', 'b', '|', 'c', '>', 'd', '$(e)', '`f`']],
  ['""', ['']],
  ['   ', []],
])('the words of %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test('words that are a list stay as they are', () => {
  expect(wordsOf(['npm', 'run', 'a b'])).toEqual(['npm', 'run', 'a b']);
});

test('a list of files has each once', () => {
  expect(listed(' a, b,,a ')).toEqual(['a', 'b']);
});

test('notes are among the forms only where they are taken', () => {
  expect(evidenceForms(false)).toHaveLength(5);
  expect(evidenceForms(true).slice(5)).toEqual(['url:<address>', 'note:<text>']);
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

test('files that evidence rests on are those of a report too', () => {
  expect(filesIn(evidence).map(({ path }) => path)).toEqual(['a', 'b', 'r.json', 'c']);
});

test('evidence as it would be brought again, without what is gone', () => {
  expect(evidenceText(evidence, () => true)).toBe('commit:abc; files:a,b; test-run:r.json; tool:test; files:c; run:run-2');
  expect(evidenceText(evidence, (path) => path === 'b')).toBe('commit:abc; files:b; tool:test; run:run-2');
  expect(evidenceText([evidence[1]!], () => false)).toBe('');
});
