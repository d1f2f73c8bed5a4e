import { expect, test } from 'vitest';
import type { ReleaseStep, ReleaseStepName } from '../model/release.ts';
import { commitMessage, inTheWay, statementOf, stepsLeft, tagMessage, withStep } from './release.ts';

const done = (...names: ReleaseStepName[]): ReleaseStep[] => names.map((step) => ({ step, state: 'done', at: 'x' }));
const all = { bumpVersion: true, createTag: true, push: true };
const none = { bumpVersion: false, createTag: false, push: false };

test.each<[string, ReleaseStep[], typeof all, boolean, ReleaseStepName[]]>([
  ['a new one takes every step that is asked for', [], all, false, ['gates', 'changelog', 'bump', 'commit', 'tag', 'push']],
  ['and no other', [], none, false, ['gates', 'changelog', 'commit']],
  [
    'before the commit all is done again',
    done('gates', 'changelog', 'bump'),
    all,
    false,
    ['gates', 'changelog', 'bump', 'commit', 'tag', 'push'],
  ],
  ['after it only what is left', done('gates', 'changelog', 'bump', 'commit', 'tag'), all, true, ['push']],
  [
    'a step that was begun is not done',
    [...done('gates', 'changelog', 'bump', 'commit'), { step: 'tag', state: 'begun', at: 'x' }],
    all,
    true,
    ['tag', 'push'],
  ],
  ['nothing is left', done('gates', 'changelog', 'bump', 'commit', 'tag', 'push'), all, true, []],
  ['more is asked for later', done('gates', 'changelog', 'commit'), { ...none, createTag: true }, true, ['tag']],
  [
    'a tag that comes after the push is pushed too',
    done('gates', 'changelog', 'commit', 'push'),
    { ...none, createTag: true, push: true },
    true,
    ['tag', 'push'],
  ],
  [
    'a version that is written later takes a commit of its own',
    done('gates', 'changelog', 'commit'),
    { ...none, bumpVersion: true },
    true,
    ['bump', 'commit'],
  ],
  [
    'a commit that is gone is made again',
    done('gates', 'changelog', 'bump', 'commit', 'tag', 'push'),
    all,
    false,
    ['gates', 'changelog', 'bump', 'commit', 'tag', 'push'],
  ],
])('%s', (_, steps, wanted, isCommitThere, expected) => {
  expect(stepsLeft({ steps }, wanted, isCommitThere)).toEqual(expected);
});

test('a step that is taken again takes those after it off the record', () => {
  const step: ReleaseStep = { step: 'commit', state: 'begun', at: 'y' };
  expect(withStep(done('gates', 'changelog', 'commit', 'tag', 'push'), step)).toEqual([...done('gates', 'changelog'), step]);
});

test('only what the release writes itself may differ', () => {
  const own = { own: ['app/package.json'], folders: ['app/.cleo'] };
  const changed = ['app/package.json', 'app/.cleo/cleo.db', 'app/.cleo', 'app/.cleox', 'package.json', 'app/src/a.ts'];
  expect(inTheWay(changed, own)).toEqual(['app/.cleox', 'package.json', 'app/src/a.ts']);
});

test('messages say what is in it, in lines of a width', () => {
  expect(commitMessage('v1.0.0', [])).toBe('Release v1.0.0\n\nCleo-Release: v1.0.0\n');
  const long = commitMessage(
    'v1.0.0',
    Array.from({ length: 40 }, (_, i) => `T${100 + i}`),
  );
  expect(long).toMatch(/^Release v1.0.0\n\nTasks: T100, T101/);
  expect(Math.max(...long.split('\n').map((line) => line.length))).toBeLessThanOrEqual(72);
  expect(long.match(/T\d+/g)).toHaveLength(40);
  expect(tagMessage('v1.0.0', '### Added\n- x (T001)')).toBe('v1.0.0\n\nAdded:\n- x (T001)\n');
});

test('a statement names the commit, the files and the tasks', () => {
  const provenance = { commit: 'c', tree: 't', tasks: ['T001'], artifacts: [{ name: 'a.tgz', sha256: 's' }] };
  expect(statementOf('v1.0.0', 'now', provenance, 'cleo 1')).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: 'git:v1.0.0', digest: { gitCommit: 'c', gitTree: 't' } },
      { name: 'a.tgz', digest: { sha256: 's' } },
    ],
    predicateType: 'urn:cleo:release:v1',
    predicate: { version: 'v1.0.0', builder: 'cleo 1', finishedOn: 'now', tasks: ['T001'] },
  });
});
