import type { JobContext } from '#core/define.ts';
import type { ConfigKey, ConfigValue } from '#core/model/config.ts';
import { isSharedSetting, parseSharedSettings } from '#core/rules/shared-settings.ts';
import { needsTrust } from '#core/rules/trust.ts';
import type { Project } from '#platform/port.ts';
import type { Store } from '#store/port/store.ts';
import { toSettingRecord } from './shared-settings.ts';

/** Takes the records of the files and the settings into a store that several machines share, after the store was moved there. */
export async function shareRecords(ctx: JobContext, project: Project, store: Store): Promise<void> {
  const { platform, now, caller } = ctx;
  await ctx.syncRecords(store);
  const { values } = platform.config.inspect(platform.config.projectFile(project));
  await store.write({ at: now, by: caller.agent }, async ({ records }) => {
    const known = new Set((await records.listSettings()).map(({ key }) => key));
    const missing = Object.entries(values).filter(([key]) => isSharedSetting(key) && !known.has(key));
    if (missing.length > 0)
      await records.save(
        'settings',
        missing.map(([key, value]) => toSettingRecord(platform, key, value)),
      );
  });
}

/** Writes the records and the settings of a store to the files, which are the only place of them on SQLite. */
export async function unshareRecords(ctx: JobContext, project: Project, store: Store): Promise<void> {
  const { platform, now, caller } = ctx;
  const { config } = platform;
  await ctx.syncRecords(store);
  const settings = parseSharedSettings(await store.read(({ records }) => records.listSettings()));
  for (const [key, value] of Object.entries(settings)) await config.set(config.projectFile(project), key, value as ConfigValue);
  // A person who moves the store accepts its policy, but not the programs that a colleague has configured.
  const keys = (Object.keys(settings) as ConfigKey[]).filter((key) => !needsTrust(key));
  if (keys.length > 0) await (await platform.loadTrust()).recordSettings(project, keys);
  await store.write({ at: now, by: caller.agent }, ({ records }) => records.clear());
  config.setShared(project, {});
}
