import type { QueryContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { isConfigured, seenInConfig, seenInFiles } from './examine-files.ts';
import { seenInDatabase, seenInError, seenInJobs, seenInLog, seenInSessions, seenInTasks } from './examine-store.ts';
import type { Check, Finding, Seen } from './finding.ts';

export interface Examination {
  findings: Finding[];
  checks: Check[];
  orphans: TaskId[];
}

export type Examined = Pick<QueryContext, 'platform' | 'project' | 'read' | 'sqliteVersion' | 'now'>;

/** Looks at everything and changes nothing. What cannot be looked at is itself a finding. */
export async function examine({ platform, project, read, sqliteVersion, now }: Examined): Promise<Examination> {
  const findings: Finding[] = [];
  const checks: Check[] = [];
  const look = async (check: string, seeing: () => Promise<Seen>): Promise<boolean> => {
    let seen: Seen;
    let isSeen = true;
    try {
      seen = await seeing();
    } catch (error) {
      seen = seenInError(error, project);
      isSeen = false;
    }
    findings.push(...seen.findings.map((finding) => ({ check, ...finding })));
    checks.push({ check, ok: seen.findings.length === 0, ...(seen.detail ? { detail: seen.detail } : {}) });
    return isSeen;
  };

  await look('runtime', async () => seenInRuntime(platform.runtime, await sqliteVersion()));
  await look('config', async () => seenInConfig(platform, project));
  await look('files', async () => seenInFiles(platform, project, now));
  let orphans: TaskId[] = [];
  // Without settings it is not even known which store is meant; without a store there is nothing more to see.
  if (
    isConfigured(platform, project) &&
    (await look('store', () => read((store) => seenInDatabase(store, platform.backups.list(project)[0]?.id))))
  ) {
    const config = platform.config.load(project);
    const limits = { now, maxSiblings: config['hierarchy.maxSiblings'], ttlMinutes: config['claims.ttlMinutes'] };
    await look('tasks', async () => {
      const seen = await read((store) => seenInTasks(store, limits));
      orphans = seen.orphans;
      return seen;
    });
    await look('sessions', () => read((store) => seenInSessions(store, now, config['session.quietHours'])));
    await look('jobs', () => read((store) => seenInJobs(store, now)));
    await look('log', () => read((store) => seenInLog(store, now, platform.sha256)));
  }
  const seen = new Set(checks.map(({ check }) => check));
  for (const check of ['store', 'tasks', 'sessions', 'jobs', 'log'])
    if (!seen.has(check)) checks.push({ check, ok: false, detail: 'not looked at' });
  return { findings, checks, orphans };
}

const seenInRuntime = (runtime: string, sqlite: string | undefined): Seen =>
  sqlite
    ? { detail: `${runtime}, SQLite ${sqlite}`, findings: [] }
    : {
        detail: runtime,
        findings: [
          {
            severity: 'error',
            message: 'no SQLite that is safe to use can be loaded; use a newer Node, or install cleo anew',
            fix: 'node --version',
          },
        ],
      };
