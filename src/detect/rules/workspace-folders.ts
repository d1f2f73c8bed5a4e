import { createGlobMatcher } from '#lib/glob.ts';

/** Selects the folders that a workspace lists with patterns such as `packages/*`, `apps/**` and `!**\/old`. */
export function matchWorkspaceFolders(folders: readonly string[], patterns: readonly string[]): string[] {
  const included = patterns.filter((pattern) => !pattern.startsWith('!')).flatMap(toMatchers);
  const excluded = patterns.filter((pattern) => pattern.startsWith('!')).flatMap((pattern) => toMatchers(pattern.slice(1)));
  return folders.filter((folder) => included.some((matches) => matches(folder)) && !excluded.some((matches) => matches(folder)));
}

/** Workspaces include the folder `apps` in `apps/**`; globs do not. */
function toMatchers(pattern: string): ((path: string) => boolean)[] {
  const glob = pattern.replace(/^\.\//, '').replace(/\/+$/, '');
  return [glob, ...(glob.endsWith('/**') ? [glob.slice(0, -3)] : [])].map(createGlobMatcher);
}
