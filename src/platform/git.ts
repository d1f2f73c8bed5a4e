import { CleoError } from '#core/errors/error.ts';
import type { Git, Ran } from './port.ts';
import { run } from './process.ts';

const timeoutMs = 30_000;
/** A push goes over the network, and what a repository runs before a commit may take as long. */
const longMs = 600_000;

/** Names that git could take for an option, a range or an expression are refused before it sees them. */
const sha = /^[0-9a-f]{7,64}$/i;
const ref = /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{|\.lock$|[/.]$))[A-Za-z0-9._/+-]{1,200}$/;

/** Git commits only for somebody it knows. */
const isNameless = /tell me who you are|empty ident|no (?:email|name) was given/i;
const introduce = `git config user.name 'Your Name' && git config user.email you@example.org`;

/** Git in one working tree. Every call is words, not a line for a shell. */
export function gitOf(env: Record<string, string | undefined>): Git {
  const more = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  const git = async (tree: string, words: string[], options: { timeoutMs?: number; input?: string } = {}): Promise<Ran> => {
    const ran = await run(env, ['git', '-C', tree, ...words], { folder: tree, timeoutMs, env: more, keepBytes: 1 << 24, ...options });
    if (ran.problem) throw new CleoError('E_DEPENDENCY_ERROR', { tool: 'git', problem: ran.problem, fix: 'cleo version' });
    if (ran.stopped) throw new CleoError('E_DEPENDENCY_ERROR', { tool: 'git', problem: `${words[0]} did not end`, fix: 'cleo version' });
    return ran;
  };
  /** What it prints, or undefined where it says no. */
  const ask = async (tree: string, words: string[]): Promise<string | undefined> => {
    const { exitCode, stdout } = await git(tree, words);
    return exitCode === 0 ? stdout.trim() : undefined;
  };
  /** What it prints; that it says no is a refusal. */
  const must = async (tree: string, words: string[], options = {}): Promise<string> => {
    const { exitCode, stdout, stderr } = await git(tree, words, options);
    if (exitCode === 0) return stdout;
    const problem = `${words[0]}: ${(stderr.trim() || stdout.trim()).split('\n').slice(-3).join(' ') || `exit ${exitCode}`}`;
    throw new CleoError('E_DEPENDENCY_ERROR', { tool: 'git', problem, fix: isNameless.test(stderr) ? introduce : 'cleo version' });
  };
  return {
    isRef: (name) => ref.test(name),
    async commit(tree, name) {
      if (name !== 'HEAD' && !sha.test(name) && !ref.test(name)) return undefined;
      return ask(tree, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
    },
    async isCheckedOut(tree, commit) {
      if (!sha.test(commit)) return false;
      return (await git(tree, ['merge-base', '--is-ancestor', commit, 'HEAD'])).exitCode === 0;
    },
    async treeOf(tree, commit) {
      return sha.test(commit) ? ask(tree, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{tree}`]) : undefined;
    },
    async tag(tree, name) {
      if (!ref.test(name)) return undefined;
      return ask(tree, ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/tags/${name}^{commit}`]);
    },
    placeOf: (folder) => ask(folder, ['rev-parse', '--show-prefix']),
    branch: (tree) => ask(tree, ['symbolic-ref', '--quiet', '--short', 'HEAD']),
    async state(tree) {
      const { exitCode, stdout } = await git(tree, [
        'status',
        '--porcelain=v2',
        '--branch',
        '-z',
        '--untracked-files=normal',
        '--no-renames',
      ]);
      if (exitCode !== 0) return undefined;
      const lines = stdout.split('\0').filter((line) => line !== '');
      const head = lines.find((line) => line.startsWith('# branch.oid '))?.slice('# branch.oid '.length);
      return { head: head && sha.test(head) ? head : null, dirtyFiles: lines.filter((line) => !line.startsWith('#')).length };
    },
    async status(tree) {
      const out = await must(tree, ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames']);
      return out
        .split('\0')
        .filter((line) => line !== '')
        .map((line) => ({ state: line.slice(0, 2), path: line.slice(3) }));
    },
    async save(tree, message, paths) {
      await must(tree, ['add', '--', ...paths]);
      await must(tree, ['commit', '--quiet', '--file', '-', '--', ...paths], { input: message, timeoutMs: longMs });
      return (await must(tree, ['rev-parse', '--verify', 'HEAD'])).trim();
    },
    async addTag(tree, name, commit, message) {
      checkRef(name);
      await must(tree, ['tag', '--annotate', '--file', '-', '--end-of-options', name, commit], { input: message });
    },
    async push(tree, remote, refs) {
      for (const name of [remote, ...refs]) checkRef(name);
      await must(tree, ['push', '--porcelain', '--atomic', '--end-of-options', remote, ...refs], { timeoutMs: longMs });
    },
    async remote(tree) {
      const branch = await ask(tree, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
      const tracked = branch && (await ask(tree, ['config', '--get', `branch.${branch}.remote`]));
      const names = (await must(tree, ['remote'])).split('\n').filter((name) => name !== '');
      return tracked || (names.includes('origin') ? 'origin' : names[0]);
    },
  };
}

function checkRef(name: string): void {
  if (!ref.test(name))
    throw new CleoError('E_VALIDATION', {
      field: 'ref',
      problem: `${JSON.stringify(name.slice(0, 60))} is no name for git`,
      fix: 'cleo help',
    });
}
