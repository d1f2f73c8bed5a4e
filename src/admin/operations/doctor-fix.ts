import { basename, join, relative } from 'node:path';
import { array, strictObject, string } from 'valibot';
import { type JobContext, job, noChange } from '#core/define.ts';
import type { Claim } from '#core/model/audit.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { WriteStore } from '#store/port/store.ts';
import { isExpired } from '#tasks/rules/claims.ts';
import { examine } from './shared/examination.ts';
import { configStates, isConfigured, jsonlStates, leftovers } from './shared/examine-files.ts';
import { unfinishedJobs } from './shared/examine-store.ts';
import { Findings } from './shared/finding.ts';

const Repair = strictObject({ check: string(), message: string() });
type Repair = { check: string; message: string };

export const adminDoctorFix = job({
  name: 'admin.doctor.fix',
  summary: 'Repair what can be repaired safely; what is taken away is kept beside',
  params: strictObject({}),
  result: strictObject({ repairs: array(Repair), findings: Findings }),
  errors: ['E_FILE_ERROR', 'E_LOCK_TIMEOUT', 'E_NOT_INITIALIZED'],
  tier: 1,
  needs: 'project',
  scope: 'admin',
  cli: { command: 'doctor', select: 'fix' },
  example: { world: ['T001'], call: {}, exit: 102 },
  async run(ctx) {
    const { platform, project, now } = ctx;
    const stamp = now.replace(/[-:.]/g, '');
    const repairs = [...repairConfig(platform, project, stamp), ...(await repairFiles(platform, project, stamp, now))];
    if (isConfigured(platform, project)) repairs.push(...(await repairStore(ctx)));
    const { findings } = await examine(ctx);
    return repairs.length ? { repairs, findings } : noChange({ repairs, findings });
  },
});

function repairConfig(platform: Platform, project: Project, stamp: string): Repair[] {
  const { files, config } = platform;
  return configStates(platform, project).flatMap(({ path, problems }) => {
    if (problems.length === 0) return [];
    const kept = `${path}.aside-${stamp}`;
    files.copy(path, kept);
    const isWhole = problems.every(({ key }) => key !== '');
    if (isWhole) for (const { key } of problems) config.set(path, key, undefined);
    else files.writeAtomic(path, salvaged(files.readText(path) ?? ''));
    const what = isWhole ? `took out ${problems.map(({ key }) => key).join(', ')}` : 'began it anew';
    return [{ check: 'config', message: `${path}: ${what}; as it was it is in ${kept}` }];
  });
}

/** Of a file that is no longer JSON the two settings without which a shared store is not found again. */
function salvaged(text: string): string {
  const key = /"key"\s*:\s*"([a-z0-9_]{1,50})"/.exec(text)?.[1];
  const url = /"url"\s*:\s*"(postgres(?:ql)?:[^"\\]*)"/.exec(text)?.[1];
  return `${JSON.stringify({ $schema: './config.schema.json', ...(key ? { project: { key } } : {}), ...(url ? { store: { url } } : {}) }, null, 2)}\n`;
}

async function repairFiles(platform: Platform, project: Project, stamp: string, now: string): Promise<Repair[]> {
  const { files } = platform;
  const { changeLines } = await import('#platform/manifest-file.ts');
  const torn = jsonlStates(platform, project).flatMap(({ path, state }) => {
    if (state.torn === undefined) return [];
    files.writeAtomic(`${path}.aside-${stamp}`, state.torn);
    const { torn } = state;
    // Agents append to the manifest by hand, perhaps now.
    if (basename(path) === 'MANIFEST.jsonl')
      changeLines(path, (lines) => lines.map((line, i) => (i === lines.length - 1 && line === torn ? 'drop' : 'keep')));
    else files.writeAtomic(path, (files.readText(path) ?? '').slice(0, -torn.length));
    return [
      {
        check: 'files',
        message: `${relative(project.root, path)}: cut off the torn last line; it is in ${relative(project.root, path)}.aside-${stamp}`,
      },
    ];
  });
  const old = leftovers(platform, project, now).map((name) => {
    files.remove(join(project.folder, name));
    return { check: 'files', message: `removed ${name}` };
  });
  return [...torn, ...old, ...repairEmpty(platform, project, stamp)];
}

