import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Variables that set an author and ignore the git configuration of the machine. */
export const gitIdentity = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

export interface Repository {
  folder: string;
  /** Variables that set an author and ignore the git configuration of the machine. */
  env: Record<string, string>;
  git(...words: string[]): string;
  /** Writes and commits the files; returns the commit. */
  commit(files: Record<string, string>, message?: string): string;
}

/** Creates a git repository in this folder. */
export function createRepository(folder: string): Repository {
  const env = { PATH: process.env.PATH ?? '', ...gitIdentity };
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: folder, env, encoding: 'utf8' }).trim();
  mkdirSync(folder, { recursive: true });
  git('init', '--quiet', '--template', '', '--initial-branch', 'main');
  return { folder, env, git, commit: (files, message = 'Change') => commitFiles(folder, git, files, message) };
}

/** Adds a linked worktree on a new branch. */
export function addWorktree(repository: Repository, folder: string, branch: string): Repository {
  repository.git('worktree', 'add', '--quiet', '-b', branch, folder);
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: folder, env: repository.env, encoding: 'utf8' }).trim();
  return { ...repository, folder, git, commit: (files, message = 'Change') => commitFiles(folder, git, files, message) };
}

function commitFiles(folder: string, git: Repository['git'], files: Record<string, string>, message: string): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  git('add', '--', ...Object.keys(files));
  git('commit', '--quiet', '--message', message);
  return git('rev-parse', 'HEAD');
}
