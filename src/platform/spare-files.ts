import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The files of finished worktrees, without their git folder. They save writing files that are the same in the next worktree. */
const prefix = 'spare-';

/** Moves the files of a worktree into `pool`; false if they cannot be used again. */
export function moveToPool(folder: string, pool: string): boolean {
  // A submodule has a repository of its own among the files, which `git clean` leaves alone.
  if (existsSync(join(folder, '.gitmodules'))) return false;
  const name = randomBytes(6).toString('hex');
  const taken = join(pool, name);
  try {
    mkdirSync(pool, { recursive: true });
    renameSync(folder, taken);
    rmSync(join(taken, '.git'), { recursive: true, force: true });
    renameSync(taken, join(pool, `${prefix}${name}`));
    return true;
  } catch {
    // Windows does not rename a folder with an open file.
    return false;
  }
}

/** Takes a spare out of the pool. The rename decides between processes that want the same one. */
export function takeFromPool(pool: string): string | undefined {
  if (!existsSync(pool)) return undefined;
  for (const name of readdirSync(pool).filter((each) => each.startsWith(prefix))) {
    const taken = join(pool, name.slice(prefix.length));
    try {
      renameSync(join(pool, name), taken);
      return taken;
    } catch {}
  }
  return undefined;
}

/** Replaces the folder of a worktree that has no files yet by `spare`, whose files it then has. */
export function exchangeFiles(folder: string, spare: string): void {
  const [link, moved] = [join(folder, '.git'), join(spare, '.git')];
  renameSync(link, moved);
  try {
    rmSync(folder, { recursive: true });
    renameSync(spare, folder);
  } catch (error) {
    mkdirSync(folder, { recursive: true });
    renameSync(moved, link);
    throw error;
  }
}

/** Makes the folder of a worktree empty. What cannot be removed stays in the pool. */
export function emptyWorktree(folder: string, pool: string): void {
  const left = join(pool, randomBytes(6).toString('hex'));
  mkdirSync(pool, { recursive: true });
  renameSync(folder, left);
  mkdirSync(folder);
  renameSync(join(left, '.git'), join(folder, '.git'));
  removeFolder(left);
}

export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // An agent may have made a folder that nobody can write to.
  }
}
