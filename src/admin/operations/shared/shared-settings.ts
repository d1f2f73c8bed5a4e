import type { BaseContext, JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Config, ConfigKey, ConfigValue } from '#core/model/config.ts';
import { isServerSetting, parseSharedSettings } from '#core/rules/shared-settings.ts';
import type { Platform } from '#platform/port.ts';
import type { NewRecord } from '#store/port/shared-records.ts';
import { recordWrittenKeys } from './config-scope.ts';

/** Reads the settings of a shared store. A store that cannot be read is a warning, because these commands also repair its address. */
export async function resolveSharedSettings({
  platform,
  read,
  hasSharedStore,
}: Pick<BaseContext, 'platform' | 'read' | 'hasSharedStore'>): Promise<{ values: Partial<Config>; warnings: string[] }> {
  const project = platform.getProject();
  if (!project || !hasSharedStore()) return { values: {}, warnings: [] };
  try {
    const values = parseSharedSettings(await read(({ records }) => records.listSettings()));
    platform.config.setShared(project, values);
    return { values, warnings: [] };
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    return { values: {}, warnings: [`the settings in the store are not known: ${error.message}`] };
  }
}

/** True for a call about the policy of the project. The file of a user is on the client, as are the programs that it starts. */
export const isAboutSharedSetting = ({ key, user }: Record<string, unknown>): boolean =>
  typeof key === 'string' && isServerSetting(key) && user !== true;

/** Writes a setting to the shared store together with the entry of the log, or removes it if the value is undefined. Returns false if the
 *  store has that value already. */
export async function writeSharedSetting(ctx: JobContext, key: ConfigKey, value: ConfigValue | undefined): Promise<boolean> {
  const { platform, project } = ctx;
  const { [key]: before, ...others } = (await resolveSharedSettings(ctx)).values as Record<string, unknown>;
  const text = value === undefined ? undefined : JSON.stringify(value);
  const isChanged = text !== (before === undefined ? undefined : JSON.stringify(before));
  if (isChanged)
    await ctx.writeAndLog<unknown>(({ records }) =>
      text === undefined ? records.remove('settings', [key]) : records.save('settings', [toSettingRecord(platform, key, value)]),
    );
  platform.config.setShared(project, { ...others, ...(value === undefined ? {} : { [key]: value }) } as Partial<Config>);
  // A person who sets a command that the store has trusts it.
  await recordWrittenKeys(platform, [key]);
  return isChanged;
}

export function toSettingRecord({ sha256 }: Pick<Platform, 'sha256'>, key: string, value: unknown): NewRecord {
  const content = JSON.stringify(value);
  return { name: key, hash: sha256(content), size: Buffer.byteLength(content), stored: { encoding: 'utf8', content } };
}
