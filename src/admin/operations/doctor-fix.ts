import { basename, join, relative } from 'node:path';
import { array, strictObject, string } from 'valibot';
import { type JobContext, job, noChange, readStep, writeStep } from '#core/define.ts';
import type { Claim } from '#core/model/audit.ts';
import { pluralize } from '#lib/noun.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { WriteStore } from '#store/port/store.ts';
import { computeAllRanks, findStaleRanks } from '#tasks/rules/all-ranks.ts';
import { isExpired } from '#tasks/rules/claims.ts';
import { DoctorFindings, runDoctorChecks, storeCheck } from './shared/doctor-checks.ts';
import { inspectConfigFiles, inspectJsonLines, isConfigured, listAccessibleFiles, listLeftovers } from './shared/doctor-files.ts';
import { listUnfinishedJobs } from './shared/doctor-store.ts';

const Repair = strictObject({ check: string(), message: string() });
type Repair = { check: string; message: string };

/** Checks whether the store can be read and its content is sound. */
const probeStep = readStep({
  name: 'probe',
  params: strictObject({}),
  run: async ({ store }) => ({ isSound: (await store.health.checkIntegrity()).length === 0 }),
});

const repairStep = writeStep({
  name: 'repair',
  params: strictObject({}),
  run: async ({ store, now, config }): Promise<Repair[]> => [
    ...(await detachOrphans(store)),
    ...(await dropMissingDependencies(store)),
    ...(await releaseStaleClaims(store, now, config['claims.ttlMinutes'])),
    ...(await repairRanks(store)),
    ...(await closeJobs(store, now)),
  ],
});

export const adminDoctorFix = job({
  name: 'admin.doctor.fix',
  summary: 'Repair problems that can be repaired safely',
  params: strictObject({}),
  result: strictObject({ repairs: array(Repair), findings: DoctorFindings }),
  errors: ['E_FILE_ERROR', 'E_LOCK_TIMEOUT', 'E_NOT_INITIALIZED'],
  tier: 1,
  steps: [storeCheck, probeStep, repairStep],
  needs: 'project',
  usesHost: true,
  cli: { command: 'doctor', select: 'fix' },
  example: { world: ['T001'], call: {}, exit: 102 },
  async run(ctx) {
    const { platform, project, now } = ctx;
    const suffix = now.replace(/[-:.]/g, '');
    const repairs = [...(await repairConfig(platform, project, suffix)), ...(await repairFiles(platform, project, suffix, now))];
    if (isConfigured(platform, project)) repairs.push(...(await repairStore(ctx)));
    const { findings } = await runDoctorChecks(ctx);
    return repairs.length ? { repairs, findings } : noChange({ repairs, findings });
  },
});

async function repairConfig(platform: Platform, project: Project, suffix: string): Promise<Repair[]> {
  const { files, config } = platform;
  const repairs: Repair[] = [];
  for (const { path, problems } of inspectConfigFiles(platform, project)) {
    if (problems.length === 0) continue;
    const copy = `${path}.aside-${suffix}`;
    files.copy(path, copy);
    const isJson = problems.every(({ key }) => key !== '');
    if (isJson) for (const { key } of problems) await config.set(path, key, undefined);
    else files.writeAtomic(path, salvageConfig(files.readText(path) ?? ''));
    const change = isJson ? `removed ${problems.map(({ key }) => key).join(', ')}` : 'created it again';
    repairs.push({ check: 'config', message: `${path}: ${change}; the original is in ${copy}` });
  }
  return repairs;
}

/** Builds a new configuration file from one that is not JSON, with the two settings that are needed to find a shared store. */
function salvageConfig(text: string): string {
  const key = /"key"\s*:\s*"([a-z0-9_]{1,50})"/.exec(text)?.[1];
  const url = /"url"\s*:\s*"(postgres(?:ql)?:[^"\\]*)"/.exec(text)?.[1];
  const config = { $schema: './config.schema.json', ...(key ? { project: { key } } : {}), ...(url ? { store: { url } } : {}) };
  return `${JSON.stringify(config, null, 2)}\n`;
}

async function repairFiles(platform: Platform, project: Project, suffix: string, now: string): Promise<Repair[]> {
  const { files } = platform;
  const { changeLines } = await import('#platform/manifest-file.ts');
  const torn = inspectJsonLines(platform, project).flatMap(({ path, state }) => {
    if (state.torn === undefined) return [];
    files.writeAtomic(`${path}.aside-${suffix}`, state.torn);
    const { torn } = state;
    // Agents may append to the manifest at the same time.
    if (basename(path) === 'MANIFEST.jsonl')
      changeLines(path, (lines) => lines.map((line, i) => (i === lines.length - 1 && line === torn ? 'drop' : 'keep')));
    else files.writeAtomic(path, (files.readText(path) ?? '').slice(0, -torn.length));
    return [
      {
        check: 'files',
        message: `${relative(project.root, path)}: removed the torn last line; it is in ${relative(project.root, path)}.aside-${suffix}`,
      },
    ];
  });
  const removed = listLeftovers(platform, project, now).map((name) => {
    files.remove(join(project.folder, name));
    return { check: 'files', message: `removed ${name}` };
  });
  return [...torn, ...removed, ...moveEmptyDatabase(platform, project, suffix), ...(await repairModes(platform, project))];
}