/** An empty file holds nothing, but is in the way of a new store. Where there is a backup, that is the way back. */
function repairEmpty({ files, backups, databaseUrl }: Platform, project: Project, stamp: string): Repair[] {
  const isEmpty = files.list(project.folder).some(({ name, size }) => name === 'cleo.db' && size === 0);
  if (!isEmpty || databaseUrl || backups.list(project).length > 0) return [];
  const path = join(project.folder, 'cleo.db');
  files.rename(path, `${path}.damaged-${stamp}`);
  return [{ check: 'store', message: `moved the empty database aside, to cleo.db.damaged-${stamp}; cleo init makes a new one` }];
}

/** Nothing where the store cannot be opened: the findings that remain say so. */
async function repairStore(ctx: JobContext): Promise<Repair[]> {
  const { project, now } = ctx;
  const keeper = await ctx.storeAdmin(project);
  const isOpen = await ctx.read(async () => true).catch(() => false);
  if (!isOpen || (keeper.kind === 'sqlite' && (await keeper.inspect()).problems.length > 0)) return [];
  const ttlMinutes = ctx.config()['claims.ttlMinutes'];
  return ctx.write(async (store) => [
    ...(await adopt(store)),
    ...(await cutDangling(store)),
    ...(await letGo(store, now, ttlMinutes)),
    ...(await closeJobs(store, now)),
  ]);
}

const adopt = async (store: WriteStore): Promise<Repair[]> =>
  (await store.tasks.detachOrphans()).map((id) => ({ check: 'tasks', message: `${id} stands alone now: its parent no longer exists` }));

async function cutDangling(store: WriteStore): Promise<Repair[]> {
  const edges = await store.health.listDependencyEdges();
  const missing = new Set(await store.tasks.findMissing([...new Set(edges.map(({ to }) => to))]));
  const waiting = await store.tasks.getMany([...new Set(edges.filter(({ to }) => missing.has(to)).map(({ from }) => from))]);
  for (const task of waiting)
    await store.tasks.save(
      task,
      { ...task, depends: task.depends.filter((id) => !missing.has(id)) },
      'what it depended on no longer exists',
    );
  return waiting.map(({ id }) => ({ check: 'tasks', message: `${id} no longer waits for a task that does not exist` }));
}

async function letGo(store: WriteStore, now: string, ttlMinutes: number): Promise<Repair[]> {
  const adrift = await store.claims.findOrphaned();
  for (const claim of adrift) await free(store, claim, `${claim.session} is over`);
  const moment = await store.claims.getLeaseTime(now);
  const stale = (await store.claims.list()).filter((claim) => isExpired(claim, moment, ttlMinutes));
  for (const claim of stale) await free(store, claim, `the claim of ${claim.agent} expired`);
  return [
    ...adrift.map(({ taskId, session }) => ({ check: 'sessions', message: `${taskId} is free again: ${session} is over` })),
    ...stale.map(({ taskId, agent }) => ({ check: 'tasks', message: `${taskId} is free again: ${agent} has not written for long` })),
  ];
}

async function free(store: WriteStore, { taskId }: Claim, reason: string): Promise<void> {
  await store.claims.release(taskId);
  const task = await store.tasks.get(taskId);
  if (task?.status === 'active') await store.tasks.save(task, { ...task, status: 'pending' }, reason);
}

async function closeJobs(store: WriteStore, now: string): Promise<Repair[]> {
  const jobs = await unfinishedJobs(store, now);
  for (const { id } of jobs) await store.jobs.finish(id);
  return jobs.map(({ operation, startedAt }) => ({ check: 'jobs', message: `took away the mark of ${operation}, begun at ${startedAt}` }));
}
