import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The command as it is installed; `CLEO_TEST_DIST` names another build. */
export const built = join(resolve(import.meta.dirname, '..', process.env.CLEO_TEST_DIST ?? 'dist'), 'cleo.js');
if (!existsSync(built)) throw new Error(`${built} is missing; npm run build makes it`);

export interface Ran {
  exitCode: number | null;
  out: string;
  err: string;
}

/** Runs the built command in a folder, with nothing of this process's environment but the path. */
export function runBuilt(
  argv: string[],
  { cwd, env = {}, stdin = '' }: { cwd: string; env?: Record<string, string>; stdin?: string },
): Promise<Ran> {
  const child = spawn(process.execPath, [built, ...argv], { cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env } });
  const ran: Ran = { exitCode: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    ran.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    ran.err += text;
  });
  // A command that does not read its input may be gone before it is written.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (exitCode) => done({ ...ran, exitCode }));
  });
}
