import type { TraceEvent } from '../model/trace.ts';

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
  /** Where its output is kept, redacted. */
  logs: { stdout: string; stderr: string };
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

/** A tree at one moment. */
export interface Snapshot {
  files: Map<string, { size: number; mtimeMs: number; ctimeMs: number; sha256?: string }>;
  /** There are more files than are looked at: git was asked instead. */
  isCoarse: boolean;
}

export interface TreeChange {
  path: string;
  change: 'created' | 'changed' | 'deleted';
}

/** Takes secrets out. A failure to do so is a failure of whatever was to be written. */
export interface Redactor {
  text(text: string): string;
  /** Values of any shape; whole values under telling keys. */
  value(value: unknown): unknown;
  /** For output as it comes: what may be the beginning of a secret waits for the rest. */
  stream(): { push(part: Uint8Array): string; end(): string };
  /** How often each rule was applied. */
  counts(): Record<string, number>;
}

/** The trace of one run, line by line, each with the hash of the one before. */
export interface TraceWriter {
  write(event: TraceEvent, data: Record<string, unknown>, about?: TraceAbout): void;
  head(): string;
  lines(): number;
  close(): void;
}

export interface TraceAbout {
  execution_id?: string;
  phase?: string;
  skill?: string;
  attempt?: number;
}
