import type { AddressFacts } from '#core/model/address-facts.ts';
import type { Caller } from '#core/model/audit.ts';
import type { Config, ConfigProblem, ConfigValue } from '#core/model/config.ts';
import type { ServerAccess } from '#core/model/server-connection.ts';
import type { RevokedTokens } from '#core/model/token.ts';
import type { TrustChange, TrustItem, TrustRecord, TrustSubject } from '#core/model/trust.ts';
import type { AgentMark } from '#sessions/model/agent-marks.ts';
import type { ClientProcess, EnvironmentIdentity } from '#sessions/model/caller-identity.ts';
import type { SkillSet } from '#skills/model/skill.ts';
import type { GithubConnection } from '#transfer/model/github-connection.ts';
import type { Backups } from './backups/port.ts';
import type { GitWorktrees } from './git-port.ts';
import type { GitHooks, PlanFiles } from './plan-port.ts';
import type { RecordFilesModule } from './records/port.ts';
import type { RunnerPlatform } from './runner/port.ts';
import type { Signing, SshSignatures } from './signing/port.ts';

export interface Project {
  /** The folder that contains `.cleo`. */
  root: string;
  /** The folder `.cleo`. */
  folder: string;
}

interface FileInfo {
  name: string;
  size: number;
  changedAt: string;
}

/** File access of operations. Failures are errors with exit code 3. */
export interface FileSystem {
  exists(path: string): boolean;
  isFolder(path: string): boolean;
  /** True if two paths lead to the same file or folder. Follows links. */
  isSameFile(a: string, b: string): boolean;
  readText(path: string): string | undefined;
  /** Writes a temporary file, syncs it, and renames it. A new file is readable by its owner only if it is private; by default a
   *  file in `.cleo` is. */
  writeAtomic(path: string, text: string | Uint8Array, isPrivate?: boolean): void;
  /** Writes atomically unless the file exists; returns true for one of several concurrent calls. */
  writeNew(path: string, text: string, isPrivate?: boolean): boolean;
  /** Appends a line to a file that several processes write to, and syncs it. Creates the file if it is missing. An incomplete
   *  last line, left by a write that failed, stays a line of its own. */
  appendLine(path: string, line: string): void;
  list(folder: string): FileInfo[];
  /** Returns all files below a folder whose names end with `ending`. */
  find(folder: string, ending: string): string[];
  createFolder(path: string, isPrivate?: boolean): void;
  rename(from: string, to: string): void;
  copy(from: string, to: string): void;
  sync(path: string): void;
  remove(path: string): void;
  makeExecutable(path: string): void;
  sha256(path: string): string;
  /** Runs `work` under a lock, so that only one process reads, changes and writes the file at a time. */
  withLock<T>(path: string, work: () => T): Promise<T>;
  /** Returns the absolute path of a file in the project. Rejects paths outside it and in `.cleo` or `.git`. */
  resolveInside(root: string, path: string, fix: string): string;
}

export interface ConfigFiles {
  /** Returns the effective configuration; throws with exit code 8 if a file is not valid. */
  load(project: Project | undefined): Config;
  /** Returns the values and problems of one file. */
  inspect(path: string): { values: Partial<Config>; problems: ConfigProblem[] };
  /** The settings that were last read from the shared store. They have priority over the files. */
  getShared(project: Project): Partial<Config>;
  setShared(project: Project, values: Partial<Config>): void;
  projectFile(project: Project): string;
  userFile(): string;
  /** Checks for a store behind a cleo server. The configuration need not be valid. */
  usesServer(project: Project | undefined): boolean;
  /** Writes a key, or removes it if the value is undefined. The key need not be valid. */
  set(path: string, key: string, value: ConfigValue | undefined): Promise<void>;
}

export interface Skills {
  /** Loads the skills of the project, of the user and the bundled ones. Problems of a skill are findings, not errors. */
  load(project: Project | undefined): Promise<SkillSet>;
  /** Does the same on the machine that has the store, also for a client: the stages of tasks are the same for everybody. */
  loadOfStore(project: Project | undefined): Promise<SkillSet>;
  /** Returns the SKILL.md of a bundled skill. */
  readBundled(name: string): Promise<string | undefined>;
}

