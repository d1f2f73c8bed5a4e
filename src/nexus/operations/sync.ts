import '../errors.ts';
import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import { type FarDepend, ProjectName, type RegisteredProject, type Registry, type Unanswered } from '../model/nexus.ts';
import { permits } from '../rules/nexus-registry.ts';
import { isSound } from '../rules/nexus-wait.ts';
import { type Ask, askAll, asking, checkStanding, failed, isSame, ownEntry, projectIn } from './shared/far.ts';
import { registryErrors, registryOf } from './shared/registry.ts';
import { type Change, type Synced, syncStore } from './shared/sync-store.ts';

export const nexusSync = job({
  name: 'nexus.sync',
  summary: 'Ask the other projects: free tasks whose depends there are done, block those that still wait',
  params: strictObject({
    all: optional(pipe(boolean(), description('Also in every other project with the permission write'))),
    except: optional(pipe(array(ProjectName), description('Projects to leave alone, such as one that cannot be reached'))),
  }),
  result: strictObject({
    sync: strictObject({
      /** Those that were read. */
      projects: array(string()),
      changed: array(strictObject({ task: string(), on: string(), from: string(), to: string() })),
      freed: array(string()),
      blocked: array(string()),
      left: optional(array(strictObject({ project: string(), why: string() }))),
      movedFrom: optional(string()),
    }),
  }),
  errors: [...registryErrors, 'E_NEXUS_SYNC_FAILED', 'E_LOCK_TIMEOUT'],
  tier: 2,
  scope: 'admin',
  cli: { command: 'nexus sync' },
  example: { world: ['T001', 'nexus here'], call: {}, exit: 102 },
  async run(ctx, { all = false, except = [] }) {
    const { registry, movedFrom } = await settled(ctx);
    const own = ownEntry(ctx.platform, registry);
    const written = all ? registry.projects.filter((each) => each.name !== own?.name && !except.includes(each.name)) : [];
    return asking(ctx, registry, async (ask) => {
      const open = written.filter(({ permission }) => permits(permission, 'write'));
      const rows = await ctx.read((store) => store.nexus.all());
      const { answers, unanswered } = await askAll(ask, open, async (store) => (await store.nexus.all()).filter(isSound));
      const { seen, left } = await look(ctx, ask, registry, [...rows, ...answers.flatMap((each) => each.answer)], except, unanswered);
      const there: Synced[] = [];
      for (const { project } of answers) there.push(await syncThere(ctx, project, seen));
      // Last, so that a call that is refused has changed nothing here; elsewhere the log says what it did.
      const done = [await ctx.write((store) => syncStore(store, seen, ctx.now)), ...there];
      const part = <K extends 'freed' | 'blocked' | 'ahead'>(key: K): string[] => done.flatMap((each) => each[key]);
      const changed: Change[] = done.flatMap((each) => each.changed);
      const closed = written
        .filter((each) => !open.includes(each))
        .map(({ name, permission }) => ({ project: name, why: `has the permission ${permission}, not write` }));
      const result = {
        projects: [...seen.keys()].sort(),
        changed,
        freed: part('freed'),
        blocked: part('blocked'),
        ...(left.length + closed.length > 0 ? { left: [...left, ...closed] } : {}),
        ...(movedFrom ? { movedFrom } : {}),
      };
      const isSame = changed.length + result.freed.length + result.blocked.length === 0 && !movedFrom;
      const warnings = [
        ...left.map(({ project, why }) => `${project} was left out: ${why}`),
        ...part('ahead').map((id) => `${id} is being worked on although it waits`),
        ...changed.filter(({ to }) => to === 'missing').map(({ task, on }) => `${on}, which ${task} waits for, is not there any more`),
      ];
      return answer({ sync: result }, { ...(isSame ? { exit: 102 as const } : {}), warnings });
    });
  },
});

/** The registry, with the folder of this project as it is now. */
async function settled({ platform, project }: JobContext): Promise<{ registry: Registry; movedFrom?: string }> {
  const file = await registryOf(platform);
  const registry = file.read();
  const own = ownEntry(platform, registry);
  if (!own || isSame(platform, own.path, project.root)) return { registry };
  const { realFolder } = await import('#platform/registry.ts');
  const path = realFolder(project.root, '.') ?? project.root;
  return file.change((now) => {
    const next = { ...now, projects: now.projects.map((each) => (each.name === own.name ? { ...each, path } : each)) };
    return { registry: next, result: { registry: next, movedFrom: own.path } };
  });
}

type Left = { project: string; why: string };
type Seen = Map<string, Map<string, TaskHit>>;

/** The far tasks as they are now, of every project that is waited for. All of them or, where one cannot be read, none (74). */
async function look(
  ctx: JobContext,
  ask: Ask,
  { projects }: Registry,
  rows: FarDepend[],
  except: string[],
  unanswered: Unanswered[],
): Promise<{ seen: Seen; left: Left[] }> {
  const left: Left[] = [];
  const wanted: RegisteredProject[] = [];
  const failures = [...unanswered];
  for (const name of new Set(rows.map(({ project }) => project))) {
    const entry = projects.find((each) => each.name === name);
    if (except.includes(name)) left.push({ project: name, why: 'it was excepted' });
    else if (!entry) failures.push({ project: name, problem: 'no project is registered by this name' });
    else if (!permits(entry.permission, 'read')) left.push({ project: name, why: 'it is closed' });
    else wanted.push(entry);
  }
  const { answers, unanswered: silent } = await askAll(ask, wanted, (store, { name }) =>
    store.tasks.hits([...new Set(rows.filter(({ project }) => project === name).map(({ farId }) => farId))]),
  );
  failures.push(...silent);
  if (failures.length > 0) {
    const names = [...new Set([...except, ...failures.map(({ project }) => project)])];
    throw new CleoError('E_NEXUS_SYNC_FAILED', { failed: failures, fix: ctx.commandWith({ except: names }) });
  }
  return { seen: new Map(answers.map(({ project, answer }) => [project.name, new Map(answer.map((hit) => [hit.id, hit]))])), left };
}

/** The same in another project, which allows it, with a line in the log of that project. */
async function syncThere(ctx: JobContext, project: RegisteredProject, seen: Seen): Promise<Synced> {
  const { platform, storeAdmin, now, caller, gateway } = ctx;
  checkStanding(platform, project);
  const place = projectIn(project.path);
  let store: Awaited<ReturnType<Awaited<ReturnType<typeof storeAdmin>>['open']>> | undefined;
  try {
    store = await (await storeAdmin(place, platform.config.load(place)['store.url'])).open('write');
    return await store.write({ at: now, by: caller.agent }, async (writes) => {
      const synced = await syncStore(writes, seen, now, project.name);
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
      });
      return synced;
    });
  } catch (error) {
    const problem = (failed(platform, project, error) as Error).message;
    throw new CleoError('E_NEXUS_SYNC_FAILED', {
      failed: [{ project: project.name, problem }],
      isPartial: true,
      fix: ctx.commandWith({ except: [project.name] }),
    });
  } finally {
    await store?.close();
  }
}
