import { description, optional, pipe, strictObject, string } from 'valibot';
import { job, noChange } from '#core/define.ts';
import { isConfigKey } from '#core/model/config.ts';
import { isSharedSetting } from '#core/rules/shared-settings.ts';
import {
  ConfigSourceSchema,
  ConfigValueSchema,
  describeSource,
  getConfigFile,
  recordWrittenKeys,
  requireKey,
  resolveConfig,
  userParam,
} from './shared/config-scope.ts';
import { configScope, requireConfigScope } from './shared/require-config-scope.ts';
import { isAboutSharedSetting, resolveSharedSettings, writeSharedSetting } from './shared/shared-settings.ts';

export const adminConfigUnset = job({
  name: 'admin.config.unset',
  summary: 'Remove one setting from its file or the store',
  params: strictObject({
    key: pipe(string(), description('Name of the setting; also an unknown one that is in the file')),
    user: userParam,
  }),
  result: strictObject({ key: string(), value: optional(ConfigValueSchema), source: optional(ConfigSourceSchema) }),
  errors: ['E_CONFIG_ERROR', 'E_NOT_INITIALIZED', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT'],
  tier: 1,
  needs: 'nothing',
  isAboutStore: isAboutSharedSetting,
  scope: configScope,
  cli: { command: 'config unset', args: ['key'] },
  example: { call: { key: 'hierarchy.maxSiblings' }, exit: 102 },
  async run(ctx, { key, user }) {
    const { platform, commandWith } = ctx;
    const describe = ({ value, source }: ReturnType<ReturnType<typeof resolveConfig>['get']>) => ({
      value,
      source: describeSource(ctx, source),
    });
    const isShared = !user && isConfigKey(key) && isSharedSetting(key);
    const shared = isShared ? (await resolveSharedSettings(ctx)).values : {};
    if (isShared && shared[key] !== undefined) {
      await requireConfigScope(ctx, key, {});
      await writeSharedSetting(ctx, key, undefined);
      return { key, ...describe(resolveConfig(platform).get(key)) };
    }
    const path = getConfigFile(platform, user);
    const { values, problems } = platform.config.inspect(path);
    const isSet = (isConfigKey(key) && values[key] !== undefined) || problems.some((problem) => problem.key === key);
    if (!isSet) requireKey(key, (other) => commandWith({ key: other }));
    else {
      await requireConfigScope(ctx, key, { isUser: user });
      await platform.config.set(path, key, undefined);
      if (!user) await recordWrittenKeys(platform, [key]);
    }
    // The value that applies without the setting.
    const fallback = isConfigKey(key) ? describe(resolveConfig(platform, { isUser: user }).get(key)) : {};
    return isSet ? { key, ...fallback } : noChange({ key, ...fallback });
  },
});
