import type { Caller } from '#core/model/audit.ts';
import type { Config, ConfigProblem, ConfigValue } from '#core/model/config.ts';
import type { SkillSet } from '#skills/model/skill.ts';
import type { Ground } from './ground-port.ts';

/** Where the project lives. */
export interface Project {
  /** The folder that holds `.cleo`. */
  root: string;
  /** `.cleo` itself. */
  folder: string;
}

export interface FileInfo {
  name: string;
  size: number;
  changedAt: string;
}

/** Files as operations need them; every failure is a refusal with exit 3. */
export interface Files {
  exists(path: string): boolean;
  isFolder(path: string): boolean;
  /** Whether two paths, links followed, lead to one thing. */
  isSame(a: string, b: string): boolean;
  readText(path: string): string | undefined;
  /** Whole or not at all: written beside, synced, renamed. */
  writeWhole(path: string, text: string | Uint8Array): void;
  /** The same, and only if it is not there yet: of two at once one gets true. */
  writeNew(path: string, text: string): boolean;
  /** Adds a line to a file that many processes write to, and makes the file where there is none. On disk when this returns.
   *  What a write that was cut short left at its end stays a line of its own. */
  appendLine(path: string, line: string): void;
  list(folder: string): FileInfo[];
  /** All files below a folder whose names end so. */
  find(folder: string, ending: string): string[];
  makeFolder(path: string): void;
  rename(from: string, to: string): void;
  copy(from: string, to: string): void;
  /** What was written to it is on disk when this returns. */
  sync(path: string): void;
  remove(path: string): void;
  sha256(path: string): string;
  /** For reading a file, changing it and writing it back: one process at a time. */
  alone<T>(path: string, work: () => T): T;
  /** The absolute path of a file inside the project; refuses what leaves it, `.cleo` and `.git`. */
  inside(root: string, path: string, fix?: string): string;
  /** What the file system calls itself where that is known (`nfs`, `cifs` …). */
  isNetwork(path: string): boolean;
}

export interface ConfigFiles {
  /** The effective configuration; refuses (8) where a file is broken. */
  load(project: Project | undefined): Config;
  /** One file's own values, and what is wrong in it. */
  inspect(path: string): { values: Partial<Config>; problems: ConfigProblem[] };
  projectFile(project: Project): string;
  userFile(): string;
  /** Writes a key, or with undefined takes it out, valid or not. */
  set(path: string, key: string, value: ConfigValue | undefined): void;
}

/** `manual`: asked for. `automatic`: one a day, and before a migration. `replaced`: what a restore took the place of. */
export type BackupKind = 'manual' | 'automatic' | 'replaced';

export interface Backup {
  id: string;
  size: number;
  createdAt: string;
  kind: BackupKind;
}

export interface Backups {
  /** Newest first. */
  list(project: Project): Backup[];
  pathOf(project: Project, id: string): string;
  /** Lets `copy` write the file, keeps its checksum beside it, and removes what is no longer to be kept. */
  make(
    project: Project,
    how: { at: string; kind: BackupKind; keep: number },
    copy: (file: string) => Promise<void>,
  ): Promise<{ backup: Backup; removed: string[] }>;
  /** The automatic one of the day, if there is none yet. That it fails is nobody's failure: the write it follows is safe. */
  daily(project: Project, how: { at: string; keep: number }, copy: (file: string) => Promise<void>): Promise<void>;
  /** Whether it is what it was when it was made; undefined where nobody wrote that down. */
  isUnchanged(project: Project, id: string): boolean | undefined;
}

export interface Skills {
  /** Those of the project, of the user and our own; what is wrong with one of them is reported, and is nobody's failure. */
  all(project: Project | undefined): Promise<SkillSet>;
  /** The whole SKILL.md of one of our own. */
  source(name: string): Promise<string | undefined>;
}

export interface RunOptions {
  folder: string;
  timeoutMs: number;
  /** More output than this ends it. */
  maxBytes?: number;
  /** How much of the end of its output is kept, of each of the two streams. */
  keepBytes?: number;
  input?: string;
  env?: Record<string, string>;
  /** Aborted when nobody wants it to go on. */
  signal?: AbortSignal;
}