export interface ProgramOptions {
  folder: string;
  timeoutMs: number;
  /** The program is stopped if it prints more. */
  maxBytes?: number;
  /** Bytes returned from the end of each output stream. */
  tailBytes?: number;
  input?: string;
  /** The program is the user's own (git, a client), not one that the project names: it inherits the whole environment. */
  inheritsEnv?: true;
  /** Names of further variables that the program receives. Without `inheritsEnv` it has those of `selectProgramEnvironment`. */
  variables?: readonly string[];
  /** Variables that are added. */
  env?: Record<string, string>;
  signal?: AbortSignal;
}

export interface ProgramResult {
  /** Absent if the program was killed or could not be started. */
  exitCode?: number;
  signal?: string;
  /** Set if the program was stopped: timeout, too much output, or cancelled. */
  stopped?: 'time' | 'output' | 'cancelled';
  /** The reason if the program could not be started. */
  problem?: string;
  /** The end of the output. */
  stdout: string;
  stderr: string;
  /** Size of the whole output. */
  bytes: number;
  sha256: string;
  durationMs: number;
}

export interface WorkingTree {
  /** The top folder of the checkout. */
  top: string;
  /** The project folder in this checkout. */
  folder: string;
}

/** A file of a checkout: its real path, and its name in the project. */
export interface TreeFile {
  path: string;
  name: string;
  size: number;
  changedAt: string;
}

/** Git commands. If git is missing or fails, the error has exit code 5. */
export interface Git extends GitHooks {
  loadWorktrees(): Promise<GitWorktrees>;
  /** True if the name is valid for a branch, a tag or a remote. */
  isRef(name: string): boolean;
  /** Returns the full hash of an abbreviated hash, a ref or HEAD; undefined if it does not exist. */
  resolveCommit(tree: string, name: string): Promise<string | undefined>;
  /** True if the commit is HEAD or an ancestor of it. */
  isCheckedOut(tree: string, commit: string): Promise<boolean>;
  /** True if `commit` is `of` or an ancestor of it. */
  isAncestor(tree: string, commit: string, of: string): Promise<boolean>;
  /** True if the commit changes nothing outside `.cleo`, compared with its first parent. */
  isEmptyCommit(tree: string, commit: string): Promise<boolean>;
  /** True if the commit only repeats what `base` contains: a commit of it that was amended, picked or combined with others. */
  isCopiedChange(tree: string, commit: string, base: string): Promise<boolean>;
  /** Returns the newest commit of the checked-out branch from a second before that of `at`. */
  findCommitBefore(tree: string, at: string): Promise<string | undefined>;
  /** Returns the commit at which the checked-out branch and `commit` diverged. */
  findMergeBase(tree: string, commit: string): Promise<string | undefined>;
  /** Returns those of the files that `commit` contains with the same content. Paths are relative to the top of the tree. */
  listUnchanged(tree: string, commit: string, paths: string[]): Promise<string[]>;
  /** True if a rule in .gitignore or the like matches the file, and it is not tracked. */
  isIgnored(tree: string, path: string): Promise<boolean>;
  hasRef(tree: string, ref: string): Promise<boolean>;
  /** Returns the notes below `ref` of a remote as one text; undefined if the remote has none. The local ref is not changed. */
  readRemoteNotes(tree: string, remote: string, ref: string): Promise<string | undefined>;
  /** Merges the notes of a remote into the local ones. Lines of both sides are kept. */
  mergeRemoteNotes(tree: string, remote: string, ref: string): Promise<void>;
  /** Adds lines to the note of a commit, except those that it contains. */
  addNoteLines(tree: string, ref: string, commit: string, lines: string[]): Promise<void>;
  /** Pushes the notes. If another clone pushed first, its notes are merged and the push is repeated. */
  pushNotes(tree: string, remote: string, ref: string): Promise<void>;
  resolveTree(tree: string, commit: string): Promise<string | undefined>;
  /** Returns the commit of a tag. */
  resolveTag(tree: string, name: string): Promise<string | undefined>;
  getBranch(tree: string): Promise<string | undefined>;
  /** Returns the path of a folder in its tree: empty at the top, otherwise `a/b/`. Undefined outside a tree. */
  getPrefix(folder: string): Promise<string | undefined>;
  /** Returns the commit that is checked out (null before the first commit) and the number of files that differ from it;
   *  undefined outside a repository. */
  getState(tree: string): Promise<{ head: string | null; dirtyFiles: number } | undefined>;
  /** Includes untracked files. */
  listChanges(tree: string): Promise<{ state: string; path: string }[]>;
  /** Commits only these files; returns the commit. */
  commitFiles(tree: string, message: string, paths: string[]): Promise<string>;
  /** Creates an annotated tag. */
  createTag(tree: string, name: string, commit: string, message: string): Promise<void>;
  /** Pushes all refs atomically. */
  push(tree: string, remote: string, refs: string[]): Promise<void>;
  /** Returns the remote that the current branch is pushed to. */
  getRemote(tree: string): Promise<string | undefined>;
}

