import { strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { getConfigMeaning } from '#core/model/config-meanings.ts';
import { ConfigSourceSchema, ConfigValueSchema, configKeyParam, requireKey, resolveConfig, userParam } from './shared/config-scope.ts';

export const adminConfigGet = query({
  name: 'admin.config.get',
  summary: 'Show one setting',
  params: strictObject({ key: configKeyParam, user: userParam }),
  result: strictObject({ value: ConfigValueSchema, key: string(), source: ConfigSourceSchema, about: string() }),
  errors: ['E_CONFIG_ERROR'],
  tier: 1,
  needs: 'nothing',
  cli: { command: 'config get', args: ['key'] },
  example: { call: { key: 'hierarchy.maxSiblings' } },
  async run({ platform, commandWith }, { key: name, user }) {
    const key = requireKey(name, (other) => commandWith({ key: other }));
    const { get, warnings } = resolveConfig(platform, user);
    const { source, value } = get(key);
    return answer({ value, key, source, about: getConfigMeaning(key) }, { warnings });
  },
});
