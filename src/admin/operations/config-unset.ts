import { description, optional, picklist, pipe, strictObject, string } from 'valibot';
import { job, noChange } from '#core/define.ts';
import { isConfigKey } from '#core/model/config.ts';
import { configValue } from './config-get.ts';
import { configFile, knownKey, userFlag, valuesInForce } from './shared/config-scope.ts';

export const adminConfigUnset = job({
  name: 'admin.config.unset',
  summary: 'Take one setting out of its file, valid or not',
  params: strictObject({
    key: pipe(string(), description('Which; also one that is no key of ours, if it stands in the file')),
    user: userFlag,
  }),
  result: strictObject({ key: string(), value: optional(configValue), source: optional(picklist(['project', 'user', 'default'])) }),
  errors: ['E_CONFIG_ERROR', 'E_NOT_INITIALIZED', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT'],
  tier: 1,
  needs: 'nothing',
  scope: 'admin',
  cli: { command: 'config unset', args: ['key'] },
  example: { call: { key: 'hierarchy.maxSiblings' }, exit: 102 },
  async run({ platform, commandWith }, { key, user }) {
    const path = configFile(platform, user);
    const { values, problems } = platform.config.inspect(path);
    const isThere = (isConfigKey(key) && values[key] !== undefined) || problems.some((problem) => problem.key === key);
    if (!isThere) knownKey(key, (other) => commandWith({ key: other }));
    else platform.config.set(path, key, undefined);
    // What holds from now on.
    const left = isConfigKey(key) ? valuesInForce(platform, user).value(key) : {};
    return isThere ? { key, ...left } : noChange({ key, ...left });
  },
});