/** What came of a program that was run. */
export interface Ran {
  /** Absent where it was killed, or never ran. */
  exitCode?: number;
  signal?: string;
  /** It was ended: its time was up, it printed too much, or nobody wanted it any more. */
  stopped?: 'time' | 'output' | 'cancelled';
  /** Why it could not be run. */
  problem?: string;
  /** The ends of what it printed. */
  stdout: string;
  stderr: string;
  /** Of all that it printed. */
  bytes: number;
  sha256: string;
  durationMs: number;
}

/** A checkout. */
export interface WorkingTree {
  /** Its top folder. */
  top: string;
  /** Where the project lies in it. */
  folder: string;
}

/** Git, in the working tree that is named. A tool that is missing or fails is exit 5. */
export interface Git {
  /** Whether it can name a branch, a tag or a remote. */
  isRef(name: string): boolean;
  /** The whole name of a commit, given a part of it, a ref or HEAD; undefined where there is none. */
  commit(tree: string, name: string): Promise<string | undefined>;
  /** Whether it is part of what is checked out there. */
  isCheckedOut(tree: string, commit: string): Promise<boolean>;
  treeOf(tree: string, commit: string): Promise<string | undefined>;
  /** The commit that a tag stands for. */
  tag(tree: string, name: string): Promise<string | undefined>;
  branch(tree: string): Promise<string | undefined>;
  /** Where a folder lies in its tree: empty at the top, else `a/b/`. Undefined outside of any tree. */
  placeOf(folder: string): Promise<string | undefined>;
  /** What is not as it was committed, files that are not kept in git too. */
  /** The commit that is checked out, null before the first, and how much differs from it; undefined where there is no repository. */
  state(tree: string): Promise<{ head: string | null; dirtyFiles: number } | undefined>;
  status(tree: string): Promise<{ state: string; path: string }[]>;
  /** Commits these files, and no others; the commit. */
  save(tree: string, message: string, paths: string[]): Promise<string>;
  /** An annotated tag. */
  addTag(tree: string, name: string, commit: string, message: string): Promise<void>;
  /** All of them or none. */
  push(tree: string, remote: string, refs: string[]): Promise<void>;
  /** Where the branch is pushed to. */
  remote(tree: string): Promise<string | undefined>;
}

export interface Platform {
  now(): string;
  /** For durations; never goes back. */
  monotonicMs(): number;
  version: string;
  runtime: string;
  folder: string;
  /** The user's own folder. */
  home: string;
  project(): Project | undefined;
  /** Where `init` would put one, or the one it would find. */
  newProject(): Project;
  files: Files;
  config: ConfigFiles;
  backups: Backups;
  skills: Skills;
  /** Runs a program, never through a shell. */
  run(words: string[], options: RunOptions): Promise<Ran>;
  git(): Promise<Git>;
  /** What a run of skills has of this machine. */
  ground(project: Project): Promise<Ground>;
  /** The checkout that the caller stands in. */
  workingTree(project: Project): Promise<WorkingTree>;
  /** A file of that checkout, as it is called from where the caller stands or from another folder: where it is, and its name in
   *  the project. Undefined where there is none, also where it lies outside. */
  fileIn(project: Project, tree: WorkingTree, path: string, from?: string): Promise<{ path: string; name: string } | undefined>;
  /** PostgreSQL address from the environment. */
  databaseUrl: string | undefined;
  caller: Caller;
  /** Whether somebody sits there: input and output are a terminal, and nothing around says that an agent runs this. */
  isAtTerminal(): boolean;
  /** Grade mode: reads are audited too; the id tags the entries. */
  grade: { isOn: boolean; id: string | undefined };
  /** Tells the processes that this one starts which session they are in. */
  announce(session: string, isGraded: boolean): void;
  randomHex(length: number): string;
  /** 256 bits that nobody can guess, as text. */
  randomSecret(): string;
  /** Whether two texts are the same, in a time that does not tell where they differ. */
  isSameSecret(a: string, b: string): boolean;
  /** Of a text or of bytes; faster than our own where there is much to hash. */
  sha256(text: string | Uint8Array): string;
}
