import type { Redactor } from '#lib/redactor.ts';
import type { ReviewEvent } from '#runs/model/judge.ts';
import type { TraceEvent } from '#runs/model/trace.ts';
import type { TreeSnapshot } from '#runs/model/tree.ts';

/** A subprocess to start, in a process group of its own. */
export interface ProcessSpec {
  /** Program and arguments; with `shell`, one line for the shell. */
  argv: string[];
  shell: boolean;
  folder: string;
  env: Record<string, string>;
  /** Written to its standard input. A process that closes its input early is not an error. */
  stdin: string;
  /** 0 means no limit. */
  timeoutMs: number;
  killGraceMs: number;
  /** `NAME=value` in its environment. A process that carries it was started by this execution. */
  environmentMark: string;
  /** A file or folder of this attempt alone, passed to the process as an open handle. Descendants inherit the handle. */
  inheritedHandle: string;
  /** Log files for its redacted output; without them no output is stored. */
  logs?: { stdout: string; stderr: string };
  redactor: Redactor;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** Receives each piece of its redacted output. */
  onOutput?(stream: 'stdout' | 'stderr', text: string): void;
}

export interface ProcessResult {
  /** Exit code; 128 + N after a signal, 81 after the runner's timeout, 126 or 127 if it did not start, 130 if cancelled. */
  exitCode: number;
  signal?: string;
  timedOut: boolean;
  cancelled: boolean;
  durationMs: number;
  /** The first 10 MiB, not redacted. Redact before writing it to a file. */
  stdout: Uint8Array;
  bytes: { stdout: number; stderr: number };
  /** The output was longer than the limit. */
  isTruncated: boolean;
  /** Number of child processes that outlived it and were killed. */
  leaked: number;
  /** Reason why it did not start. */
  problem?: string;
}

/** Writes the trace of one run. Each line holds the hash of the previous line. */
export interface TraceWriter {
  /** Appends one event and returns its redacted data. A write error is exit code 74. */
  write(event: TraceEvent, data: Record<string, unknown>, subject?: TraceSubject): Record<string, unknown>;
  /** File next to the trace that holds an incomplete last line, left by a crash. */
  tornFile?: string;
  head(): string;
  lines(): number;
  /** Flushes to disk now. Without a call, milestones are flushed on the next turn of the event loop. */
  sync(): void;
  close(): void;
}

export interface TraceSubject {
  execution_id?: string;
  phase?: string;
  skill?: string;
  attempt?: number;
}

/** Identifies a process beyond its pid, which the system may assign again. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in clock ticks since boot. */
  began: string;
  /** Boot id of the machine. */
  boot: string;
}

/** A skill's folder, description and command. */
export interface SkillInfo {
  name: string;
  /** Undefined if the skill does not exist. */
  folder?: string;
  version: string;
  description: string;
  triggers: string[];
  negativeTriggers: string[];
  /** Text of its SKILL.md. */
  text?: string;
  /** Command that the skill declares or contains. */
  command?: string[];
  /** A program in its folder that lacks execute permission. */
  nonExecutable?: string;
  /** Hash of all files in its folder. */
  sha256: string;
}

/** A directory entry; the content has not been read. */
export interface FileEntry {
  path: string;
  kind: 'file' | 'folder' | 'other' | 'outside';
  size: number;
}

/** Limits of a check or judge. */
interface CommandOptions {
  timeoutMs: number;
  /** Names of the variables that the construct declares. */
  variables: string[];
  signal?: AbortSignal;
}

