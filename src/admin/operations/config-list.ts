import { array, type InferOutput, strictObject, string } from 'valibot';
import { answer, type QueryContext, query, readStep } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type ConfigKey, defaultConfig } from '#core/model/config.ts';
import { getConfigMeaning } from '#core/model/config-meanings.ts';
import { isServerSetting } from '#core/rules/shared-settings.ts';
import { ConfigSourceSchema, ConfigValueSchema, describeSource, resolveConfig, userParam } from './shared/config-scope.ts';
import { resolveSharedSettings } from './shared/shared-settings.ts';

const SettingSchema = strictObject({ key: string(), value: ConfigValueSchema, source: ConfigSourceSchema });
type Setting = InferOutput<typeof SettingSchema>;

/** The settings that a client takes from its server. */
const serverStep = readStep({
  name: 'settings',
  params: strictObject({}),
  async run(ctx): Promise<Setting[]> {
    const { platform, project } = ctx;
    const { get, customKeys } = resolveConfig(platform, { shared: platform.config.getShared(project) });
    const keys = [...(Object.keys(defaultConfig) as ConfigKey[]), ...customKeys].filter(isServerSetting);
    return keys.map((key) => {
      const { value, source } = get(key);
      return { key, value, source: describeSource(ctx, source) };
    });
  },
});

export const adminConfigList = query({
  name: 'admin.config.list',
  summary: 'List all settings and their sources',
  params: strictObject({ user: userParam }),
  result: strictObject({ config: array(strictObject({ ...SettingSchema.entries, about: string() })) }),
  errors: [],
  tier: 1,
  needs: 'nothing',
  steps: [serverStep],
  cli: { command: ['config list', 'config'] },
  example: { call: {} },
  async run(ctx, { user }) {
    const shared = user ? undefined : await resolveSharedSettings(ctx);
    const { get, customKeys, warnings } = resolveConfig(ctx.platform, { isUser: user, shared: shared?.values });
    const server = user ? undefined : await readServerSettings(ctx);
    const ofServer = new Map(server?.settings.map((setting) => [setting.key, setting]));
    const known: string[] = [...Object.keys(defaultConfig), ...customKeys];
    const keys = [...known, ...[...ofServer.keys()].filter((key) => !known.includes(key))];
    return answer(
      {
        config: keys.map((key) => ({
          ...(ofServer.get(key) ?? { key, ...get(key as ConfigKey) }),
          about: getConfigMeaning(key as ConfigKey),
        })),
      },
      { warnings: [...(shared?.warnings ?? []), ...(server?.warnings ?? []), ...warnings] },
    );
  },
});

/** Reads the settings of the server in front of the store, if there is one. If it does not answer, those of the files are listed: this command
 *  also shows its address. */
async function readServerSettings({ isClient, runStep }: QueryContext): Promise<{ settings: Setting[]; warnings: string[] }> {
  if (!isClient) return { settings: [], warnings: [] };
  try {
    return { settings: await runStep(serverStep, {}), warnings: [] };
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    return { settings: [], warnings: [`the settings of the server are not known: ${error.message}`] };
  }
}
