import { join } from 'node:path';
import type { Config } from '#core/model/config.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { PlanKey, PlanRow } from '#store/port/plan.ts';
import type { ReadStore } from '#store/port/store.ts';
import { type PlanIssue, type PlanKind, planFolders, planKinds } from '../../model/plan.ts';
import type { MergedRecord } from './plan-merge.ts';
import type { ReportProgress } from './plan-scan.ts';

export interface SyncOptions {
  /** The folder `.cleo/plan` of the checkout. */
  folder: string;
  /** The same folder if it belongs to a linked worktree. The store remembers sizes and times of files for each worktree. */
  tree?: string | undefined;
  /** Only read files: a checkout must not change the files that git has just written. */
  isReadOnly: boolean;
  isDryRun: boolean;
  include: string[];
  project: string;
  now: string;
  sha256(bytes: Uint8Array | string): string;
  onProgress?: ReportProgress | undefined;
  /** Takes out of merged records what files decide without a person. Without it all of it is taken. */
  holdDecisions?: ((store: ReadStore, records: MergedRecord[]) => Promise<PlanIssue[]>) | undefined;
}

/** Names the plan files of all clients of a server. The store remembers them by hash, so that they are the same for each. */
export const clientTree = 'client';

export const getPlanFolder = async (platform: Platform, project: Project): Promise<Pick<SyncOptions, 'folder' | 'tree'>> => {
  const tree = await platform.findWorkingTree(project);
  const folder = join(tree.folder, '.cleo', 'plan');
  if (tree.folder === clientTree) return { folder: clientTree, tree: clientTree };
  return tree.folder === project.root ? { folder } : { folder, tree: folder };
};

/** Everything that a sync needs to know about the checkout of the caller. */
export async function readSyncOptions(
  { platform, project, now, config }: { platform: Platform; project: Project; now: string; config: Config },
  { isReadOnly, isDryRun }: Pick<SyncOptions, 'isReadOnly' | 'isDryRun'>,
): Promise<SyncOptions> {
  return {
    ...(await getPlanFolder(platform, project)),
    isReadOnly,
    isDryRun,
    include: config['sync.include'],
    project: config['project.key'],
    now,
    sha256: platform.sha256,
    holdDecisions: async (store, records) =>
      (await import('./check-decisions.ts')).holdDecisions({ platform, project, config }, store, records),
  };
}

/** Identifies the files by their names, sizes and times. If it is that of the last sync, no file and no row has to be looked at. */
export const digestListing = (stats: Map<string, string>, { sha256 }: Pick<SyncOptions, 'sha256'>): string => {
  let text = '';
  for (const [name, stat] of stats) text += `${name} ${stat}\n`;
  return sha256(text);
};

/** Marks the size and time of a file that was read, but does not have what the record says: it has to be written. */
export const staleMark = '!';

export const toFileName = ({ kind, uid }: PlanKey): string => `${planFolders[kind]}/${uid}.json`;

export function parseFileName(name: string): PlanKey | undefined {
  const [, folder, uid] = /^([a-z]+)\/([A-Za-z0-9][\w.-]{0,127})\.json$/.exec(name) ?? [];
  const kind = planKinds.find((one): one is PlanKind => planFolders[one] === folder);
  return kind && uid !== undefined ? { kind, uid } : undefined;
}

export const toKnownStats = (rows: Pick<PlanRow, 'kind' | 'uid' | 'fileStat'>[]): Map<string, string | undefined> =>
  new Map(rows.map((row) => [toFileName(row), row.fileStat]));
