import { array, picklist, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { type ConfigKey, configKeys, getConfigSpec } from '#core/model/config.ts';
import { configValue } from './config-get.ts';
import { userFlag, valuesInForce } from './shared/config-scope.ts';

export const adminConfigList = query({
  name: 'admin.config.list',
  summary: 'Show all settings, and where each comes from',
  params: strictObject({ user: userFlag }),
  result: strictObject({
    config: array(strictObject({ key: string(), value: configValue, source: picklist(['project', 'user', 'default']), about: string() })),
  }),
  errors: [],
  tier: 1,
  needs: 'nothing',
  cli: { command: ['config list', 'config'] },
  example: { call: {} },
  async run({ platform }, { user }) {
    const { value, named, warnings } = valuesInForce(platform, user);
    const keys = [...(Object.keys(configKeys) as ConfigKey[]), ...named];
    return answer({ config: keys.map((key) => ({ key, ...value(key), about: getConfigSpec(key).about })) }, { warnings });
  },
});
