import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Project } from './port.ts';
import { readInside } from './skills.ts';

/** The files that a skill refers to: beside it, where it is one of the project, else from the project folder. What lies outside the
 *  project, is no plain text, or is what git and cleo keep for themselves is not there. */
export function readReferences({ root }: Project, skillPath: string | undefined, paths: string[]): Map<string, string> {
  const folders = [...(skillPath ? [dirname(join(root, skillPath))] : []), root];
  return new Map(
    paths.flatMap((path) => {
      const text = path.startsWith('~')
        ? undefined
        : firstOf(
            folders.map((folder) => resolve(folder, path)),
            root,
          );
      return text === undefined ? [] : [[path, text] as const];
    }),
  );
}

function firstOf(candidates: string[], root: string): string | undefined {
  for (const candidate of candidates) {
    const text = isPrivate(candidate, root) ? undefined : readInside(candidate, root);
    if (typeof text === 'string') return text;
  }
  return undefined;
}

/** Of what cleo keeps, skills and results are for agents; the configuration may hold an address with a password. */
function isPrivate(path: string, root: string): boolean {
  try {
    const parts = relative(realpathSync(root), realpathSync(path))
      .split(sep)
      .map((part) => part.toLowerCase());
    const own = parts.indexOf('.cleo');
    return parts.includes('.git') || (own >= 0 && !['skills', 'research'].includes(parts[own + 1] ?? ''));
  } catch {
    return true;
  }
}
