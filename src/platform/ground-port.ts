import type { Redactor } from '#lib/redactor-port.ts';
import type { ReviewEvent } from '#runs/model/judge.ts';
import type { TraceEvent } from '#runs/model/trace.ts';
import type { Snapshot } from '#runs/model/tree.ts';

/** One subprocess, in a group of its own. */
export interface ProcessSpec {
  /** A program and its arguments; with `shell`, one line for it. */
  argv: string[];
  shell: boolean;
  folder: string;
  env: Record<string, string>;
  /** Written to its standard input; whether it reads it is its own affair. */
  stdin: string;
  /** 0: as long as it takes. */
  timeoutMs: number;
  killGraceMs: number;
  /** `NAME=value` of its environment: whatever carries it was started by this execution. */
  mark: string;
  /** A file or folder of this attempt alone, which it is given to hold on to, as it stands. */
  tether: string;
  /** Where its output is kept, redacted; undefined where it is not. */
  logs?: { stdout: string; stderr: string };
  redactor: Redactor;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** A piece of its output or a line of its events, redacted, as it comes. */
  onOutput?(stream: 'stdout' | 'stderr', text: string): void;
}

export interface ProcessEnd {
  /** What it ended with; 128 + N by a signal, 81 by our own limit, 126 or 127 where it did not begin, 130 where it was cancelled. */
  exitCode: number;
  signal?: string;
  timedOut: boolean;
  cancelled: boolean;
  durationMs: number;
  /** The first 10 MiB, as they came: what is written anywhere is redacted first. */
  stdout: Uint8Array;
  bytes: { stdout: number; stderr: number };
  /** More came than is kept. */
  isTruncated: boolean;
  /** Processes that were still alive when it had ended, and are gone now. */
  leaked: number;
  /** Why it did not begin. */
  problem?: string;
}

/** The trace of one run, line by line, each with the hash of the one before. */
export interface TraceWriter {
  /** What was written, redacted; every failure to write it is 74. */
  write(event: TraceEvent, data: Record<string, unknown>, about?: TraceAbout): Record<string, unknown>;
  /** The file beside it that holds what a crash had torn off its end. */
  aside?: string;
  head(): string;
  lines(): number;
  /** What has to be on disk is there when this returns; it gets there by itself, soon, where nobody asks. */
  sync(): void;
  close(): void;
}

export interface TraceAbout {
  execution_id?: string;
  phase?: string;
  skill?: string;
  attempt?: number;
}

/** A process, so that its number cannot stand for another. */
export interface Holder {
  pid: number;
  /** When it began, as the system counts. */
  began: string;
  /** Since which start of the machine. */
  boot: string;
}

/** Where a skill was found and what runs it. */
export interface SkillFound {
  name: string;
  /** Undefined where there is none. */
  folder?: string;
  version: string;
  description: string;
  triggers: string[];
  negativeTriggers: string[];
  /** The text of its SKILL.md, where it has one. */
  text?: string;
  /** What it brings to run itself. */
  command?: string[];
  /** What it would bring, if that might be run. */
  locked?: string;
  /** Of everything in its folder. */
  sha256: string;
}

/** A file as the tree shows it, before anything is known of what is in it. */
export interface SeenFile {
  path: string;
  kind: 'file' | 'folder' | 'other' | 'outside';
  size: number;
}

