import { expect, test } from 'vitest';
import { isPrivatePath, pathProblem } from './doc-path.ts';

test.each(['/etc/passwd', '\\\\host\\share', 'C:\\notes.md', 'c:/notes.md'])('%s is absolute', (path) => {
  expect(pathProblem(path)).toContain('absolute');
});

test.each(['..', '../a.md', 'docs/../a.md', 'docs/..', '..\\a.md'])('%s leads upwards', (path) => {
  expect(pathProblem(path)).toContain('upwards');
});

test.each(['a.md', './a.md', 'docs/a..b.md', '...', 'C:notes.md', '~'])('%s may be one of the project', (path) => {
  expect(pathProblem(path)).toBeUndefined();
});

test.each(['.git/config', 'sub/.GIT/HEAD', '.cleo/config.json', '.cleo/cleo.db', '.cleo/research', '.Cleo/backups/x', 'a/.cleo/x'])(
  '%s is private',
  (name) => {
    expect(isPrivatePath(name)).toBe(true);
  },
);

test.each(['.gitignore', 'docs/a.md', '.cleo/research/T001/a.md', '.cleo/adrs/1.md', 'cleo/x'])('%s is not', (name) => {
  expect(isPrivatePath(name)).toBe(false);
});