/** The process table of this host. */
export interface Processes {
  /** Finds the client that this process belongs to. A stdio server that no known client started belongs to its parent. */
  findClientProcess(isServer: boolean): ClientProcess | undefined;
  /** Undefined if the process cannot be judged: it belongs to another host or process namespace, or is not visible. */
  isProcessRunning(key: string): boolean | undefined;
  /** Returns the key of this process. */
  getProcessKey(): string;
  /** Identifies this machine: its name and machine id. */
  getHost(): string;
  /** Returns a signal that aborts on Ctrl-C, SIGTERM or SIGHUP, until `stop` is called. The next one calls `onSecond`. */
  listenForInterrupts(onSecond?: () => void): { signal: AbortSignal; stop(): void };
}

/** The terminal that controls this process, and everything that says whether a person uses it. */
export interface PersonTerminal {
  /** The device, such as `/dev/pts/3`; undefined if the process has no controlling terminal or uses none. */
  name: string | undefined;
  /** The marks of agents, CI and programs that make terminals, in the environment and among the ancestor processes. */
  marks: AgentMark[];
  /** The programs of the ancestor processes, the parent first. */
  processes: string[];
  /** Prints a question on the terminal and returns the line that is typed, without echo if it is secret. Undefined if the terminal is
   *  closed, the question is cancelled, or nothing is typed for `timeoutMs`. `check` runs before the echo is switched on again, so that
   *  what is typed too early does not appear. */
  ask(
    question: string,
    options: { isSecret?: boolean; timeoutMs: number; check?: (line: string) => Promise<unknown> },
  ): Promise<string | undefined>;
  /** Prints a line on the terminal. */
  print(line: string): void;
}

/** The passphrase of the user that proves a person. It is stored as a hash in the user's cleo folder. */
export interface Passphrase {
  path: string;
  isSet(): boolean;
  /** Names the stored hash in the log, so that a replaced passphrase shows. */
  getId(): string | undefined;
  set(text: string): Promise<void>;
  /** Compares in constant time and counts the failures in a row. */
  check(text: string, now: string): Promise<boolean>;
  /** The time until the next try, after several failures. */
  getLockSeconds(now: string): number;
}

/** What the user has trusted in projects. The `require` methods throw E_PROJECT_UNTRUSTED. */
export interface ProjectTrust {
  /** Rejects a `.cleo` with links, of another user, or that every user can write, unless the user accepted it for this path. */
  requireFolder(project: Project): Promise<void>;
  /** Rejects an address of the store that the project's file sets and the user has not trusted. `address` is the one to be opened. */
  requireStore(project: Project, address?: string): Promise<void>;
  /** Throws E_PROJECT_UNTRUSTED unless the user has trusted what the call is about to use. Call it right before a program of the project
   *  runs: the file can change between two calls. */
  requireTrusted(project: Project, subject: TrustSubject): Promise<void>;
  /** Rejects a setting that the operation obeys and that was changed by other means than `config set`. The first call records them. */
  requirePolicy(project: Project, operation: string): Promise<void>;
  /** Lists what the project runs and connects to: settings, skills with a program, and constructs. `more` are further files. */
  listItems(project: Project, more?: { path: string; sha256: string }[]): Promise<TrustItem[]>;
  listProblems(project: Project): string[];
  /** Lists the other settings that were changed by other means than `config set`. */
  listPolicyChanges(project: Project): TrustChange[];
  readRecord(project: Project): TrustRecord | undefined;
  /** Returns the digest of the present content, for CLEO_TRUST. */
  computeDigest(project: Project, more?: { path: string; sha256: string }[]): Promise<string>;
  /** True if CLEO_TRUST is the digest of the present content. */
  isTrustedByDigest(project: Project, more?: { path: string; sha256: string }[]): Promise<boolean>;
  /** Changes the record of a project under a lock. */
  update(project: Project, change: (record: TrustRecord) => Partial<TrustRecord>): Promise<void>;
  /** Trusts everything that `listItems` and `listProblems` return, and the present settings. */
  trustAll(project: Project, more?: { path: string; sha256: string }[]): Promise<void>;
  /** Records the present values of settings as trusted, after the user wrote or removed them. */
  recordSettings(project: Project, keys: string[]): Promise<void>;
  /** Trusts the test command that `init --detect` wrote. */
  recordDetected(project: Project): Promise<void>;
  /** Returns the records of all projects, by path. */
  list(): TrustRecord[];
  /** Removes the record of a project; false if there is none. */
  remove(root: string): boolean;
  /** Returns the path of the project without links above it. */
  resolveRoot(project: Project): string;
}

