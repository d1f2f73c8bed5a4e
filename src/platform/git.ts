import { devNull } from 'node:os';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { createGitHooks } from './git-hooks.ts';
import { createGitNotes } from './git-notes.ts';
import type { Git, ProgramResult } from './port.ts';
import { runProgram } from './process.ts';
import { mayNameFilters } from './tree.ts';

const timeoutMs = 30_000;
/** A push uses the network, and the hooks of a commit can take as long. */
const longTimeoutMs = 600_000;

/** Names that git could read as an option, a range or an expression are rejected before git is called. */
const sha = /^[0-9a-f]{4,64}$/i;
const head = /^HEAD(?:[~^]\d{0,4})?$/;
const ref = /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{|\.lock$|[/.]$))[A-Za-z0-9._/+-]{1,200}$/;

/** Messages of git if no author is configured. */
const missingIdentity = /tell me who you are|empty ident|no (?:email|name) was given/i;
const identityFix = `git config user.name 'Your Name' && git config user.email you@example.org`;

/** The files of a submodule are read with its own configuration, whose programs nobody has switched off. Its commit still counts. */
const ownFilesOnly = '--ignore-submodules=dirty';

interface GitOptions {
  timeoutMs?: number;
  input?: string;
  env?: Record<string, string>;
  /** Further settings, as `-c name=value`. */
  settings?: string[];
}

export interface GitCommands {
  /** Returns the result of git, also if it fails. */
  git(tree: string, words: string[], options?: GitOptions): Promise<ProgramResult>;
  /** Returns the output, or undefined if git fails. */
  query(tree: string, words: string[]): Promise<string | undefined>;
  /** Returns the output, or throws if git fails. */
  require(tree: string, words: string[], options?: GitOptions): Promise<string>;
}