/** What a run has of the machine it runs on. */
export interface Ground {
  root: string;
  /** `.cleo`. */
  folder: string;
  now(): string;
  monotonicMs(): number;
  pause(ms: number, signal: AbortSignal): Promise<void>;
  newId(): string;
  /** Whose run it is, so that others can tell whether it still goes on. */
  process(): Holder;
  /** Whether that very process still runs. */
  isAlive(holder: Holder): boolean;
  hash(content: string | Uint8Array): string;
  /** Keyed with the project's own salt. */
  mac(text: string): string;
  variables: Record<string, string | undefined>;
  /** Aborted when the person at the terminal wants it to end; until `stop`. */
  interrupts(): { signal: AbortSignal; stop(): void };
  /** Files of `.cleo/schemas`. */
  schemaFiles(): { name: string; text: string }[];
  /** Who sits in front of it. */
  operator(): 'human' | 'ai' | 'ci' | 'unknown';
  cpus: number;
  git(): Promise<{ head: string | null; dirtyFiles: number } | undefined>;
  /** Files that a pattern names, in the order of their names, and whether there are more. A folder is named only by its own name. */
  look(pattern: string): { files: SeenFile[]; isCut: boolean };
  /** What stands at exactly this path. */
  at(path: string): SeenFile | undefined;
  /** The bytes of a regular file inside the project, or the first of them. */
  read(path: string, most?: number): Uint8Array;
  /** Of a regular file of any size. */
  digest(path: string): string;
  spawn(spec: ProcessSpec): Promise<ProcessEnd>;
  scan(): Promise<Snapshot>;
  /** Whether a program ends with 0. */
  succeeds(argv: string[], timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  /** Gives a program something to read, and takes what it prints. */
  ask(
    argv: string[],
    input: string,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<{ exitCode?: number; stdout: string; problem?: string; durationMs: number }>;
  /** Of the file that a word names; empty where it names none. */
  digestOf(word: string): string;
  findSkill(name: string, path: string | undefined): Promise<SkillFound>;
  hasSkill(name: string, path: string | undefined): boolean;
  /** Every skill that can be found, for the question whether another would have been better. */
  skills(): Promise<Omit<SkillFound, 'sha256' | 'command'>[]>;
  /** Where a skill may write of itself: apart from the project, because nobody has redacted it. */
  scratch(runId: string): Scratch;
  /** Ends what a runner that is gone has left of this run: processes, and what they wrote of themselves; how many there were. */
  clearAway(runId: string): Promise<number>;
  trace(runId: string, at: string, redactor: Redactor): TraceWriter;
  traces: TraceFolder;
  runs: RunFolder;
  reviews: {
    read(): ReviewEvent[];
    /** Every line, also those that are no events. */
    text(): string;
    append(event: ReviewEvent): void;
    /** Reads, decides and appends while nobody else does. What a dead process held is taken over. */
    alone<T>(work: () => T): Promise<T>;
  };
  /** One run at a time of what is called so; throws (75) after `waitMs`. What a dead process left is taken over, with a warning and
   *  the run that it was at. */
  lock(name: string, waitMs: number, options?: LockOptions): Promise<{ warning?: string; abandoned?: string; release(): void }>;
}

export interface LockOptions {
  /** The run that it is held for. */
  run?: string;
  /** Aborted by who no longer wants to wait. */
  signal?: AbortSignal;
  /** The command that leads on where another holds it. */
  fix?: string;
}

/** Two files that a skill may write; gone when they have been read. */
export interface Scratch {
  folder: string;
  result: string;
  events: string;
  /** Whole lines of events that have come since the last look; at the end also one that was not ended. */
  lines(isEnd?: boolean): string[];
  /** What was written of the result, and why what is there cannot be read; then both are gone. */
  take(): { result?: string; problems: string[] };
}

/** `.cleo/runs`. Every failure to write is 73. */
export interface RunFolder {
  /** Makes the folder of an attempt, and says where it is. */
  attempt(runId: string, phase: string, skill: string, attempt: number): string;
  /** Whole or not at all; `durable`, unless said otherwise: on disk when this returns. */
  write(runId: string, name: string, text: string, how?: 'durable' | 'soon'): void;
  read(runId: string, name: string): string | undefined;
  list(): string[];
  changedAt(runId: string): string;
  remove(runId: string): void;
}

/** `.cleo/traces`. Every failure to write is 73. */
export interface TraceFolder {
  /** By name, which begins with the day that a run began. */
  list(): { name: string; runId: string }[];
  /** The whole text, and the first line whose bytes are none. */
  read(name: string): { text: string; strangeLine?: number } | undefined;
  changedAt(name: string): string;
  /** Keeps that many lines, and moves the rest into a file beside it; its name. */
  cut(name: string, lines: number): string;
  /** With what was cut off it. */
  remove(name: string): void;
  blobs(): { name: string; changedAt: string }[];
  removeBlob(name: string): void;
  /** PRUNED.jsonl: what is left of runs that are gone. */
  pruned(): string;
  notePruned(line: string): void;
  /** When somebody last looked for what has had its time; empty where nobody has. */
  lookedAt(): string;
  noteLook(at: string): void;
}
