import { array, boolean, description, number, picklist, pipe, strictObject, string, union } from 'valibot';
import { answer, query } from '#core/define.ts';
import { getConfigSpec } from '#core/model/config.ts';
import { knownKey, userFlag, valuesInForce } from './shared/config-scope.ts';

export const configValue = union([string(), number(), boolean(), array(string())]);

export const adminConfigGet = query({
  name: 'admin.config.get',
  summary: 'Show one setting',
  params: strictObject({ key: pipe(string(), description('Which, e.g. hierarchy.maxSiblings')), user: userFlag }),
  result: strictObject({ value: configValue, key: string(), source: picklist(['project', 'user', 'default']), about: string() }),
  errors: ['E_CONFIG_ERROR'],
  tier: 1,
  needs: 'nothing',
  cli: { command: 'config get', args: ['key'] },
  example: { call: { key: 'hierarchy.maxSiblings' } },
  async run({ platform, commandWith }, { key: name, user }) {
    const key = knownKey(name, (other) => commandWith({ key: other }));
    const { value, warnings } = valuesInForce(platform, user);
    const { source, ...found } = value(key);
    return answer({ ...found, key, source, about: getConfigSpec(key).about }, { warnings });
  },
});
