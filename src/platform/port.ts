import type { Caller } from '../model/audit.ts';
import type { Config, ConfigKey, ConfigProblem, ConfigValue } from '../model/config.ts';

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
}

/** Files as operations need them; every failure is a refusal with exit 3. */
export interface Files {
  exists(path: string): boolean;
  readText(path: string): string | undefined;
  /** Whole or not at all: written beside, synced, renamed. */
  writeWhole(path: string, text: string): void;
  list(folder: string): FileInfo[];
  makeFolder(path: string): void;
  rename(from: string, to: string): void;
  copy(from: string, to: string): void;
  remove(path: string): void;
  /** The absolute path of a file inside the project; refuses what leaves it, `.cleo` and `.git`. */
  inside(root: string, path: string): string;
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
  set(path: string, key: ConfigKey, value: ConfigValue | undefined): void;
}

export interface Backups {
  folder(project: Project): string;
  /** Newest first. */
  list(project: Project): { id: string; size: number; createdAt: string; kind: 'manual' | 'automatic' }[];
  newPath(project: Project, at: string, kind: 'manual' | 'automatic'): string;
  prune(project: Project, keep: number): string[];
}

export interface Platform {
  now(): string;
  /** For durations; never goes back. */
  monotonicMs(): number;
  version: string;
  runtime: string;
  folder: string;
  project(): Project | undefined;
  /** Where `init` would put one. */
  newProject(): Project;
  files: Files;
  config: ConfigFiles;
  backups: Backups;
  /** PostgreSQL address from the environment. */
  databaseUrl: string | undefined;
  caller: Caller;
  /** Grade mode: reads are audited too; the id tags the entries. */
  grade: { isOn: boolean; id: string | undefined };
  randomHex(length: number): string;
}
