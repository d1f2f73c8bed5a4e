import { array, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { type ConfigKey, defaultConfig } from '#core/model/config.ts';
import { getConfigMeaning } from '#core/model/config-meanings.ts';
import { ConfigSourceSchema, ConfigValueSchema, resolveConfig, userParam } from './shared/config-scope.ts';
import { resolveSharedSettings } from './shared/shared-settings.ts';

export const adminConfigList = query({
  name: 'admin.config.list',
  summary: 'List all settings and their sources',
  params: strictObject({ user: userParam }),
  result: strictObject({
    config: array(strictObject({ key: string(), value: ConfigValueSchema, source: ConfigSourceSchema, about: string() })),
  }),
  errors: [],
  tier: 1,
  needs: 'nothing',
  cli: { command: ['config list', 'config'] },
  example: { call: {} },
  async run(ctx, { user }) {
    const shared = user ? undefined : await resolveSharedSettings(ctx);
    const { get, customKeys, warnings } = resolveConfig(ctx.platform, { isUser: user, shared: shared?.values });
    const keys = [...(Object.keys(defaultConfig) as ConfigKey[]), ...customKeys];
    return answer(
      { config: keys.map((key) => ({ key, ...get(key), about: getConfigMeaning(key) })) },
      { warnings: [...(shared?.warnings ?? []), ...warnings] },
    );
  },
});
