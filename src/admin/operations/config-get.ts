import { array, boolean, description, number, picklist, pipe, strictObject, string, union } from 'valibot';
import { answer, query } from '#core/define.ts';
import { getConfigSpec } from '#core/model/config.ts';
import { requireKey, resolveConfig, userParam } from './shared/config-scope.ts';

export const configValue = union([string(), number(), boolean(), array(string())]);

export const adminConfigGet = query({
  name: 'admin.config.get',
  summary: 'Show one setting',
  params: strictObject({ key: pipe(string(), description('Name of the setting, e.g. hierarchy.maxSiblings')), user: userParam }),
  result: strictObject({ value: configValue, key: string(), source: picklist(['project', 'user', 'default']), about: string() }),
  errors: ['E_CONFIG_ERROR'],
  tier: 1,
  needs: 'nothing',
  cli: { command: 'config get', args: ['key'] },
  example: { call: { key: 'hierarchy.maxSiblings' } },
  async run({ platform, commandWith }, { key: name, user }) {
    const key = requireKey(name, (other) => commandWith({ key: other }));
    const { get, warnings } = resolveConfig(platform, user);
    const { source, value } = get(key);
    return answer({ value, key, source, about: getConfigSpec(key).about }, { warnings });
  },
});
