import { dig, table } from './facts.ts';

export type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** A program of the project's own packages. */
export const execute = (manager: Manager, command: string): string =>
  ({ npm: `npx ${command}`, pnpm: `pnpm exec ${command}`, yarn: `yarn ${command}`, bun: `bunx ${command}` })[manager];
export const runScript = (manager: Manager, script: string): string => {
  // Bun's own test runner goes by the name that is the script's elsewhere.
  if (script === 'test') return manager === 'bun' ? 'bun run test' : `${manager} test`;
  return `${manager} run ${script}`;
};
export const withFlag = (manager: Manager, command: string, flag: string): string => `${command}${manager === 'npm' ? ' --' : ''} ${flag}`;

export const scriptsOf = (manifest: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(table(dig(manifest, 'scripts'))).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
export const dependenciesOf = (manifest: unknown): string[] =>
  ['devDependencies', 'dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((key) => Object.keys(table(dig(manifest, key))));

/** Whether it does something. */
export const isReal = (script: string | undefined): script is string =>
  script !== undefined && script.trim() !== '' && !/no test specified|^\s*(?:exit 0|true|echo\b[^&|;]*)\s*$/.test(script);
