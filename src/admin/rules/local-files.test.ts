import { expect, test } from 'vitest';
import { addLaterPatterns, formatGitignore, isLocalFile } from './local-files.ts';

test.each([
  ['cleo.db', true],
  ['cleo.db-wal', true],
  ['backups', true],
  ['backups/20260101T000000000Z-manual.db', true],
  ['traces/run.jsonl', true],
  ['config.json.aside-1', true],
  ['research/MANIFEST.jsonl.lock', true],
  ['config.json.lock.tmp-12-a1b2', true],
  ['config.json.taking.lock', true],
  ['config.json', false],
  ['skills/traces.md', false],
  ['skills/x/SKILL.md', false],
  ['mycleo.db', false],
])('%s is local: %s', (path, expected) => {
  expect(isLocalFile(path)).toBe(expected);
});

test('every pattern is a line of .gitignore', () => {
  expect(formatGitignore().split('\n').slice(1, 4)).toEqual(['cleo.db*', 'backups/', 'traces/']);
});

test('a .gitignore of an older version gets the later patterns once', () => {
  expect(addLaterPatterns('cleo.db*\nbackups/')).toBe('cleo.db*\nbackups/\nlocal.json\naudit-heads.jsonl\nworktrees/\n');
  expect(addLaterPatterns('local.json\r\naudit-heads.jsonl\r\nworktrees/\r\n')).toBe('local.json\r\naudit-heads.jsonl\r\nworktrees/\r\n');
  expect(addLaterPatterns(formatGitignore())).toBe(formatGitignore());
});
