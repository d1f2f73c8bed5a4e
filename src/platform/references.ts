import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Project } from './port.ts';
import { readTextInside } from './skills.ts';

/** Reads the files that a skill refers to, by paths from the folder of a project skill or from the project folder. Skips files
 *  outside the project, files that are not text, and internal files of git and cleo. */
export function readReferences({ root }: Project, skillPath: string | undefined, paths: string[]): Map<string, string> {
  const folders = [...(skillPath ? [dirname(join(root, skillPath))] : []), root];
  return new Map(
    paths.flatMap((path) => {
      const text = path.startsWith('~')
        ? undefined
        : readFirst(
            folders.map((folder) => resolve(folder, path)),
            root,
          );
      return text === undefined ? [] : [[path, text] as const];
    }),
  );
}

function readFirst(candidates: string[], root: string): string | undefined {
  for (const candidate of candidates) {
    const text = isPrivate(candidate, root) ? undefined : readTextInside(candidate, root);
    if (typeof text === 'string') return text;
  }
  return undefined;
}

/** In `.cleo`, only skills and research results are for agents. The configuration may contain a database password. */
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
