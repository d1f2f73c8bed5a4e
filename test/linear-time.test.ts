import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { noteUpdate } from '../src/store/sql/changes.ts';
import { readBacklog } from '../src/transfer/rules/backlog.ts';
import { openApp } from './app.ts';
import { isFull } from './faults/processes.ts';
import { exempt, readers, redactStream } from './foreign-text-readers.ts';

/** Repeated, each of these made some pattern somewhere quadratic, or looks as if it could. */
const units = [
  'key=',
  'token: ',
  'password="',
  'authorization:<',
  '--token ',
  'http://a:',
  'eyJaaaaaaaaaa-',
  'AAAAAAAAA%AA',
  '-----BEGIN PRIVATE KEY-----',
  `${'A'.repeat(64)}\n`,
  'curl -u a ',
  'lftp -u a,',
  'name: A\n value: ',
  "define('A','",
  '1234567890:AA',
  'a',
  'a ',
  'a.',
  'a_',
  'A-',
  'é',
  '🙂',
  ' ',
  '\n',
  ' \n',
  '\t',
  '-',
  '#',
  '# a\n',
  '- [ ] a\n',
  '> ',
  '* ',
  '_a_ ',
  '`',
  '```\n',
  '[',
  '[a](',
  '![',
  '<',
  '<a ',
  '<!-- ',
  '</',
  '&',
  '{',
  '{{',
  '{"a":',
  '{}\n',
  '"',
  "'",
  '\\',
  ',',
  ':',
  ': ',
  'a: ',
  'a:\n',
  '@',
  '+p @c k:v ',
  '#1 and ',
  'blocked by #1, ',
  'T001 ',
  '<testcase>',
  '<testsuite tests="1">',
  '# tests 1\n',
  'ok 1 - a\n',
  '1 passing\n',
  '&a *a ',
  '---\n',
  '| a ',
  '1. ',
  '\r',
  '\u0301',
];

/** Words that make a reader look further: half of the rules skip a text without them. */
const starts = ['', 'a_long_word_here key=x : < pass login curl {"a": 1 \n'];

const sizes = { small: 16_384, large: 65_536 };
/** A large text that takes less is read fast enough to be linear. */
const fastMs = 8;
/** Linear growth is 4, quadratic 16. */
const maxGrowth = 9;

function measureMs(run: () => unknown): number {
  const before = process.cpuUsage();
  try {
    run();
  } catch {
    // An error is an answer too.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

interface Growth {
  growth: number;
  times: { small: number; large: number };
}

/** Compares the best times of two sizes. Other work on the machine can only make a time longer, so more tries make it more exact.
 *  Most readers are fast: one look at the large text is enough. Growth that is too large is measured again with texts four times as
 *  long, because between two sizes the garbage collector alone can take as much as the reader. */
function measureGrowth(read: (text: string) => unknown, create: (size: number) => string, { small, large } = sizes): Growth {
  const measured = comparePair(read, create(small), create(large));
  return measured.growth === 0 ? measured : comparePair(read, create(4 * small), create(4 * large));
}

/** Returns a growth of 0 if the reader is fast enough. */
function comparePair(read: (text: string) => unknown, small: string, large: string): Growth {
  const times = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  for (let tries = 0; tries < 5; tries++) {
    times.large = Math.min(
      times.large,
      measureMs(() => read(large)),
    );
    if (times.large < fastMs) return { growth: 0, times };
    times.small = Math.min(
      times.small,
      measureMs(() => read(small)),
    );
    if (times.large / Math.max(times.small, 0.5) < maxGrowth) return { growth: 0, times };
  }
  return { growth: times.large / times.small, times };
}

test.each(Object.entries(readers))('%s takes time in proportion to the length of the text', (name, read) => {
  const turn = Object.keys(readers).indexOf(name);
  // The short form distributes the texts among the readers; CLEO_FAULTS=full measures all of them.
  const measured = isFull ? units : units.filter((_, i) => (i + turn) % 6 === 0);
  for (const start of starts)
    for (const unit of measured) {
      const { growth, times } = measureGrowth(read, (size) => start + unit.repeat(size / unit.length));
      expect({ start, unit, growth, times }).toMatchObject({ growth: 0 });
    }
});

// Smaller texts are held back as one line, larger ones are cut.
const streamSizes = { small: 131_072, large: 524_288 };

test.each(['key=', 'a:\n', 'a', '-----BEGIN PRIVATE KEY-----', `${'A'.repeat(64)}\n`])(
  'the redactor of a stream takes time in proportion to the length of %j in small pieces',
  (unit) => {
    const { growth, times } = measureGrowth(redactStream, (size) => unit.repeat(size / unit.length), streamSizes);
    expect({ growth, times }).toMatchObject({ growth: 0 });
  },
);

test('importing a long issue again takes time in proportion to its length', async () => {
  const { call } = await openApp();
  const createIssue = (number: number, length: number, word: string): string =>
    JSON.stringify([{ number, title: 'Long', state: 'open', body: `${word} and more text in a line.\n`.repeat(length / 32) }]);
  const times: number[] = [];
  for (const [i, length] of [200_000, 800_000].entries()) {
    await call('tasks.import', { from: 'github', content: createIssue(i + 1, length, 'one') });
    const before = process.cpuUsage();
    expect(await call('tasks.import', { from: 'github', content: createIssue(i + 1, length, 'two') })).toMatchObject({ updated: 1 });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  expect(times[1]! / times[0]!, times.join()).toBeLessThan(maxGrowth);
});

test('lists of 200,000 items do not overflow the stack', () => {
  const changes = { created: [] as string[], updated: [] as string[], deleted: [] as string[] };
  for (let i = 0; i < 200_000; i++) noteUpdate(changes, `T${i % 100_000}`);
  expect(changes.updated).toHaveLength(100_000);
  const lines = Array.from({ length: 200_000 }, (_, i) => `- [ ] item ${i}`).join('\n');
  const text = `---\nid: task-1\ntitle: a\nstatus: To Do\n---\n## Acceptance Criteria\n\n${lines}\n`;
  const { tasks } = readBacklog([{ name: 'backlog/tasks/task-1 - a.md', text }]);
  expect(tasks[0]?.acceptance).toHaveLength(200_000);
});

/** Names of parameters that hold a text, not a name or a path. */
const textParams = 'text|content|source|raw|body|line|lines|markdown|yaml|json|query|whole|files|file|given|value';

test('every rule that reads a text is measured', () => {
  const paths = globSync(['src/lib/**/*.ts', 'src/*/rules/**/*.ts'], { ignore: ['**/*.test.ts', '**/*.generated.ts'] });
  const found = paths.flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(
      new RegExp(
        `^export (?:function|const) (\\w+)(?: = |)\\((?:\\w+: string, )?(?:${textParams}): (?:string|string\\[\\]|SourceFile|SourceFile\\[\\])[,)= |]`,
        'gm',
      ),
    ),
  ]);
  const names = found.map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !(name in readers) && !(name in exempt))).toEqual([]);
});
