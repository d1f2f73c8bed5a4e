import { spawn } from 'node:child_process';

/** The program that opens an address, and its arguments. No shell is involved, so no character of the address has a meaning of its own. */
export function getOpenCommand(address: string, system: NodeJS.Platform): [string, string[]] {
  if (system === 'darwin') return ['open', [address]];
  // `start` is a word of the shell of Windows; this calls the same handler without one.
  if (system === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', address]];
  return ['xdg-open', [address]];
}

/** Opens an address in the browser of the user; returns the problem if that is not possible. */
export function openBrowser(address: string, system: NodeJS.Platform = process.platform): Promise<string | undefined> {
  const [program, words] = getOpenCommand(address, system);
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: 'ignore', detached: true });
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? `${program} is not installed` : `${program} failed: ${error.message}`),
    );
    child.once('exit', (code) => resolve(code === 0 ? undefined : `${program} exited with ${code ?? 'a signal'}`));
    // A program that has not ended by now is the browser itself.
    setTimeout(resolve, 3000, undefined).unref();
    child.unref();
  });
}
