import type { Hint, HintTopic, Named, ProjectType } from '../model/project-context.ts';
import type { Place } from './facts.ts';

/** One thing that a project is built of, as its own files tell it. */
export interface Part {
  type: ProjectType;
  folder: string;
  /** The file that makes it one. */
  from: string;
  packageManager: Named;
  test?: Test | undefined;
  workspace?: { tools: Named[]; packages: { folder: string; name?: string }[] } | undefined;
  hints: Hint[];
}

export interface Test {
  framework?: string | undefined;
  command: string;
  from: string;
  /** Somebody wrote down that this is how it is tested; else it is how such a thing usually is. */
  isDeclared?: true | undefined;
}

/** One short line; what anybody wrote into a manifest need not be one. */
export const isPlain = (text: string): boolean => text.length <= 300 && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text);

/** A hint for each value that is there. */
export const hints = (place: Place, from: string, values: Partial<Record<HintTopic, string | undefined | false>>): Hint[] =>
  Object.entries(values).flatMap(([about, text]) =>
    text && isPlain(text) ? [{ about: about as HintTopic, text, from: place.at(from) }] : [],
  );

/** The first of the table that the text speaks of. */
export const namedIn = (text: string, known: readonly (readonly [RegExp, string])[]): string | undefined =>
  known.find(([pattern]) => pattern.test(text))?.[1];
