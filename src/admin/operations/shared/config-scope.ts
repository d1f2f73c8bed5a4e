import { boolean, description, optional, pipe } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { type ConfigKey, type ConfigValue, configKeys, defaultConfig, type FixedKey, isConfigKey } from '#core/model/config.ts';
import { findNearest } from '#lib/nearest.ts';
import type { Platform } from '#platform/port.ts';

export const userFlag = optional(pipe(boolean(), description("The user's own file instead of the project's")));

export type Source = 'project' | 'user' | 'default';

/** The file that a change goes to. */
export function configFile(platform: Platform, isUser: boolean | undefined): string {
  if (isUser) return platform.config.userFile();
  const project = platform.getProject();
  if (!project) throw new CleoError('E_NOT_INITIALIZED', { folder: platform.folder });
  return platform.config.projectFile(project);
}

/** The values in force, each with where it comes from. What is invalid counts as absent: these commands are the way to repair it. */
export function valuesInForce(
  platform: Platform,
  isUser?: boolean,
): { value(key: ConfigKey): { value: ConfigValue; source: Source }; named: ConfigKey[]; warnings: string[] } {
  const project = isUser ? undefined : platform.getProject();
  const files = [
    ...(project ? [{ source: 'project' as const, path: platform.config.projectFile(project) }] : []),
    { source: 'user' as const, path: platform.config.userFile() },
  ].map((file) => ({ ...file, ...platform.config.inspect(file.path) }));
  return {
    value(key) {
      const found = files.find(({ values }) => values[key] !== undefined);
      return found
        ? { value: found.values[key]!, source: found.source }
        : { value: defaultConfig[key as FixedKey] ?? '', source: 'default' };
    },
    /** Keys with names of the user's own. */
    named: [...new Set(files.flatMap(({ values }) => Object.keys(values) as ConfigKey[]))].filter((key) => !Object.hasOwn(configKeys, key)),
    warnings: files.flatMap(({ path, problems }) => problems.map(({ key, problem }) => `${path}: ${`${key} ${problem}`.trim()}`)),
  };
}

/** Refuses (8) a key there is none of; `retry` is the same call with another key. */
export function knownKey(key: string, retry: (key: string) => string): ConfigKey {
  if (isConfigKey(key)) return key;
  const known = Object.keys(configKeys);
  const near = findNearest(key, known);
  const meant = near.length ? near : known.filter((name) => name.startsWith(`${key}.`) || name.endsWith(`.${key}`));
  throw new CleoError('E_CONFIG_ERROR', {
    path: key.slice(0, 100),
    problem: `is not a key${meant.length ? `; did you mean ${meant.join(' or ')}?` : ''}`,
    fix: meant.length === 1 && meant[0] ? retry(meant[0]) : 'cleo config list',
    valid: meant.length ? meant : known,
  });
}
