import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { files } from './files.ts';
import type { Project } from './port.ts';

/** Finds the project: `CLEO_ROOT`, otherwise the nearest parent folder with `.cleo`. In a linked worktree it is the project of
 *  the main worktree, so that all worktrees of a repository share a store. */
export function findProject(folder: string, root: string | undefined, home: string): Project | undefined {
  if (root) return getProjectAt(resolve(folder, root), home);
  for (let current = resolve(folder); ; current = dirname(current)) {
    const project = findMainProject(current, home) ?? getProjectAt(current, home);
    if (project || dirname(current) === current) return project;
  }
}

/** Returns the folder where `init` creates a project, or the existing project. Searches parent folders up to the top of the
 *  repository, because a second store below an existing one would silently split the tasks. */
export function locateNewProject(folder: string, root: string | undefined, home: string): Project {
  if (root) return toProject(resolve(folder, root));
  const start = resolve(folder);
  for (let current = start; ; current = dirname(current)) {
    const main = findMainWorktree(current);
    const project = getProjectAt(main ?? current, home) ?? getProjectAt(current, home);
    if (project) return project;
    if (main) return toProject(main);
    if (existsSync(join(current, '.git')) || dirname(current) === current) return toProject(start);
  }
}

const toProject = (root: string): Project => ({ root, folder: resolve(root, '.cleo') });

/** Excludes the user's cleo folder, which is also called `.cleo`. */
function getProjectAt(root: string, home: string): Project | undefined {
  const { folder } = toProject(root);
  return files.isFolder(folder) && !files.isSameFile(folder, home) ? toProject(root) : undefined;
}

/** A linked worktree checks out the committed files of `.cleo`. It has a store of its own only if there is a database. */
function findMainProject(folder: string, home: string): Project | undefined {
  const main = findMainWorktree(folder);
  return main && !existsSync(join(folder, '.cleo', 'cleo.db')) ? getProjectAt(main, home) : undefined;
}

/** Reads the file `.git` of a linked worktree, which points to `.git/worktrees/<name>` of the main worktree. A bare
 *  repository has no main worktree. */
function findMainWorktree(folder: string): string | undefined {
  const git = resolve(folder, '.git');
  if (!statSync(git, { throwIfNoEntry: false })?.isFile()) return undefined;
  const gitdir = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
  if (!gitdir) return undefined;
  // Git keeps the folder of a worktree in that of its repository. A file that somebody else packed could name any other repository.
  const own = resolve(folder, gitdir.trim());
  const repository = dirname(dirname(own));
  const isWorktree = basename(dirname(own)) === 'worktrees' && existsSync(join(own, 'commondir'));
  return isWorktree && basename(repository) === '.git' ? dirname(repository) : undefined;
}

/** True if `.cleo` or a file in it is a link, belongs to another user, or can be written by every user. Every call that opens the store
 *  pays for this, so it only decides whether `project-trust.ts` has to look closer. */
export function isSuspectFolder(folder: string): boolean {
  const uid = process.geteuid?.();
  const isSuspect = (path: string, isOwn: boolean): boolean => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return false;
    if (stats.isSymbolicLink()) return true;
    return isOwn && uid !== undefined && ((stats.uid !== uid && stats.uid !== 0) || (stats.mode & 0o002) !== 0);
  };
  try {
    if (isSuspect(folder, true)) return true;
    // Names only: with the types of the entries, Node takes longer than for these few `lstat` calls.
    for (const name of readdirSync(folder)) if (isSuspect(`${folder}/${name}`, name === 'config.json' || name === 'cleo.db')) return true;
    return false;
  } catch {
    // The folder is missing or not readable; opening the store reports that.
    return false;
  }
}
