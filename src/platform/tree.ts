import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isBelow } from './files.ts';
import type { Project, WorkingTree } from './port.ts';

/** Returns the checkout that contains the caller's folder, where its work is verified. It can differ from the checkout that
 *  contains the store. Outside a checkout it is the project itself. */
export function findWorkingTree(folder: string, project: Project): WorkingTree {
  const top = findTop(folder);
  const mainTop = findTop(project.root);
  if (top === undefined) return { top: project.root, folder: project.root };
  if (top === mainTop) return { top, folder: project.root };
  // The project has the same path in a linked worktree as in the main one.
  const inside = mainTop && findRepository(top) === findRepository(mainTop) ? join(top, relative(mainTop, project.root)) : top;
  return { top, folder: existsSync(inside) ? inside : top };
}

/** Resolves a path from the caller's folder or from the project folder; returns the real path and the name in the project.
 *  Undefined if the file does not exist or is outside the checkout, also through a link. */
export function findFileInTree(
  { top, folder }: WorkingTree,
  callerFolder: string,
  project: Project,
  path: string,
): { path: string; name: string } | undefined {
  const roots = [
    realpathSync(top),
    ...(existsSync(join(project.folder, 'research')) ? [realpathSync(join(project.folder, 'research'))] : []),
  ];
  const folders = [...(isWithin(realpathSync(callerFolder), roots[0]!) ? [callerFolder] : []), folder, project.root];
  for (const base of folders) {
    const found = resolve(base, path);
    if (!statSync(found, { throwIfNoEntry: false })?.isFile()) continue;
    const real = realpathSync(found);
    if (!roots.some((root) => isWithin(real, root)) || real.split(sep).includes('.git')) continue;
    const origin = isWithin(real, roots[0]!) ? folder : project.root;
    return { path: real, name: relative(realpathSync(origin), real).replaceAll('\\', '/') };
  }
  return undefined;
}

/** Returns the folders that contain files of the project for this caller, without links: the project folder in its checkout, if
 *  that is a checkout of this project, and the project itself. */
export function listProjectFolders({ top, folder }: WorkingTree, project: Project): string[] {
  const root = realpathSync(project.root);
  const mainTop = findTop(root);
  const isOurs =
    isWithin(realpathSync(folder), root) ||
    (mainTop !== undefined && findTop(top) === top && findRepository(top) === findRepository(mainTop));
  return [...new Set([...(isOurs ? [realpathSync(folder)] : []), root])];
}

/** Returns the nearest parent folder with `.git`. Ignores git's environment variables. */
function findTop(folder: string): string | undefined {
  for (let current = realpathSync(resolve(folder)); ; current = dirname(current)) {
    if (existsSync(join(current, '.git'))) return current;
    if (dirname(current) === current) return undefined;
  }
}

/** Returns the repository folder that all worktrees share. */
function findRepository(top: string): string | undefined {
  const git = join(top, '.git');
  if (statSync(git).isDirectory()) return realpathSync(git);
  const gitdir = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
  if (!gitdir) return undefined;
  const own = resolve(top, gitdir.trim());
  const common = join(own, 'commondir');
  const shared = existsSync(common) ? resolve(own, readFileSync(common, 'utf8').trim()) : own;
  return existsSync(shared) ? realpathSync(shared) : undefined;
}

/** True if `path` is `root` or below it. Neither may contain links. */
export function isWithin(path: string, root: string): boolean {
  return isBelow(relative(root, path));
}
