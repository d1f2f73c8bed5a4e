import { createGlobMatcher } from '#lib/glob.ts';
import type { Hint, HintTopic, SourcedName } from '../model/project-context.ts';

/** A part of a project that is built with one ecosystem. File names are relative to its folder. */
export interface DetectedPart {
  /** The manifest. */
  from: string;
  /** Its file may be outside the folder; the path is then relative to the project root. */
  packageManager: SourcedName;
  test?: TestCommand | undefined;
  workspace?: { tools: SourcedName[]; packages: WorkspacePackage[] } | undefined;
  hints: Hint[];
}

interface WorkspacePackage {
  folder: string;
  name?: string;
}

export interface TestCommand {
  framework?: string | undefined;
  command: string;
  from: string;
  /** The project declares this command; otherwise it is the usual one for the ecosystem. */
  isDeclared?: true | undefined;
}

/** Values from manifests go into prompts and onto terminals, so long or multi-line ones are dropped. */
export const isShortLine = (text: string): boolean => text.length <= 300 && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text);

export type HintTexts = Partial<Record<HintTopic, string | undefined | false>>;

/** Creates a hint for each value that is set; none without a file. */
export const createHints = (from: string | undefined, values: HintTexts): Hint[] =>
  Object.entries(values).flatMap(([about, text]) =>
    from !== undefined && text && isShortLine(text) ? [{ about: about as HintTopic, text, from }] : [],
  );

/** Returns the name of the first pattern that matches. */
export const matchFirst = (text: string, patterns: readonly (readonly [RegExp, string])[]): string | undefined =>
  patterns.find(([pattern]) => pattern.test(text))?.[1];

export const toPackage = (folder: string, name: unknown): WorkspacePackage => ({
  folder,
  ...(typeof name === 'string' && name ? { name } : {}),
});

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
