import { expect, test } from 'vitest';
import { checkDocPath, isPrivatePath } from './doc-path.ts';

test.each(['/etc/passwd', '\\\\host\\share', 'C:\\notes.md', 'c:/notes.md'])('refuses the absolute path %s', (path) => {
  expect(checkDocPath(path)).toContain('absolute');
});

test.each(['..', '../a.md', 'docs/../a.md', 'docs/..', '..\\a.md'])('refuses %s because of ..', (path) => {
  expect(checkDocPath(path)).toContain('contains ..');
});

test.each(['a.md', './a.md', 'docs/a..b.md', '...', 'C:notes.md', '~'])('accepts %s', (path) => {
  expect(checkDocPath(path)).toBeUndefined();
});

test.each(['.git/config', 'sub/.GIT/HEAD', '.cleo/config.json', '.cleo/cleo.db', '.cleo/research', '.Cleo/backups/x', 'a/.cleo/x'])(
  'treats %s as private',
  (name) => {
    expect(isPrivatePath(name)).toBe(true);
  },
);

test.each(['.gitignore', 'docs/a.md', '.cleo/research/T001/a.md', '.cleo/adrs/1.md', 'cleo/x'])('treats %s as not private', (name) => {
  expect(isPrivatePath(name)).toBe(false);
});
