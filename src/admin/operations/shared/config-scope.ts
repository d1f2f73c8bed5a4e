import { array, boolean, description, type InferOutput, number, optional, picklist, pipe, record, string, union, unknown } from 'valibot';
import type { BaseContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import {
  type Config,
  type ConfigKey,
  type ConfigValue,
  defaultConfig,
  type FixedKey,
  isConfigKey,
  isProjectPolicy,
  omitProjectPolicy,
} from '#core/model/config.ts';
import { isRecorded } from '#core/rules/trust.ts';
import { findNearest } from '#lib/nearest.ts';
import type { Platform } from '#platform/port.ts';

export const userParam = optional(pipe(boolean(), description("Use the user's file instead of the project's")));

export const configKeyParam = pipe(string(), description('Name of the setting, e.g. hierarchy.maxSiblings'));
export const ConfigValueSchema = union([string(), number(), boolean(), array(string()), record(string(), unknown())]);
/** `server`: the files of the server in front of the store. */
export const ConfigSourceSchema = picklist(['store', 'server', 'project', 'user', 'default']);
type ConfigSource = InferOutput<typeof ConfigSourceSchema>;

/** Names the source of a setting for the caller. For a client the files of the server are not those of its project and user. */
export const describeSource = <S extends ConfigSource>({ token }: Pick<BaseContext, 'token'>, source: S): S | 'server' =>
  token?.isClient && (source === 'project' || source === 'user') ? 'server' : source;

/** The configuration file that a command changes. */
export function getConfigFile(platform: Platform, isUser: boolean | undefined): string {
  if (isUser) return platform.config.userFile();
  const project = platform.getProject();
  if (!project) throw new CleoError('E_NOT_INITIALIZED', { folder: platform.folder, root: platform.root });
  return platform.config.projectFile(project);
}

/** The problem of a setting of the project in the file of a user. */
export const projectPolicyProblem = 'says what counts as proof, so it belongs to the project and not to the file of a user';

/** Trusts settings that were written with the permission to change them. Settings that need neither trust nor a comparison cost nothing. */
export async function recordWrittenKeys(platform: Platform, keys: string[]): Promise<void> {
  const project = platform.getProject();
  if (!project || !keys.some(isRecorded)) return;
  await (await platform.loadTrust()).recordSettings(project, keys);
}

/** Resolves settings from the shared store, the project's and the user's file and the defaults. Invalid values count as absent, because
 *  these commands are used to repair them. */
export function resolveConfig(
  platform: Platform,
  { isUser, shared = {} }: { isUser?: boolean | undefined; shared?: Partial<Config> | undefined } = {},
): {
  get(key: ConfigKey): { value: ConfigValue; source: ConfigSource };
  customKeys: ConfigKey[];
  warnings: string[];
} {
  const project = isUser ? undefined : platform.getProject();
  const isClient = platform.config.usesServer(project);
  const files = [
    ...(project ? [{ source: 'project' as const, path: platform.config.projectFile(project) }] : []),
    { source: 'user' as const, path: platform.config.userFile() },
  ].map((file) => {
    const { values, problems } = platform.config.inspect(file.path);
    if (isUser || file.source === 'project') return { ...file, values, problems };
    const ignored = Object.keys(values).filter((key) => isProjectPolicy(key, isClient));
    return {
      ...file,
      values: omitProjectPolicy(values, isClient),
      problems: [...problems, ...ignored.map((key) => ({ key, problem: projectPolicyProblem }))],
    };
  });
  const sources = [...(isUser ? [] : [{ source: 'store' as const, values: shared }]), ...files];
  return {
    get(key) {
      const found = sources.find(({ values }) => values[key] !== undefined);
      return found
        ? { value: found.values[key]!, source: found.source }
        : { value: defaultConfig[key as FixedKey] ?? '', source: 'default' };
    },
    /** Keys in groups whose names the user chooses. */
    customKeys: [...new Set(sources.flatMap(({ values }) => Object.keys(values) as ConfigKey[]))].filter(
      (key) => !Object.hasOwn(defaultConfig, key),
    ),
    warnings: files.flatMap(({ path, problems }) => problems.map(({ key, problem }) => `${path}: ${`${key} ${problem}`.trim()}`)),
  };
}

/** Throws an error (8) for an unknown key. `retry` formats the same call with another key. */
export function requireKey(key: string, retry: (key: string) => string): ConfigKey {
  if (isConfigKey(key)) return key;
  const known = Object.keys(defaultConfig);
  const nearest = findNearest(key, known);
  const suggestions = nearest.length ? nearest : known.filter((name) => name.startsWith(`${key}.`) || name.endsWith(`.${key}`));
  throw new CleoError('E_CONFIG_ERROR', {
    path: key.slice(0, 100),
    problem: `is not a key${suggestions.length ? `; did you mean ${suggestions.join(' or ')}?` : ''}`,
    fix: suggestions.length === 1 && suggestions[0] ? retry(suggestions[0]) : 'cleo config list',
    valid: suggestions.length ? suggestions : known,
  });
}
