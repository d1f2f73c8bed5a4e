import { array, boolean, type InferOutput, optional, picklist, strictObject, string } from 'valibot';
import type { QueryContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { checkConfigFiles, checkProjectFiles, isConfigured } from './doctor-files.ts';
import { checkPlanFiles } from './doctor-plan.ts';
import { checkAuditLog, checkDatabase, checkJobs, checkSessions, checkTasks, explainFailure } from './doctor-store.ts';

const DoctorFindingSchema = strictObject({
  check: string(),
  severity: picklist(['error', 'warning']),
  message: string(),
  fix: string(),
});
const DoctorCheckSchema = strictObject({ check: string(), ok: boolean(), detail: optional(string()) });
export const DoctorFindings = array(DoctorFindingSchema);
export const DoctorCheckList = array(DoctorCheckSchema);

type DoctorFinding = InferOutput<typeof DoctorFindingSchema>;

/** The result of one check: no findings means no problems. */
export interface CheckResult {
  detail?: string;
  findings: Omit<DoctorFinding, 'check'>[];
}

type DoctorContext = Pick<QueryContext, 'platform' | 'project' | 'read' | 'sqliteVersion' | 'now'>;

/** Runs all checks of `cleo doctor`. It changes nothing, and a check that fails to run is itself a finding. */
export async function runDoctorChecks({ platform, project, read, sqliteVersion, now }: DoctorContext) {
  const findings: DoctorFinding[] = [];
  const checks: InferOutput<typeof DoctorCheckList> = [];
  const runCheck = async (check: string, inspect: () => Promise<CheckResult>): Promise<boolean> => {
    let result: CheckResult;
    let hasRun = true;
    try {
      result = await inspect();
    } catch (error) {
      result = explainFailure(error, project);
      hasRun = false;
    }
    findings.push(...result.findings.map((finding) => ({ check, ...finding })));
    checks.push({ check, ok: result.findings.length === 0, ...defined({ detail: result.detail }) });
    return hasRun;
  };

  await runCheck('runtime', async () => checkRuntime(platform.runtime, await sqliteVersion()));
  await runCheck('config', async () => checkConfigFiles(platform, project));
  await runCheck('files', () => checkProjectFiles(platform, project, now));
  let orphans: TaskId[] = [];
  // Without valid settings the location of the store is unknown, and without a store there is nothing else to check.
  if (
    isConfigured(platform, project) &&
    (await runCheck('store', () => read((store) => checkDatabase(store, platform.backups.list(project)[0]?.id))))
  ) {
    const config = platform.config.load(project);
    const limits = { now, maxSiblings: config['hierarchy.maxSiblings'], ttlMinutes: config['claims.ttlMinutes'] };
    await runCheck('tasks', async () => {
      const result = await read((store) => checkTasks(store, limits));
      orphans = result.orphans;
      return result;
    });
    await runCheck('sessions', () => read((store) => checkSessions(store, now, config['session.quietHours'])));
    await runCheck('jobs', () => read((store) => checkJobs(store, now)));
    await runCheck('log', () => read((store) => checkAuditLog(store, now, { platform, project, config })));
    await runCheck('plan', () => read((store) => checkPlanFiles({ store, platform, project, config, now })));
  }
  const done = new Set(checks.map(({ check }) => check));
  for (const check of ['store', 'tasks', 'sessions', 'jobs', 'log', 'plan'])
    if (!done.has(check)) checks.push({ check, ok: false, detail: 'not checked' });
  return { findings, checks, orphans };
}

const checkRuntime = (runtime: string, sqlite: string | undefined): CheckResult =>
  sqlite
    ? { detail: `${runtime}, SQLite ${sqlite}`, findings: [] }
    : {
        detail: runtime,
        findings: [
          {
            severity: 'error',
            message: 'no safe SQLite version can be loaded; use a newer Node, or reinstall cleo',
            fix: 'node --version',
          },
        ],
      };
