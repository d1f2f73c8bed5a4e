import { getAtPath, toTable } from './facts.ts';

export type NodeManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** Formats the command that runs a program from the project's dependencies. */
export const formatExec = (manager: NodeManager, command: string): string =>
  ({ npm: `npx ${command}`, pnpm: `pnpm exec ${command}`, yarn: `yarn ${command}`, bun: `bunx ${command}` })[manager];
export const formatRun = (manager: NodeManager, script: string): string => {
  // `bun test` is Bun's own test runner, not the script.
  if (script === 'test') return manager === 'bun' ? 'bun run test' : `${manager} test`;
  return `${manager} run ${script}`;
};
export const addFlag = (manager: NodeManager, command: string, flag: string): string =>
  `${command}${manager === 'npm' ? ' --' : ''} ${flag}`;

export const getScripts = (manifest: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(toTable(getAtPath(manifest, 'scripts'))).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
export const listPackageDependencies = (manifest: unknown): string[] =>
  ['devDependencies', 'dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((key) =>
    Object.keys(toTable(getAtPath(manifest, key))),
  );

/** False for the placeholder of `npm init` and for scripts without effect. */
export const isRunnable = (script: string | undefined): script is string =>
  script !== undefined && script.trim() !== '' && !/no test specified|^\s*(?:exit 0|true|echo\b[^&|;]*)\s*$/.test(script);
