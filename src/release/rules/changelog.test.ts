import { describe, expect, test } from 'vitest';
import { formatChangelogEntries, formatChangelogSection, insertSection } from './changelog.ts';

const task = (id: string, title: string, more: object = {}) => ({ id, type: 'task' as const, title, labels: [], ...more });

describe('entries', () => {
  test('the kind comes from a label, else the first word, else it is Changed; kinds are ordered', () => {
    const entries = formatChangelogEntries([
      task('T001', 'Reads faster'),
      task('T002', 'Fix the lexer'),
      task('T003', 'Look again', { labels: ['x', 'security'] }),
      task('T004', 'Add a flag'),
      task('T005', 'Drop Node 18'),
      task('T006', 'Fix the docs', { labels: ['docs'] }),
      task('T007', 'constructor'),
    ]);
    expect(entries).toBe(
      `### Added
- Add a flag (T004)

### Changed
- Reads faster (T001)
- Fix the docs (T006)
- constructor (T007)

### Removed
- Drop Node 18 (T005)

### Fixed
- Fix the lexer (T002)

### Security
- Look again (T003)`,
    );
  });

  test('lists a task instead of its subtasks, and tasks instead of their container', () => {
    const entries = formatChangelogEntries([
      task('T001', 'Saga', { type: 'saga' }),
      task('T002', 'Epic', { type: 'epic', parentId: 'T001' }),
      task('T003', 'Task', { parentId: 'T002' }),
      task('T004', 'Part', { type: 'subtask', parentId: 'T003' }),
      task('T005', 'Part of an open task', { type: 'subtask', parentId: 'T009' }),
      task('T006', 'Empty epic', { type: 'epic' }),
    ]);
    expect(entries.match(/T\d+/g)).toEqual(['T003', 'T005', 'T006']);
  });
});

const section = formatChangelogSection('1.1.0', '2026-11-15', '### Added\n- A flag (T001)');
const head = '# Changelog\n\nWords of our own.\n\n';

test.each<[string, string | undefined, string]>([
  [
    'a new file',
    undefined,
    `# Changelog\n\nThe format is based on [Keep a Changelog](https://keepachangelog.com/en/1.1.0/).\n\n${section}`,
  ],
  ['before the newest release', `${head}## [1.0.0] - 2026-01-01\n- x\n`, `${head}${section}\n## [1.0.0] - 2026-01-01\n- x\n`],
  [
    'after the unreleased changes',
    `${head}## [Unreleased]\n### Added\n- soon\n\n## 1.0.0\n- x\n`,
    `${head}## [Unreleased]\n### Added\n- soon\n\n${section}\n## 1.0.0\n- x\n`,
  ],
  ['at the end, after the unreleased changes only', `${head}## Unreleased\n- soon`, `${head}## Unreleased\n- soon\n\n${section}`],
  ['before the links', `${head}[1.0.0]: https://example.org\n`, `${head}${section}\n[1.0.0]: https://example.org\n`],
  ['an empty file', '', section],
  [
    'not at a heading in a code block',
    `${head}\`\`\`\n## [0.9.0]\n\`\`\`\n\n## [1.0.0]\n`,
    `${head}\`\`\`\n## [0.9.0]\n\`\`\`\n\n${section}\n## [1.0.0]\n`,
  ],
])('inserts a section: %s', (_, file, expected) => {
  expect(insertSection(file, '1.1.0', section)).toBe(expected);
});

test('keeps the line endings of the file', () => {
  const file = '# Changelog\r\n\r\n## [1.0.0]\r\n- x\r\n';
  const written = insertSection(file, '1.1.0', section)!;
  expect(written).toBe(`# Changelog\r\n\r\n${section.replaceAll('\n', '\r\n')}\r\n## [1.0.0]\r\n- x\r\n`);
});

test.each(['## [1.1.0] - unreleased\n- by hand\n', '## v1.1.0\n', '## 1.1.0 (2026)\n'])('keeps an existing section: %j', (own) => {
  expect(insertSection(`${head}${own}`, '1.1.0', section)).toBeUndefined();
  expect(insertSection(`${head}${own}`, '1.1.0-rc.1', section)).toBeDefined();
});

test('a section without entries has only a heading', () => {
  expect(formatChangelogSection('1.0.0', undefined, '')).toBe('## [1.0.0] - unreleased\n');
});
