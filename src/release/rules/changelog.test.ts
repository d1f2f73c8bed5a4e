import { describe, expect, test } from 'vitest';
import { changelogEntries, changelogSection, withSection } from './changelog.ts';

const task = (id: string, title: string, more: object = {}) => ({ id, type: 'task' as const, title, labels: [], ...more });

describe('entries', () => {
  test('a label tells the kind, else the first word, else it is a change; kinds have their order', () => {
    const entries = changelogEntries([
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

  test('a part is told by the task it is part of, a container by what is inside it', () => {
    const entries = changelogEntries([
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

const section = changelogSection('1.1.0', '2026-11-15', '### Added\n- A flag (T001)');
const head = '# Changelog\n\nWords of our own.\n\n';

test.each<[string, string | undefined, string]>([
  ['a new file', undefined, `# Changelog\n\nThe form is that of [Keep a Changelog](https://keepachangelog.com/en/1.1.0/).\n\n${section}`],
  ['before the newest release', `${head}## [1.0.0] - 2026-01-01\n- x\n`, `${head}${section}\n## [1.0.0] - 2026-01-01\n- x\n`],
  [
    'behind what is not released',
    `${head}## [Unreleased]\n### Added\n- soon\n\n## 1.0.0\n- x\n`,
    `${head}## [Unreleased]\n### Added\n- soon\n\n${section}\n## 1.0.0\n- x\n`,
  ],
  ['at the end, where there is only what is not released', `${head}## Unreleased\n- soon`, `${head}## Unreleased\n- soon\n\n${section}`],
  ['before the links', `${head}[1.0.0]: https://example.org\n`, `${head}${section}\n[1.0.0]: https://example.org\n`],
  ['an empty file', '', section],
  [
    'not at a heading in a fenced block',
    `${head}\`\`\`\n## [0.9.0]\n\`\`\`\n\n## [1.0.0]\n`,
    `${head}\`\`\`\n## [0.9.0]\n\`\`\`\n\n${section}\n## [1.0.0]\n`,
  ],
])('%s', (_, file, expected) => {
  expect(withSection(file, '1.1.0', section)).toBe(expected);
});

test('line ends stay as they are', () => {
  const file = '# Changelog\r\n\r\n## [1.0.0]\r\n- x\r\n';
  const written = withSection(file, '1.1.0', section)!;
  expect(written).toBe(`# Changelog\r\n\r\n${section.replaceAll('\n', '\r\n')}\r\n## [1.0.0]\r\n- x\r\n`);
});

test.each(['## [1.1.0] - unreleased\n- by hand\n', '## v1.1.0\n', '## 1.1.0 (2026)\n'])('a section that is there stays: %j', (own) => {
  expect(withSection(`${head}${own}`, '1.1.0', section)).toBeUndefined();
  expect(withSection(`${head}${own}`, '1.1.0-rc.1', section)).toBeDefined();
});

test('a section without entries is its heading', () => {
  expect(changelogSection('1.0.0', undefined, '')).toBe('## [1.0.0] - unreleased\n');
});
