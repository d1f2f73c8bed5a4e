import { strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { getConfigMeaning } from '#core/model/config-meanings.ts';
import { isSharedSetting } from '#core/rules/shared-settings.ts';
import {
  ConfigSourceSchema,
  ConfigValueSchema,
  configKeyParam,
  describeSource,
  requireKey,
  resolveConfig,
  userParam,
} from './shared/config-scope.ts';
import { isAboutSharedSetting, resolveSharedSettings } from './shared/shared-settings.ts';

export const adminConfigGet = query({
  name: 'admin.config.get',
  summary: 'Show one setting',
  params: strictObject({ key: configKeyParam, user: userParam }),
  result: strictObject({ value: ConfigValueSchema, key: string(), source: ConfigSourceSchema, about: string() }),
  errors: ['E_CONFIG_ERROR'],
  tier: 1,
  needs: 'nothing',
  isAboutStore: isAboutSharedSetting,
  cli: { command: 'config get', args: ['key'] },
  example: { call: { key: 'hierarchy.maxSiblings' } },
  async run(ctx, { key: name, user }) {
    const key = requireKey(name, (other) => ctx.commandWith({ key: other }));
    // Other keys do not connect to the store: they may be what makes it unreachable.
    const shared = isSharedSetting(key) && !user ? await resolveSharedSettings(ctx) : undefined;
    const { get, warnings } = resolveConfig(ctx.platform, { isUser: user, shared: shared?.values });
    const { source, value } = get(key);
    return answer(
      { value, key, source: describeSource(ctx, source), about: getConfigMeaning(key) },
      { warnings: [...(shared?.warnings ?? []), ...warnings] },
    );
  },
});
