import { createGlobMatcher } from '#lib/glob.ts';

/** Files in `.cleo` that belong to one machine or can be created again, as lines of `.gitignore`. The rest may be committed, and has the
 *  modes that git gives it. */
const localPatterns = [
  'cleo.db*',
  'backups/',
  'traces/',
  'runs/',
  'trace-salt',
  'reviews.jsonl',
  'local.json',
  'audit-heads.jsonl',
  '*.tmp-*',
  '*.lock',
  '*.aside-*',
];

export const formatGitignore = (): string =>
  `${['# Written by cleo init. Files that are not listed here can be committed.', ...localPatterns].join('\n')}\n`;

/** True for a path in `.cleo`, with slashes, that git ignores by one of the patterns. */
export const isLocalFile = (path: string): boolean => path.split('/').some((name) => localMatchers.some((matches) => matches(name)));

const localMatchers = localPatterns.map((pattern) => createGlobMatcher(pattern.replace(/\/$/, '')));
