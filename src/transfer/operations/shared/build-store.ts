import { join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import type { Caller, Gateway } from '#core/model/audit.ts';
import type { Config } from '#core/model/config.ts';
import { toTaskId } from '#core/model/scalars.ts';
import { isPlainObject } from '#lib/collections.ts';
import { pluralize } from '#lib/noun.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { StoreAdmin, WriteStore } from '#store/port/store.ts';
import type { ReportProgress } from './plan-scan.ts';
import { parseFileName } from './plan-stats.ts';
import { type SyncReport, syncPlan } from './plan-sync.ts';

interface BuildContext {
  platform: Platform;
  project: Project;
  admin: StoreAdmin;
  config: Config;
  now: string;
  caller: Caller;
  gateway: Gateway;
  onProgress?: ReportProgress | undefined;
  /** Facts about the lost store, which the log of the new one begins with. */
  lost?: { head?: unknown; replica?: string; taskNumber?: number };
}

interface BuildReport extends Pick<SyncReport, 'issues' | 'problems'> {
  records: number;
}

/** The build of 10,000 tasks takes seconds. Another process that builds is waited for this long. */
const buildTimeoutMs = 120_000;

export const hasPlanFiles = async (platform: Platform, project: Project): Promise<boolean> => {
  const planFiles = await platform.loadPlanFiles();
  return [...planFiles.list(join(project.folder, 'plan')).keys()].some((name) => parseFileName(name) !== undefined);
};

export const hasLocalFacts = ({ files, backups }: Platform, project: Project): boolean =>
  files.exists(join(project.folder, 'local.json')) || backups.list(project).length > 0;

/** Builds the store of a fresh clone from its plan files. One of several processes builds, the others wait. Returns undefined if the
 *  store exists when this process may build. */
export async function buildStore(ctx: BuildContext): Promise<BuildReport | undefined> {
  const { platform, project, admin, now } = ctx;
  const release = await acquireBuildLock(project);
  try {
    if (platform.files.exists(join(project.folder, 'cleo.db'))) return undefined;
    let report: BuildReport | undefined;
    const isBuilt = await admin.build(now, (store) =>
      store.write({ at: now, by: ctx.caller.agent }, async (writes) => {
        report = await fillStore(ctx, writes);
      }),
    );
    if (!isBuilt) return undefined;
    const { recordFactsQuietly } = await import('#admin/operations/shared/local-facts.ts');
    const store = await admin.open('read');
    try {
      await store.read((reads) => recordFactsQuietly(platform, project, reads));
    } finally {
      await store.close();
    }
    return report;
  } finally {
    release();
  }
}

async function fillStore(ctx: BuildContext, store: WriteStore): Promise<BuildReport> {
  const { platform, project, config, now, caller, gateway, lost } = ctx;
  const planFiles = await platform.loadPlanFiles();
  const { issues, problems, read } = await syncPlan(store, planFiles, {
    folder: join(project.folder, 'plan'),
    isReadOnly: true,
    isDryRun: false,
    include: config['sync.include'],
    project: config['project.key'],
    now,
    sha256: platform.sha256,
    onProgress: ctx.onProgress,
    // A person has called for a rebuild of the own store.
    ...(lost
      ? {}
      : {
          holdDecisions: async (writes, records) =>
            (await import('./check-decisions.ts')).holdDecisions({ platform, project, config, isNewStore: true }, writes, records),
        }),
  });
  const highest = Math.max(lost?.taskNumber ?? 0, ...(lost ? readTaskNumbers(ctx) : []));
  if (highest > 0) await store.tasks.reserveIds(toTaskId(highest));
  await store.audit.append({
    timestamp: now,
    agent: caller.agent,
    gateway,
    domain: 'sync',
    operation: lost ? 'rebuild' : 'build',
    params: JSON.stringify(lost ? { lost } : {}),
    success: true,
    exitCode: 0,
    created: store.changes.created,
    updated: [],
    deleted: [],
    durationMs: 0,
    ...(config['project.key'] ? { project: config['project.key'] } : {}),
  });
  return { issues, problems, records: read };
}

/** The highest task number that each replica has given, as far as the plan files say. */
function readTaskNumbers({ platform, project }: BuildContext): number[] {
  const folder = join(project.folder, 'plan', 'replicas');
  return platform.files.list(folder).flatMap(({ name }) => {
    const facts = parseJson(platform.files.readText(join(folder, name)) ?? '');
    return isPlainObject(facts) && Number.isInteger(facts.taskNumber) ? [facts.taskNumber as number] : [];
  });
}

async function acquireBuildLock(project: Project): Promise<() => void> {
  const { acquireLock } = await import('#platform/lock-file.ts');
  try {
    return (await acquireLock(project.folder, 'build', buildTimeoutMs)).release;
  } catch (error) {
    if (!(error instanceof CleoError) || error.exitCode !== 75) throw error;
    throw new CleoError('E_LOCK_TIMEOUT', { waitedMs: buildTimeoutMs, path: join(project.folder, 'build.lock') });
  }
}

/** Says what the first command in a fresh clone has done. Concurrent changes were resolved and reported in the clone that merged them. */
export function describeBuild({ records, problems }: Pick<BuildReport, 'records' | 'problems'>): string {
  const rest = problems.length > 0 ? [`${pluralize(problems.length, 'file')} could not be read: cleo doctor`] : [];
  return [`built the task database of this clone from .cleo/plan (${pluralize(records, 'record')})`, ...rest].join('; ');
}
