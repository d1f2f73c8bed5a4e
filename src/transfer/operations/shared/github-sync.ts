import type { JobContext, MutationContext } from '#core/define.ts';
import type { Changes } from '#core/model/audit.ts';
import type { Status, TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { IssueChanges, PushLoss } from '../../model/github.ts';
import type { GithubConnection } from '../../model/github-connection.ts';
import { listChangedIssueFields, toNumber } from '../../rules/github-sync/issue-changes.ts';
import type { ImportConflict } from '../../rules/import-state.ts';
import type { ConflictPolicy } from '../../rules/three-way.ts';
import { createGithubClient, type GithubClient } from './github-client.ts';
import { withGithubLock } from './github-lock.ts';
import {
  githubSource,
  type IssueMap,
  linkCreatedIssues,
  listLinkedTasks,
  settleIssues,
  streamIssues,
  toForeignId,
} from './github-merge.ts';
import { createIssue, executePush, findAssignable, type GithubSync, type PushPlan, planPush, selectNewTasks } from './github-push.ts';
import { fetchSnapshot, type GithubCache, inspectGone, readRepository } from './github-snapshot.ts';
import { importForeign } from './import-foreign.ts';

export interface GithubSyncOptions {
  repo: string;
  /** Tasks that get an issue. */
  newIds: TaskId[];
  pushesAll: boolean;
  isPullOnly: boolean;
  policy: ConflictPolicy;
  isDryRun: boolean;
}

/** A record that the sync writes, or would write. */
interface SyncChange {
  side: 'here' | 'github';
  action: 'create' | 'update' | 'close' | 'reopen';
  id?: string;
  taskId: TaskId;
  title?: string;
  fields?: string[];
}

interface Loss {
  id: string;
  field: string;
  why: string;
}

interface Pulled {
  imported: number;
  updated: number;
  unchanged: number;
  changes: SyncChange[];
  conflicts: ImportConflict[];
  losses: Loss[];
  warnings: string[];
  newTasks: TaskRecord[];
  plan: PushPlan;
  receipt: Changes;
}

/** Ends a transaction of a dry run, with what it would have written. */
class RolledBack extends Error {
  readonly pulled: Pulled;
  constructor(pulled: Pulled) {
    super('dry run');
    this.pulled = pulled;
  }
}

/** Reads the issues, merges them with the tasks in one transaction, then writes the changes of tasks to GitHub. Every step can be
 *  repeated: a sync that was interrupted anywhere continues with the next call. */
export async function syncRepository(ctx: JobContext, connection: GithubConnection, options: GithubSyncOptions) {
  const client = createGithubClient(connection, { repo: options.repo, command: ctx.commandWith({}), signal: ctx.signal });
  const repo = await readRepository(client, options.repo, (name) => ctx.commandWith({ repo: name }));
  if (options.isDryRun) return runSync(ctx, client, repo, options);
  return withGithubLock(ctx, repo, () => runSync(ctx, client, repo, options));
}

async function runSync(ctx: JobContext, client: GithubClient, repo: string, options: GithubSyncOptions) {
  const { isDryRun, isPullOnly } = options;
  const report = (phase: string, done: number, total?: number): void =>
    ctx.observe?.('import_progress', { phase, done, ...(total === undefined ? {} : { total }) }, {});
  const cache = await openCache(ctx, repo, isDryRun);
  const issues = await fetchSnapshot(client, repo, cache, (done) => report('read', done));
  const write: GithubSync['write'] = (work) => ctx.write((store) => work(createMutationContext(ctx, store, isDryRun)));
  const sync: GithubSync = { client, repo, issues, cache, write };
  const gone = await inspectMissing(ctx, sync);
  const pulled = await pull(sync, options, gone);
  const result = {
    repo,
    issues: issues.size,
    pulled: { created: pulled.imported, updated: pulled.updated, unchanged: pulled.unchanged },
    conflicts: pulled.conflicts,
    warnings: pulled.warnings,
    preview: pulled.receipt,
  };
  const toLosses = (losses: PushLoss[]): Loss[] => losses.map(({ taskId, field, why }) => ({ id: taskId, field, why }));
  const creations = pulled.newTasks.map(toCreation);
  if (isDryRun || isPullOnly) {
    const planned = isPullOnly ? [] : [...creations, ...listPlanned(sync, pulled.plan)];
    return {
      ...result,
      pushed: { created: isPullOnly ? 0 : creations.length, updated: isPullOnly ? 0 : pulled.plan.planned.length },
      changes: [...pulled.changes, ...planned],
      losses: [...pulled.losses, ...(isPullOnly ? [] : toLosses(pulled.plan.losses))],
    };
  }
  const losses: PushLoss[] = [];
  const created: SyncChange[] = [];
  for (const record of pulled.newTasks) {
    const loss = await createIssue(sync, record);
    if (loss) losses.push(loss);
    else created.push(toCreation(record));
    report('write', created.length, pulled.newTasks.length);
  }
  // New issues have to get their parents, dependencies, states and notes.
  const plan = created.length > 0 || needsAssignees(pulled.plan) ? await planAgain(sync) : pulled.plan;
  losses.push(...plan.losses, ...(await executePush(sync, plan, (done) => report('write', done, plan.planned.length))));
  if (plan.numbers.length > 0) await write((mutation) => settleIssues(mutation, repo, issues, plan.numbers));
  const createdIds = new Set(created.map(({ taskId }) => taskId));
  const updated = listPlanned(sync, plan).filter(({ taskId }) => !createdIds.has(taskId));
  return {
    ...result,
    pushed: { created: created.length, updated: updated.length },
    changes: [...pulled.changes, ...created, ...updated],
    losses: [...pulled.losses, ...toLosses(losses)],
  };
}

const toCreation = ({ id: taskId, title }: TaskRecord): SyncChange => ({ side: 'github', action: 'create', taskId, title });

/** The transaction of the merge does not wait for GitHub, so that it knows no assignees that no issue has. */
const needsAssignees = ({ losses }: PushPlan): boolean => losses.some(({ field }) => field === 'assignee');

async function planAgain(sync: GithubSync): Promise<PushPlan> {
  const linked = await sync.write((ctx) => listLinkedTasks(ctx, sync.repo, sync.issues, new Map()));
  const assignable = await findAssignable(sync, linked);
  return sync.write((ctx) => planPush(ctx, sync, assignable));
}

async function openCache(ctx: JobContext, repo: string, isDryRun: boolean): Promise<GithubCache> {
  const entries = await ctx.read((store) => store.github.list(repo));
  return {
    entries,
    async save(entry) {
      entries.set(entry.path, entry);
      if (!isDryRun) await ctx.write((store) => store.github.save(repo, [entry]));
    },
    async remove(paths) {
      for (const path of paths) entries.delete(path);
      if (!isDryRun) await ctx.write((store) => store.github.remove(repo, paths));
    },
  };
}

/** The context of a job has its methods as hidden properties, which a copy would lose. */
const createMutationContext = (ctx: JobContext, store: MutationContext['store'], isDryRun: boolean): MutationContext =>
  Object.create(ctx, { config: { value: ctx.config() }, store: { value: store }, isDryRun: { value: isDryRun } }) as MutationContext;

/** Finds out what happened to issues that are not in the list any more. The answer is stored, so that GitHub is asked once. */
async function inspectMissing(ctx: JobContext, { client, repo, issues, cache }: GithubSync): Promise<Map<string, string>> {
  const known = await ctx.read((store) => store.imports.getKnown(githubSource));
  const gone = new Map<string, string>();
  // The databases return them in different orders.
  for (const [id, { current }] of [...known].sort(([a], [b]) => toNumber(a) - toNumber(b))) {
    const number = toNumber(id);
    if (id !== toForeignId(repo, number) || issues.has(number) || !current || current.archivedAt) continue;
    const path = `gone/${number}`;
    const stored = cache.entries.get(path)?.body;
    if (stored !== undefined) {
      gone.set(id, stored);
      continue;
    }
    const found = await inspectGone(client, repo, number);
    if (found.kind === 'present') issues.set(number, found.state);
    else if (found.kind === 'hidden') gone.set(id, 'not found on GitHub');
    else {
      const what = found.kind === 'deleted' ? 'deleted on GitHub' : `transferred to ${found.to}`;
      gone.set(id, what);
      await cache.save({ path, body: what });
    }
  }
  return gone;
}

async function pull(sync: GithubSync, options: GithubSyncOptions, gone: Map<string, string>): Promise<Pulled> {
  try {
    return await sync.write(async (mutation) => {
      const pulled = await mergeIssues(mutation, sync, options, gone);
      if (options.isDryRun) throw new RolledBack(pulled);
      return pulled;
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.pulled;
    throw error;
  }
}

async function mergeIssues(ctx: MutationContext, sync: GithubSync, options: GithubSyncOptions, gone: Map<string, string>): Promise<Pulled> {
  const { repo, issues, cache } = sync;
  await linkCreatedIssues(ctx, repo, issues, cache);
  const { changes } = ctx.store;
  const before = await readStatuses(ctx);
  const imported = await importIssues(ctx, repo, issues, options.policy);
  const receipt: Changes = { created: [...changes.created], updated: [...changes.updated], deleted: [] };
  const sourceIds = new Map(imported.ids.map(({ id, taskId }) => [taskId, id]));
  const after = await readStatuses(ctx);
  const toChange = (action: 'create' | 'update', taskId: TaskId): SyncChange => {
    const id = sourceIds.get(taskId);
    const title = id && issues.get(toNumber(id))?.issue.title;
    return { side: 'here', action: refineAction(action, before.get(taskId), after.get(taskId)), ...defined({ id, taskId, title }) };
  };
  const plan = await planPush(ctx, sync, new Set());
  const newTasks = await selectNewTasks(ctx, repo, { ids: options.newIds, isAll: options.pushesAll });
  const known = await ctx.store.imports.getKnown(githubSource);
  return {
    imported: imported.imported,
    updated: imported.updated,
    unchanged: imported.unchanged,
    changes: [...receipt.created.map((id) => toChange('create', id)), ...receipt.updated.map((id) => toChange('update', id))],
    conflicts: imported.conflicts,
    losses: [
      ...imported.losses.filter(({ id }) => !gone.has(id)).map(({ id, field, why }) => ({ id, field, why })),
      ...[...gone].map(([id, what]) => ({ id, field: 'task', why: `${what}; ${known.get(id)?.taskId} stays as it is` })),
    ],
    warnings: imported.warnings,
    newTasks: newTasks.filter(({ id }) => !receipt.created.includes(id)),
    plan,
    receipt,
  };
}

/** The status of every task that has an issue. */
async function readStatuses({ store }: MutationContext): Promise<Map<TaskId, Status>> {
  const known = await store.imports.getKnown(githubSource);
  return new Map([...known.values()].flatMap(({ taskId, current }) => (current ? [[taskId, current.status] as const] : [])));
}

function refineAction(action: 'create' | 'update', before: Status | undefined, after: Status | undefined): SyncChange['action'] {
  if (action === 'create' || before === undefined || (before === 'done') === (after === 'done')) return action;
  return after === 'done' ? 'close' : 'reopen';
}

const nothing: Omit<Awaited<ReturnType<typeof importForeign>>, 'ids'> & { ids: { id: string; taskId: TaskId }[] } = {
  imported: 0,
  updated: 0,
  unchanged: 0,
  pruned: 0,
  memories: 0,
  ids: [],
  losses: [],
  conflicts: [],
  warnings: [],
};

async function importIssues(ctx: MutationContext, repo: string, issues: IssueMap, policy: ConflictPolicy) {
  if (issues.size === 0) return nothing;
  const stream = await streamIssues(ctx, repo, issues);
  return importForeign(ctx, stream, githubSource, { policy, isStrict: false, prunes: false, takesTimes: false });
}

function listPlanned({ repo, issues }: GithubSync, { planned }: PushPlan): SyncChange[] {
  return planned.map(({ taskId, number, changes }) => ({
    side: 'github',
    action: toAction(changes),
    id: toForeignId(repo, number),
    ...defined({ taskId, title: changes.patch.title ?? issues.get(number)?.issue.title }),
    fields: listChangedIssueFields(changes),
  }));
}

const toAction = ({ patch: { state } }: IssueChanges): SyncChange['action'] =>
  state === 'closed' ? 'close' : state === 'open' ? 'reopen' : 'update';
