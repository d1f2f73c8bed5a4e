import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { Project } from '#platform/port.ts';
import type { ReadStore } from '#store/port/store.ts';
import { findTaskProblems, type IntegrityLimits } from '#tasks/operations/shared/integrity.ts';
import { formatScope } from '#tasks/rules/scope.ts';
import { followChain } from '../audit-verify.ts';
import type { Seen } from './finding.ts';

/** A job that is not finished after this long was cut short; most take seconds. */
const longestJobMs = 10 * 60_000;

export async function seenInDatabase(store: ReadStore, newestBackup: string | undefined): Promise<Seen> {
  const damage = await store.health.checkIntegrity();
  const steps = await store.health.listMigrations();
  // Without a backup, what can still be read is worth saving first.
  const fix = newestBackup ? `cleo backup restore ${newestBackup}` : 'cleo export --output cleo-export.jsonl';
  return {
    detail: `schema ${steps.at(-1)?.version}`,
    findings: [
      ...damage.slice(0, 5).map((line) => ({ severity: 'error' as const, message: `the database is damaged: ${line}`, fix })),
      ...steps
        .filter(({ isOurs }) => !isOurs)
        .map(({ version }) => ({
          severity: 'error' as const,
          message: `step ${version} of the schema is not the one this cleo knows by that number`,
          fix: 'cleo version',
        })),
    ],
  };
}

/** Of the tasks what breaks the store's own rules; how the work is going is for `validate report`. */
export async function seenInTasks(store: ReadStore, limits: IntegrityLimits): Promise<Seen & { orphans: TaskId[] }> {
  const { tasks, problems } = await findTaskProblems(store, limits);
  const broken = problems.filter(({ kind }) => kind !== 'siblings' && kind !== 'no-reason');
  return {
    detail: tasks === 1 ? '1 task' : `${tasks} tasks`,
    findings: broken.slice(0, 50).map(({ severity, message, fix }) => ({ severity, message, fix })),
    orphans: broken.filter(({ kind }) => kind === 'orphan').map(({ taskId }) => taskId),
  };
}

/** Sessions that can go nowhere, and what is held in their name. */
export async function seenInSessions(store: ReadStore, now: string, quietHours: number): Promise<Seen> {
  const active = (await store.sessions.listActive()).length;
  const rootless = await store.sessions.findWithMissingRoot();
  const quiet = await store.sessions.findInactiveSince(new Date(Date.parse(now) - quietHours * 3_600_000).toISOString());
  const adrift = await store.claims.findOrphaned();
  return {
    detail: `${active} active`,
    findings: [
      ...rootless.map(({ id, scope }) => ({
        severity: 'error' as const,
        message: `${id} is about ${formatScope(scope)}, which does not exist`,
        fix: `cleo session end --session ${id} --note ${quote('What it was about no longer exists')}`,
      })),
      ...adrift.map(({ taskId, agent, session }) => ({
        severity: 'error' as const,
        message: `${taskId} is held by ${agent} in ${session}, which is over`,
        fix: 'cleo doctor --fix',
      })),
      ...quiet.map(({ id, status, startedBy }) => ({
        severity: 'warning' as const,
        message: `${id} of ${startedBy} is ${status}, and nothing was heard of it for ${quietHours} hours`,
        fix: 'cleo session gc',
      })),
    ].slice(0, 50),
  };
}

export async function seenInJobs(store: ReadStore, now: string): Promise<Seen> {
  return {
    findings: (await unfinishedJobs(store, now)).map(({ operation, agent, startedAt }) => ({
      severity: 'warning',
      message: `${operation}, begun by ${agent} at ${startedAt}, did not finish`,
      fix: 'cleo doctor --fix',
    })),
  };
}

export async function unfinishedJobs(store: ReadStore, now: string) {
  return (await store.health.listStartedJobs()).filter(({ startedAt }) => Date.parse(now) - Date.parse(startedAt) > longestJobMs);
}

export async function seenInLog(store: ReadStore, now: string, digest: (text: string) => string): Promise<Seen> {
  const { seq, broken } = await followChain(store, digest);
  const latest = (await store.audit.getLatestTime()) ?? '';
  return {
    detail: seq === 1 ? '1 entry' : `${seq} entries`,
    findings: [
      ...(broken
        ? [{ severity: 'error' as const, message: `the audit log was changed: entry ${broken.seq} ${broken.problem}`, fix: 'cleo log' }]
        : []),
      ...(latest > now
        ? [
            {
              severity: 'warning' as const,
              message: `the newest entry of the log is of ${latest}: this clock is behind, or another was ahead`,
              fix: 'date -u',
            },
          ]
        : []),
    ],
  };
}

/** Why a look failed, and what to do, where the error itself would only lead back here. */
export function seenInError(error: unknown, project: Project): Seen {
  const { message } = error as Error;
  const fix = error instanceof CleoError && error.fix !== 'cleo doctor' ? error.fix : otherFix(error, project);
  return { findings: [{ severity: 'error', message, fix }] };
}

function otherFix(error: unknown, { folder }: Project): string {
  const row = error instanceof CleoError ? error.row : undefined;
  if (row === 'E_STORE_UNREACHABLE') return 'cleo config get store.url';
  if (row !== 'E_STORE_DAMAGED') return `ls -la ${quote(folder)}`;
  // There is no backup; what is left is kept, and a new store is made.
  const database = `${folder}/cleo.db`;
  return `mv ${quote(database)} ${quote(`${database}.damaged`)} && cleo init`;
}
