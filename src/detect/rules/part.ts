import type { Hint, HintTopic, ProjectType, SourcedName } from '../model/project-context.ts';
import type { ProjectDir } from './facts.ts';

/** A part of a project that is built with one ecosystem. */
export interface DetectedPart {
  type: ProjectType;
  folder: string;
  /** The manifest. */
  from: string;
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

/** Creates a hint for each value that is set. */
export const createHints = (dir: ProjectDir, from: string, values: Partial<Record<HintTopic, string | undefined | false>>): Hint[] =>
  Object.entries(values).flatMap(([about, text]) =>
    text && isShortLine(text) ? [{ about: about as HintTopic, text, from: dir.toPath(from) }] : [],
  );

/** Returns the name of the first pattern that matches. */
export const matchFirst = (text: string, patterns: readonly (readonly [RegExp, string])[]): string | undefined =>
  patterns.find(([pattern]) => pattern.test(text))?.[1];

export const toPackage = (dir: ProjectDir, folder: string, name: unknown): WorkspacePackage => ({
  folder: dir.toPath(folder),
  ...(typeof name === 'string' && name ? { name } : {}),
});