/** Runs git with a list of arguments, never through a shell. */
export function createGit(env: Record<string, string | undefined>): Git {
  const gitEnv = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  // Replaced objects and grafts show another history than the one that was committed.
  const readOnlyEnv = { GIT_NO_LAZY_FETCH: '1', GIT_NO_REPLACE_OBJECTS: '1', GIT_GRAFT_FILE: devNull };
  const git = async (tree: string, words: string[], { settings = [], env: more, ...options }: GitOptions = {}): Promise<ProgramResult> => {
    const [command = '', ...rest] = words;
    const network = networkOptions[command] ? await listNetworkSettings(tree) : [];
    const line = [...getSafeSettings(command), ...network, ...settings, command, ...(networkOptions[command] ?? []), ...rest];
    const ran = await runProgram(env, ['git', '-C', tree, ...line], {
      folder: tree,
      timeoutMs,
      inheritsEnv: true,
      env: { ...gitEnv, ...(runsHooks(command) ? {} : readOnlyEnv), ...more },
      tailBytes: 1 << 24,
      ...options,
    });
    if (ran.problem)
      throw new CleoError('E_DEPENDENCY_ERROR', {
        tool: 'git',
        problem: ran.problem,
        fix: 'cleo version',
        manual: 'Install git, or add its folder to the PATH',
      });
    if (ran.stopped)
      throw new CleoError('E_DEPENDENCY_ERROR', {
        tool: 'git',
        problem: `${command} did not finish within ${(options.timeoutMs ?? timeoutMs) / 1000} s`,
        fix: 'cleo version',
      });
    return ran;
  };
  /** Lists settings of the user and the system, without those of the repository. */
  const listUserSettings = async (tree: string, pattern: string): Promise<{ key: string; value: string }[]> => {
    const fields = ((await query(tree, ['config', '--show-scope', '--null', '--get-regexp', pattern])) ?? '').split('\0');
    return fields.flatMap((scope, i) => {
      const [key = '', ...value] = (fields[i + 1] ?? '').split('\n');
      return i % 2 === 0 && ['system', 'global', 'command'].includes(scope) ? [{ key, value: value.join('\n') }] : [];
    });
  };
  /** Replaces the SSH program and the credential helpers by those of the user and the system. An empty helper removes those before it,
   *  also those of single hosts. GIT_SSH_COMMAND takes precedence over the SSH program. */
  const listNetworkSettings = async (tree: string): Promise<string[]> => {
    const own = await listUserSettings(tree, '^(core\\.sshcommand|credential\\.(.*\\.)?helper)$');
    const ssh = own.findLast(({ key }) => key === 'core.sshcommand')?.value ?? (env.GIT_SSH ? quote(env.GIT_SSH) : 'ssh');
    const helpers = own.filter(({ key }) => key.startsWith('credential.') && !key.includes('='));
    return ['-c', `core.sshCommand=${ssh}`, '-c', 'credential.helper=', ...helpers.flatMap(({ key, value }) => ['-c', `${key}=${value}`])];
  };
  /** Returns the output, or undefined if git fails. */
  const query = async (tree: string, words: string[]): Promise<string | undefined> => {
    const { exitCode, stdout } = await git(tree, words);
    return exitCode === 0 ? stdout.trim() : undefined;
  };
  /** Returns the output, or throws if git fails. */
  const require = async (tree: string, words: string[], options: GitOptions = {}): Promise<string> => {
    const { exitCode, signal, stdout, stderr } = await git(tree, words, options);
    if (exitCode === 0) return stdout;
    const problem = `${words[0]}: ${(stderr.trim() || stdout.trim()).split('\n').slice(-3).join(' ') || (signal ? `ended by ${signal}` : `exit ${exitCode}`)}`;
    throw new CleoError('E_DEPENDENCY_ERROR', { tool: 'git', problem, fix: missingIdentity.test(stderr) ? identityFix : 'cleo version' });
  };
  /** Switches off the filters of the repository's own configuration. Those of the user, and Git LFS, stay. A value can have several lines,
   *  which a shell would run one by one. */
  const listFilterSettings = async (tree: string): Promise<string[]> => {
    if (!mayNameFilters(tree)) return [];
    const listed = await query(tree, ['config', '--show-scope', '--null', '--get-regexp', '^filter\\..*\\.(clean|process)$']);
    const fields = (listed ?? '').split('\0');
    return fields.flatMap((scope, i) => {
      const [, name = '', key, value = ''] = /^(filter\..*)\.(clean|process)(?:\n(.*))?$/s.exec(fields[i + 1] ?? '') ?? [];
      if (i % 2 === 1 || !['local', 'worktree'].includes(scope) || !key) return [];
      if (/^git-lfs (?:clean -- %f|filter-process)$/.test(value)) return [];
      // Git would take what follows the first `=` for the value.
      if (name.includes('='))
        throw new CleoError('E_DEPENDENCY_ERROR', {
          tool: 'git',
          problem: `${name} in the configuration of ${tree} cannot be switched off, because its name contains =`,
          fix: 'cleo version',
          manual: `Remove ${name} from .git/config`,
        });
      return ['-c', `${name}.${key}=`, '-c', `${name}.required=false`];
    });
  };
  const isAncestor = async (tree: string, commit: string, of: string): Promise<boolean> =>
    sha.test(commit) && (await git(tree, ['merge-base', '--is-ancestor', commit, of])).exitCode === 0;
  const listChanges: Git['listChanges'] = async (tree) => {
    const settings = await listFilterSettings(tree);
    const words = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', ownFilesOnly];
    const out = await require(tree, words, { settings });
    return out
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => ({ state: line.slice(0, 2), path: line.slice(3) }));
  };
  const notes = createGitNotes({ query, require, checkRef });
  return {
    loadWorktrees: async () =>
      (await import('./git-worktrees.ts')).createGitWorktrees({ git, query, require, checkRef, listChanges, listFilterSettings }),
    ...notes,
    ...createGitHooks({ query, require }, env.GIT_INDEX_FILE),
    isRef: (name) => ref.test(name),
    async resolveCommit(tree, name) {
      if (!head.test(name) && !sha.test(name) && !ref.test(name)) return undefined;
      return query(tree, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
    },
    isCheckedOut: (tree, commit) => isAncestor(tree, commit, 'HEAD'),
    isAncestor,
    async isEmptyCommit(tree, commit) {
      const outside = ['--', '.', ':(exclude,glob)**/.cleo/**'];
      const parent = await query(tree, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^1`]);
      if (parent) return (await git(tree, ['diff-tree', '--no-ext-diff', '--quiet', '-r', parent, commit, ...outside])).exitCode === 0;
      // The pathspecs of ls-tree cannot exclude.
      const files = await require(tree, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit]);
      return files.split('\0').every((name) => name === '' || name.split('/').includes('.cleo'));
    },
    async isCopiedChange(tree, commit, base) {
      // Everything that is based on the baseline is newer than it.
      if (await isAncestor(tree, base, commit)) return false;
      const listNames = async (from: string): Promise<string[]> =>
        (await require(tree, ['diff-tree', '--no-ext-diff', '--no-renames', '-r', '-z', '--name-only', from, commit]))
          .split('\0')
          .filter((name) => name !== '' && !name.split('/').includes('.cleo'));
      const parent = await query(tree, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^1`]);
      if (!parent) return false;
      const differing = new Set(await listNames(base));
      if (!(await listNames(parent)).some((name) => differing.has(name))) return true;
      // The commit comes first, unless git leaves it out because the other side has the same change.
      const newest = await query(tree, [
        'rev-list',
        '--right-only',
        '--cherry-pick',
        '--topo-order',
        '--max-count=1',
        `${base}...${commit}`,
      ]);
      return newest !== commit;
    },
    async findCommitBefore(tree, at) {
      // Git compares whole seconds. A commit of the same second may be the work itself.
      const second = Math.floor(Date.parse(at) / 1000) - 1;
      return (await query(tree, ['rev-list', '--max-count=1', `--before=@${second}`, 'HEAD'])) || undefined;
    },
    findMergeBase: (tree, commit) => query(tree, ['merge-base', commit, 'HEAD']),
    async listUnchanged(tree, commit, paths) {
      // A name may contain characters that pathspecs interpret.
      const listed = await require(tree, ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...paths], {
        settings: ['--literal-pathspecs'],
      });
      const blobs = listed.split('\0').flatMap((line) => {
        const [, type, blob, path] = /^\d+ (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
        return type === 'blob' && blob && path !== undefined ? [{ blob, path }] : [];
      });
      if (blobs.length === 0) return [];
      const settings = await listFilterSettings(tree);
      const hashes = (await require(tree, ['hash-object', '--', ...blobs.map(({ path }) => path)], { settings })).split('\n');
      return blobs.filter(({ blob }, i) => hashes[i] === blob).map(({ path }) => path);
    },
    isIgnored: async (tree, path) => (await git(tree, ['check-ignore', '--quiet', '--', path])).exitCode === 0,
    async resolveTree(tree, commit) {
      return sha.test(commit) ? query(tree, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{tree}`]) : undefined;
    },
    async resolveTag(tree, name) {
      if (!ref.test(name)) return undefined;
      return query(tree, ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/tags/${name}^{commit}`]);
    },
    getPrefix: (folder) => query(folder, ['rev-parse', '--show-prefix']),
    getBranch: (tree) => query(tree, ['symbolic-ref', '--quiet', '--short', 'HEAD']),
    async getState(tree) {
      const settings = await listFilterSettings(tree);
      const words = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal', '--no-renames', ownFilesOnly];
      const { exitCode, stdout } = await git(tree, words, { settings });
      if (exitCode !== 0) return undefined;
      const lines = stdout.split('\0').filter((line) => line !== '');
      const head = lines.find((line) => line.startsWith('# branch.oid '))?.slice('# branch.oid '.length);
      return { head: head && sha.test(head) ? head : null, dirtyFiles: lines.filter((line) => !line.startsWith('#')).length };
    },
    listChanges,
    async commitFiles(tree, message, paths) {
      await require(tree, ['add', '--', ...paths]);
      await require(tree, ['commit', '--quiet', '--file', '-', '--', ...paths], { input: message, timeoutMs: longTimeoutMs });
      return (await require(tree, ['rev-parse', '--verify', 'HEAD'])).trim();
    },
    async createTag(tree, name, commit, message) {
      checkRef(name);
      await require(tree, ['tag', '--annotate', '--file', '-', '--end-of-options', name, commit], { input: message });
    },
    async push(tree, remote, refs) {
      for (const name of [remote, ...refs]) checkRef(name);
      await require(tree, ['push', '--porcelain', '--atomic', '--end-of-options', remote, ...refs], { timeoutMs: longTimeoutMs });
    },
    async getRemote(tree) {
      const branch = await query(tree, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
      const tracked = branch && (await query(tree, ['config', '--get', `branch.${branch}.remote`]));
      const names = (await require(tree, ['remote'])).split('\n').filter((name) => name !== '');
      return tracked || (names.includes('origin') ? 'origin' : names[0]);
    },
  };
}