async function repairModes(platform: Platform, project: Project): Promise<Repair[]> {
  const { restrictAccess } = await import('#platform/file-systems.ts');
  return (await listAccessibleFiles(platform, project)).flatMap(({ folder, paths }) => {
    const changed = restrictAccess(folder, paths);
    return changed.length === 0 ? [] : [{ check: 'files', message: `${folder}: only you can access ${describePaths(changed)} now` }];
  });
}

const describePaths = (paths: string[]): string => {
  const names = paths.map((path) => path || 'the folder');
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
};

/** Moves an empty database file away, because it would block a new store. If there is a backup, restoring it is the better fix. */
function moveEmptyDatabase({ files, backups, databaseUrl }: Platform, project: Project, suffix: string): Repair[] {
  const isEmpty = files.list(project.folder).some(({ name, size }) => name === 'cleo.db' && size === 0);
  if (!isEmpty || databaseUrl || backups.list(project).length > 0) return [];
  const path = join(project.folder, 'cleo.db');
  files.rename(path, `${path}.damaged-${suffix}`);
  return [{ check: 'store', message: `moved the empty database to cleo.db.damaged-${suffix}; cleo init creates a new one` }];
}

/** Repairs the content of the store. A store that cannot be opened is left alone; the remaining findings report it. */
async function repairStore(ctx: JobContext): Promise<Repair[]> {
  const { isSound } = await ctx.runStep(probeStep, {}).catch(() => ({ isSound: false }));
  return isSound ? ctx.runStep(repairStep, {}) : [];
}

const detachOrphans = async (store: WriteStore): Promise<Repair[]> =>
  (await store.tasks.detachOrphans()).map((id) => ({ check: 'tasks', message: `${id} has no parent now: its parent no longer exists` }));

async function dropMissingDependencies(store: WriteStore): Promise<Repair[]> {
  const edges = await store.health.listDependencyEdges();
  const missing = new Set(await store.tasks.findMissing([...new Set(edges.map(({ to }) => to))]));
  const dependents = await store.tasks.getMany([...new Set(edges.filter(({ to }) => missing.has(to)).map(({ from }) => from))]);
  for (const task of dependents)
    await store.tasks.save(task, { ...task, depends: task.depends.filter((id) => !missing.has(id)) }, 'its dependency no longer exists');
  return dependents.map(({ id }) => ({ check: 'tasks', message: `${id} no longer depends on a task that does not exist` }));
}

async function repairRanks(store: WriteStore): Promise<Repair[]> {
  const work = await store.tasks.getOpenGraph();
  const stale = findStaleRanks(await store.ranks.listAll(), work);
  if (stale.length === 0) return [];
  await store.ranks.replaceAll(computeAllRanks(work));
  return [{ check: 'tasks', message: `computed the ranks of ${pluralize(stale.length, 'task')} again` }];
}

async function releaseStaleClaims(store: WriteStore, now: string, ttlMinutes: number): Promise<Repair[]> {
  const orphaned = await store.claims.findOrphaned();
  for (const claim of orphaned) await releaseClaim(store, claim, `${claim.session} has ended`);
  const leaseTime = await store.claims.getLeaseTime(now);
  const expired = (await store.claims.list()).filter((claim) => isExpired(claim, leaseTime, ttlMinutes));
  for (const claim of expired) await releaseClaim(store, claim, `the claim of ${claim.agent} expired`);
  return [
    ...orphaned.map(({ taskId, session }) => ({ check: 'sessions', message: `${taskId} is no longer claimed: ${session} has ended` })),
    ...expired.map(({ taskId, agent }) => ({ check: 'tasks', message: `${taskId} is no longer claimed: the claim of ${agent} expired` })),
  ];
}

async function releaseClaim(store: WriteStore, { taskId }: Claim, reason: string): Promise<void> {
  await store.claims.release(taskId);
  const task = await store.tasks.get(taskId);
  if (task?.status === 'active') await store.tasks.save(task, { ...task, status: 'pending' }, reason);
}

async function closeJobs(store: WriteStore, now: string): Promise<Repair[]> {
  const jobs = await listUnfinishedJobs(store, now);
  for (const { id } of jobs) await store.jobs.finish(id);
  return jobs.map(({ operation, startedAt }) => ({
    check: 'jobs',
    message: `closed the unfinished ${operation}, started at ${startedAt}`,
  }));
}
