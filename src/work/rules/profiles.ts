import type { Config } from '#core/model/config.ts';
import type { ProfileConfig } from '#core/model/profile-config.ts';
import { splitCommand } from '#lib/shell-words.ts';
import type { Profile, ShippedProfile } from '../model/profile.ts';
import { shippedProfiles } from './shipped-profiles.ts';

const defaultTimeoutMinutes = 60;

/** Returns the profile of a name: the fields of the configuration, then those of the shipped profile, then the defaults. Undefined if
 *  nothing gives it a command, as for the shipped profile `command` until its `argv` is set. */
export function resolveProfile(name: string, config: Config): Profile | undefined {
  const own: ProfileConfig = config[`profiles.${name}`] ?? {};
  const shipped: ShippedProfile | undefined = Object.hasOwn(shippedProfiles, name) ? shippedProfiles[name] : undefined;
  const argv = own.argv === undefined ? shipped?.argv : splitCommand(own.argv);
  if (!argv) return undefined;
  return {
    name,
    argv,
    prompt: own.prompt ?? shipped?.prompt ?? 'stdin',
    output: own.output ?? shipped?.output ?? 'text',
    env: [...new Set([...(shipped?.env ?? []), ...(own.env ?? [])])],
    timeoutMinutes: own.timeoutMinutes ?? defaultTimeoutMinutes,
    concurrency: own.concurrency ?? 0,
  };
}

/** Lists the names of all profiles that have a command. */
export function listProfiles(config: Config): string[] {
  const own = Object.keys(config).flatMap((key) => (key.startsWith('profiles.') ? key.slice('profiles.'.length) : []));
  return [...new Set([...Object.keys(shippedProfiles), ...own])].filter((name) => resolveProfile(name, config)).sort();
}

/** Options of the known clients that let the agent do everything without asking, outside any sandbox. */
const skipsPermissions =
  /^(--dangerously-.*|--yolo|-y|--approval-mode=yolo|--sandbox=danger-full-access|danger-full-access|bypassPermissions|yolo|--permission-mode=bypassPermissions|--auto|.*sandbox_mode\s*=\s*"?danger-full-access.*)$/;

/** Finds the word of a command that switches off all permission checks of its client, also within a command for a shell or JSON. */
export const findPermissionBypass = (argv: string[]): string | undefined =>
  argv
    .slice(1)
    .flatMap((word) => [word, ...word.split(/[\s"'\\;]+/)])
    .find((word) => skipsPermissions.test(word));

interface ProfileValues {
  prompt: string;
  promptFile: string;
  /** The project folder, with the store. */
  root: string;
  /** The folder for the output file of the task. */
  output: string;
  agent: string;
  /** The cleo folder of the user. */
  home: string;
  /** The folders that the agent has to write to, as entries of a table in TOML: `"/project" = "write", …`. */
  writable: string;
}

/** Formats the folders that an agent has to write to, for `{writable}`. */
export const formatWritable = (folders: string[]): string =>
  [...new Set(folders)].map((folder) => `${JSON.stringify(folder)} = "write"`).join(', ');

/** Returns the command of an agent and what it reads on its standard input. */
export function createAgentCommand({ argv, prompt: mode }: Profile, values: ProfileValues): { argv: string[]; stdin: string } {
  const words = argv.map((word) =>
    word.replaceAll(/\{(prompt|promptFile|root|output|agent|home|writable)\}/g, (_, name: keyof ProfileValues) => values[name]),
  );
  if (mode === 'stdin') return { argv: words, stdin: values.prompt };
  const extra = mode === 'arg' ? values.prompt : values.promptFile;
  const isPlaced = argv.some((word) => word.includes(mode === 'arg' ? '{prompt}' : '{promptFile}'));
  return { argv: isPlaced ? words : [...words, extra], stdin: '' };
}