/** Operating system services for the skill runner: clock, files, processes, locks, and the files of runs in `.cleo`. */
export interface RunnerPlatform {
  root: string;
  /** The `.cleo` folder. */
  folder: string;
  now(): string;
  monotonicMs(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  createRunId(): string;
  /** Identity of this process, stored in run.json so that another process can see whether the run is still active. */
  identifyProcess(): ProcessIdentity;
  isAlive(identity: ProcessIdentity): boolean;
  hash(content: string | Uint8Array): string;
  /** HMAC-SHA256 with the salt of the project. */
  hmac(text: string): string;
  env: Record<string, string | undefined>;
  /** See `program-environment.ts`. */
  isPlainVariable(name: string): boolean;
  selectSkillEnvironment(declared: readonly string[]): Record<string, string>;
  /** Returns a signal that aborts on Ctrl-C, SIGTERM or SIGHUP, until `stop` is called. */
  listenForInterrupts(): { signal: AbortSignal; stop(): void };
  /** Reads the files of `.cleo/schemas`. */
  readSchemaFiles(): { name: string; text: string }[];
  detectOperator(): 'human' | 'ai' | 'ci' | 'unknown';
  cpuCount: number;
  readGitState(): Promise<{ head: string | null; dirtyFiles: number } | undefined>;
  /** Files that match a path or glob, sorted by name. `isCut`: there are more than the limit. A glob never matches a folder. */
  findFiles(pattern: string): { files: FileEntry[]; isCut: boolean };
  /** The entry at exactly this path. */
  statFile(path: string): FileEntry | undefined;
  /** Reads a regular file inside the project, at most `maxBytes` of it. */
  readFile(path: string, maxBytes?: number): Uint8Array;
  /** SHA-256 of a regular file of any size. */
  hashFile(path: string): string;
  runSkill(spec: ProcessSpec): Promise<ProcessResult>;
  scanTree(): Promise<TreeSnapshot>;
  commandSucceeds(argv: string[], options: CommandOptions): Promise<boolean>;
  /** Runs a program with `input` on its standard input and returns its output. */
  runWithInput(
    argv: string[],
    input: string,
    options: CommandOptions,
  ): Promise<{ exitCode?: number; stdout: string; problem?: string; durationMs: number }>;
  /** SHA-256 of the file or program that `word` names; empty if it names neither. */
  hashProgram(word: string): string;
  findSkill(name: string, path: string | undefined): Promise<SkillInfo>;
  hasSkill(name: string, path: string | undefined): boolean;
  /** All known skills, for the selection gate. */
  listSkills(): Promise<Omit<SkillInfo, 'sha256' | 'command'>[]>;
  /** Creates the folder for CLEO_RESULT and CLEO_EVENTS. It is outside the project because its content is not redacted. */
  createScratch(runId: string): ScratchFolder;
  /** Kills the processes and removes the scratch files that a dead runner left of this run. Returns the number of processes. */
  cleanUpRun(runId: string): Promise<number>;
  openTrace(runId: string, at: string, redactor: Redactor): TraceWriter;
  traces: TraceFolder;
  runs: RunFolder;
  /** The state of `cleo work`: one folder for each task and each process. */
  work: RunFolder;
  /** Removes temporary files that killed processes left in that state. */
  cleanUpWork(): void;
  reviews: ReviewLog;
  /** Takes the lock `name`, or throws 75 after `waitMs`. The lock of a dead process is taken over: `warning` says so, and
   *  `abandoned` is the run that the dead process held it for. */
  acquireLock(name: string, waitMs: number, options?: LockOptions): Promise<{ warning?: string; abandoned?: string; release(): void }>;
}

/** `.cleo/reviews.jsonl`. */
export interface ReviewLog {
  /** The text of the file; see `parseReviews`. */
  read(): string;
  append(event: ReviewEvent): void;
  /** Runs `work` under the lock of the file, so that it can read, decide and append. The lock of a dead process is taken over. */
  withLock<T>(work: () => T): Promise<T>;
}

export interface LockOptions {
  /** Run that the lock is held for. */
  run?: string;
  /** Aborts the wait. */
  signal?: AbortSignal;
  /** Command to suggest if another process holds the lock. */
  fix?: string;
}

/** The two files that a skill may write for the runner. */
export interface ScratchFolder {
  folder: string;
  result: string;
  events: string;
  /** New complete lines of events since the last call; with `isEnd`, also an incomplete last line. */
  readLines(isEnd?: boolean): string[];
  /** Reads the result and removes the folder. `problems` lists files that cannot be read. */
  takeResult(): { result?: string; problems: string[] };
}

/** The folder `.cleo/runs`. A write error is exit code 73. */
export interface RunFolder {
  /** Creates the folder of an attempt and returns its path. */
  createAttemptFolder(runId: string, phase: string, skill: string, attempt: number): string;
  /** Writes a file atomically. `durable` (default) flushes it to disk before returning. */
  write(runId: string, name: string, text: string, durability?: 'durable' | 'soon'): void;
  read(runId: string, name: string): string | undefined;
  /** The last bytes of a log that may still grow, and its size. A symbolic link is not followed. */
  readEnd(runId: string, name: string, maxBytes: number): { text: string; bytes: number; isCut: boolean } | undefined;
  list(): string[];
  modifiedAt(runId: string): string;
  remove(runId: string): void;
}

/** The folder `.cleo/traces`. A write error is exit code 73. */
export interface TraceFolder {
  /** Sorted by name, which begins with the start date of the run. */
  list(): { name: string; runId: string }[];
  /** The text, and the number of the first line that is not UTF-8. */
  read(name: string): { text: string; invalidLine?: number } | undefined;
  modifiedAt(name: string): string;
  /** Cuts the file after `lines` lines, moves the rest to a `.corrupt` file and returns the name of that file. */
  truncate(name: string, lines: number): string;
  /** Removes a trace and its `.corrupt` files. */
  remove(name: string): void;
  listBlobs(): { name: string; modifiedAt: string }[];
  removeBlob(name: string): void;
  /** Text of PRUNED.jsonl, which lists removed runs. */
  readPruned(): string;
  appendPruned(line: string): void;
  /** Time of the last daily prune; empty before the first. */
  readLastPrune(): string;
  recordPrune(at: string): void;
}
