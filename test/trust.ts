import { execFileSync } from 'node:child_process';
import { cleoPath } from './built-cli.ts';

/** Trusts what a test wrote into the project in a folder. A process of the built command accepts its digest instead of a person. */
export function trustProject(folder: string, env: Record<string, string | undefined>, path?: string): void {
  const words = [cleoPath, 'trust', ...(path === undefined ? [] : [path])];
  const digest = execFileSync(process.execPath, [...words, '--print'], { cwd: folder, env, encoding: 'utf8' }).trim();
  execFileSync(process.execPath, words, { cwd: folder, env: { ...env, CLEO_TRUST: digest } });
}
