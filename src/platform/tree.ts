import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Project, WorkingTree } from './port.ts';

/** Where a caller's work is judged: the checkout that it stands in, not the one that the store happens to be in. Outside of any
 *  checkout it is the project itself. */
export function workingTree(folder: string, project: Project): WorkingTree {
  const top = topOf(folder);
  const mainTop = topOf(project.root);
  if (top === undefined) return { top: project.root, folder: project.root };
  if (top === mainTop) return { top, folder: project.root };
  // In a linked worktree the project lies where it lies in the main one.
  const inside = mainTop && repositoryOf(top) === repositoryOf(mainTop) ? join(top, relative(mainTop, project.root)) : top;
  return { top, folder: existsSync(inside) ? inside : top };
}

/** A path as the caller wrote it, from where it stands or else from the project's place: the real file, and its name
 *  from that place. Undefined where there is none, or where it lies outside of the checkout, be it by a link. */
export function fileIn(
  { top, folder }: WorkingTree,
  stands: string,
  project: Project,
  path: string,
): { path: string; name: string } | undefined {
  const roots = [
    realpathSync(top),
    ...(existsSync(join(project.folder, 'research')) ? [realpathSync(join(project.folder, 'research'))] : []),
  ];
  const places = [...(isWithin(realpathSync(stands), roots[0]!) ? [stands] : []), folder, project.root];
  for (const place of places) {
    const found = resolve(place, path);
    if (!statSync(found, { throwIfNoEntry: false })?.isFile()) continue;
    const real = realpathSync(found);
    if (!roots.some((root) => isWithin(real, root)) || real.split(sep).includes('.git')) continue;
    const base = isWithin(real, roots[0]!) ? folder : project.root;
    return { path: real, name: relative(realpathSync(base), real).replaceAll('\\', '/') };
  }
  return undefined;
}

/** Where files of the project lie for a caller that stands there: its place in the checkout, if that is one of this project, and the
 *  project itself. Links are followed. */
export function placesIn({ top, folder }: WorkingTree, project: Project): string[] {
  const root = realpathSync(project.root);
  const mainTop = topOf(root);
  const isOurs =
    isWithin(realpathSync(folder), root) || (mainTop !== undefined && topOf(top) === top && repositoryOf(top) === repositoryOf(mainTop));
  return [...new Set([...(isOurs ? [realpathSync(folder)] : []), root])];
}

/** The nearest folder upwards that is the top of a checkout, as git finds it, whatever variables say. */
function topOf(folder: string): string | undefined {
  for (let ctx = realpathSync(resolve(folder)); ; ctx = dirname(ctx)) {
    if (existsSync(join(ctx, '.git'))) return ctx;
    if (dirname(ctx) === ctx) return undefined;
  }
}

/** The repository that all its worktrees share. */
function repositoryOf(top: string): string | undefined {
  const git = join(top, '.git');
  if (statSync(git).isDirectory()) return realpathSync(git);
  const gitdir = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
  if (!gitdir) return undefined;
  const own = resolve(top, gitdir.trim());
  const common = join(own, 'commondir');
  const shared = existsSync(common) ? resolve(own, readFileSync(common, 'utf8').trim()) : own;
  return existsSync(shared) ? realpathSync(shared) : undefined;
}

export function isWithin(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
