import { createGlobMatcher, expandBraces, getGlobBase, isGlob } from './glob.ts';

/** One declared path: a file, a folder or a glob, in normalized form. */
interface PathEntry<T> {
  path: string;
  value: T;
  /** Other entries that may name the same file. */
  overlaps: PathEntry<T>[];
}

/** Resolves `.`, `..`, repeated and trailing slashes and backslashes: `.\a//b/../c/` becomes `a/c`. The project folder is ''. */
export function normalizePath(path: string): string {
  if (!/\\|(^|\/)\.{0,2}(\/|$)/.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${/^[/\\]/.test(path) ? '/' : ''}${parts.join('/')}`;
}

/** Checks whether two normalized paths may name the same file. A path without wildcards is a file, or a folder with everything below
 *  it. Two globs are compared name by name; they overlap unless the fixed beginnings or ends of a name differ, so that no shared file is
 *  missed. */
export const isOverlapping = (a: string, b: string): boolean => isParsedOverlapping(parsePath(a), parsePath(b));

/** Checks whether `path` names more than the overlapping `other` does: a folder more than what is inside, a glob more than a file, of
 *  two globs the shorter one. */
export function isBroader(path: string, other: string): boolean {
  if (isGlob(path) !== isGlob(other)) return isGlob(path) ? !isInside(path, other) : isInside(other, path);
  return path.length === other.length ? path < other : path.length < other.length;
}

/** Indexes declared paths with a value each, and finds those that overlap. Files and folders are found through the folders above them;
 *  only globs are compared with everything in their folder. */
export function createPathIndex<T>(
  declared: Iterable<string>,
  createValue: () => T,
): { get(path: string): PathEntry<T>; list(): PathEntry<T>[] } {
  const entries = new Map<string, PathEntry<T>>();
  const globs: PathEntry<T>[] = [];
  for (const given of declared) {
    const path = normalizePath(given);
    if (entries.has(path)) continue;
    const entry = { path, value: createValue(), overlaps: [] };
    entries.set(path, entry);
    if (isGlob(path)) globs.push(entry);
  }
  const connect = (a: PathEntry<T>, b: PathEntry<T>): void => {
    a.overlaps.push(b);
    b.overlaps.push(a);
  };
  for (const entry of entries.values())
    if (!isGlob(entry.path))
      for (const folder of listFolders(entry.path)) {
        const above = entries.get(folder);
        if (above) connect(entry, above);
      }
  const compared = new Set<PathEntry<T>>();
  for (const glob of globs) {
    compared.add(glob);
    const base = getGlobBase(glob.path);
    const parsed = parsePath(glob.path);
    const isNear = (path: string): boolean => path === base || isInside(path, base) || isInside(base, getGlobBase(path));
    for (const other of entries.values()) {
      if (!compared.has(other) && isNear(other.path) && isParsedOverlapping(parsed, parsePath(other.path))) connect(glob, other);
    }
  }
  return { get: (path) => entries.get(normalizePath(path))!, list: () => [...entries.values()] };
}

const isInside = (path: string, folder: string): boolean =>
  !isGlob(folder) && (folder === '' ? !/^(\/|\.\.(\/|$))/.test(path) : path.startsWith(folder === '/' ? '/' : `${folder}/`));

/** Lists the folders above a path, the nearest first, the project folder or `/` last. */
function listFolders(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) folders.push(path.slice(0, end));
  if (path.startsWith('/')) return path === '/' ? [] : [...folders, '/'];
  return isInside(path, '') && path !== '' ? [...folders, ''] : folders;
}

const getTop = (path: string): string => /^(\/|(\.\.(\/|$))*)/.exec(path)![0];

interface ParsedPath {
  path: string;
  isGlob: boolean;
  /** The names between slashes, for each choice of the braces. */
  ways: PathName[][];
}

interface PathName {
  text: string;
  /** Absent in a name without wildcards. */
  matches?: (name: string) => boolean;
}

function parsePath(path: string): ParsedPath {
  const toNames = (way: string): PathName[] => way.split('/').map(toName);
  return isGlob(path)
    ? { path, isGlob: true, ways: expandBraces(path).map(toNames) }
    : { path, isGlob: false, ways: [path.split('/').map((text) => ({ text }))] };
}

/** Most names with wildcards have a single `*`; comparing their ends is faster than walking a pattern. */
function toName(text: string): PathName {
  const [, start, end] = /^([^*?[{]*)\*([^*?[{]*)$/.exec(text) ?? [];
  if (start !== undefined && end !== undefined)
    return { text, matches: (name) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end) };
  return isGlob(text) ? { text, matches: createGlobMatcher(text) } : { text };
}

function isParsedOverlapping(a: ParsedPath, b: ParsedPath): boolean {
  if (a.path === b.path || isInside(a.path, b.path) || isInside(b.path, a.path)) return true;
  // A wildcard does not match `/` at the beginning or `..`.
  if ((!a.isGlob && !b.isGlob) || getTop(a.path) !== getTop(b.path)) return false;
  return a.ways.some((way) =>
    b.ways.some((other) => (a.isGlob ? isWayOverlapping(other, way, b.isGlob) : isWayOverlapping(way, other, a.isGlob))),
  );
}

/** Walks both patterns name by name; `**` stands for any number of names. `reached[j]` says that the names of `a` seen so far can equal
 *  the first `j` names of `b`. If `a` is not a glob, it may be a folder, and the rest of `b` is inside it. */
function isWayOverlapping(a: PathName[], b: PathName[], isGlobA: boolean): boolean {
  let reached = skipFolders([true], b);
  for (const name of a) {
    const next: boolean[] = [];
    for (let j = 0; j <= b.length; j += 1) {
      if (!reached[j]) continue;
      if (name.text === '**') for (let k = j; k <= b.length; k += 1) next[k] = true;
      else if (b[j]?.text === '**') next[j] = true;
      else if (b[j] && isNameOverlapping(name, b[j]!)) next[j + 1] = true;
    }
    if (next.length === 0) return false;
    reached = skipFolders(next, b);
  }
  return reached[b.length] === true || !isGlobA;
}

/** Adds the positions after `**`, which may stand for no name at all. */
function skipFolders(reached: boolean[], names: PathName[]): boolean[] {
  for (let j = 0; j < names.length; j += 1) if (reached[j] && names[j]!.text === '**') reached[j + 1] = true;
  return reached;
}

function isNameOverlapping(a: PathName, b: PathName): boolean {
  if (!a.matches) return b.matches ? b.matches(a.text) : a.text === b.text;
  if (!b.matches) return a.matches(b.text);
  const [startA, startB] = [a, b].map(({ text }) => text.slice(0, text.search(/[*?[{]/)));
  const [endA, endB] = [a, b].map(({ text }) => /[^*?\]}]*$/.exec(text)![0]);
  return isPrefix(startA!, startB!) && isPrefix(reverse(endA!), reverse(endB!));
}

const isPrefix = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a);
const reverse = (text: string): string => [...text].reverse().join('');
