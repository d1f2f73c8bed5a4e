import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findBun } from '../scripts/find-bun.mjs';
import { recordOutput } from './fixes/record.ts';

const root = resolve(import.meta.dirname, '..');

/** The built command. `CLEO_TEST_DIST` selects another build for Node, `CLEO_BIN` an executable. */
export const cleoPath = process.env.CLEO_BIN
  ? resolve(root, process.env.CLEO_BIN)
  : join(resolve(root, process.env.CLEO_TEST_DIST ?? 'dist'), 'cleo.js');

export const isNative = Boolean(process.env.CLEO_BIN);

/** The program that runs the built command: Node, or `env`, which replaces itself by the executable. */
export const cleoRunner = isNative ? '/usr/bin/env' : process.execPath;

/** The runtime of the build, for bundles of its sources: the executable contains Bun. */
export const runtimePath = (isNative && findBun()) || process.execPath;

export interface CommandResult {
  exitCode: number | null;
  out: string;
  err: string;
}

/** Runs the built command in a folder. Of this process's environment it gets only PATH and the folder of temporary files. */
export function runCleo(
  argv: string[],
  { cwd, env = {}, stdin = '' }: { cwd: string; env?: Record<string, string>; stdin?: string },
): Promise<CommandResult> {
  const child = spawn(cleoRunner, [cleoPath, ...argv], { cwd, env: { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: cwd, ...env } });
  const result: CommandResult = { exitCode: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    result.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    result.err += text;
  });
  // A command that does not read its input may end before it is written.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (exitCode) => {
      recordOutput(argv, { folder: cwd, env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env } }, result.out);
      done({ ...result, exitCode });
    });
  });
}
