import { createGlobMatcher } from '#lib/glob.ts';

/** Patterns that the `.gitignore` of a project of an older version lacks. Others are not added again: the user may have removed them. */
const laterPatterns = ['local.json', 'audit-heads.jsonl', 'worktrees/'];

/** Files in `.cleo` that belong to one machine or can be created again, as lines of `.gitignore`. The rest may be committed, and has the
 *  modes that git gives it. */
const localPatterns = [
  'cleo.db*',
  'backups/',
  'traces/',
  'runs/',
  'trace-salt',
  'reviews.jsonl',
  ...laterPatterns,
  '*.tmp-*',
  '*.lock',
  '*.aside-*',
];

export const formatGitignore = (): string =>
  `${['# Written by cleo init. Files that are not listed here can be committed.', ...localPatterns].join('\n')}\n`;

/** Adds the patterns that a `.gitignore` of an older version lacks. */
export function addLaterPatterns(text: string): string {
  const lines = text.split(/\r?\n/);
  const missing = laterPatterns.filter((pattern) => !lines.includes(pattern));
  return missing.length === 0 ? text : `${text.replace(/\n?$/, '\n')}${missing.join('\n')}\n`;
}

/** True for a path in `.cleo`, with slashes, that git ignores by one of the patterns. */
export const isLocalFile = (path: string): boolean => path.split('/').some((name) => localMatchers.some((matches) => matches(name)));

const localMatchers = localPatterns.map((pattern) => createGlobMatcher(pattern.replace(/\/$/, '')));