/** Returns settings that override what makes git start a program. A folder that was not cloned, such as an unpacked archive, brings its own
 *  `.git/config`, and reading it must not run anything. */
const getSafeSettings = (command: string): string[] => [
  '--no-pager',
  ...['-c', 'core.fsmonitor=false', '-c', 'core.gitProxy=', '-c', 'core.askPass=', '-c', 'protocol.ext.allow=never'],
  ...['-c', 'core.alternateRefsCommand=', '-c', 'submodule.recurse=false'],
  // A clone can contain a folder that git takes for a repository, with a configuration of its own.
  ...['-c', 'safe.bareRepository=explicit'],
  ...(runsHooks(command) ? [] : ['-c', 'core.hooksPath=/dev/null']),
];

/** The hooks of a commit and a push run. A push and a commit may also fetch objects that a partial clone lacks; for any other command that
 *  would start the programs of its remote. */
const runsHooks = (command: string): boolean => command === 'commit' || command === 'push';

/** Options of the commands that contact a remote. They override the programs that the configuration of a remote can name. */
const networkOptions: Record<string, string[] | undefined> = {
  fetch: ['--upload-pack=git-upload-pack', '--no-recurse-submodules'],
  'ls-remote': ['--upload-pack=git-upload-pack'],
  push: ['--receive-pack=git-receive-pack'],
};

function checkRef(name: string): void {
  if (!ref.test(name))
    throw new CleoError('E_VALIDATION', {
      field: 'ref',
      problem: `${JSON.stringify(name.slice(0, 60))} is not a valid git ref`,
      fix: 'cleo help',
    });
}
