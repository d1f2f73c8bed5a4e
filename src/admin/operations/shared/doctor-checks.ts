import { array, boolean, type InferOutput, optional, picklist, strictObject, string } from 'valibot';
import { type QueryContext, readStep } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
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

type DoctorContext = Pick<QueryContext, 'platform' | 'project' | 'runStep' | 'sqliteVersion' | 'now'>;

const storeChecks = ['store', 'tasks', 'sessions', 'jobs', 'log', 'plan'] as const;

/** One check of the store, by the settings of the project there. */
export const storeCheck = readStep({
  name: 'check',
  params: strictObject({ check: picklist(storeChecks) }),
  async run(ctx, { check }): Promise<CheckResult & { orphans?: TaskId[] }> {
    const { store, platform, project, config, now } = ctx;
    if (check === 'store') return checkDatabase(store, platform.backups.list(project)[0]?.id);
    const limits = { now, maxSiblings: config['hierarchy.maxSiblings'], ttlMinutes: config['claims.ttlMinutes'] };
    if (check === 'tasks') return checkTasks(store, limits);
    if (check === 'sessions') return checkSessions(store, now, config['session.quietHours']);
    if (check === 'jobs') return checkJobs(store, now);
    return check === 'log' ? checkAuditLog(store, now, ctx) : checkPlanFiles(ctx);
  },
});

/** Runs all checks of `cleo doctor`: those of files in the checkout of the caller, and those of the store. It changes nothing, and a check
 *  that fails to run is itself a finding. */
export async function runDoctorChecks({ platform, project, runStep, sqliteVersion, now }: DoctorContext) {
  const findings: DoctorFinding[] = [];
  const checks: InferOutput<typeof DoctorCheckList> = [];
  const runCheck = async (check: string, inspect: () => Promise<CheckResult>): Promise<boolean> => {
    let result: CheckResult;
    let hasRun = true;
    try {
      result = await inspect();
    } catch (error) {
      // The server has no checkout whose files it could compare with its store.
      if (check === 'plan' && error instanceof CleoError && error.row === 'E_STORE_BEHIND_SERVER') {
        checks.push({ check, ok: true, detail: 'not checked here; see cleo sync --check' });
        return true;
      }
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
  const checkStore = (check: (typeof storeChecks)[number]): Promise<boolean> =>
    runCheck(check, async () => {
      const { orphans: found, ...result } = await runStep(storeCheck, { check });
      if (found) orphans = found;
      return result;
    });
  if (isConfigured(platform, project) && (await checkStore('store'))) for (const check of storeChecks.slice(1)) await checkStore(check);
  const done = new Set(checks.map(({ check }) => check));
  for (const check of storeChecks) if (!done.has(check)) checks.push({ check, ok: false, detail: 'not checked' });
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