export interface Platform extends ServerAccess {
  now(): string;
  /** For durations: a clock that never goes back. */
  monotonicMs(): number;
  version: string;
  /** The script for Node, or the executable that contains its own runtime. */
  build: 'node' | 'native';
  /** Name and version of what runs the code. */
  runtime: string;
  folder: string;
  /** The value of CLEO_ROOT. */
  root?: string | undefined;
  /** The cleo folder of the user. */
  home: string;
  getProject(): Project | undefined;
  /** Returns the project that `init` would create or find. */
  locateNewProject(): Project;
  files: FileSystem;
  config: ConfigFiles;
  backups: Backups;
  skills: Skills;
  /** Runs a program without a shell. */
  runProgram(words: string[], options: ProgramOptions): Promise<ProgramResult>;
  loadGit(): Promise<Git>;
  /** Loads access to the files of `.cleo/plan`. */
  loadPlanFiles(): Promise<PlanFiles>;
  /** Connects to GitHub with GITHUB_TOKEN or the token of the GitHub CLI, at GITHUB_API_URL or github.com. */
  connectGithub(): Promise<GithubConnection>;
  /** Loads access to the key that signs the audit log. */
  loadSigning(): Promise<Signing>;
  createRunner(project: Project): Promise<RunnerPlatform>;
  loadRecordFiles(): Promise<RecordFilesModule>;
  /** Returns the parts of this platform that depend on the caller's folder, for another folder. */
  atFolder(folder: string): Promise<Pick<Platform, 'folder' | 'findWorkingTree' | 'findFile' | 'readHead'>>;
  /** Returns the checkout that contains the caller's folder. */
  findWorkingTree(project: Project): Promise<WorkingTree>;
  /** Finds a file of the checkout, by a path from `from` (by default the caller's folder) or from the project folder. Undefined if
   *  it does not exist or is outside. */
  findFile(project: Project, tree: WorkingTree, path: string, from?: string): Promise<TreeFile | undefined>;
  /** Returns the commit that is checked out in the caller's folder, without starting git; undefined if there is none. */
  readHead(): Promise<string | undefined>;
  /** PostgreSQL address from the environment. */
  databaseUrl: string | undefined;
  /** Returns the origin of a PostgreSQL address, and the variables that complete it. */
  describeAddress(url: string): Promise<AddressFacts>;
  /** Rejects a `.cleo` that is not the user's own; see `ProjectTrust.requireFolder`. Costs a few system calls if nothing is suspect. */
  requireFolder(project: Project): Promise<void>;
  /** Loads the trust of projects. Only calls that run a program of the project, or that find something suspect, need it. */
  loadTrust(): Promise<ProjectTrust>;
  /** `digest` is CLEO_TRUST, once a call was allowed because of it. */
  trustUse: { digest?: string };
  /** The secret of a token from the environment. */
  token: string | undefined;
  caller: Caller;
  /** How the environment identifies the agent in `caller`. */
  identity: EnvironmentIdentity;
  /** Returns the login name of the user who runs this process. */
  getLogin(): string | undefined;
  /** The secret of a spawned validator, from the environment. */
  validatorSecret: string | undefined;
  /** Loads access to the process table. Most commands do not need it. */
  loadProcesses(): Promise<Processes>;
  /** Loads access to the terminal of a person. Only a proof of a person needs it. */
  loadTerminal(): Promise<PersonTerminal>;
  loadPassphrase(): Promise<Passphrase>;
  loadRevokedTokens(): Promise<RevokedTokens>;
  loadSshSignatures(): Promise<SshSignatures>;
  /** In grade mode reads are audited, too; the id marks the entries. */
  grade: { isEnabled: boolean; id: string | undefined };
  /** Passes the session to child processes through the environment. */
  exportSession(session: string, isGraded: boolean): void;
  randomHex(length: number): string;
  /** Returns 256 random bits as text. */
  randomSecret(): string;
  /** Compares two texts in constant time. */
  isSameSecret(a: string, b: string): boolean;
  /** Faster than `lib/digest.ts` for long inputs. */
  sha256(text: string | Uint8Array): string;
}
