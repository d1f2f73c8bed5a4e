import { CleoError } from './core/errors/error.ts';
import type { Platform, Project } from './platform/port.ts';
import { createStoreAdmin, type StoreLocation } from './store/store-admin.ts';
import { buildStore, describeBuild, hasLocalFacts, hasPlanFiles } from './transfer/operations/shared/build-store.ts';

/** Builds the missing store of a fresh clone from `.cleo/plan`, and returns what to tell the caller. Any other failure to open the store
 *  is thrown again, and a clone without plan files gets an error of its own. */
export async function buildFreshClone(
  error: unknown,
  platform: Platform,
  project: Project,
  location: StoreLocation,
): Promise<string | undefined> {
  const isMissing = error instanceof CleoError && error.row === 'E_STORE_DAMAGED' && error.details.missing === true;
  if (!isMissing || location.postgres || hasLocalFacts(platform, project)) throw error;
  if (!(await hasPlanFiles(platform, project))) throw new CleoError('E_NOT_INITIALIZED', { folder: project.root, isClone: true });
  const report = await buildStore({
    platform,
    project,
    admin: createStoreAdmin(location),
    config: platform.config.load(project),
    now: platform.now(),
    caller: platform.caller,
    gateway: 'cli',
  });
  return report && describeBuild(report);
}
