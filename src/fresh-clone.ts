import { CleoError } from './core/errors/error.ts';
import type { Platform, Project } from './platform/port.ts';
import { createStoreAdmin, type StoreLocation } from './store/store-admin.ts';
import { buildStore, describeBuild, hasLocalFacts, hasPlanFiles } from './transfer/operations/shared/build-store.ts';
import type { SyncProgress } from './transfer/operations/shared/plan-scan.ts';

/** Builds the missing store of a fresh clone from `.cleo/plan`, and returns what to tell the caller. Any other failure to open the store
 *  is thrown again, and a clone without plan files gets an error of its own. `showStatus` replaces the line that a terminal shows
 *  during the build; an empty text clears it. */
export async function buildFreshClone(
  error: unknown,
  platform: Platform,
  { project, location, showStatus }: { project: Project; location: StoreLocation; showStatus: ((text: string) => void) | undefined },
): Promise<string | undefined> {
  const isMissing = error instanceof CleoError && error.row === 'E_STORE_DAMAGED' && error.details.missing === true;
  if (!isMissing || location.postgres || hasLocalFacts(platform, project)) throw error;
  if (!(await hasPlanFiles(platform, project))) throw new CleoError('E_NOT_INITIALIZED', { folder: project.root, isClone: true });
  // Another process may build it already. Both show the same, because both wait.
  showStatus?.(formatStatus());
  try {
    const report = await buildStore({
      platform,
      project,
      admin: createStoreAdmin(location),
      config: platform.config.load(project),
      now: platform.now(),
      caller: platform.caller,
      gateway: 'cli',
      onProgress: showStatus && ((progress) => showStatus(formatStatus(progress))),
    });
    return report && describeBuild(report);
  } finally {
    showStatus?.('');
  }
}

const phases = { read: 'reading', write: 'writing' };

/** Short enough for a terminal of 80 columns: a line that wraps could not be replaced. */
const formatStatus = (progress?: SyncProgress): string =>
  `cleo: building the task database${progress ? `: ${phases[progress.phase]} ${formatCount(progress.done)} of ${formatCount(progress.total)}` : ''} …`;

const formatCount = (count: number): string => count.toLocaleString('en');
