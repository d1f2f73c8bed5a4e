import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isBelow, resolveLinks, statIfExists } from './files.ts';
import type { Platform, Project, TreeFile, WorkingTree } from './port.ts';

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
export function findFileInTree({ top, folder }: WorkingTree, callerFolder: string, project: Project, path: string): TreeFile | undefined {
  const roots = [
    realpathSync(top),
    ...(existsSync(join(project.folder, 'research')) ? [realpathSync(join(project.folder, 'research'))] : []),
  ];
  const folders = [...(isWithin(realpathSync(callerFolder), roots[0]!) ? [callerFolder] : []), folder, project.root];
  for (const base of folders) {
    const found = resolve(base, path);
    const info = statIfExists(found);
    if (!info?.isFile()) continue;
    const real = realpathSync(found);
    if (!roots.some((root) => isWithin(real, root)) || real.split(sep).includes('.git')) continue;
    const origin = isWithin(real, roots[0]!) ? folder : project.root;
    const name = relative(realpathSync(origin), real).replaceAll('\\', '/');
    return { path: real, name, size: info.size, changedAt: info.mtime.toISOString() };
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

/** Returns the parts of the platform that depend on the caller's folder. */
export const createFolderAccess = (folder: string): Awaited<ReturnType<Platform['atFolder']>> => ({
  folder,
  findWorkingTree: async (project) => findWorkingTree(folder, project),
  findFile: async (project, tree, path, from = folder) => findFileInTree(tree, from, project, path),
  readHead: async () => readHead(folder),
});

/** Returns the nearest parent folder with `.git`. Ignores git's environment variables. */
export function findTop(folder: string): string | undefined {
  for (let current = resolveLinks(resolve(folder)); ; current = dirname(current)) {
    if (existsSync(join(current, '.git'))) return current;
    if (dirname(current) === current) return undefined;
  }
}

/** Returns the commit that is checked out, read from `.git` because starting git takes longer than a whole command. Undefined
 *  outside a repository, before the first commit, and for a ref storage other than files. */
export function readHead(folder: string): string | undefined {
  const top = findTop(folder);
  const own = top === undefined ? undefined : findGitFolder(top);
  if (own === undefined) return undefined;
  const shared = findSharedFolder(own);
  let value = readLine(join(own, 'HEAD'));
  // A symbolic ref can name another one. Git follows at most 5.
  for (let depth = 0; depth < 5 && value?.startsWith('ref: '); depth++) {
    const name = value.slice(5).trim();
    if (name.split('/').includes('..')) return undefined;
    value = readLine(join(own, name)) ?? readLine(join(shared, name)) ?? findPackedRef(join(shared, 'packed-refs'), name);
  }
  return value !== undefined && /^[0-9a-f]{40,64}$/.test(value) ? value : undefined;
}

function findPackedRef(path: string, name: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  const line = readFileSync(path, 'utf8')
    .split('\n')
    .find((each) => each.endsWith(` ${name}`));
  return line?.split(' ')[0];
}

const readLine = (path: string): string | undefined =>
  statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8').split('\n')[0]?.trim() : undefined;

/** Returns the repository folder that all worktrees share. */
function findRepository(top: string): string | undefined {
  const own = findGitFolder(top);
  const shared = own && findSharedFolder(own);
  return shared && existsSync(shared) ? realpathSync(shared) : undefined;
}

/** Returns the git folder of one worktree. */
export function findGitFolder(top: string): string | undefined {
  const git = join(top, '.git');
  if (statSync(git).isDirectory()) return git;
  const gitdir = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
  return gitdir && resolve(top, gitdir.trim());
}

/** False if the configuration of the repository names no filter, without starting git. */
export function mayNameFilters(folder: string): boolean {
  const top = findTop(folder);
  const own = top === undefined ? undefined : findGitFolder(top);
  if (own === undefined) return true;
  // Git takes a folder like this for a repository of its own.
  for (let current = realpathSync(resolve(folder)); isWithin(current, top!); current = dirname(current))
    if (existsSync(join(current, 'HEAD'))) return true;
  const paths = [join(findSharedFolder(own), 'config'), join(own, 'config.worktree')];
  return paths.some((path) => existsSync(path) && /filter|include/i.test(readFileSync(path, 'utf8')));
}

function findSharedFolder(own: string): string {
  const common = readLine(join(own, 'commondir'));
  return common ? resolve(own, common) : own;
}

/** True if `path` is `root` or below it. Neither may contain links. */
export function isWithin(path: string, root: string): boolean {
  return isBelow(relative(root, path));
}
