import { type Config, type ConfigKey, checkConfigValue, isConfigKey } from '../model/config.ts';
import { needsTrust } from './trust.ts';

/** Groups of settings that are the policy of the project, and not of a person or a machine. */
const sharedGroups = ['claims.', 'hierarchy.', 'session.', 'verification.', 'work.'];

/** True for a setting that all checkouts of a project on a shared store have in common: the value in the store has priority over those of
 *  the files. */
export const isSharedSetting = (key: string): boolean => sharedGroups.some((group) => key.startsWith(group));

/** True for a setting that a client takes from its server. A program that it starts has to be set, and trusted, on its own machine. */
export const isServerSetting = (key: string): boolean => isSharedSetting(key) && !needsTrust(key);

/** Parses the settings of the store. One that this version does not know, or whose value it rejects, is ignored: a newer version may have
 *  written it. */
export function parseSharedSettings(rows: { key: string; value: string }[]): Partial<Config> {
  const valid = rows.flatMap(({ key, value: text }): [ConfigKey, unknown][] => {
    const value = parseValue(text);
    return isConfigKey(key) && isSharedSetting(key) && checkConfigValue(key, value) === undefined ? [[key, value]] : [];
  });
  return Object.fromEntries(valid) as Partial<Config>;
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
