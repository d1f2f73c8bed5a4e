import { answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import '../errors.ts';
import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { ProjectName, type ProjectRegistry, type RegisteredProject, type RemoteDependency, type Unanswered } from '../model/nexus.ts';
import { hasPermission } from '../rules/nexus-registry.ts';
import { isValidDependency } from '../rules/nexus-wait.ts';
import { nexusReads, nexusWrites } from './shared/nexus-steps.ts';
import { openRegistry, registryErrors } from './shared/registry.ts';
import {
  type AskProject,
  askAll,
  findOwnEntry,
  isSameFolder,
  requireInPlace,
  toProject,
  toQueryError,
  withRemoteStores,
} from './shared/remote-project.ts';
import { type RemoteTasks, type SyncOutcome, syncStore } from './shared/sync-store.ts';

const DependencyChange = strictObject({ task: string(), on: string(), from: string(), to: string() });

export const nexusSync = job({
  name: 'nexus.sync',
  summary: 'Update tasks that depend on other projects',
  params: strictObject({
    all: optional(pipe(boolean(), description('Also update every other project with the permission write'))),
    except: optional(pipe(array(ProjectName), description('Projects to skip, such as one that cannot be reached'))),
  }),
  result: strictObject({
    sync: strictObject({
      /** Projects that were read. */
      projects: array(string()),
      changed: array(DependencyChange),
      freed: array(string()),
      blocked: array(string()),
      left: optional(array(strictObject({ project: string(), why: string() }))),
      movedFrom: optional(string()),
    }),
  }),
  errors: [...registryErrors, 'E_NEXUS_SYNC_FAILED', 'E_LOCK_TIMEOUT'],
  tier: 2,
  steps: [...Object.values(nexusReads), ...Object.values(nexusWrites)],
  usesHost: true,
  cli: { command: 'nexus sync' },
  example: { world: ['T001', 'nexus here'], call: {}, exit: 102 },
  async run(ctx, { all = false, except = [] }) {
    const { registry, movedFrom } = await refreshOwnPath(ctx);
    const own = findOwnEntry(ctx.platform, registry);
    const targets = all ? registry.projects.filter((each) => each.name !== own?.name && !except.includes(each.name)) : [];
    return withRemoteStores(ctx, registry, async (ask) => {
      const writable = targets.filter(({ permission }) => hasPermission(permission, 'write'));
      const rows = await ctx.runStep(nexusReads.dependencies, {});
      const { answers, unanswered } = await askAll(ask, writable, nexusReads.dependencies, () => ({}));
      const { remoteTasks, skipped } = await readRemoteTasks(
        ctx,
        ask,
        registry,
        [...rows, ...answers.flatMap((each) => each.answer.filter(isValidDependency))],
        except,
        unanswered,
      );
      const outcomes: SyncOutcome[] = [];
      for (const { project } of answers) outcomes.push(await syncOtherProject(ctx, project, remoteTasks));
      // The own project comes last, so that a failed call changes nothing here; the logs of the others show what it did.
      const tasks = [...remoteTasks].map(([name, hits]): [string, TaskHit[]] => [name, [...hits.values()]]);
      const allOutcomes = [await ctx.runStep(nexusWrites.sync, { tasks }), ...outcomes];
      const collect = (key: 'freed' | 'blocked' | 'ahead'): string[] => allOutcomes.flatMap((each) => each[key]);
      const changed = allOutcomes.flatMap((each) => each.changed);
      const closed = targets
        .filter((each) => !writable.includes(each))
        .map(({ name, permission }) => ({ project: name, why: `has the permission ${permission}, not write` }));
      const result = {
        projects: [...remoteTasks.keys()].sort(),
        changed,
        freed: collect('freed'),
        blocked: collect('blocked'),
        ...omitEmpty({ left: [...skipped, ...closed], movedFrom }),
      };
      const isSame = changed.length + result.freed.length + result.blocked.length === 0 && !movedFrom;
      const warnings = [
        ...skipped.map(({ project, why }) => `${project} was skipped: ${why}`),
        ...collect('ahead').map((id) => `${id} is active although it waits`),
        ...changed.filter(({ to }) => to === 'missing').map(({ task, on }) => `${on}, which ${task} waits for, no longer exists`),
      ];
      return answer({ sync: result }, { ...(isSame ? { exit: 102 as const } : {}), warnings });
    });
  },
});

/** Reads the registry and updates the path of this project if it has moved. */
async function refreshOwnPath({ platform, project }: JobContext): Promise<{ registry: ProjectRegistry; movedFrom?: string }> {
  const file = await openRegistry(platform);
  const registry = file.read();
  const own = findOwnEntry(platform, registry);
  if (!own || isSameFolder(platform, own.path, project.root)) return { registry };
  const { resolveFolder } = await import('#platform/registry.ts');
  const path = resolveFolder(project.root, '.') ?? project.root;
  return file.change((now) => {
    const next = { ...now, projects: now.projects.map((each) => (each.name === own.name ? { ...each, path } : each)) };
    return { registry: next, result: { registry: next, movedFrom: own.path } };
  });
}

type SkippedProject = { project: string; why: string };

/** Reads all remote tasks of the dependencies. Throws E_NEXUS_SYNC_FAILED if one project cannot be read. */
async function readRemoteTasks(
  ctx: JobContext,
  ask: AskProject,
  { projects }: ProjectRegistry,
  rows: RemoteDependency[],
  except: string[],
  unanswered: Unanswered[],
): Promise<{ remoteTasks: RemoteTasks; skipped: SkippedProject[] }> {
  const skipped: SkippedProject[] = [];
  const readable: RegisteredProject[] = [];
  const failures = [...unanswered];
  for (const name of new Set(rows.map(({ project }) => project))) {
    const entry = projects.find((each) => each.name === name);
    if (except.includes(name)) skipped.push({ project: name, why: 'it is in --except' });
    else if (!entry) failures.push({ project: name, problem: 'no project with this name is registered' });
    else if (!hasPermission(entry.permission, 'read')) skipped.push({ project: name, why: 'it is closed' });
    else readable.push(entry);
  }
  const { answers, unanswered: failed } = await askAll(ask, readable, nexusReads.hits, ({ name }) => ({
    ids: [...new Set(rows.filter(({ project }) => project === name).map(({ remoteId }) => remoteId))],
  }));
  failures.push(...failed);
  if (failures.length > 0) {
    const names = [...new Set([...except, ...failures.map(({ project }) => project)])];
    throw new CleoError('E_NEXUS_SYNC_FAILED', { failed: failures, fix: ctx.commandWith({ except: names }) });
  }
  return {
    remoteTasks: new Map(answers.map(({ project, answer }) => [project.name, new Map(answer.map((hit) => [hit.id, hit]))])),
    skipped,
  };
}

/** Syncs another project that grants write, with an entry in the log of that project. */
async function syncOtherProject(ctx: JobContext, project: RegisteredProject, remoteTasks: RemoteTasks): Promise<SyncOutcome> {
  const { platform, storeAdmin, now, caller, gateway } = ctx;
  requireInPlace(platform, project);
  const otherProject = toProject(project.path);
  let store: Awaited<ReturnType<Awaited<ReturnType<typeof storeAdmin>>['open']>> | undefined;
  try {
    store = await (await storeAdmin(otherProject, platform.config.load(otherProject)['store.url'])).open('write');
    return await store.write({ at: now, by: caller.agent }, async (writes) => {
      const synced = await syncStore(writes, remoteTasks, now, project.name);
      await writes.audit.append({
        timestamp: now,
        agent: caller.agent,
        gateway,
        domain: 'nexus',
        operation: 'sync',
        params: JSON.stringify({ all: true }),
        success: true,
        exitCode: 0,
        ...writes.changes,
        durationMs: 0,
        ...defined({ project: platform.config.load(otherProject)['project.key'] || undefined }),
      });
      return synced;
    });
  } catch (error) {
    const problem = (toQueryError(platform, project, error) as Error).message;
    throw new CleoError('E_NEXUS_SYNC_FAILED', {
      failed: [{ project: project.name, problem }],
      isPartial: true,
      fix: ctx.commandWith({ except: [project.name] }),
    });
  } finally {
    await store?.close();
  }
}
