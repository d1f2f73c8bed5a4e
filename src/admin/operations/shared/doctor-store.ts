import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { LockHolder } from '#core/model/lock-holder.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { formatLockHolder } from '#core/rules/lock-holder.ts';
import { pluralize } from '#lib/noun.ts';
import type { Project } from '#platform/port.ts';
import type { ReadStore } from '#store/port/store.ts';
import { findTaskProblems, type IntegrityLimits } from '#tasks/operations/shared/integrity.ts';
import { formatScope } from '#tasks/rules/scope.ts';
import type { CheckResult } from './doctor-checks.ts';
import { inspectLog, type LogProofContext } from './prove-log.ts';

/** A job that has run for longer was interrupted; most take seconds. */
const maxJobMs = 10 * 60_000;

/** A write holds the lock for milliseconds. */
const minHeldMs = 1000;

const describeHolder = (holder: LockHolder): CheckResult['findings'][number] => ({
  severity: 'warning',
  message: `${formatLockHolder(holder)} holds the write lock, and all writes wait for it; the server ends it after 5 s without activity`,
  fix: 'cleo doctor',
});

export async function checkDatabase(store: ReadStore, newestBackup: string | undefined): Promise<CheckResult> {
  const damage = await store.health.checkIntegrity();
  const migrations = await store.health.listMigrations();
  const holder = await store.health.findLockHolder();
  // Without a backup, export the data that can still be read first.
  const fix = newestBackup ? `cleo backup restore ${newestBackup}` : 'cleo export --output cleo-export.jsonl';
  return {
    detail: `schema ${migrations.at(-1)?.version}`,
    findings: [
      ...(holder && (holder.heldMs ?? 0) >= minHeldMs ? [describeHolder(holder)] : []),
      ...damage.slice(0, 5).map((line) => ({ severity: 'error' as const, message: `the database is damaged: ${line}`, fix })),
      ...migrations
        .filter(({ isKnown }) => !isKnown)
        .map(({ version }) => ({
          severity: 'error' as const,
          message: `schema migration ${version} differs from the one in this version of cleo`,
          fix: 'cleo version',
        })),
    ],
  };
}

/** Reports violations of the store's invariants. Planning problems belong to `validate report`. */
export async function checkTasks(store: ReadStore, limits: IntegrityLimits): Promise<CheckResult & { orphans: TaskId[] }> {
  const { tasks, problems } = await findTaskProblems(store, limits);
  const broken = problems.filter(({ kind }) => kind !== 'siblings' && kind !== 'no-reason');
  return {
    detail: pluralize(tasks, 'task'),
    findings: broken.slice(0, 50).map(({ severity, message, fix }) => ({ severity, message, fix })),
    orphans: broken.filter(({ kind }) => kind === 'orphan').map(({ taskId }) => taskId),
  };
}

/** Reports sessions without a root or without activity, and claims of ended sessions. */
export async function checkSessions(store: ReadStore, now: string, quietHours: number): Promise<CheckResult> {
  const active = (await store.sessions.listActive()).length;
  const rootless = await store.sessions.findWithMissingRoot();
  const inactive = await store.sessions.findInactiveSince(new Date(Date.parse(now) - quietHours * 3_600_000).toISOString());
  const orphaned = await store.claims.findOrphaned();
  return {
    detail: `${active} active`,
    findings: [
      ...rootless.map(({ id, scope }) => ({
        severity: 'error' as const,
        message: `${id} has the scope ${formatScope(scope)}, which does not exist`,
        fix: `cleo session end --session ${id} --note ${quote('Its scope no longer exists')}`,
      })),
      ...orphaned.map(({ taskId, agent, session }) => ({
        severity: 'error' as const,
        message: `${taskId} is claimed by ${agent} in ${session}, which has ended`,
        fix: 'cleo doctor --fix',
      })),
      ...inactive.map(({ id, status, startedBy }) => ({
        severity: 'warning' as const,
        message: `${id} of ${startedBy} is ${status} without activity for ${quietHours} hours`,
        fix: 'cleo session gc',
      })),
    ].slice(0, 50),
  };
}

export async function checkJobs(store: ReadStore, now: string): Promise<CheckResult> {
  return {
    findings: (await listUnfinishedJobs(store, now)).map(({ operation, agent, startedAt }) => ({
      severity: 'warning',
      message: `${operation}, started by ${agent} at ${startedAt}, did not finish`,
      fix: 'cleo doctor --fix',
    })),
  };
}

export async function listUnfinishedJobs(store: ReadStore, now: string) {
  return (await store.health.listStartedJobs()).filter(({ startedAt }) => Date.parse(now) - Date.parse(startedAt) > maxJobMs);
}

/** Reports the same as `audit verify`, without contacting a remote. */
export async function checkAuditLog(store: ReadStore, now: string, ctx: LogProofContext): Promise<CheckResult> {
  const { entries, broken, level, signed } = await inspectLog(ctx, store);
  const latest = (await store.audit.getLatestTime()) ?? '';
  return {
    detail: `${entries === 1 ? '1 entry' : `${entries} entries`}, ${signed ? `signed up to entry ${signed.entries}` : level}`,
    findings: [
      ...(broken
        ? [{ severity: 'error' as const, message: `the audit log was changed: entry ${broken.seq} ${broken.problem}`, fix: 'cleo log' }]
        : []),
      ...(latest > now
        ? [
            {
              severity: 'warning' as const,
              message: `the newest log entry is from ${latest}, which is in the future; check the clocks`,
              fix: 'date -u',
            },
          ]
        : []),
    ],
  };
}

/** Turns a failed check into a finding, with a fix other than `cleo doctor`. */
export function explainFailure(error: unknown, project: Project): CheckResult {
  const { message } = error as Error;
  const fix = error instanceof CleoError && error.fix !== 'cleo doctor' ? error.fix : suggestFix(error, project);
  return { findings: [{ severity: 'error', message, fix }] };
}

function suggestFix(error: unknown, { folder }: Project): string {
  const row = error instanceof CleoError ? error.row : undefined;
  if (row === 'E_STORE_UNREACHABLE' || row === 'E_STORE_UNAVAILABLE') return 'cleo config get store.url';
  if (row !== 'E_STORE_DAMAGED') return `ls -la ${quote(folder)}`;
  // Without a backup, the damaged file is kept and a new store is created.
  const database = `${folder}/cleo.db`;
  return `mv ${quote(database)} ${quote(`${database}.damaged`)} && cleo init`;
}
