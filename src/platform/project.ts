import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Project } from './port.ts';

/** `CLEO_ROOT`, else the nearest `.cleo` upwards, else that of the main worktree when this is a linked one. */
export function findProject(folder: string, root: string | undefined, home: string): Project | undefined {
  if (root) return existsSync(join(root, '.cleo')) ? at(resolve(root)) : undefined;
  let worktree: string | undefined;
  for (let here = resolve(folder); ; here = dirname(here)) {
    // The user's own folder has the same name as a project's.
    if (join(here, '.cleo') !== home && isFolder(join(here, '.cleo'))) return at(here);
    worktree ??= mainWorktree(here);
    if (dirname(here) === here) break;
  }
  return worktree && isFolder(join(worktree, '.cleo')) ? at(worktree) : undefined;
}

/** Where `init` puts a new project: the main worktree of a repository, so that all its worktrees share it. */
export function newProject(folder: string, root: string | undefined): Project {
  const here = resolve(root ?? folder);
  if (root) return at(here);
  for (let up = here; ; up = dirname(up)) {
    const main = mainWorktree(up);
    if (main) return at(main);
    if (dirname(up) === up) return at(here);
  }
}

const at = (root: string): Project => ({ root, folder: join(root, '.cleo') });
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** A linked worktree has a file `.git` that points into the main one's `.git/worktrees/<name>`. */
function mainWorktree(folder: string): string | undefined {
  const git = join(folder, '.git');
  if (!statSync(git, { throwIfNoEntry: false })?.isFile()) return undefined;
  const gitdir = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
  if (!gitdir) return undefined;
  const common = join(resolve(folder, gitdir.trim()), 'commondir');
  if (!existsSync(common)) return undefined;
  return dirname(resolve(dirname(common), readFileSync(common, 'utf8').trim()));
}
