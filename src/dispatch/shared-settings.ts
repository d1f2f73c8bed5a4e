import { parseSharedSettings } from '#core/rules/shared-settings.ts';
import type { Platform } from '#platform/port.ts';
import type { ReadStore } from '#store/port/store.ts';

/** Reads the project's settings from its shared store. Call it together with another read, so that it costs no round trip. */
export async function loadSharedSettings({ config, getProject }: Platform, { records }: Pick<ReadStore, 'records'>): Promise<void> {
  const project = getProject();
  if (project) config.setShared(project, parseSharedSettings(await records.listSettings()));
}
