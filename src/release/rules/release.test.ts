import { expect, test } from 'vitest';
import type { ReleaseStep, ReleaseStepName } from '../model/release.ts';
import { createStatement, findUncommitted, formatCommitMessage, formatTagMessage, listRemainingSteps, recordStep } from './release.ts';

const done = (...names: ReleaseStepName[]): ReleaseStep[] => names.map((step) => ({ step, state: 'done', at: 'x' }));
const all = { bumpVersion: true, createTag: true, push: true };
const none = { bumpVersion: false, createTag: false, push: false };

test.each<[string, ReleaseStep[], typeof all, boolean, ReleaseStepName[]]>([
  ['a new release with all options', [], all, false, ['gates', 'changelog', 'bump', 'commit', 'tag', 'push']],
  ['a new release without options', [], none, false, ['gates', 'changelog', 'commit']],
  [
    'all steps again before the commit',
    done('gates', 'changelog', 'bump'),
    all,
    false,
    ['gates', 'changelog', 'bump', 'commit', 'tag', 'push'],
  ],
  ['only the rest after the commit', done('gates', 'changelog', 'bump', 'commit', 'tag'), all, true, ['push']],
  [
    'a step that was started but not done',
    [...done('gates', 'changelog', 'bump', 'commit'), { step: 'tag', state: 'begun', at: 'x' }],
    all,
    true,
    ['tag', 'push'],
  ],
  ['none after all are done', done('gates', 'changelog', 'bump', 'commit', 'tag', 'push'), all, true, []],
  ['an option added later', done('gates', 'changelog', 'commit'), { ...none, createTag: true }, true, ['tag']],
  [
    'a push for a tag that comes after the push',
    done('gates', 'changelog', 'commit', 'push'),
    { ...none, createTag: true, push: true },
    true,
    ['tag', 'push'],
  ],
  [
    'another commit for a version that is written later',
    done('gates', 'changelog', 'commit'),
    { ...none, bumpVersion: true },
    true,
    ['bump', 'commit'],
  ],
  [
    'all steps if the commit is gone',
    done('gates', 'changelog', 'bump', 'commit', 'tag', 'push'),
    all,
    false,
    ['gates', 'changelog', 'bump', 'commit', 'tag', 'push'],
  ],
])('remaining steps: %s', (_, steps, options, hasCommit, expected) => {
  expect(listRemainingSteps({ steps }, options, hasCommit)).toEqual(expected);
});

test('recording a step drops the later steps', () => {
  const step: ReleaseStep = { step: 'commit', state: 'begun', at: 'y' };
  expect(recordStep(done('gates', 'changelog', 'commit', 'tag', 'push'), step)).toEqual([...done('gates', 'changelog'), step]);
});

test('ignores uncommitted files that the release writes', () => {
  const own = { own: ['app/package.json'], folders: ['app/.cleo'] };
  const changed = ['app/package.json', 'app/.cleo/cleo.db', 'app/.cleo', 'app/.cleox', 'package.json', 'app/src/a.ts'];
  expect(findUncommitted(changed, own)).toEqual(['app/.cleox', 'package.json', 'app/src/a.ts']);
});

test('formats commit and tag messages', () => {
  expect(formatCommitMessage('v1.0.0', [])).toBe('Release v1.0.0\n\nCleo-Release: v1.0.0\n');
  const long = formatCommitMessage(
    'v1.0.0',
    Array.from({ length: 40 }, (_, i) => `T${100 + i}`),
  );
  expect(long).toMatch(/^Release v1.0.0\n\nTasks: T100, T101/);
  expect(Math.max(...long.split('\n').map((line) => line.length))).toBeLessThanOrEqual(72);
  expect(long.match(/T\d+/g)).toHaveLength(40);
  expect(formatTagMessage('v1.0.0', '### Added\n- x (T001)')).toBe('v1.0.0\n\nAdded:\n- x (T001)\n');
});

test('a statement contains the commit, the files and the tasks', () => {
  const provenance = { commit: 'c', tree: 't', tasks: ['T001'], artifacts: [{ name: 'a.tgz', sha256: 's' }] };
  expect(createStatement('v1.0.0', 'now', provenance, 'cleo 1')).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: 'git:v1.0.0', digest: { gitCommit: 'c', gitTree: 't' } },
      { name: 'a.tgz', digest: { sha256: 's' } },
    ],
    predicateType: 'urn:cleo:release:v1',
    predicate: { version: 'v1.0.0', builder: 'cleo 1', finishedOn: 'now', tasks: ['T001'] },
  });
});
