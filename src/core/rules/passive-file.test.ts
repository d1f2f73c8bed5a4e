import { expect, test } from 'vitest';
import { findActiveFileProblem } from './passive-file.ts';

test.each([
  'package.json',
  'Makefile',
  'docs/Makefile',
  'a.sh',
  'vite.config.ts',
  'notes.md/.envrc',
  '.md',
  'conftest.py',
  'pyproject.toml',
  'docker-compose.yml',
  'notes.md ',
  'notes.md.',
])('finds that a program may run or obey %j', (path) => {
  expect(findActiveFileProblem(path)).toContain('only the command line');
});

test.each(['.claude/settings.json', '.github/workflows/x.md', 'docs/.vscode/notes.md', '.husky\\pre-commit.md'])(
  'finds that %s is hidden',
  (path) => {
    expect(findActiveFileProblem(path)).toContain('is hidden');
  },
);

test.each(['AGENTS.md', 'claude.md', 'web\\CLAUDE.local.md', 'AGENTS.override.md', 'skills/parse/SKILL.md', './GEMINI.MD'])(
  'finds that agents follow the instructions in %s',
  (path) => {
    expect(findActiveFileProblem(path)).toContain('agents follow');
  },
);

test.each(['docs/agents.md.txt', 'docs/skills.md'])('accepts %s, which no agent follows', (path) => {
  expect(findActiveFileProblem(path)).toBeUndefined();
});

test.each(['docs/notes.md', './NOTES.TXT', 'a.b.csv', 'out\\plan.html', 'picture.svg'])('accepts %s', (path) => {
  expect(findActiveFileProblem(path)).toBeUndefined();
});

test('accepts further extensions, also in a hidden folder', () => {
  expect(findActiveFileProblem('.taskmaster/tasks/tasks.json', ['json'])).toBeUndefined();
  expect(findActiveFileProblem('.taskmaster/tasks/tasks.sh', ['json'])).toContain('is hidden');
});
