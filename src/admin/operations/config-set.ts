import { description, picklist, pipe, strictObject, string } from 'valibot';
import { job, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type ConfigKey, type ConfigValue, checkConfigValue, getConfigSpec, isProjectPolicy } from '#core/model/config.ts';
import { parseConfigValue } from '#core/model/config-text.ts';
import { findProfileProblem } from '#core/model/profile-config.ts';
import { isSharedSetting } from '#core/rules/shared-settings.ts';
import { isPlainObject, omitEmpty } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import { checkStoreAddress } from '../rules/store-address.ts';
import {
  ConfigValueSchema,
  configKeyParam,
  describeSource,
  getConfigFile,
  projectPolicyProblem,
  recordWrittenKeys,
  requireKey,
  userParam,
} from './shared/config-scope.ts';
import { configScope, requireConfigScope } from './shared/require-config-scope.ts';
import { isAboutSharedSetting, resolveSharedSettings, writeSharedSetting } from './shared/shared-settings.ts';

export const adminConfigSet = job({
  name: 'admin.config.set',
  summary: 'Change one setting',
  params: strictObject({
    key: configKeyParam,
    value: pipe(ConfigValueSchema, description('A number, true or false, a string or a list')),
    user: userParam,
  }),
  result: strictObject({ value: ConfigValueSchema, key: string(), source: picklist(['store', 'server', 'project', 'user']) }),
  errors: ['E_CONFIG_ERROR', 'E_NOT_INITIALIZED', 'E_VALIDATION', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT'],
  tier: 1,
  needs: 'nothing',
  isAboutStore: isAboutSharedSetting,
  scope: configScope,
  cli: { command: 'config set', args: ['key', 'value'] },
  example: { call: { key: 'hierarchy.maxSiblings', value: 9 } },
  async run(ctx, { key: name, value: given, user }) {
    const { platform, commandWith } = ctx;
    const key = requireKey(name, (other) => commandWith({ key: other }));
    if (user && isProjectPolicy(key, platform.config.usesServer(platform.getProject())))
      throw new CleoError('E_CONFIG_ERROR', { path: key, problem: projectPolicyProblem, fix: commandWith({ user: undefined }) });
    const value = requireValidValue(key, typeof given === 'string' ? parseConfigValue(key, given) : given, (other) =>
      commandWith({ value: other }),
    );
    // A store cannot be opened while the file is not valid, so that the file is repaired.
    const isShared = !user && isSharedSetting(key) && ctx.hasSharedStore();
    if (isShared && platform.config.inspect(getConfigFile(platform, false)).problems.length === 0) {
      await resolveSharedSettings(ctx);
      await requireConfigScope(ctx, key, { value });
      const result = { value, key, source: 'store' as const };
      return (await writeSharedSetting(ctx, key, value)) ? result : noChange(result);
    }
    const path = getConfigFile(platform, user);
    const result = { value, key, source: describeSource(ctx, user ? ('user' as const) : ('project' as const)) };
    await requireConfigScope(ctx, key, { isUser: user, value });
    if (isSame(platform.config.inspect(path).values[key], value)) {
      // A person who sets the value that a clone brought trusts it.
      if (!user) await recordWrittenKeys(platform, [key]);
      return noChange(result);
    }
    if (user) platform.files.createFolder(platform.home, true);
    await platform.config.set(path, key, value);
    if (!user) await recordWrittenKeys(platform, [key]);
    return result;
  },
});

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function requireValidValue(key: ConfigKey, value: unknown, retry: (value: string) => string): ConfigValue {
  const problem = checkConfigValue(key, value) ?? (isPlainObject(value) ? findProfileProblem(value) : undefined);
  if (problem) {
    const { type } = getConfigSpec(key);
    const choices = type === 'flag' ? ['true', 'false'] : Array.isArray(type) ? (type as string[]) : [];
    const suggestions = findNearest(String(value), choices);
    throw new CleoError('E_CONFIG_ERROR', {
      path: key,
      problem,
      fix: suggestions.length === 1 && suggestions[0] ? retry(suggestions[0]) : 'cleo config list',
      ...omitEmpty({ valid: choices }),
    });
  }
  if ((key === 'store.url' || key === 'store.listenUrl') && value !== '') checkStoreAddress(String(value), 'value', retry);
  return value as ConfigValue;
}
