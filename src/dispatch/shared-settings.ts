import { parseSharedSettings } from '#core/rules/shared-settings.ts';
import type { Platform } from '#platform/port.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { App } from './call-context.ts';

/** Reads the project's settings from its shared store. Call it together with another read, so that it costs no round trip. */
export async function loadSharedSettings({ config, getProject }: Platform, { records }: Pick<ReadStore, 'records'>): Promise<void> {
  const project = getProject();
  if (project) config.setShared(project, parseSharedSettings(await records.listSettings()));
}

/** Reads the settings of the project in the shared store, or through the server in front of it. Undefined if there is none. */
export async function readSharedSettings(app: App, agent: string): Promise<{ key: string; value: string }[] | undefined> {
  if (app.hasSharedStore()) return (await app.openStore('read')).read(({ records }) => records.listSettings());
  if (!app.platform.getProject() || !app.usesServer()) return undefined;
  const { openServerRecords, RecordsNotShared } = await import('./remote/records.ts');
  return openServerRecords(app, agent)
    .listSettings()
    .catch((error) => {
      if (error instanceof RecordsNotShared) return undefined;
      throw error;
    });
}
