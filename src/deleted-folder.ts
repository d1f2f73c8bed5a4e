import { CleoError } from './core/errors/error.ts';
import { createApp } from './main.ts';
import { createPlatform } from './platform/platform.ts';
import { runCli, type Terminal } from './surfaces/cli/run.ts';
import { version } from './version.ts';

/** Runs a command line in a working folder that was deleted. There is no project. */
export function runWithoutFolder(env: NodeJS.ProcessEnv, argv: string[], terminal: Terminal): Promise<number> {
  const path = env.PWD || '/';
  const reject = (): never => {
    throw new CleoError('E_FILE_ERROR', { path, problem: 'the working folder does not exist any more', fix: 'cd ~' });
  };
  const platform = { ...createPlatform(env, path, version), getProject: reject, locateNewProject: reject };
  return runCli(createApp(platform), argv, { ...terminal, start: async () => reject() });
}
