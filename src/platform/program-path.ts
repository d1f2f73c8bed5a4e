import { existsSync } from 'node:fs';
import { win32 } from 'node:path';

/** Finds a program on the PATH of Windows. Node would look into the working folder first, where a clone could bring a `git.exe`; elsewhere
 *  the name is enough. A program that is not installed gets a path that no file can have, so that it cannot be started. */
export function findProgram(
  program: string,
  env: Record<string, string | undefined>,
  { isWindows = process.platform === 'win32', exists = existsSync }: { isWindows?: boolean; exists?(path: string): boolean } = {},
): string {
  if (!isWindows || /[\\/]/.test(program)) return program;
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  const names = win32.extname(program) ? [program] : [`${program}.com`, `${program}.exe`];
  for (const folder of path.split(';'))
    for (const name of names) if (win32.isAbsolute(folder) && exists(win32.join(folder, name))) return win32.join(folder, name);
  return `<missing>\\${program}`;
}
