/** Returns the words that run a command line in the shell of the system, as hooks of agent clients are run. */
export const toShellWords = (command: string): string[] =>
  process.platform === 'win32' ? ['cmd', '/d', '/s', '/c', command] : ['sh', '-c', command];
