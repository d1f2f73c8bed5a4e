import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { files } from './files.ts';
import type { Project } from './port.ts';

/** `CLEO_ROOT`, else the nearest `.cleo` upwards; in a linked worktree that of the main one, so that all of a repository share a store. */
export function findProject(folder: string, root: string | undefined, home: string): Project | undefined {
  if (root) return projectIn(resolve(folder, root), home);
  for (let ctx = resolve(folder); ; ctx = dirname(ctx)) {
    const project = inWorktree(ctx, home) ?? projectIn(ctx, home);
    if (project || dirname(ctx) === ctx) return project;
  }
}

/** Where `init` puts a new project, or finds the one there is: of a repository only its inside is looked at, since the
 *  folder above it is another matter. A second store below the first would split the work in two without anyone noticing. */
export function newProject(folder: string, root: string | undefined, home: string): Project {
  if (root) return at(resolve(folder, root));
  const start = resolve(folder);
  for (let ctx = start; ; ctx = dirname(ctx)) {
    const main = mainWorktree(ctx);
    const project = projectIn(main ?? ctx, home) ?? projectIn(ctx, home);
    if (project) return project;
    if (main) return at(main);
    if (existsSync(join(ctx, '.git')) || dirname(ctx) === ctx) return at(start);
  }
}

const at = (root: string): Project => ({ root, folder: join(root, '.cleo') });

/** The user's own folder has the same name as a project's. */
function projectIn(root: string, home: string): Project | undefined {
  const { folder } = at(root);
  return files.isFolder(folder) && !files.isSame(folder, home) ? at(root) : undefined;
}

/** A linked worktree checks out the committed part of `.cleo`; a store of its own it has only with a database. */
function inWorktree(folder: string, home: string): Project | undefined {
  const main = mainWorktree(folder);
  return main && !existsSync(join(folder, '.cleo', 'cleo.db')) ? projectIn(main, home) : undefined;
}

/** A linked worktree has a file `.git` that points into the main one's `.git/worktrees/<name>`. That of a bare
 *  repository has no main one. */
function mainWorktree(folder: string): string | undefined {
  const git = join(folder, '.git');
  if (!statSync(git, { throwIfNoEntry: false })?.isFile()) return undefined;
  const gitdir = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
  if (!gitdir) return undefined;
  const common = join(resolve(folder, gitdir.trim()), 'commondir');
  if (!existsSync(common)) return undefined;
  const repository = resolve(dirname(common), readFileSync(common, 'utf8').trim());
  return basename(repository) === '.git' ? dirname(repository) : undefined;
}
